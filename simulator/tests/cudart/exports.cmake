# Compares the functions that two libraries export: cmake -D NM=nm -D OURS=... -D THEIRS=... -P
function(list_functions library result)
  execute_process(COMMAND ${NM} -D --defined-only ${library} OUTPUT_VARIABLE text
    COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL " [TW] [^@\n]*@@[^\n]*" functions "${text}")
  list(TRANSFORM functions REPLACE "^ [TW] " "")
  list(SORT functions)
  set(${result} "${functions}" PARENT_SCOPE)
endfunction()

list_functions(${OURS} ours)
list_functions(${THEIRS} theirs)
set(extra ${ours})
list(REMOVE_ITEM extra ${theirs})
list(FILTER extra EXCLUDE REGEX "^clcsim_")  # cudart/witness.h, for the exercises' checks
set(missing ${theirs})
list(REMOVE_ITEM missing ${ours})
if(extra OR missing OR NOT theirs)
  message(FATAL_ERROR "too many: ${extra}\nmissing: ${missing}")
endif()
list(LENGTH ours count)
message("the same ${count} functions under the same version")
