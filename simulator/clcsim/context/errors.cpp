// The error codes of the CUDA runtime: which one a failed kernel leaves, and what they are called.

#include "context/api.h"
#include "context/failure.h"

namespace clcsim::context {
namespace {

struct ErrorText {
  const char* name;
  const char* description;
};

ErrorText text_of(int error) {
  switch (error) {
#define CLCSIM_ERROR(value, name, description) \
  case value:                                  \
    return {#name, description};
#include "context/error_names.inc"
#undef CLCSIM_ERROR
    default:
      return {"unrecognized error code", "unrecognized error code"};
  }
}

}  // namespace

cudaError_t error_of(machine::FaultKind kind) {
  using machine::FaultKind;
  switch (kind) {
    case FaultKind::illegal_address:
      return cudaErrorIllegalAddress;
    case FaultKind::misaligned_address:
      return cudaErrorMisalignedAddress;
    case FaultKind::illegal_instruction:
      return cudaErrorIllegalInstruction;
    case FaultKind::trap:
      return cudaErrorLaunchFailure;
    case FaultKind::assertion:
      return cudaErrorAssert;
    case FaultKind::barrier:
      return cudaErrorLaunchFailure;
    case FaultKind::deadlock:
      return cudaErrorLaunchTimeout;
    case FaultKind::unsupported:
      return cudaErrorNotSupported;
  }
  return cudaErrorUnknown;
}

}  // namespace clcsim::context

const char* cudaGetErrorName(cudaError_t error) {
  return clcsim::context::text_of(error).name;
}

const char* cudaGetErrorString(cudaError_t error) {
  return clcsim::context::text_of(error).description;
}
