# What the guide's table claims holds on clcsim: measured now on a part of a b200, and in the recorded
# results for a whole one. A result that breaks it is refused.
#   cmake -D BIN=build/bin -D TOUR=program -D OUT=folder -P relations.cmake
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${BIN}/clc_measure part --bin ${BIN} --gpu b200:8 --jobs 2
  OUTPUT_FILE ${OUT}/part.json COMMAND_ERROR_IS_FATAL ANY)
foreach(results ${OUT}/part.json ${CMAKE_CURRENT_LIST_DIR}/../measure/recordings/clcsim-b200.json)
  message("${results}")
  execute_process(COMMAND ${TOUR} check ${results} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "it doesn't hold")
  endif()
endforeach()

# CLC that waits as long as a stride does, that runs as many prologues as tiles, that is as uneven.
foreach(defect "preemption even clc urgent" "overheads 16 clc prologues" "balance random clc time")
  separate_arguments(change UNIX_COMMAND "${defect} 10")
  execute_process(COMMAND ${TOUR} check ${OUT}/part.json -- ${change} RESULT_VARIABLE status OUTPUT_VARIABLE out)
  if(NOT status EQUAL 1 OR NOT out MATCHES "FAILED  clc")
    message(FATAL_ERROR "it was not noticed that ten times as large: ${defect}\n${out}")
  endif()
endforeach()
