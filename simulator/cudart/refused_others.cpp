// The functions of the toolkit's own library, whatever its version: those that no other file here
// defines are refused. Weak definitions give way to the others.

#include <driver_types.h>

#include "cudart/call.h"

#define CLCSIM_REFUSE(name, why)                                               \
  extern "C" __attribute__((visibility("default"), weak)) cudaError_t name() { \
    return clcsim::cudart::refuse_call(#name, why);                            \
  }
#include "all_names.inc"
#undef CLCSIM_REFUSE
