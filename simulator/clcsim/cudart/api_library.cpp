// Libraries of device code: PTX that the program loads while it runs.

#include <algorithm>

#include "cudart/api.h"
#include "cudart/call.h"
#include "cudart/host_pages.h"

using namespace clcsim::cudart;

namespace {

Library& find(Runtime& runtime, cudaLibrary_t handle) {
  Library* const library = runtime.libraries().find(handle);
  demand(library != nullptr, cudaErrorInvalidResourceHandle);
  return *library;
}

Library& library_of(Runtime& runtime, cudaLibrary_t handle) {
  Library& library = find(runtime, handle);
  if (library.bad) {
    runtime.refuse("a library that the program loaded: " + library.bad->sentence,
                   library.bad->error);
  }
  return library;
}

}  // namespace

// Options are refused: most change only machine code, of which there is none here.
cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**,
                                unsigned jit_count, cudaLibraryOption*, void**, unsigned count) {
  const std::string name = "cudaLibraryLoadData";
  return call(kCreateCall, [&](Runtime& runtime) {
    const std::size_t readable = readable_bytes(code);
    demand(library != nullptr && readable > 0, cudaErrorInvalidValue);
    if (jit_count != 0 || count != 0) {
      runtime.refuse(name + " with options is not modelled; pass none");
    }
    runtime.demand_context();
    try {
      *library = reinterpret_cast<cudaLibrary_t>(
          runtime.libraries().load({static_cast<const std::byte*>(code), readable},
                                   runtime.registry(), runtime.gpu().memory(), runtime.profile()));
    } catch (const LoadError& error) {
      runtime.refuse(name + ": " + error.sentence, error.error);
    }
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t handle) {
  return call(kFreeCall, [&](Runtime& runtime) {
    Library& library = find(runtime, handle);
    if (library.binary != nullptr)
      runtime.registry().forget(*library.binary, runtime.streams().idle());
    runtime.libraries().remove(&library);
  });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t handle, const char* name) {
  return call(kQuickCall, [&](Runtime& runtime) {
    demand(kernel != nullptr && name != nullptr, cudaErrorInvalidValue);
    const std::vector<std::string>& kernels = library_of(runtime, handle).kernels;
    const auto found = std::find(kernels.begin(), kernels.end(), name);
    demand(found != kernels.end(), cudaErrorSymbolNotFound);
    *kernel = reinterpret_cast<cudaKernel_t>(const_cast<std::string*>(&*found));
  });
}

cudaError_t cudaLibraryGetGlobal(void** address, std::size_t* size, cudaLibrary_t handle,
                                 const char* name) {
  return call(kQuickCall, [&](Runtime& runtime) {
    demand((address != nullptr || size != nullptr) && name != nullptr, cudaErrorInvalidValue);
    runtime.demand_context();
    const Library& library = library_of(runtime, handle);
    demand(std::find(library.kernels.begin(), library.kernels.end(), name) == library.kernels.end(),
           cudaErrorInvalidValue);
    const auto* variable = runtime.registry().load(*library.binary).variable(name);
    demand(variable != nullptr, cudaErrorSymbolNotFound);
    if (address != nullptr) *address = reinterpret_cast<void*>(variable->address);
    if (size != nullptr) *size = variable->size;
  });
}
