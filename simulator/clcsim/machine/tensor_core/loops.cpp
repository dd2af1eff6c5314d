#include "machine/tensor_core/loops.h"

#include <cstring>

namespace clcsim::machine::tensor_core {
namespace {

/// kLanes lanes by kColumns columns, whose sums stay in registers while k rises.
template <int kLanes, int kColumns>
[[gnu::always_inline]] inline void tile(float* d, const float* a, const float* b) {
  float sums[kColumns][kLanes];
  for (int j = 0; j < kColumns; ++j) {
    std::memcpy(sums[j], d + j * kTensorLanes, sizeof sums[j]);
  }
  for (std::uint32_t k = 0; k < kDepth; ++k) {
    for (int j = 0; j < kColumns; ++j) {
      const float factor = b[j * kDepth + k];
      for (int i = 0; i < kLanes; ++i) sums[j][i] += a[k * kTensorLanes + i] * factor;
    }
  }
  for (int j = 0; j < kColumns; ++j) {
    std::memcpy(d + j * kTensorLanes, sums[j], sizeof sums[j]);
  }
}

template <int kLanes, int kColumns>
[[gnu::always_inline]] inline void tiles(float* strip, const float* a, const float* b,
                                         const float* b_upper) {
  for (std::uint32_t lane = 0; lane < kTensorLanes; lane += kLanes) {
    const float* of = lane < kTensorLanes / 2 ? b : b_upper;
    for (std::uint32_t j = 0; j < kStrip; j += kColumns) {
      tile<kLanes, kColumns>(strip + j * kTensorLanes + lane, a + lane, of + j * kDepth);
    }
  }
}

void accumulate_any(float* strip, const float* a, const float* b, const float* b_upper) {
  tiles<16, 4>(strip, a, b, b_upper);
}
#ifdef __x86_64__
[[gnu::target("avx2")]] void accumulate_avx2(float* strip, const float* a, const float* b,
                                             const float* b_upper) {
  tiles<16, 4>(strip, a, b, b_upper);
}
[[gnu::target("avx512f")]] void accumulate_avx512(float* strip, const float* a, const float* b,
                                                  const float* b_upper) {
  tiles<32, 8>(strip, a, b, b_upper);
}
#endif

}  // namespace

Accumulate accumulate() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return accumulate_avx512;
  if (__builtin_cpu_supports("avx2")) return accumulate_avx2;
#endif
  return accumulate_any;
}

}  // namespace clcsim::machine::tensor_core
