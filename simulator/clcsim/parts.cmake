# The parts of clcsim that a simulated GPU is made of, for whatever is built of them: the runtime's library, and
# the playground's WebAssembly (playground/wasm), where CMAKE_CXX_COMPILER is em++, and the Python package.
set(CLCSIM_PARTS config ptx machine checks report player host)

# What every part is compiled with: warnings, and the folder that the includes start from.
add_library(clcsim_common INTERFACE)
target_compile_features(clcsim_common INTERFACE cxx_std_20)
target_include_directories(clcsim_common INTERFACE ${CMAKE_CURRENT_LIST_DIR})
# g++ warns of designated initialisers that leave members at their defaults: that is their point.
# Before 13, its -Wrestrict sees overlaps in std::string that are not there (GCC bug 105651).
target_compile_options(clcsim_common INTERFACE -Wall -Wextra -Wno-missing-field-initializers
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)

# A reader waits for the compiler, and -O3 takes half as long again: it is for the parts that a kernel waits for.
add_compile_options($<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
foreach(part IN LISTS CLCSIM_PARTS)
  add_subdirectory(${CMAKE_CURRENT_LIST_DIR}/${part} ${part})
endforeach()
foreach(part ptx machine checks)
  target_compile_options(clcsim_${part} PRIVATE $<$<CONFIG:Release>:-O3>)
endforeach()
