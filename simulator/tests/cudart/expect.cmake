# Runs a program and compares what it does with what is expected of it:
#   cmake -D EXIT=0 [...] -P expect.cmake -- program [arguments...]
# EXIT          its exit status, exactly
# SAYS          regular expressions; each must match standard output followed by standard error,
#               or standard error alone
# SILENT_ABOUT  regular expressions; none may match standard error
# PRINTS        what standard output must be, exactly
# SAME_AS       a file; standard output must be that, comments (#) aside

cmake_minimum_required(VERSION 3.25)
set(command)
set(after_dashes FALSE)
foreach(i RANGE 1 ${CMAKE_ARGC})
  if(after_dashes AND i LESS CMAKE_ARGC)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif("${CMAKE_ARGV${i}}" STREQUAL "--" AND NOT after_dashes)
    set(after_dashes TRUE)
  endif()
endforeach()

execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
list(JOIN command " " shown)
message("${shown}\n${out}${err}exit status ${status}")

# A signal is told in words.
if(status STREQUAL "Subprocess aborted")
  set(status 134)
endif()
if(NOT status STREQUAL EXIT)
  message(FATAL_ERROR "exit status ${status}, expected ${EXIT}")
endif()
foreach(regex IN LISTS SAYS)
  if(NOT "${out}${err}" MATCHES "${regex}" AND NOT "${err}" MATCHES "${regex}"
      AND NOT "${err}${out}" MATCHES "${regex}")
    message(FATAL_ERROR "expected it to say: ${regex}")
  endif()
endforeach()
foreach(regex IN LISTS SILENT_ABOUT)
  if("${err}" MATCHES "${regex}")
    message(FATAL_ERROR "standard error must not match: ${regex}")
  endif()
endforeach()
if(DEFINED PRINTS AND NOT "${out}" STREQUAL "${PRINTS}")
  message(FATAL_ERROR "standard output is not: ${PRINTS}")
endif()
if(DEFINED SAME_AS)
  file(READ ${SAME_AS} wanted)
  string(REGEX REPLACE "(^|\n)(#[^\n]*\n)+" "\\1" wanted "${wanted}")
  string(REGEX REPLACE "(^|\n)(#[^\n]*\n)+" "\\1" seen "${out}")
  if(NOT seen STREQUAL wanted)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/seen.txt "${seen}")
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/wanted.txt "${wanted}")
    execute_process(COMMAND diff wanted.txt seen.txt OUTPUT_VARIABLE difference
      WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    message(FATAL_ERROR "standard output differs from ${SAME_AS}:\n${difference}")
  endif()
endif()
