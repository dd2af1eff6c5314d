# Runs a program and compares what it does with what is expected of it:
#   cmake -D EXIT=0 [...] -P expect.cmake -- program [arguments...]
# EXIT          its exit status, exactly
# SAYS          regular expressions; each must match standard output followed by standard error, the other
#               way round, or standard error alone. What people read is tested as text, the rest by VERDICT
# SILENT_ABOUT  regular expressions; none may match standard error
# PRINTS        what standard output must be, exactly; nothing, where expect() is given PRINTS_NOTHING
# SAME_AS       a file; standard output must be that, comments (#) aside
# LABEL         chapter: with exit status 2 or 77, standard error must be one sentence, standard output empty
# VERDICT       what the JSON object of a chapter says; standard output must be that object on one line
# HOLDS         equations about the object's numbers: "tiles=4096,blocks_started+steals=tiles". Where it has
#               objects of further kernels in it, they hold for each of these as well

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
    execute_process(COMMAND bash -c [[diff <(printf %s "$0") <(printf %s "$1")]] "${wanted}" "${seen}" OUTPUT_VARIABLE difference)
    message(FATAL_ERROR "standard output differs from ${SAME_AS}:\n${difference}")
  endif()
endif()
if(LABEL STREQUAL "chapter" AND EXIT MATCHES "^(2|77)$")
  string(REGEX REPLACE "=========[^\n]*\n" "" sentence "${err}")  # what clcsim says about the run
  if(NOT sentence MATCHES "^[^\n]*\n$" OR NOT out STREQUAL "")
    message(FATAL_ERROR "expected one sentence on stderr and nothing on stdout")
  endif()
endif()
if(NOT DEFINED VERDICT)
  return()
endif()

if(NOT out MATCHES "^{[^\n]*}\n$")
  message(FATAL_ERROR "expected one JSON object on one line")
endif()
foreach(key chapter gpu simulated elements tiles blocks_launched blocks_started prologues steals
            cycles bytes_per_cycle verdict)
  string(JSON ${key} ERROR_VARIABLE error GET "${out}" ${key})
  if(error)
    message(FATAL_ERROR "JSON: ${error}")
  endif()
endforeach()
if(out MATCHES "milliseconds|gigabytes")  # on clcsim times are cycles
  message(FATAL_ERROR "a simulated time in a GPU's unit")
endif()
if(NOT verdict STREQUAL VERDICT)
  message(FATAL_ERROR "verdict ${verdict}, expected ${VERDICT}")
endif()
set(kernels "")  # where the first kernel's numbers stand, and each further one's
string(JSON members LENGTH "${out}")
math(EXPR members "${members} - 1")
foreach(i RANGE ${members})
  string(JSON key MEMBER "${out}" ${i})
  string(JSON type TYPE "${out}" ${key})
  if(type STREQUAL "OBJECT")
    list(APPEND kernels ${key})
  endif()
endforeach()
string(REPLACE "," ";" HOLDS "${HOLDS}")
foreach(equation IN LISTS HOLDS)
  string(REGEX MATCHALL "[a-z_]+" keys "${equation}")
  foreach(kernel "" ${kernels})
    set(numbers "${equation}")
    foreach(key IN LISTS keys)
      string(JSON value ERROR_VARIABLE of_the_problem GET "${out}" ${kernel} ${key})
      if(of_the_problem)
        string(JSON value GET "${out}" ${key})
      endif()
      string(REGEX REPLACE "(^|[^a-z_])${key}([^a-z_]|$)" "\\1${value}\\2" numbers "${numbers}")
    endforeach()
    string(REPLACE "=" ") - (" difference "(${numbers})")
    math(EXPR difference "${difference}")
    if(NOT difference EQUAL 0)
      message(FATAL_ERROR "does not hold: ${kernel} ${equation} (${numbers})")
    endif()
  endforeach()
endforeach()
