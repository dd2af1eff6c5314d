#include "cudart/call.h"

#include "cudart/api.h"

namespace clcsim::cudart {

cudaError_t& last_error() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

cudaError_t refuse_call(const char* function, const char* why) noexcept {
  return call(0, [&](Context& context) {
    context.refuse(std::string(function) + " is not modelled; " + why);
  });
}

}  // namespace clcsim::cudart

using clcsim::cudart::last_error;

cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  last_error() = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() {
  if (auto* const context = clcsim::context::Context::existing())
    context->unseen_errors().fetched();
  return last_error();
}
