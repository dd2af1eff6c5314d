#include "machine/tensor_core/loops.h"

#include <cstring>

namespace clcsim::machine::tensor_core {
namespace {

/// The sums of kVectors vectors of lanes by kColumns columns stay in registers while k rises.
template <class V, int kVectors, int kColumns>
[[gnu::always_inline]] inline void tiles(float* strip, const float* a, const float* b,
                                         const float* b_upper) {
  constexpr int kFloats = sizeof(V) / sizeof(float);
  for (std::uint32_t lane = 0; lane < kTensorLanes; lane += kVectors * kFloats) {
    for (std::uint32_t column = 0; column < kStrip; column += kColumns) {
      const float* factors = (lane < kTensorLanes / 2 ? b : b_upper) + column * kDepth;
      float* d = strip + column * kTensorLanes + lane;
      V sums[kColumns][kVectors], of_a[kVectors];
      for (int j = 0; j < kColumns; ++j) {
        for (int i = 0; i < kVectors; ++i) {
          std::memcpy(&sums[j][i], d + j * kTensorLanes + i * kFloats, sizeof(V));
        }
      }
      for (std::uint32_t k = 0; k < kDepth; ++k) {
        for (int i = 0; i < kVectors; ++i) {
          std::memcpy(&of_a[i], a + k * kTensorLanes + lane + i * kFloats, sizeof(V));
        }
        for (int j = 0; j < kColumns; ++j) {
          for (int i = 0; i < kVectors; ++i) sums[j][i] += of_a[i] * factors[j * kDepth + k];
        }
      }
      for (int j = 0; j < kColumns; ++j) {
        for (int i = 0; i < kVectors; ++i) {
          std::memcpy(d + j * kTensorLanes + i * kFloats, &sums[j][i], sizeof(V));
        }
      }
    }
  }
}

void accumulate_any(float* strip, const float* a, const float* b, const float* b_upper) {
  tiles<Vector4, 4, 2>(strip, a, b, b_upper);
}
#ifdef __x86_64__
[[gnu::target("avx2")]] void accumulate_avx2(float* strip, const float* a, const float* b,
                                             const float* b_upper) {
  tiles<Vector8, 2, 4>(strip, a, b, b_upper);
}
[[gnu::target("avx512f")]] void accumulate_avx512(float* strip, const float* a, const float* b,
                                                  const float* b_upper) {
  tiles<Vector16, 2, 8>(strip, a, b, b_upper);
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
