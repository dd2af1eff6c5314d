# The table in simulator/README.md is the one that table.awk makes of the two recordings, and no ratio
# in it is off by more than 25 % without a reason.
#   cmake -D FOLDER=simulator/calibration [-D UPDATE=1] -P check.cmake
cmake_minimum_required(VERSION 3.25)
execute_process(
  COMMAND awk -f ${FOLDER}/table.awk ${FOLDER}/h200.txt ${FOLDER}/clcsim.txt
  OUTPUT_VARIABLE table RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "a ratio is off by more than 25 %, or a row was not measured:\n${table}")
endif()
set(readme ${FOLDER}/../README.md)
file(READ ${readme} text)
set(begin "<!-- calibration: begin -->\n")
set(end "<!-- calibration: end -->")
string(FIND "${text}" "${begin}" first)
string(FIND "${text}" "${end}" last)
if(first EQUAL -1 OR last LESS first)
  message(FATAL_ERROR "${readme} has no place for the table: '${begin}...${end}'")
endif()
string(SUBSTRING "${text}" 0 ${first} before)
string(SUBSTRING "${text}" ${last} -1 after)
if(NOT text STREQUAL "${before}${begin}${table}${after}")
  if(UPDATE)
    file(WRITE ${readme} "${before}${begin}${table}${after}")
  else()
    message(FATAL_ERROR "the table in ${readme} is out of date: run this with -D UPDATE=1")
  endif()
endif()
