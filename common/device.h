// The device gate: refuses, by name and with a way out, a GPU that can't run the chapter.
#pragma once

#include "check.h"

namespace clc {

// Labels the numbers; and chapter 05 runs its broken kernels on real GPUs only if told twice.
// Nothing else may depend on it.
inline bool simulated(const cudaDeviceProp& gpu) {
  return std::string(gpu.name).rfind("clcsim", 0) == 0;
}

inline cudaDeviceProp require_compute_capability(int major, int minor, int argc, char** argv) {
  // The launcher of the simulated GPU lies beside the chapters' programs.
  const std::string program = argv[0], folder = program.substr(0, program.rfind('/') + 1);
  std::string way_out = ". The simulated GPU can: " + folder + "clcsim";
  for (int i = 0; i < argc; ++i) way_out += std::string(" ") + argv[i];
  const auto version = [](int a, int b) { return std::to_string(a) + "." + std::to_string(b); };

  int device = 0;
  cudaDeviceProp gpu = {};
  const cudaError_t error = cudaGetDevice(&device);
  if (error == cudaErrorNoDevice)
    stop(kNotRun, program + ": not run, since no GPU was found" + way_out);
  if (error == cudaErrorInsufficientDriver)  // too old, or not there at all
    stop(kNotRun, program + ": not run, since there is no NVIDIA driver here that knows CUDA " +
                      version(CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10) + way_out);
  CUDA_CHECK(error);
  CUDA_CHECK(cudaGetDeviceProperties(&gpu, device));
  if (10 * gpu.major + gpu.minor < 10 * major + minor)
    stop(kNotRun, program + ": not run, since this " + gpu.name + " has compute capability " +
                      version(gpu.major, gpu.minor) + " and the program needs " +
                      version(major, minor) + way_out);
  return gpu;
}

}  // namespace clc
