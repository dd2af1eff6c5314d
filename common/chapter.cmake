# Every CMakeLists.txt of this course that can stand alone includes this before project(). It refuses a
# place or a toolkit that can't work, in one sentence, chooses the GPUs to compile for, and brings:
#   clc_chapter(...)    the program of the chapter in this folder
#   clc_program(...)    any other program that is compiled as chapters are
include_guard(GLOBAL)
set(CLC_COMMON "${CMAKE_CURRENT_LIST_DIR}")

# ---- The place --------------------------------------------------------------------------------

if(CMAKE_SOURCE_DIR STREQUAL CMAKE_BINARY_DIR)
  message(FATAL_ERROR "Build in a folder of its own, for instance with cmake --preset course, and delete "
                      "the CMakeCache.txt and CMakeFiles/ that CMake has just left here.")
endif()
# CMake takes ; and $ for its own, quotes end, nvcc splits at a comma, Ninja at |, the loader at a colon.
foreach(folder "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}")
  if("${folder}" MATCHES "[]\"'`,;:|$\\[]")
    message(FATAL_ERROR "The folder ${folder} has the character ${CMAKE_MATCH_0} in its path, with which "
                        "compilers or loader can't work: rename the folder. (Spaces are fine.)")
  endif()
endforeach()

# ---- The compilers ----------------------------------------------------------------------------

# clc_find_compilers(): chooses CMAKE_CUDA_COMPILER, unless the user did. What is wrong is said here,
# since CMake's own words about a missing host compiler or an old toolkit are 30 to 170 lines.
function(clc_find_compilers)
  set(setup "\n  bash common/setup.sh tour\ninstalls what is missing.")
  find_program(host NAMES c++ g++ clang++ NO_CACHE)
  if(NOT host AND NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
    message(FATAL_ERROR "There is no C++ compiler here.${setup}")
  endif()

  set(nvcc "${CMAKE_CUDA_COMPILER}")
  if(NOT nvcc)
    set(nvcc "$ENV{CUDACXX}")
  endif()
  if(NOT nvcc)
    unset(nvcc)
    find_program(nvcc nvcc NO_CACHE PATH_SUFFIXES bin
      HINTS "${CMAKE_BINARY_DIR}/setup/cuda" "${CLC_COMMON}/../build/setup/cuda"  # of setup.sh
      PATHS ENV CUDA_PATH ENV CUDA_HOME /usr/local/cuda)
  endif()
  if(NOT nvcc)
    message(FATAL_ERROR "There is no CUDA toolkit here: no nvcc on the PATH or in /usr/local/cuda.${setup}")
  endif()

  execute_process(COMMAND "${nvcc}" --version OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE failed)
  string(REGEX MATCH "release ([0-9.]+)" ignored "${text}")
  # With architectures of the user's own, an older toolkit may do for a chapter.
  if(NOT failed AND CMAKE_MATCH_1 VERSION_LESS 12.9 AND NOT CMAKE_CUDA_ARCHITECTURES)
    message(FATAL_ERROR "${nvcc} is of CUDA ${CMAKE_MATCH_1}; the course needs 12.9, and 13.0 for chapters "
                        "05 and 06.${setup}")
  endif()
  set(CMAKE_CUDA_COMPILER "${nvcc}" CACHE FILEPATH "nvcc")
endfunction()
clc_find_compilers()

# A chapter holds PTX for every GPU that can run it (the TARGETS of clc_chapter), so that nobody need know a
# number, and machine code for the GPU of this machine, if it has one. Everything else is for clcsim and that
# GPU. -DCMAKE_CUDA_ARCHITECTURES=... always wins.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CLC_CHOOSES_TARGETS ON)
  set(CMAKE_CUDA_ARCHITECTURES 100a-virtual)
  execute_process(
    COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE compute_capabilities ERROR_QUIET RESULT_VARIABLE no_gpu)
  if(NOT no_gpu)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+" compute_capabilities "${compute_capabilities}")
    list(REMOVE_DUPLICATES compute_capabilities)
    foreach(capability IN LISTS compute_capabilities)
      string(REPLACE "." "" capability ${capability})
      if(capability GREATER_EQUAL 100)
        string(APPEND capability a)  # the multicast of chapter 04 needs an `a` or `f` target
      endif()
      list(APPEND CMAKE_CUDA_ARCHITECTURES ${capability}-real)
    endforeach()
  endif()
endif()
set(CLC_REAL_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES})  # of this machine's GPUs, for what tests run on them
list(FILTER CLC_REAL_ARCHITECTURES INCLUDE REGEX "-real$")

