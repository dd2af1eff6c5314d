# The tables in README.md and the curves in scale.svg are those of the recorded results:
#   cmake -D TOUR=program -D OUT=folder -P tables.cmake       compares; the curves are drawn into the folder
#   cmake -D TOUR=program -D UPDATE=1 -P tables.cmake         writes them
cmake_minimum_required(VERSION 3.25)
set(here ${CMAKE_CURRENT_LIST_DIR})
include(${here}/../tools/shown.cmake)
foreach(results b200.txt h200.txt)
  execute_process(COMMAND ${TOUR} tables ${here}/${results}
    OUTPUT_VARIABLE tables COMMAND_ERROR_IS_FATAL ANY)
  string(STRIP "${tables}" tables)
  clc_shown(${here}/README.md "<!-- tables of: ${results} -->" "${tables}\n")
endforeach()
set(plot ${OUT}/scale.svg)
if(UPDATE)
  set(plot ${here}/scale.svg)
endif()
execute_process(COMMAND ${TOUR} plot ${plot} ${here}/scale.txt ${here}/h200.txt COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${plot} ${here}/scale.svg RESULT_VARIABLE differ)
if(differ)
  message(FATAL_ERROR "scale.svg isn't drawn from the recorded results; UPDATE=1 draws it")
endif()
