// Libraries of device code: PTX that the program loads while it runs.

#include <algorithm>

#include "cudart/api.h"
#include "cudart/call.h"

using namespace clcsim::cudart;

namespace {

Library& find(Context& context, cudaLibrary_t handle) {
  Library* const library = context.libraries().find(handle);
  demand(library != nullptr, cudaErrorInvalidResourceHandle);
  return *library;
}

Library& library_of(Context& context, cudaLibrary_t handle) {
  Library& library = find(context, handle);
  if (library.bad) {
    context.refuse("a library that the program loaded: " + library.bad->sentence,
                   library.bad->error);
  }
  return library;
}

}  // namespace

// Options are refused: most change only machine code, of which there is none here.
cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**,
                                unsigned jit_count, cudaLibraryOption*, void**, unsigned count) {
  const std::string name = "cudaLibraryLoadData";
  return call(kCreateCall, [&](Context& context) {
    const std::size_t readable = context.caller().readable_bytes(code);
    demand(library != nullptr && readable > 0, cudaErrorInvalidValue);
    if (jit_count != 0 || count != 0) {
      context.refuse(name + " with options is not modelled; pass none");
    }
    context.demand_context();
    try {
      *library = reinterpret_cast<cudaLibrary_t>(
          context.libraries().load({static_cast<const std::byte*>(code), readable},
                                   context.registry(), context.gpu().memory(), context.profile()));
    } catch (const LoadError& error) {
      context.refuse(name + ": " + error.sentence, error.error);
    }
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t handle) {
  return call(kFreeCall, [&](Context& context) {
    Library& library = find(context, handle);
    if (library.binary != nullptr)
      context.registry().forget(*library.binary, context.streams().idle());
    context.libraries().remove(&library);
  });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t handle, const char* name) {
  return call(kQuickCall, [&](Context& context) {
    demand(kernel != nullptr && name != nullptr, cudaErrorInvalidValue);
    const std::vector<std::string>& kernels = library_of(context, handle).kernels;
    const auto found = std::find(kernels.begin(), kernels.end(), name);
    demand(found != kernels.end(), cudaErrorSymbolNotFound);
    *kernel = reinterpret_cast<cudaKernel_t>(const_cast<std::string*>(&*found));
  });
}

cudaError_t cudaLibraryGetGlobal(void** address, std::size_t* size, cudaLibrary_t handle,
                                 const char* name) {
  return call(kQuickCall, [&](Context& context) {
    demand((address != nullptr || size != nullptr) && name != nullptr, cudaErrorInvalidValue);
    context.demand_context();
    const Library& library = library_of(context, handle);
    demand(std::find(library.kernels.begin(), library.kernels.end(), name) == library.kernels.end(),
           cudaErrorInvalidValue);
    const auto* variable = context.registry().load(*library.binary).variable(name);
    demand(variable != nullptr, cudaErrorSymbolNotFound);
    if (address != nullptr) *address = pointer_to(variable->address);
    if (size != nullptr) *size = variable->size;
  });
}
