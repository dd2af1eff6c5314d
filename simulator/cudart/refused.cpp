// Functions that the real library has and that are not modelled here: they say so once and fail.
// Without them, the loader would end the program with a message about a missing symbol.

#include <driver_types.h>

#include "cudart/call.h"

// Whatever the arguments are: the caller's registers and stack are not looked at.
#define CLCSIM_REFUSE(name, why)                                         \
  extern "C" __attribute__((visibility("default"))) cudaError_t name() { \
    return clcsim::cudart::refuse_call(#name, why);                      \
  }
#include "cudart/refused_names.inc"
#undef CLCSIM_REFUSE
