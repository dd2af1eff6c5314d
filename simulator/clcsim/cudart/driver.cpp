// libcuda.so.1: the driver's library, which clcsim doesn't replace. Libraries that hold a CUDA
// runtime of their own (cuBLAS, cuRAND and their like) open it, and so do programs that use the
// driver. Each of its functions but those of driver_functions.cpp says so once for each caller, and
// fails as if there were no GPU.

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "config/run_tally.h"

namespace {

constexpr int kNoDevice = 100;  // CUDA_ERROR_NO_DEVICE

std::string file_of(const void* place) {
  Dl_info info = {};
  if (dladdr(place, &info) == 0 || info.dli_fname == nullptr) return "the program";
  const std::string path = info.dli_fname;
  return path.substr(path.rfind('/') + 1);
}

int refuse_driver(const char* function, const void* caller) {
  static std::mutex mutex;
  static std::set<std::string> told;
  static clcsim::config::RunTally tally = clcsim::config::RunTally::of_environment();
  const std::string file = file_of(caller);
  const std::lock_guard<std::mutex> guard(mutex);
  if (!told.insert(file).second) return kNoDevice;
  tally.count_refusal();
  // The runtime sees to the exit status, and may not have been called before.
  // NVIDIA's own runtime, beside clcsim's library in a Python program, would ask here again.
  void* const call = dlsym(RTLD_DEFAULT, "cudaGetDeviceCount");
  if (call != nullptr && file_of(call) != file) {
    int count = 0;
    reinterpret_cast<int (*)(int*)>(call)(&count);
  }
  const bool by_library = file.find(".so") != std::string::npos;
  std::fflush(stdout);
  std::fprintf(
      stderr,
      "clcsim: refused: %s calls %s of the driver's library (libcuda.so.1); clcsim replaces "
      "the CUDA runtime only, so %s\n",
      file.c_str(), function,
      by_library ? "do without that library here" : "call the runtime's functions instead");
  return kNoDevice;
}

}  // namespace

// Weak definitions give way to those of driver_functions.cpp.
#define CLCSIM_NAME(name)                                                                    \
  extern "C" __attribute__((visibility("default"), weak)) int name() {                       \
    return refuse_driver(#name, __builtin_extract_return_addr(__builtin_return_address(0))); \
  }
#include "driver_names.inc"
#undef CLCSIM_NAME
