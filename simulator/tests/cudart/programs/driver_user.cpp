// Opens the driver's library by name. With RUNTIME it is linked with the CUDA runtime and never
// calls it. With STUB it is a driver's library itself, to link with, in which nothing works.
#include <dlfcn.h>

#include <cstdio>

#ifdef RUNTIME
extern "C" int cudaGetDeviceCount(int*);
int (*const needed)(int*) = cudaGetDeviceCount;
#endif

#ifdef STUB
extern "C" int cuTensorMapEncodeTiled() {
  return 999;
}
#endif

int main() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) return 1;
  std::printf("%d\n", reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"))(0));
}
