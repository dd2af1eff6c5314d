# --timeline writes its file at the end of a program, and refuses one that it couldn't write before
# the program starts.
#   cmake -D CLCSIM=... -D PROGRAM=... -D FOLDER=... -P timeline_file.cmake
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
set(work --elements 60000 --warmup 0 --runs 1)

# run(EXPECTED_STATUS command...) sets out and err.
function(run expected)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  list(JOIN ARGN " " shown)
  message("${shown}\n${err}exit status ${status}")
  if(NOT status STREQUAL expected)
    message(FATAL_ERROR "expected ${expected}\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
  set(err "${err}" PARENT_SCOPE)
endfunction()

# The picture of three kernels, each launched twice: from the environment too, and the same bytes again.
run(0 ${CLCSIM} --timeline ${FOLDER}/a.svg ${PROGRAM} ${work})
run(0 ${CMAKE_COMMAND} -E env CLCSIM_TIMELINE=${FOLDER}/b.svg ${CLCSIM} ${PROGRAM} ${work})
file(READ ${FOLDER}/a.svg text)
file(READ ${FOLDER}/b.svg again)
if(NOT text MATCHES "^<svg .*Launch 6: multiply_double.*</svg>\n$" OR NOT text STREQUAL again)
  message(FATAL_ERROR "not a picture, or another one the second time")
endif()
run(0 ${CLCSIM} --timeline ${FOLDER}/c.svg --timeline-launch 3 ${PROGRAM} ${work})
file(READ ${FOLDER}/c.svg text)
if(NOT text MATCHES "Launch 3: multiply_ptx" OR text MATCHES "Launch 4")
  message(FATAL_ERROR "not launch 3")
endif()

# A file that can't be written, a name that says nothing: one sentence, and the program never runs.
foreach(name nowhere/a.svg . a.png a.json "")
  run(2 ${CLCSIM} --timeline "${FOLDER}/${name}" ${PROGRAM} ${work})
  string(REGEX MATCHALL "\n" lines "${err}")
  list(LENGTH lines count)
  if(NOT out STREQUAL "" OR NOT count EQUAL 1 OR NOT err MATCHES "^clcsim: .*can't (be written|write)")
    message(FATAL_ERROR "it said:\n${out}${err}")
  endif()
endforeach()
