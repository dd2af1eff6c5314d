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

// Ends the program unless it is a success.
void check(cudaError_t error, const std::string& call, const char* file, int line);

// Decides the unit of times, and whether chapter 05 asks twice before it runs a broken kernel.
inline bool simulated(const cudaDeviceProp& gpu) {
  return std::string(gpu.name).rfind("clcsim", 0) == 0;
}

// The device gate: ends with 77, and names the way out, if this GPU can't run the program.
cudaDeviceProp require_compute_capability(int major, int minor, int argc, char** argv);

}  // namespace clc
