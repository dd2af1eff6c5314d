# The exercises of the chapters. Each is a folder NN_chapter/exercises/N_name: the student edits task.cu; solution.cu is a right
# answer, check.h says what an answer must do, and hints.txt what is said to those that don't. answers/NN_N.edits has other
# answers, with the verdicts that they must get, for tests and the book. Nothing here is built unless it is asked for:
#   cmake --build build --target exercise_03_1     builds one and checks it on clcsim
#   cmake --build build --target exercises         a table of all

# The files that are built: the students', or the solutions in their place.
set(CLC_EXERCISES_FROM "task" CACHE STRING "What is built of each exercise: task or solution")
if(NOT CLC_EXERCISES_FROM MATCHES "^(task|solution)$")
  message(FATAL_ERROR "CLC_EXERCISES_FROM is task or solution, not ${CLC_EXERCISES_FROM}.")
endif()

set(CLC_EXERCISES ${CMAKE_BINARY_DIR}/exercises)  # the programs, and list.txt for the scripts
file(WRITE ${CLC_EXERCISES}/list.txt "")

# What the checks are made of; host code only. It is built with the tour, so that two exercises can be
# built at the same time without both writing it.
add_library(clc_exercise_check STATIC course/exercises/exercise_check.cpp course/exercises/exercise_main.cpp
  course/exercises/witness.cpp clcsim/report/json.cpp)
set_target_properties(clc_exercise_check PROPERTIES POSITION_INDEPENDENT_CODE ON)  # for the weak function of clcsim
target_include_directories(clc_exercise_check PUBLIC ${CMAKE_SOURCE_DIR}/common ${CMAKE_CURRENT_LIST_DIR}
  PRIVATE ${CMAKE_CURRENT_LIST_DIR}/..)
