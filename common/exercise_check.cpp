#include "exercise_check.h"

#include <algorithm>
#include <vector>

namespace clc {
namespace {

bool all_equal = true;  // of the lines that compare() has printed

void must_succeed(const char* what, cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("  %s failed: %s (%s)\n", what, cudaGetErrorName(error), cudaGetErrorString(error));
  std::exit(kBadInput);
}

void show_first_difference(const Problem& problem, float alpha, const std::vector<float>& y,
                           const Audit& audit) {
  const long long first = audit.first_bad_tile * problem.tile;
  const long long end = std::min(first + problem.tile, problem.elements);
  std::printf("  tile %lld, elements %lld to %lld, is the first that differs:\n",
              audit.first_bad_tile, first, end - 1);
  std::printf("  %10s %16s %16s\n", "element", "yours", "expected");
  int shown = 0;
  for (long long i = first; i < end && shown < 4; ++i) {
    const float x = x_of(i), expected = alpha * x;
    if (y[i] == expected) continue;
    const char* looks = y[i] == x ? "not done" : y[i] == alpha * expected ? "done twice" : "";
    std::printf("  %10lld %16g %16g   %s\n", i, y[i], expected, looks);
    ++shown;
  }
  std::printf("  in all: %lld elements not done, %lld done twice, %lld otherwise wrong, of %lld\n",
              audit.missed, audit.doubled, audit.wrong, problem.elements);
}

}  // namespace

Problem make_tiles(int tiles, int tile, int prologue) {
  return {static_cast<long long>(tiles) * tile - 5, tile, tiles, prologue, 0};
}

Counted each_tile_once(const Problem& problem, Launch launch) {
  std::vector<float> host = make_x(problem);
  const std::size_t bytes = host.size() * sizeof(float);
  float* y;
  CUDA_CHECK(cudaMalloc(&y, bytes));
  CUDA_CHECK(cudaMemcpy(y, host.data(), bytes, cudaMemcpyHostToDevice));
  unsigned long long *counters, counts[kEvents] = {};
  CUDA_CHECK(cudaMalloc(&counters, sizeof counts));
  CUDA_CHECK(cudaMemset(counters, 0, sizeof counts));
  launch(problem, y, counters);
  must_succeed("a call in launch()", cudaGetLastError());
  must_succeed("your kernel", cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(host.data(), y, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(counts, counters, sizeof counts, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(y));
  CUDA_CHECK(cudaFree(counters));

  const float alpha = compute_alpha(problem);
  Audit audit;
  audit.look(problem, host);
  if (!audit.exactly_once()) {
    show_first_difference(problem, alpha, host, audit);
    std::exit(kWrong);
  }
  const auto number = [&](Event event) { return static_cast<long long>(counts[event]); };
  return {number(kStarted), number(kPrologues), number(kSteals)};
}

void must_steal(const Counted& counted) {
  if (counted.steals > 0) return;
  std::printf("  every tile was done once, but no block was stolen\n");
  std::exit(kInconclusive);
}

void compare(const char* what, long long yours, long long expected) {
  std::printf("  %-44s yours %8lld   expected %8lld%s\n", what, yours, expected,
              yours == expected ? "" : "   <--");
  all_equal &= yours == expected;
}

void compare_claim(const char* what, bool yours, bool expected) {
  std::printf("  %-44s yours %8s   expected %8s%s\n", what, yours ? "true" : "false",
              expected ? "true" : "false", yours == expected ? "" : "   <--");
  all_equal &= yours == expected;
}

int on_all_sms(int per_sm) {
  int device = 0, sms = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  return per_sm * sms;
}

int exercise(const char* file, bool ready, void (*check)(), int argc, char** argv) {
  if (!ready) {
    std::printf("TODO: open %s; kReady = true, when it is to be checked\n", file);
    return kTodo;
  }
  require_compute_capability(10, 0, argc, argv);
  check();
  return all_equal ? kPass : kWrong;
}

}  // namespace clc
