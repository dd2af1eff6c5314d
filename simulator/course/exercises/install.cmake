# What a class needs on a machine that many log in to: cmake --install build --prefix /opt/clc
#   bin/          clcsim, clc-exercise, the chapters' programs
#   share/clc/    the chapters' sources and pages, the exercises without solutions, and what checks them
#   share/clc/cuda    the toolkit, if setup.sh has brought it

set(to share/clc)
set(kit ${CMAKE_BINARY_DIR}/exercises_to_install)
install(TARGETS clc_student DESTINATION bin)
install(TARGETS clc_exercise_check clc_around ARCHIVE DESTINATION ${to}/exercises)
foreach(chapter IN LISTS chapters)
  set_target_properties(${chapter} PROPERTIES INSTALL_RPATH "\$ORIGIN/../${to}/cuda/lib;${CLC_CUDART_FOLDER}")
  install(TARGETS ${chapter} DESTINATION bin)
endforeach()
foreach(chapter IN LISTS chapters_with_exercises)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${chapter} DESTINATION ${to} FILES_MATCHING
    PATTERN "*.cu" PATTERN "*.cuh" PATTERN "*.h" PATTERN "*.md" PATTERN "*.svg" PATTERN "hints.txt"
    PATTERN "solution.cu" EXCLUDE PATTERN "quiz.md" EXCLUDE)
endforeach()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/common DESTINATION ${to} FILES_MATCHING
  PATTERN "*.h" PATTERN "*.cuh" PATTERN "TERMS.md" PATTERN "QUESTIONS.md" PATTERN "teaching" EXCLUDE)
install(DIRECTORY ${CMAKE_CURRENT_LIST_DIR} DESTINATION ${to}/simulator/course FILES_MATCHING
  PATTERN "*.h" PATTERN "*.cuh" PATTERN "*.gpu" PATTERN "hints.txt" PATTERN "answers" EXCLUDE PATTERN "grading" EXCLUDE)

file(GLOB sources ${CLC_EXERCISES}/[0-9][0-9]_*.cu)
clc_compile_script(${kit}/compile.sh "\
here=$(cd \"$(dirname \"$0\")\" && pwd)
for nvcc in \"\${CUDACXX:-}\" \"$here/../cuda/bin/nvcc\" '${CMAKE_CUDA_COMPILER}' \"$(command -v nvcc)\"; do
  [ ! -x \"$nvcc\" ] || break
done
[ -x \"$nvcc\" ] || { echo \"there is no nvcc here: set CUDACXX to the one of a CUDA toolkit\" >&2; exit 2; }
toolkit=$(dirname \"$nvcc\")/..
" "\"$nvcc\"" "\"$here/..\"" "-L\"$toolkit/lib\" -L\"$toolkit/lib64\"" "\"$here\""
  "\"$here/libclc_exercise_check.a\" \"$here/libclc_around.a\"")
install(FILES ${CLC_EXERCISES}/list.txt ${kit}/compile.sh ${sources} DESTINATION ${to}/exercises)
cmake_path(IS_PREFIX CMAKE_BINARY_DIR "${CMAKE_CUDA_COMPILER}" NORMALIZE toolkit_is_ours)
if(toolkit_is_ours)
  install(DIRECTORY ${toolkit}/ DESTINATION ${to}/cuda USE_SOURCE_PERMISSIONS)
endif()
