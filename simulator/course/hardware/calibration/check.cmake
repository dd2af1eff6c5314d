# The table in simulator/README.md is the one that table.cpp makes of the two recordings, and no ratio
# in it is off by more than 25 % without a reason.
#   cmake -D FOLDER=simulator/course/hardware/calibration -D TABLE=build/simulator/course/hardware/calibration/clcsim_calibration [-D UPDATE=1] -P check.cmake
cmake_minimum_required(VERSION 3.25)
include(${FOLDER}/../../../tests/tools/shown.cmake)
execute_process(
  COMMAND ${TABLE} ${FOLDER}/h200.txt ${FOLDER}/clcsim.txt
  OUTPUT_VARIABLE table RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "a ratio is off by more than 25 %, or a row was not measured:\n${table}")
endif()
clc_shown(${FOLDER}/../../../README.md "<!-- calibration: begin -->" "${table}")
