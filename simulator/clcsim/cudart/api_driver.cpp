// cudaGetDriverEntryPoint and cudaGetDriverEntryPointByVersion, for the functions of the driver
// that clcsim has.

#include "cudart/api.h"
#include "cudart/call.h"
#include "cudart/driver_functions.h"

// The header may make other names of them.
#undef cudaGetDriverEntryPoint
#undef cudaGetDriverEntryPointByVersion

using namespace clcsim::cudart;

namespace {

cudaError_t entry_point(const char* symbol, void** to, cudaDriverEntryPointQueryResult* status) {
  if (symbol == nullptr || to == nullptr) return remember(cudaErrorInvalidValue);
  *to = driver_function(symbol);
  if (status != nullptr) {
    *status = *to != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  }
  if (*to != nullptr) return cudaSuccess;
  const std::string name = std::string("the driver's function ") + symbol;
  return refuse_call(name.c_str(), "clcsim replaces the runtime, not the driver");
}

}  // namespace

// Streams make no difference to them.
#define CLCSIM_ENTRY_POINT(suffix)                                    \
  CLCSIM_EXPORT cudaError_t cudaGetDriverEntryPoint##suffix(          \
      const char* symbol, void** to, unsigned long long,              \
      cudaDriverEntryPointQueryResult* status) {                      \
    return entry_point(symbol, to, status);                           \
  }                                                                   \
  CLCSIM_EXPORT cudaError_t cudaGetDriverEntryPointByVersion##suffix( \
      const char* symbol, void** to, unsigned, unsigned long long,    \
      cudaDriverEntryPointQueryResult* status) {                      \
    return entry_point(symbol, to, status);                           \
  }
CLCSIM_ENTRY_POINT()
CLCSIM_ENTRY_POINT(_ptsz)
#undef CLCSIM_ENTRY_POINT
