// The CUDA driver is opened when it is needed, so that the program starts where there is none.
#include <cuda.h>
#include <dlfcn.h>

#include <stdexcept>

#include "conformance/run.h"

namespace clcsim::conformance {

struct RealGpu::Driver {
  void* library = nullptr;
  CUdevice device = 0;
  CUcontext context = nullptr;

#define CLCSIM_TEXT_OF(name) #name
#define CLCSIM_TEXT(name) CLCSIM_TEXT_OF(name)
// cuda.h defines some names as their newest version, cuMemAlloc as cuMemAlloc_v2: so must dlsym.
#define CLCSIM_CALL(name)                                                              \
  template <class... A>                                                                \
  void call_##name(A... arguments) {                                                   \
    static const auto function =                                                       \
        reinterpret_cast<decltype(&name)>(dlsym(library, CLCSIM_TEXT(name)));          \
    check(#name, function == nullptr ? CUDA_ERROR_NOT_FOUND : function(arguments...)); \
  }
  CLCSIM_CALL(cuInit)
  CLCSIM_CALL(cuDeviceGet)
  CLCSIM_CALL(cuDeviceGetName)
  CLCSIM_CALL(cuDevicePrimaryCtxRetain)
  CLCSIM_CALL(cuDevicePrimaryCtxReset)
  CLCSIM_CALL(cuCtxSetCurrent)
  CLCSIM_CALL(cuCtxSynchronize)
  CLCSIM_CALL(cuModuleLoadDataEx)
  CLCSIM_CALL(cuModuleUnload)
  CLCSIM_CALL(cuModuleGetFunction)
  CLCSIM_CALL(cuMemAlloc)
  CLCSIM_CALL(cuMemFree)
  CLCSIM_CALL(cuMemsetD8)
  CLCSIM_CALL(cuMemcpyHtoD)
  CLCSIM_CALL(cuMemcpyDtoH)
  CLCSIM_CALL(cuLaunchKernel)
#undef CLCSIM_CALL

  void check(const char* call, CUresult result) const {
    if (result == CUDA_SUCCESS) return;
    const char* name = nullptr;
    const auto describe =
        reinterpret_cast<decltype(&cuGetErrorName)>(dlsym(library, "cuGetErrorName"));
    if (describe != nullptr) describe(result, &name);
    throw std::runtime_error(std::string(call) + ": " +
                             (name != nullptr ? name : "error " + std::to_string(result)));
  }

  void open_context() {
    call_cuDevicePrimaryCtxRetain(&context, device);
    call_cuCtxSetCurrent(context);
  }
};

RealGpu::RealGpu() : driver_(std::make_unique<Driver>()) {
  driver_->library = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver_->library == nullptr) throw std::runtime_error("no CUDA driver on this machine");
  driver_->call_cuInit(0u);
  driver_->call_cuDeviceGet(&driver_->device, 0);
  driver_->open_context();
}

RealGpu::~RealGpu() = default;

std::string RealGpu::name() const {
  char name[256] = {};
  driver_->call_cuDeviceGetName(name, static_cast<int>(sizeof name), driver_->device);
  return name;
}

std::string RealGpu::driver() const {
  // NVML knows the driver's own version; the driver only that of CUDA.
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (library == nullptr) return "unknown";
  const auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
  const auto version =
      reinterpret_cast<int (*)(char*, unsigned)>(dlsym(library, "nvmlSystemGetDriverVersion"));
  char text[128] = "unknown";
  if (init != nullptr && version != nullptr && init() == 0) version(text, sizeof text);
  return text;
}

Results RealGpu::run(const Case& c) {
  Driver& driver = *driver_;
  char log[4096] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUmodule module = nullptr;
  try {
    driver.call_cuModuleLoadDataEx(&module, c.ptx.c_str(), 2u, options, values);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(error.what() + std::string(" ") + log);
  }
  CUfunction kernel = nullptr;
  driver.call_cuModuleGetFunction(&kernel, module, "k");

  const std::size_t row = std::size_t{c.count()} * sizeof(std::uint64_t);
  CUdeviceptr in = 0, out = 0;
  driver.call_cuMemAlloc(&in, c.operands.size() * row);
  driver.call_cuMemAlloc(&out, c.results.size() * row);
  driver.call_cuMemsetD8(out, static_cast<unsigned char>(0), c.results.size() * row);
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    driver.call_cuMemcpyHtoD(in + k * row, c.operands[k].values.data(), row);
  }
  void* parameters[] = {&in, &out, const_cast<std::uint8_t*>(c.parameter.data())};
  Results results(c.results.size(), std::vector<std::uint64_t>(c.count()));
  try {
    driver.call_cuLaunchKernel(kernel, c.grid[0], c.grid[1], c.grid[2], c.block[0], c.block[1],
                               c.block[2], 0u, CUstream{}, parameters,
                               static_cast<void**>(nullptr));
    driver.call_cuCtxSynchronize();
    for (std::size_t k = 0; k < results.size(); ++k) {
      driver.call_cuMemcpyDtoH(results[k].data(), out + k * row, row);
    }
  } catch (const std::runtime_error&) {
    // The error is sticky: only a new context goes on.
    driver.call_cuDevicePrimaryCtxReset(driver.device);
    driver.open_context();
    throw;
  }
  driver.call_cuMemFree(in);
  driver.call_cuMemFree(out);
  driver.call_cuModuleUnload(module);
  return results;
}

}  // namespace clcsim::conformance
