// How a program ends: exit codes, CUDA_CHECK, and the gate that refuses a GPU by name.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#define CUDA_CHECK(call) clc::check((call), #call, __FILE__, __LINE__)

namespace clc {

enum ExitCode {
  kPass = 0,
  kWrong = 1,
  kBadInput = 2,      // or a CUDA call failed
  kTodo = 3,          // an exercise that nobody has done yet
  kInconclusive = 4,  // the result is right, but nothing was stolen
  kNotRun = 77,       // there is no GPU here that can run it
};

inline const char* verdict_word(ExitCode code) {
  return code == kPass ? "PASS" : code == kWrong ? "WRONG" : "INCONCLUSIVE";
}

[[noreturn]] inline void stop(ExitCode code, const std::string& sentence) {
  std::fprintf(stderr, "%s\n", sentence.c_str());
  std::exit(code);
}

inline void check(cudaError_t error, const std::string& call, const char* file, int line) {
  if (error == cudaSuccess) return;
  stop(kBadInput, std::string(file) + ":" + std::to_string(line) + ": " + call + ": " +
                      cudaGetErrorName(error) + " (" + cudaGetErrorString(error) + ")");
}

// Decides the unit of times, and whether chapter 05 asks twice before it runs a broken kernel.
inline bool simulated(const cudaDeviceProp& gpu) {
  return std::string(gpu.name).rfind("clcsim", 0) == 0;
}

inline cudaDeviceProp require_compute_capability(int major, int minor, int argc, char** argv) {
  const std::string program = argv[0], folder = program.substr(0, program.rfind('/') + 1);
  std::string way_out = ". The simulated GPU can: " + folder + "clcsim";
  for (int i = 0; i < argc; ++i) way_out += std::string(" ") + argv[i];
  const auto refuse = [&](const std::string& why) {
    stop(kNotRun, program + ": not run, since " + why + way_out);
  };
  const auto version = [](int a, int b) { return std::to_string(a) + "." + std::to_string(b); };
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  if (error == cudaErrorNoDevice) refuse("no GPU was found");
  if (error == cudaErrorInsufficientDriver)  // too old, or not there at all
    refuse("there is no NVIDIA driver here that knows CUDA " +
           version(CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10));
  CUDA_CHECK(error);
  cudaDeviceProp gpu = {};
  CUDA_CHECK(cudaGetDeviceProperties(&gpu, device));
  if (10 * gpu.major + gpu.minor < 10 * major + minor)
    refuse(std::string("this ") + gpu.name + " has compute capability " +
           version(gpu.major, gpu.minor) + " and the program needs " + version(major, minor));
  return gpu;
}

}  // namespace clc
