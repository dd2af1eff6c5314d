# find_package(clcsim) brings the launcher, as clcsim::clcsim, and
#   clcsim_program(TARGET)    compiles a CUDA program so that it can run on clcsim as well as on a GPU
# USING.md says more.
if(NOT TARGET clcsim::clcsim)
  cmake_path(SET clcsim_prefix NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../..")
  add_executable(clcsim::clcsim IMPORTED)
  set_target_properties(clcsim::clcsim PROPERTIES IMPORTED_LOCATION "${clcsim_prefix}/bin/clcsim")
endif()

function(clcsim_program target)
  get_target_property(architectures ${target} CUDA_ARCHITECTURES)
  if(architectures MATCHES "^(OFF|native|all|all-major)$")
    message(FATAL_ERROR "clcsim_program(${target}): name CUDA_ARCHITECTURES by number, for instance "
                        "90-real; ${architectures} can't stand beside the PTX that clcsim needs.")
  endif()
  list(FILTER architectures EXCLUDE REGEX "NOTFOUND$")
  set_target_properties(${target} PROPERTIES
    CUDA_ARCHITECTURES "${architectures};100a-virtual"  # PTX is what clcsim executes
    CUDA_RUNTIME_LIBRARY Shared)                        # whose place clcsim takes
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)  # for reports
  target_link_options(${target} PRIVATE LINKER:--enable-new-dtags)  # no RPATH before clcsim's library
endfunction()
