// Put before a program with LD_PRELOAD: lets the simulated GPU pass for a real one, and a kernel
// hang if NOT_SIMULATED_HANGS is set, or fail with the error NOT_SIMULATED_ERROR, so that what
// programs do on hardware can be tested without any.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#define NAME(function) NAME_OF(function)  // the header may give the function another name
#define NAME_OF(function) #function

extern "C" cudaError_t CUDARTAPI cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  using Function = cudaError_t (*)(cudaDeviceProp*, int);
  const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, NAME(cudaGetDeviceProperties)));
  const cudaError_t error = real(properties, device);
  std::strcpy(properties->name, "NVIDIA B200");
  return error;
}

extern "C" cudaError_t CUDARTAPI cudaDeviceSynchronize() {
  if (std::getenv("NOT_SIMULATED_HANGS") != nullptr) {
    while (true) pause();
  }
  using Function = cudaError_t (*)();
  const cudaError_t error = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "cudaDeviceSynchronize"))();
  const char* wanted = std::getenv("NOT_SIMULATED_ERROR");
  return wanted != nullptr ? static_cast<cudaError_t>(std::atoi(wanted)) : error;
}