target_include_directories(clc_exercise_check SYSTEM PRIVATE
  ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
target_link_libraries(clc_exercise_check PUBLIC clc_around PRIVATE $<BUILD_INTERFACE:clcsim_common>)

# What compiles and checks answers, and says what came out: build/bin/clc-exercise, for students, in a clone and where the course
# is installed, and for grading; and a library for tests.
add_library(clc_exercises STATIC EXCLUDE_FROM_ALL
  course/exercises/check_answer.cpp course/exercises/compile_errors.cpp course/exercises/verdict.cpp
  course/exercises/workspace.cpp course/commands/process.cpp)
target_include_directories(clc_exercises PUBLIC ${CMAKE_CURRENT_LIST_DIR}/..)
target_compile_definitions(clc_exercises PUBLIC CLC_COURSE="${CMAKE_SOURCE_DIR}")
target_link_libraries(clc_exercises PUBLIC clcsim_json_reader clcsim_report Threads::Threads)
target_compile_options(clc_exercises PUBLIC $<$<CONFIG:Release>:-O0>)  # it waits for other programs
add_executable(clc_student course/exercises/clc_exercise.cpp course/exercises/terminal.cpp course/exercises/watch.cpp)
target_link_libraries(clc_student PRIVATE clc_exercises)
set_target_properties(clc_student PROPERTIES OUTPUT_NAME clc-exercise)
set(clc_checks_need clcsim clc_student clc_exercise_check)
add_custom_target(watch COMMAND clc_student watch DEPENDS ${clc_checks_need} USES_TERMINAL VERBATIM)
add_custom_target(exercises COMMAND clc_student all DEPENDS ${clc_checks_need} USES_TERMINAL VERBATIM)

# <cuda/ptx> includes the types of half precision, which no exercise uses: a third of nvcc's time.
set(clc_lighter_headers CCCL_DISABLE_FP16_SUPPORT)

# How an answer is compiled, for clcsim, and for this machine's GPU if it can steal: compile.sh ID ANSWER PROGRAM. The answer is
# named as seen from the folder where this is called. There is a second one to install, which finds all from its own place.
clc_find_cudart()
set(clc_generate "-gencode 'arch=compute_100a,code=[compute_100a]'")
foreach(architecture IN LISTS CLC_REAL_ARCHITECTURES)
  if(architecture MATCHES "^(1[0-9][0-9]a?)-real")
    string(APPEND clc_generate " -gencode arch=compute_${CMAKE_MATCH_1},code=sm_${CMAKE_MATCH_1}")
  endif()
endforeach()
function(clc_compile_script output before nvcc course link here)
  file(GENERATE OUTPUT ${output} CONTENT
"${before}exec ${nvcc} $<$<BOOL:${CMAKE_CUDA_HOST_COMPILER}>:-ccbin '${CMAKE_CUDA_HOST_COMPILER}'> \
  ${CMAKE_CUDA_FLAGS} -std=c++17 -D${clc_lighter_headers} -lineinfo -Xcompiler=-Wall,-Wextra,-Wno-unused-parameter,-O0 \
  ${clc_generate} -I. -I${course} -I${course}/common -I${course}/simulator/course/exercises \
  -cudart shared ${link} -o \"$3\" \"-DCLC_ANSWER=\\\"$2\\\"\" ${here}/\"$1\".cu ${ARGN}
")
endfunction()
clc_compile_script(${CLC_EXERCISES}/compile.sh "" "'${CMAKE_CUDA_COMPILER}'" "'${CMAKE_SOURCE_DIR}'"
  "-L'${CLC_CUDART_FOLDER}' -Xlinker '-rpath,${CLC_CUDART_FOLDER}'" "'${CLC_EXERCISES}'"
  "'$<TARGET_FILE:clc_exercise_check>' '$<TARGET_FILE:clc_around>'")
# And what that must be able to read, besides common/ and the system's programs.
cmake_path(GET CMAKE_CUDA_COMPILER PARENT_PATH toolkit)
cmake_path(GET toolkit PARENT_PATH toolkit)
set(host_compiler)
if(CMAKE_CUDA_HOST_COMPILER MATCHES "^(/opt/.+)/bin/")
  set(host_compiler "${CMAKE_MATCH_1}\n")
endif()
file(GENERATE OUTPUT ${CLC_EXERCISES}/sees.txt CONTENT
"${host_compiler}${toolkit}
${CLC_CUDART_FOLDER}
${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
${CMAKE_BINARY_DIR}/lib
${CLC_EXERCISES}
$<TARGET_FILE:clc_exercise_check>
$<TARGET_FILE:clc_around>
")

# clc_exercise_source(OUTPUT INCLUDES TABLE): the program that checks answers, from answer.cu.in: the lines that include them
# and their checks, and a row of clc::Answer for each. There is no other such program.
function(clc_exercise_source output includes table)
  configure_file(${CMAKE_SOURCE_DIR}/simulator/course/exercises/answer.cu.in ${output} @ONLY)
endfunction()

# clc_exercise(CHAPTER N_name [GPU name,...] [SEEDS n]): exercise N of the chapter. It must pass on each of
# these simulated GPUs under so many seeds; a GPU NAME.gpu is a file of gpus/.
function(clc_exercise chapter name)
  cmake_parse_arguments(PARSE_ARGV 2 with "" "GPU;SEEDS" "")
  if(NOT with_GPU)
    set(with_GPU mini)
  endif()
  if(NOT with_SEEDS)
    set(with_SEEDS 20)
  endif()
  set(folder ${CMAKE_SOURCE_DIR}/${chapter}/exercises/${name})
  string(REGEX MATCH "^[0-9]+" chapter_number ${chapter})
  string(REGEX MATCH "^[0-9a-z]+" number ${name})
  set(id ${chapter_number}_${number})
  set(file ${chapter}/exercises/${name}/${CLC_EXERCISES_FROM}.cu)
  file(APPEND ${CLC_EXERCISES}/list.txt "${id} ${file} ${with_GPU} ${with_SEEDS}\n")
  clc_exercise_source(${CLC_EXERCISES}/${id}.cu "#include CLC_ANSWER\n#include \"${chapter}/exercises/${name}/check.h\"" "{\"${file}\", kReady, check}")
  add_custom_target(exercise_${id}_program COMMAND bash ${CLC_EXERCISES}/compile.sh ${id} ${CLC_EXERCISES_FROM}.cu ${CLC_EXERCISES}/${id}
    WORKING_DIRECTORY ${folder} DEPENDS clc_exercise_check VERBATIM)
  add_custom_target(exercise_${id}
    COMMAND clc_student --target ${id} DEPENDS ${clc_checks_need} COMMENT "Checking ${file}" USES_TERMINAL VERBATIM)
endfunction()

get_property(chapters_with_exercises GLOBAL PROPERTY CLC_CHAPTERS_WITH_EXERCISES)
foreach(chapter IN LISTS chapters_with_exercises)
  get_property(exercises GLOBAL PROPERTY CLC_EXERCISES_OF_${chapter})
  foreach(exercise IN LISTS exercises)
    separate_arguments(exercise)
    clc_exercise(${chapter} ${exercise})
  endforeach()
endforeach()

include(${CMAKE_CURRENT_LIST_DIR}/install.cmake)
