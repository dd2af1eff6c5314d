// What nvcc's host code calls from static constructors, before main: it introduces its device code.
// The declarations are internal to the toolkit; their meaning was observed.

#include "cudart/api.h"
#include "cudart/call.h"

using namespace clcsim::cudart;

namespace {

FatBinary* binary_of(void** handle) {
  return reinterpret_cast<FatBinary*>(handle);
}

// For what asks for a kernel's handle. (A launch of what is no kernel is an invalid resource
// handle; both as on an H200.)
void demand_kernel(Context& context, const void* stub) {
  demand(context.registry().has_kernel(stub), cudaErrorInvalidDeviceFunction);
}

}  // namespace

CLCSIM_EXPORT void** __cudaRegisterFatBinary(void* wrapper) {
  void** handle = nullptr;
  introduce([&](Context& context) {
    handle = reinterpret_cast<void**>(context.registry().add_binary(wrapper));
  });
  return handle;
}

CLCSIM_EXPORT void __cudaRegisterFatBinaryEnd(void**) {}

// Called when the program ends, where everything ends with it, and when a library is closed.
CLCSIM_EXPORT void __cudaUnregisterFatBinary(void** handle) {
  if (handle == nullptr) return;
  introduce([&](Context& context) {
    context.registry().forget(*binary_of(handle), context.streams().idle());
  });
}

CLCSIM_EXPORT void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name,
                                          int, uint3*, uint3*, dim3*, dim3*, int*) {
  introduce(
      [&](Context& context) { context.registry().add_kernel(binary_of(handle), stub, name); });
}

CLCSIM_EXPORT void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int,
                                     std::size_t size, int, int) {
  introduce([&](Context& context) {
    context.registry().add_variable(host,
                                    {.binary = binary_of(handle), .name = name, .size = size});
  });
}

CLCSIM_EXPORT void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name,
                                            int, std::size_t size, int, int) {
  introduce([&](Context& context) {
    context.registry().add_variable(
        pointer,
        {.binary = binary_of(handle), .name = name, .size = size, .managed_pointer = pointer});
  });
}

// Called before the host touches a managed variable for the first time.
CLCSIM_EXPORT char __cudaInitModule(void** handle) {
  return call(0, [&](Context& context) { context.registry().load(*binary_of(handle)); }) ==
         cudaSuccess;
}

// A kernel's handle is its host function, so that both name it in every call.
CLCSIM_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  *kernel = const_cast<cudaKernel_t>(static_cast<const CUkern_st*>(stub));
  return cudaSuccess;
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  return call(0, [&](Context& context) {
    demand(kernel != nullptr, cudaErrorInvalidValue);
    demand_kernel(context, stub);
    *kernel = const_cast<cudaKernel_t>(static_cast<const CUkern_st*>(stub));
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* stub) {
  return call(0, [&](Context& context) {
    demand(function != nullptr, cudaErrorInvalidValue);
    demand_kernel(context, stub);
    *function = const_cast<cudaFunction_t>(static_cast<const CUfunc_st*>(stub));
  });
}