# ---- The programs -----------------------------------------------------------------------------

# clc_find_cudart(): leaves the folder of the runtime's library to the caller as CLC_CUDART_FOLDER.
function(clc_find_cudart)
  find_library(CLC_CUDART cudart HINTS ${CMAKE_CUDA_HOST_IMPLICIT_LINK_DIRECTORIES})
  mark_as_advanced(CLC_CUDART)
  cmake_path(GET CLC_CUDART PARENT_PATH folder)
  set(CLC_CUDART_FOLDER "${folder}" PARENT_SCOPE)
endfunction()

# clc_program(NAME sources... [ARCHITECTURES 100a-virtual ...] [FOLDER folder]): FOLDER/NAME, where FOLDER is build/bin
# unless it is given. What all do around their kernels is compiled once.
function(clc_program name)
  cmake_parse_arguments(PARSE_ARGV 1 with "" "FOLDER" "ARCHITECTURES")
  if(NOT with_FOLDER)
    set(with_FOLDER "${CMAKE_BINARY_DIR}/bin")
  endif()
  if(NOT with_ARCHITECTURES)
    set(with_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES})
  endif()
  if(NOT TARGET clc_around)
    add_library(clc_around STATIC "${CLC_COMMON}/program.cpp")
    target_compile_features(clc_around PRIVATE cxx_std_17)
    target_compile_options(clc_around PRIVATE -Wall -Wextra)
    target_compile_definitions(clc_around PRIVATE $<$<TARGET_EXISTS:clcsim>:CLC_BESIDE_CLCSIM>)
    target_include_directories(clc_around SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
  endif()
  clc_find_cudart()
  add_executable(${name} ${with_UNPARSED_ARGUMENTS})
  target_link_directories(${name} PRIVATE "${CLC_CUDART_FOLDER}")
  target_include_directories(${name} PRIVATE "${CLC_COMMON}")
  target_link_libraries(${name} PRIVATE clc_around)
  if(NOT TARGET CCCL::libcudacxx)  # the toolkit's, or that of -D CCCL_DIR=.../lib/cmake/cccl
    set(where QUIET PATHS "${CMAKE_CUDA_COMPILER_TOOLKIT_ROOT}/lib64/cmake/cccl")
    if(CCCL_DIR)
      set(where REQUIRED)
    endif()
    find_package(CCCL ${where} CONFIG COMPONENTS libcudacxx NO_DEFAULT_PATH)
  endif()
  if(TARGET CCCL::libcudacxx)  # without the config nvcc finds its toolkit's headers by itself
    target_link_libraries(${name} PRIVATE CCCL::libcudacxx)
  endif()
  set_target_properties(${name} PROPERTIES
    CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON CUDA_ARCHITECTURES "${with_ARCHITECTURES}"
    CUDA_RUNTIME_LIBRARY Shared  # so that clcsim can take the runtime's place
    BUILD_RPATH "${CLC_CUDART_FOLDER}"  # where it is none that the loader knows
    UNITY_BUILD OFF  # which CMake can for CUDA as well, from 3.31 on
    RUNTIME_OUTPUT_DIRECTORY "${with_FOLDER}")
  target_link_options(${name} PRIVATE LINKER:--enable-new-dtags)  # the loader's path goes first
  # -lineinfo: so that clcsim and compute-sanitizer can name source lines.
  target_compile_options(${name} PRIVATE -lineinfo -Xcompiler=-Wall,-Wextra)
endfunction()

# clc_chapter(SOURCE topic.cu                 the chapter's program, named as its folder
#   TARGETS 75 100f ...                       the PTX that it holds
#   [ARCHITECTURES REGEX "why"]               of the user's it is built for those that match, and says why for no others
#   [CUDA VERSION "why"]                      the oldest toolkit for the program and its exercises
#   [STEALS]                                  where there is nothing to steal, it is INCONCLUSIVE
#   [TRY arguments...]                        a short run that must pass; without it, the options of common/options.h
#   [FINDS arguments...]                      a run for the tour, right by luck, in which clcsim finds the mistake
#   [EXERCISES 1_name "2_name GPU b200 SEEDS 1" ...])  what simulator/course/exercises knows of them is optional
# The tour, the tests and the exercises find the chapter from here. What can't be built is said.
function(clc_chapter)
  cmake_parse_arguments(PARSE_ARGV 0 with "STEALS" "SOURCE" "TARGETS;ARCHITECTURES;CUDA;TRY;FINDS;EXERCISES")
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME name)
  foreach(needed "SOURCE;the .cu file of the program" "TARGETS;the GPUs that it holds PTX for, such as 75 or 100")
    list(POP_FRONT needed word)
    if(NOT with_${word})
      message(FATAL_ERROR "clc_chapter() of ${name} needs ${word}: ${needed}.")
    endif()
  endforeach()
  if(with_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "clc_chapter() of ${name} doesn't know '${with_UNPARSED_ARGUMENTS}'.")
  endif()
  if(with_CUDA)
    list(POP_FRONT with_CUDA oldest why)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS oldest)
      message(STATUS "${name} is not built: it needs CUDA ${oldest}, since ${why}, "
                     "and this is ${CMAKE_CUDA_COMPILER_VERSION}")
      return()
    endif()
  endif()
  set_property(GLOBAL PROPERTY CLC_EXERCISES_OF_${name} "${with_EXERCISES}")
  set_property(GLOBAL APPEND PROPERTY CLC_CHAPTERS_WITH_EXERCISES ${name})

  list(GET with_TARGETS 0 needs)
  string(REGEX REPLACE "([0-9])[af]?$" ".\\1" needs ${needs})  # 10.0 of 100f
  set(architectures ${CMAKE_CUDA_ARCHITECTURES})
  if(CLC_CHOOSES_TARGETS)
    set(architectures ${CLC_REAL_ARCHITECTURES})
  else()
    set(with_TARGETS "")
  endif()
  if(with_ARCHITECTURES)
    list(POP_FRONT with_ARCHITECTURES regex why)
    set(refused ${architectures})
    list(FILTER architectures INCLUDE REGEX "${regex}")
    list(REMOVE_ITEM refused ${architectures})
    if(refused AND NOT with_TARGETS)
      list(JOIN refused ", " refused)
      message(STATUS "${name} is not built for ${refused}: ${why}")
    endif()
    if(NOT architectures AND NOT with_TARGETS)
      return()
    endif()
  endif()
  clc_program(${name} ${with_SOURCE})
  if(NOT architectures)
    set(architectures OFF)
  endif()
  set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES "${architectures}"
    CLC_NEEDS ${needs} CLC_STEALS ${with_STEALS} CLC_TRY "${with_TRY}" CLC_FINDS "${with_FINDS}")
  foreach(target IN LISTS with_TARGETS)  # by nvcc's own option: CMake 3.25 knows no `f`
    if(target STREQUAL "110f" AND CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13.0)
      set(target 101f)  # its name until CUDA 13.0
    endif()
    target_compile_options(${name} PRIVATE "SHELL:-gencode arch=compute_${target},code=compute_${target}")
  endforeach()
  set_property(GLOBAL APPEND PROPERTY CLC_CHAPTERS ${name})
endfunction()
