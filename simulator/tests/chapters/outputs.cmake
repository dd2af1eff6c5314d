# Compares the outputs that a chapter's README shows with real runs:
#   cmake -D README=file -D BIN=build/bin [-D UPDATE=1] -P outputs.cmake
# Before each output stands a line <!-- output of: build/bin/... -->, and its ```text block follows.
# With -D ANY_TIMES=1 the numbers of cycles may be others: another nvcc emits other instructions.
# UPDATE=1 writes the outputs.

cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../tools/shown.cmake)
file(STRINGS ${README} heads REGEX "^<!-- output of: ")
if(NOT heads)
  message(FATAL_ERROR "${README} shows no output")
endif()
foreach(head IN LISTS heads)
  string(REGEX REPLACE "^<!-- output of: (.*) -->$" "\\1" command "${head}")
  separate_arguments(command UNIX_COMMAND "${command}")
  list(TRANSFORM command REPLACE "build/bin/" "${BIN}/")
  execute_process(COMMAND ${command} OUTPUT_VARIABLE out ERROR_VARIABLE out RESULT_VARIABLE status)
  string(REPLACE "${BIN}/" "build/bin/" out "${out}")
  if(NOT status EQUAL 0)
    string(APPEND out "(exit status ${status})\n")
  endif()
  if(ANY_TIMES)
    clc_block(${README} "${head}")
    string(REGEX REPLACE "((cycles|bytes_per_cycle): )[0-9.]+" "\\1N" out "${out}")
    string(REGEX REPLACE "((cycles|bytes_per_cycle): )[0-9.]+" "\\1N" shown "${shown}")
    if(out STREQUAL shown)
      continue()
    endif()
  endif()
  clc_shown(${README} "${head}" "${out}")
endforeach()
list(LENGTH heads outputs)
message("${outputs} outputs of ${README} are as shown")
