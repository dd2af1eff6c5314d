# A build is for the processor that builds it (machine/ asks for AVX2). With CLCSIM_PORTABLE it runs on any of its kind, and on
# x86-64 a second build of the libraries lies beside them, in the folder that the loader of glibc 2.33 prefers where AVX2 is.
option(CLCSIM_PORTABLE "Build clcsim for any processor of this kind, for what goes to other machines" "$ENV{CLCSIM_PORTABLE}")
if(NOT CLCSIM_PORTABLE)
  return()
endif()
set(CLCSIM_RUNS_X86_64_V3 OFF)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  include(ExternalProject)
  set(libraries ${CMAKE_CURRENT_BINARY_DIR}/v3/lib/clcsim)
  ExternalProject_Add(clcsim_v3
    SOURCE_DIR ${CMAKE_CURRENT_LIST_DIR}/../python
    BINARY_DIR ${CMAKE_CURRENT_BINARY_DIR}/v3
    CMAKE_CACHE_ARGS
      -DCMAKE_BUILD_TYPE:STRING=${CMAKE_BUILD_TYPE} -DCMAKE_CXX_COMPILER:FILEPATH=${CMAKE_CXX_COMPILER}
      -DCLCSIM_PORTABLE:BOOL=OFF -DCLCSIM_RUNS_X86_64_V3:BOOL=ON
      -DCUDAToolkit_VERSION_MAJOR:STRING=${CUDAToolkit_VERSION_MAJOR}
      -DCUDAToolkit_INCLUDE_DIRS:STRING=${CUDAToolkit_INCLUDE_DIRS} -DCUDA_cudart_LIBRARY:FILEPATH=${CUDA_cudart_LIBRARY}
    BUILD_COMMAND ${CMAKE_COMMAND} --build <BINARY_DIR> --target clcsim_cudart clcsim_library
    BUILD_ALWAYS ON
    INSTALL_COMMAND "")
  install(FILES ${libraries}/libcudart.so.${CUDAToolkit_VERSION_MAJOR} ${libraries}/libclcsim.so
    DESTINATION lib/clcsim/glibc-hwcaps/x86-64-v3 COMPONENT clcsim)
endif()
