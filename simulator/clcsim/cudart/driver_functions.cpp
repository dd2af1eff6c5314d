// The functions of the driver that need no driver: programs find them through the runtime
// (cudaGetDriverEntryPoint), and libcuda.so.1 has them, too. Under CUDA's own names, without its
// header, so that their enumerations are numbers here.
#include "cudart/driver_functions.h"

#include "machine/tensor_map.h"

namespace {

constexpr int kSuccess = 0, kInvalidValue = 1;  // of CUresult

struct Error {
  int code;
  const char *name, *text;
};
constexpr Error kErrors[] = {{kSuccess, "CUDA_SUCCESS", "no error"},
                             {kInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
                             {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"}};

int find_error(int code, const char** to, const char* Error::*text) {
  if (to == nullptr) return kInvalidValue;
  *to = nullptr;
  for (const Error& error : kErrors) {
    if (error.code == code) *to = error.*text;
  }
  return *to == nullptr ? kInvalidValue : kSuccess;
}

}  // namespace

#define CLCSIM_DRIVER extern "C" __attribute__((visibility("default"))) int

CLCSIM_DRIVER cuGetErrorString(int code, const char** text) {
  return find_error(code, text, &Error::text);
}
CLCSIM_DRIVER cuGetErrorName(int code, const char** name) {
  return find_error(code, name, &Error::name);
}
CLCSIM_DRIVER cuTensorMapEncodeTiled(void* map, unsigned type, std::uint32_t rank, void* address,
                                     const std::uint64_t* sizes, const std::uint64_t* strides,
                                     const std::uint32_t* box, const std::uint32_t* steps,
                                     unsigned interleave, unsigned swizzle, unsigned promotion,
                                     unsigned fill) {
  const bool encoded = clcsim::machine::encode_tiled(
      map, {type, rank, reinterpret_cast<std::uintptr_t>(address), sizes, strides, box, steps,
            interleave, swizzle, promotion, fill});
  return encoded ? kSuccess : kInvalidValue;
}

namespace clcsim::cudart {

void* driver_function(std::string_view name) {
  if (name == "cuGetErrorString") return reinterpret_cast<void*>(cuGetErrorString);
  if (name == "cuGetErrorName") return reinterpret_cast<void*>(cuGetErrorName);
  if (name == "cuTensorMapEncodeTiled") return reinterpret_cast<void*>(cuTensorMapEncodeTiled);
  return nullptr;
}

}  // namespace clcsim::cudart
