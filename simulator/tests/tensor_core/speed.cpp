// How fast products are, beside what this core can do at all: both in one run, since cores and
// their clocks differ. Prints; nothing depends on it.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

#include "definition.h"
#include "machine/tensor_core/loops.h"

using namespace clcsim::machine::tensor_core;

namespace {

/// Multiplications and additions of numbers that never leave the registers: how many.
template <class V, int kVectors>
[[gnu::always_inline]] inline double compute(volatile float* sink) {
  constexpr int kRounds = 1000;
  V sums[kVectors], factor = {}, term = {};
  factor += *sink;
  term += *sink;
  for (V& sum : sums) sum = term;
  for (int round = 0; round < kRounds; ++round) {
    for (V& sum : sums) sum = sum * factor + term;
  }
  for (V& sum : sums) *sink = sum[0];
  return sizeof(V) / sizeof(float) * double{kVectors} * kRounds;
}
double compute_any(volatile float* sink) {
  return compute<Vector4, 12>(sink);
}
#ifdef __x86_64__
[[gnu::target("avx2")]] double compute_avx2(volatile float* sink) {
  return compute<Vector8, 12>(sink);
}
[[gnu::target("avx512f")]] double compute_avx512(volatile float* sink) {
  return compute<Vector16, 16>(sink);
}
#endif

/// Thousand millions a second, the best of five times a twentieth of a second of this core.
template <class F>
double rate(F&& some) {
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    const std::clock_t begin = std::clock();
    double done = 0, seconds = 0;
    while (seconds < 0.05) {
      done += some();
      seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    }
    best = std::max(best, done / seconds / 1e9);
  }
  return best;
}

}  // namespace

int main() {
  volatile float sink = 0.5f;
  double peak = rate([&] { return compute_any(&sink); });
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) peak = rate([&] { return compute_avx2(&sink); });
  if (__builtin_cpu_supports("avx512f")) peak = rate([&] { return compute_avx512(&sink); });
#endif
  constexpr std::uint32_t kM = 128, kN = 256;
  std::vector<float> d(kM * kN), a(kDepth * kM, 0.5f), b(kN * kDepth, 0.25f);
  const Accumulate add_products = accumulate();
  const double loop = rate([&] {
    for (std::uint32_t n = 0; n < kN; n += kStrip) {
      add_products(&d[n * kM], a.data(), &b[n * kDepth], &b[n * kDepth]);
    }
    return double{kM} * kN * kDepth;
  });
  std::vector<std::byte> shared((kM + kN) * 128, std::byte{0x34});
  std::vector<std::uint32_t> cells(kTensorLanes * kTensorColumns);
  const Side side{shared, cells.data()};
  clcsim::test::Matrix of_a{.stride = 1024, .swizzle = 3}, of_b = of_a;
  const double steps = rate([&] {
    for (std::uint32_t k = 0; k < 4; ++k) {
      of_a.start = k * 32, of_b.start = kM * 128 + k * 32;
      const Product product{.instruction = clcsim::test::encode({kM, kN}, of_a, of_b),
                            .a = clcsim::test::encode(of_a),
                            .b = clcsim::test::encode(of_b),
                            .input = k != 0};
      multiply(product, {&side, 1});
    }
    return double{kM} * kN * kDepth * 4;
  });
  std::printf("this core, from registers: %.1f thousand million multiply-adds a second\n", peak);
  std::printf("the inner loop: %.1f, %.0f %% of it\n", loop, 100 * loop / peak);
  std::printf("steps of 128 x 256 x 64: %.1f, %.0f %% of it\n", steps, 100 * steps / peak);
}
