#include <cuda_runtime.h>

#include <cctype>
#include <fstream>
#include <stdexcept>

#include "conformance/run.h"

namespace clcsim::conformance {
namespace {

void check(cudaError_t result, const char* log = "") {
  if (result == cudaSuccess) return;
  // It may be sticky: only a new context goes on.
  const std::string name = cudaGetErrorName(result);
  cudaDeviceReset();
  throw std::runtime_error(name + " " + log);
}

void* allocate(std::size_t size) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, size));
  check(cudaMemset(memory, 0, size));
  return memory;
}

// By the driver's function, without its library or header.
void encode(const Tensor& tensor, void* memory, void* map) {
  int (*tiled)(void*, int, std::uint32_t, void*, const std::uint64_t*, const std::uint64_t*,
               const std::uint32_t*, const std::uint32_t*, int, int, int, int) = nullptr;
  cudaDriverEntryPointQueryResult found;
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", reinterpret_cast<void**>(&tiled),
                                         12000, cudaEnableDefault, &found));
  constexpr int kWords = 2;  // CU_TENSOR_MAP_DATA_TYPE_UINT32
  constexpr std::uint32_t kSteps[] = {1, 1, 1, 1, 1};
  if (tiled == nullptr || tiled(map, kWords, static_cast<std::uint32_t>(tensor.sizes.size()),
                                static_cast<std::byte*>(memory) + tensor.offset,
                                tensor.sizes.data(), tensor.strides.data(), tensor.box.data(),
                                kSteps, 0, static_cast<int>(tensor.swizzle), 0, 0) != 0) {
    throw std::runtime_error("the driver doesn't encode the tensor map");
  }
}

}  // namespace

std::string name_of_gpu() {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0));
  return properties.name;
}

std::string version_of_driver() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;) {
    if (std::isdigit(word[0])) return word;
  }
  return "unknown";
}

Results run_on_gpu(const Case& c) {
  char log[4096] = {};
  cudaJitOption options[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  check(cudaLibraryLoadData(&library, c.ptx.c_str(), options, values, 2, nullptr, nullptr, 0), log);
  check(cudaLibraryGetKernel(&kernel, library, "k"));

  const std::size_t row = std::size_t{c.count()} * sizeof(std::uint64_t);
  void* in = allocate(c.operands.size() * row);
  void* out = allocate(c.results.size() * row);
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    check(cudaMemcpy(static_cast<std::byte*>(in) + k * row, c.operands[k].values.data(), row,
                     cudaMemcpyHostToDevice));
  }
  alignas(64) std::byte map[128];
  void* parameters[] = {&in, &out, const_cast<std::uint8_t*>(c.parameter.data())};
  if (c.tensor) {
    encode(*c.tensor, c.tensor->in_results ? out : in, map);
    parameters[2] = map;
  }
  check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), {c.grid[0], c.grid[1], c.grid[2]},
                         {c.block[0], c.block[1], c.block[2]}, parameters, 0, nullptr));
  check(cudaDeviceSynchronize());
  Results results(c.results.size(), std::vector<std::uint64_t>(c.count()));
  for (std::size_t k = 0; k < results.size(); ++k) {
    check(cudaMemcpy(results[k].data(), static_cast<std::byte*>(out) + k * row, row,
                     cudaMemcpyDeviceToHost));
  }
  check(cudaFree(in));
  check(cudaFree(out));
  check(cudaLibraryUnload(library));
  return results;
}

}  // namespace clcsim::conformance
