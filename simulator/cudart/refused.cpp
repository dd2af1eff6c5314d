// Every function that the real library has and that is not modelled here: it says so once and
// fails. Without it, the loader would end the program with a message about a missing symbol.

#include <driver_types.h>

#include "cudart/call.h"

// Whatever their arguments are: the callers' registers and stack are not looked at.
#define CLCSIM_REFUSE(name, why)                                         \
  extern "C" __attribute__((visibility("default"))) cudaError_t name() { \
    return clcsim::cudart::refuse_call(#name, why);                      \
  }
#include "cudart/refused_names.inc"
#undef CLCSIM_REFUSE
