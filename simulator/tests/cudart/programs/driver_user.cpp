// Opens the driver's library by name. With RUNTIME it is linked with the CUDA runtime and never
// calls it.
#include <dlfcn.h>

#include <cstdio>

#ifdef RUNTIME
extern "C" int cudaGetDeviceCount(int*);
int (*const needed)(int*) = cudaGetDeviceCount;
#endif

int main() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) return 1;
  std::printf("%d\n", reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"))(0));
}
