# Runs a program and compares what it does with what is expected of it:
#   cmake -D EXIT=0 [-D SAYS=regex] [-D VERDICT=PASS] [-D HOLDS=equations]
#         -P expect.cmake -- program [arguments...]
# EXIT     its exit status, exactly. With 2 and 77, stderr must be one sentence and stdout empty.
# SAYS     what stdout or stderr must match
# VERDICT  what the JSON object says; then stdout must be that object on one line, nothing else
# HOLDS    equations about the object's numbers: "tiles=4096,blocks_started+steals=tiles"

cmake_minimum_required(VERSION 3.25)
set(command)
set(after_dashes FALSE)
foreach(i RANGE 1 ${CMAKE_ARGC})
  if(after_dashes AND i LESS CMAKE_ARGC)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif("${CMAKE_ARGV${i}}" STREQUAL "--")
    set(after_dashes TRUE)
  endif()
endforeach()

execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
list(JOIN command " " shown)
message("${shown}\n${out}${err}exit status ${status}")

if(NOT status STREQUAL EXIT)
  message(FATAL_ERROR "exit status ${status}, expected ${EXIT}")
endif()
if(EXIT STREQUAL "2" OR EXIT STREQUAL "77")
  string(REGEX REPLACE "=========[^\n]*\n" "" sentence "${err}")  # what clcsim says about the run
  string(REGEX MATCHALL "\n" lines "${sentence}")
  list(LENGTH lines lines)
  if(NOT lines EQUAL 1 OR NOT out STREQUAL "")
    message(FATAL_ERROR "expected one sentence on stderr and nothing on stdout")
  endif()
endif()
if(DEFINED SAYS AND NOT "${out}${err}" MATCHES "${SAYS}")
  message(FATAL_ERROR "expected it to say: ${SAYS}")
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
string(REPLACE "," ";" HOLDS "${HOLDS}")
foreach(equation IN LISTS HOLDS)
  string(REGEX MATCHALL "[a-z_]+" keys "${equation}")
  set(numbers "${equation}")
  foreach(key IN LISTS keys)
    string(JSON value GET "${out}" ${key})
    string(REGEX REPLACE "(^|[^a-z_])${key}([^a-z_]|$)" "\\1${value}\\2" numbers "${numbers}")
  endforeach()
  string(REGEX MATCH "^(.*)=(.*)$" ignored "${numbers}")
  math(EXPR left "${CMAKE_MATCH_1}")
  math(EXPR right "${CMAKE_MATCH_2}")
  if(NOT left EQUAL right)
    message(FATAL_ERROR "does not hold: ${equation} (${numbers})")
  endif()
endforeach()
