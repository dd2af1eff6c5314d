# The guided tour: runs every chapter, on this machine's GPU where it can and on clcsim where it
# can't, and stops at the first that fails. Then it prints the tables of what was measured and
# writes a page. A chapter may have words for its run on clcsim, and a run in which clcsim finds something.
#
#   cmake -D BIN=build/bin -D "CHAPTERS=01_fixed_work --elements 1000003,..."
#         -D "FINDS=05_ub_pitfalls decode-first --broken,..." -D TOUR=program -D OUT=build/tour
#         -D TOOLKIT=13.0.88 -P tour.cmake

file(MAKE_DIRECTORY ${OUT})
file(LOCK ${OUT}.lock TIMEOUT 0 RESULT_VARIABLE locked)
if(NOT locked EQUAL 0)
  message(FATAL_ERROR "Another tour writes to ${OUT}: wait until it is over.")
endif()

string(REPLACE "," ";" chapters "${CHAPTERS}")
string(REPLACE "," ";" finds "${FINDS}")
execute_process(COMMAND nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
  RESULT_VARIABLE no_gpu OUTPUT_VARIABLE gpus ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)

function(say text)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${text}")
endfunction()

# Runs a command with its output shown; sets `result`.
macro(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
endmacro()

list(LENGTH chapters steps)
math(EXPR steps "${steps} + 1")  # and the page
set(step 0)
# Announces the next step.
macro(next what)
  math(EXPR step "${step} + 1")
  say("")
  say("=== ${step} of ${steps}: ${what}")
endmacro()

foreach(chapter IN LISTS chapters)
  separate_arguments(words UNIX_COMMAND "${chapter}")
  list(GET words 0 chapter)
  list(JOIN words " " run_on_clcsim)
  set(result 77)
  if(no_gpu)
    next("${run_on_clcsim}, on clcsim (this machine has no NVIDIA GPU)")
  else()
    next("${chapter}, on this machine's GPU")
    run(${BIN}/${chapter})
    if(result EQUAL 77)
      say("=== ${run_on_clcsim}, on clcsim")
    endif()
  endif()
  if(result EQUAL 77)
    run(${BIN}/clcsim ${BIN}/${words})
  endif()
  set(broken ${finds})
  list(FILTER broken INCLUDE REGEX "^${chapter} ")
  if(result EQUAL 0 AND broken)
    say("=== ${broken}, on clcsim: its result is right by luck, and clcsim finds the mistake")
    separate_arguments(words UNIX_COMMAND "${broken}")
    run(${BIN}/clcsim ${BIN}/${words})
    if(result EQUAL 86)  # found, as it must be
      set(result 0)
    endif()
  endif()
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${chapter} ended with ${result}")
  endif()
endforeach()

next("timelines and tables of all strategies")
set(files ${OUT}/clcsim.json)
if(NOT no_gpu)
  say("=== measured on this machine's GPU, those that it can run")
  run(${BIN}/clc_measure gpu --bin ${BIN} --out ${OUT}/gpu.json)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "clc_measure gpu ended with ${result}")
  endif()
  list(APPEND files ${OUT}/gpu.json)
endif()
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
