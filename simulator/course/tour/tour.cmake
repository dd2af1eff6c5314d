# The guided tour: runs every chapter, on this machine's GPU where it can and on clcsim where it
# can't, and stops at the first that fails. Then it measures all strategies, prints the tables and
# writes a page.
#
#   cmake -D BIN=build/bin -D CHAPTERS=01_fixed_work,... -D TOUR=program -D OUT=build/tour
#         -D TOOLKIT=13.0.88 -P tour.cmake

file(MAKE_DIRECTORY ${OUT})
file(LOCK ${OUT}.lock TIMEOUT 0 RESULT_VARIABLE locked)
if(NOT locked EQUAL 0)
  message(FATAL_ERROR "Another tour writes to ${OUT}: wait until it is over.")
endif()

string(REPLACE "," ";" chapters "${CHAPTERS}")
execute_process(COMMAND nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
  RESULT_VARIABLE no_gpu OUTPUT_VARIABLE gpus ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)

function(say text)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${text}")
endfunction()

# Runs a command with its output shown; sets `result`.
macro(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
endmacro()

list(LENGTH chapters steps)
math(EXPR steps "${steps} + 2")  # and the measurements, and the page
set(step 0)
# Announces the next step.
macro(next what)
  math(EXPR step "${step} + 1")
  say("")
  say("=== ${step} of ${steps}: ${what}")
endmacro()

foreach(chapter IN LISTS chapters)
  set(result 77)
  if(no_gpu)
    next("${chapter}, on clcsim (this machine has no NVIDIA GPU)")
  else()
    next("${chapter}, on this machine's GPU")
    run(${BIN}/${chapter})
    if(result EQUAL 77)
      say("=== ${chapter}, on clcsim")
    endif()
  endif()
  if(result EQUAL 77)
    run(${BIN}/clcsim ${BIN}/${chapter})
  endif()
  if(result EQUAL 0 AND chapter STREQUAL "05_ub_pitfalls")
    say("=== ${chapter}: one of them, broken, on clcsim; its result is right by luck")
    run(${BIN}/clcsim ${BIN}/${chapter} decode-first --broken)
    if(result EQUAL 86)  # found, as it must be
      set(result 0)
    endif()
  endif()
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${chapter} ended with ${result}")
  endif()
endforeach()

# measure(file set options...)
function(measure file set)
  execute_process(COMMAND ${BIN}/clc_measure ${set} --bin ${BIN} ${ARGN}
    OUTPUT_FILE ${OUT}/${file} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "clc_measure ${set} ended with ${result}")
  endif()
endfunction()

set(files ${OUT}/clcsim.json)
next("all strategies, measured on clcsim")
measure(clcsim.json mini --gpu mini --jobs ${cores})
if(NOT no_gpu)
  say("=== and on this machine's GPU, those that it can run")
  measure(gpu.json gpu)
  list(APPEND files ${OUT}/gpu.json)
endif()
next("timelines and tables")
execute_process(COMMAND ${TOUR} draw ${BIN} ${OUT}/pictures
  COMMAND_ERROR_IS_FATAL ANY)

if(no_gpu)
  set(gpu "none that NVIDIA's driver knows")
  set(driver "none")
else()
  string(REGEX REPLACE "\n.*" "" gpu "${gpus}")
  string(REGEX REPLACE "^.*, *" "" driver "${gpu}")
  string(REGEX REPLACE ",[^,]*$" "" gpu "${gpu}")
endif()
if(TOOLKIT VERSION_LESS 12.9)
  set(api "none")
elseif(TOOLKIT VERSION_LESS 13.0)
  set(api "cuda::ptx")
elseif(TOOLKIT VERSION_LESS 13.2)
  set(api "cuda::ptx, cuda::for_each_canceled_block")
else()
  set(api "cuda::ptx, cuda::device::for_each_canceled_block")
endif()
run(${TOUR} tables ${files})
run(${TOUR} page ${OUT}/pictures ${OUT}/index.html ${files} --
  "GPU" "${gpu}" "driver" "${driver}" "toolkit" "CUDA ${TOOLKIT}" "its CLC API" "${api}"
  "rows on clcsim" "simulated on the CPU; cycles of a model's clock")
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the page could not be written")
endif()
say("")
say("GPU: ${gpu}; driver: ${driver}; toolkit: CUDA ${TOOLKIT}; its CLC API: ${api}")
say("=== the tour is over: every chapter passed. Tables and timelines: ${OUT}/index.html")
say("=== next: read 01_fixed_work/README.md, and run what it says")
