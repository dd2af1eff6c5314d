# Lists the functions of cuda.h, with the versions that it names, as CLCSIM_NAME(name).
function(clcsim_list_driver_names output)
  find_file(CLCSIM_CUDA_H cuda.h PATHS ${ARGN} NO_DEFAULT_PATH REQUIRED)
  # Some declarations have the name on a line of its own.
  file(STRINGS ${CLCSIM_CUDA_H} lines REGEX "CUDAAPI cu[A-Z]|# *define +cu[A-Z]|^cu[A-Z][A-Za-z0-9_]+[(]")
  string(REPLACE ";" " " lines " ${lines}")
  string(REGEX MATCHALL "[ (]cu[A-Z][A-Za-z0-9_]+" names "${lines}")
  list(TRANSFORM names REPLACE "^[ (]" "")
  list(REMOVE_DUPLICATES names)
  list(SORT names)
  list(TRANSFORM names REPLACE "(.+)" "CLCSIM_NAME(\\1)")
  list(JOIN names "\n" names)
  file(CONFIGURE OUTPUT ${output} CONTENT "${names}\n" @ONLY)
endfunction()

# Lists what the toolkit's own runtime library exports:
#   output/all_names.inc   each function as CLCSIM_NAME(name); what a toolkit newer than this source adds
#                          is so refused by name, too
#   output/libcudart.map   the version script, with which the library exports these under the
#                          version that programs ask for, and without one _exit, _Exit and
#                          quick_exit, which the patterns behind "local" leave out; no others
#
#   clcsim_list_names(library major output)
function(clcsim_list_names library major output)
  execute_process(COMMAND ${CMAKE_NM} -D --defined-only ${library}
    OUTPUT_VARIABLE symbols ERROR_QUIET RESULT_VARIABLE failed)
  set(stubs "// Made from ${library}\n")
  set(exports "")
  if(failed)
    message(WARNING "${CMAKE_NM} can't read ${library}: calls that clcsim doesn't know will end "
      "programs with a message of the loader")
    set(symbols "")
    set(exports " cuda*; __cuda*;")
  endif()
  string(REGEX MATCHALL " T _*cuda[A-Za-z0-9_]+" names "${symbols}")
  foreach(name IN LISTS names)
    string(SUBSTRING ${name} 3 -1 name)
    string(APPEND stubs "CLCSIM_NAME(${name})\n")
    string(APPEND exports " ${name};")
  endforeach()
  string(APPEND exports " clcsim_attach;")
  set(others "[!_q]*; q[!u]*; _[!eE]*; _e[!x]*; _E[!x]*;")
  # Files that stay the same are not written anew.
  file(CONFIGURE OUTPUT ${output}/all_names.inc CONTENT "${stubs}" @ONLY)
  file(CONFIGURE OUTPUT ${output}/libcudart.map @ONLY
    CONTENT "libcudart.so.${major} { global:${exports} local: ${others} };\n")
endfunction()
