// How fast products and copies of boxes are, beside what this core can do at all: both in one run,
// since cores and their clocks differ. Prints; nothing depends on it.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

#include "definition.h"
#include "machine/tensor_core/loops.h"
#include "machine/tensor_map.h"
#include "tests/machine/harness.h"
#include "tests/machine/kernels.h"

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

// ---- Boxes: 64 columns of 128 rows of 16 bits, with the swizzle of 128 bytes, of a tensor as
// large as a matrix of 4096 x 4096 ----

constexpr std::uint32_t kColumns = 64, kRows = 128, kBoxBytes = kColumns * kRows * 2;
constexpr std::uint32_t kBoxes = 2048, kTensorRows = kBoxes * kRows;
using Rows = std::vector<std::uint16_t>;

/// The same without a kernel: 16 bytes after the other.
double copy_plainly(const Rows& tensor) {
  static std::byte shared[kBoxBytes];
  for (std::uint32_t box = 0; box < kBoxes; ++box) {
    const std::uint16_t* row = &tensor[box * kRows * kColumns];
    for (std::uint32_t at = 0; at < kBoxBytes; at += 128, row += kColumns) {
      for (std::uint32_t i = 0; i < 128; i += 16) {
        std::memcpy(&shared[(at + i) ^ (at >> 7 & 7) << 4], reinterpret_cast<const char*>(row) + i,
                    16);
      }
    }
    asm volatile("" : : "r"(shared) : "memory");
  }
  return double{kBoxBytes} * kBoxes;
}

/// A thread that has one box after the other copied into its block's shared memory.
const std::string kCopies = clcsim::test::kHeader + R"(
.visible .entry k(.param .align 64 .b8 map[128]) {
.reg .pred %p; .reg .b32 %r<6>; .reg .b64 %map;
.shared .align 1024 .b8 tile[16384];
.shared .align 8 .b64 bar;
mov.u64 %map, map; cvta.param.u64 %map, %map;
mov.u32 %r1, tile; mov.u32 %r2, bar; mov.u32 %r3, 0; mov.u32 %r5, 0;
mbarrier.init.shared.b64 [%r2], 1;
NEXT:
mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 16384;
shl.b32 %r4, %r3, 7;
cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r1], [%map, {0, %r4}], [%r2];
AGAIN:
mbarrier.try_wait.parity.shared.b64 %p, [%r2], %r5;
@!%p bra AGAIN;
xor.b32 %r5, %r5, 1; add.u32 %r3, %r3, 1; setp.lt.u32 %p, %r3, 2048;
@%p bra NEXT;
ret;
}
)";
clcsim::machine::TensorMap map_of(std::uint64_t address) {
  clcsim::machine::TensorMap map;
  const std::uint64_t sizes[] = {kColumns, kTensorRows}, strides[] = {kColumns * 2};
  const std::uint32_t box[] = {kColumns, kRows}, steps[] = {1, 1};
  constexpr unsigned kHalf = 6, kSwizzle128 = 3;  // as cuTensorMapEncodeTiled has them
  clcsim::machine::encode_tiled(&map,
                                {kHalf, 2, address, sizes, strides, box, steps, 0, kSwizzle128});
  return map;
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

  const Rows tensor(kColumns * kTensorRows, 0x3c00);
  const double plain = rate([&] { return copy_plainly(tensor); });
  clcsim::test::Harness harness(kCopies);
  const clcsim::machine::TensorMap map = map_of(harness.upload(tensor));
  const double boxes = rate([&] {
    harness.launch("k", {.block = {1, 1, 1}}, map);
    return harness.run() ? double{kBoxBytes} * kBoxes : 0;
  });
  std::printf("boxes of 64 x 128, swizzled: %.2f GB/s, %.0f %% of the same copies in a loop\n",
              boxes, 100 * boxes / plain);
}
