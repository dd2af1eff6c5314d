# The guided tour: runs every chapter, on this machine's GPU where it can and on clcsim where it
# can't, and stops at the first that fails.
#
#   cmake -D BIN=build/bin -D CHAPTERS=01_fixed_work,... -P tour.cmake

string(REPLACE "," ";" chapters "${CHAPTERS}")
execute_process(COMMAND nvidia-smi -L RESULT_VARIABLE no_gpu OUTPUT_QUIET ERROR_QUIET)

function(say text)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${text}")
endfunction()

# Runs a command with its output shown; sets `result`.
macro(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
endmacro()

foreach(chapter IN LISTS chapters)
  say("")
  set(result 77)
  if(no_gpu)
    say("=== ${chapter}: on clcsim (this machine has no NVIDIA GPU)")
  else()
    say("=== ${chapter}: on this machine's GPU")
    run(${BIN}/${chapter})
    if(result EQUAL 77)
      say("=== ${chapter}: on clcsim")
    endif()
  endif()
  if(result EQUAL 77)
    run(${BIN}/clcsim ${BIN}/${chapter})
  endif()
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${chapter} ended with ${result}")
  endif()
endforeach()
say("")
say("=== the tour is over: every chapter passed")
