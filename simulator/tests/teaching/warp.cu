// Warp intrinsics: shuffles, votes, match, reductions, active masks, and lanes that diverge.
#include "verify.h"

constexpr unsigned kAll = 0xffffffff;

__global__ void intrinsics(const int* in, long long* out) {
  const int lane = static_cast<int>(threadIdx.x), value = in[lane];
  long long* mine = out + 32 * lane;
  int sum = value;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(kAll, sum, step);
  mine[0] = sum;
  mine[1] = __shfl_sync(kAll, value, lane * 7);
  mine[2] = __shfl_up_sync(kAll, value, 3);
  mine[3] = __shfl_xor_sync(kAll, static_cast<long long>(value) << 33, 9);
  mine[4] = static_cast<long long>(__shfl_sync(kAll, value * 0.5, 5, 8) * 4);
  mine[5] = __ballot_sync(kAll, value & 1);
  mine[6] = __any_sync(kAll, value == 55) + 2 * __all_sync(kAll, value < 200);
  mine[7] = __match_any_sync(kAll, value & 7);
  int same = 0;
  mine[8] = __match_all_sync(kAll, value >> 20, &same) + 2ll * same;
  mine[9] = __reduce_add_sync(kAll, value);
  mine[10] = __reduce_min_sync(kAll, value - 50) + __reduce_max_sync(kAll, value);
  mine[11] = __reduce_or_sync(kAll, value) ^ __reduce_and_sync(kAll, value) ^
             __reduce_xor_sync(kAll, value);
  if (lane % 3 == 0) {
    mine[12] = __activemask();
    __syncwarp(0x49249249);
    mine[13] = __ballot_sync(0x49249249, value & 2);
  } else if (lane % 3 == 1) {
    mine[13] = __popc(__ballot_sync(0x92492492, value & 4));
  }
  mine[14] = __popc(value) + __ffs(value) + __clz(value) + __brev(value);
  mine[15] = __popcll(mine[3]) + __ffsll(mine[3]) + __clzll(mine[3]);
  mine[16] = __byte_perm(value, value * 3, 0x5140) + __funnelshift_l(value, value * 5, 7);
  mine[17] = __mulhi(value * 123456789, 987654321) + __umulhi(value, 4000000000u);
  mine[18] = __sad(value, 50, 3u) + __usad(value, 60, 5u) + __hadd(value, -7) + __rhadd(value, 8);
  mine[19] = __dp4a(value * 0x01030507, 0x02040608, 9);
}

int main() {
  int* in = verify::shared<int>(32);
  auto* out = verify::shared<long long>(32 * 32);
  for (int i = 0; i < 32; ++i) in[i] = (i * 29 + 3) % 97;
  intrinsics<<<1, 32>>>(in, out);
  verify::finish("intrinsics");
  int sum = 0, least = 1000, greatest = 0, any = 0, all_or = 0, all_and = -1, all_xor = 0;
  long long odd = 0, twos = 0, fours = 0;
  for (int i = 0; i < 32; ++i) {
    sum += in[i];
    least = in[i] < least ? in[i] : least;
    greatest = in[i] > greatest ? in[i] : greatest;
    any |= in[i] == 55;
    all_or |= in[i];
    all_and &= in[i];
    all_xor ^= in[i];
    odd |= static_cast<long long>(in[i] & 1) << i;
    if (i % 3 == 0 && (in[i] & 2) != 0) twos |= 1ll << i;
    if (i % 3 == 1 && (in[i] & 4) != 0) ++fours;
  }
  bool shuffles = out[0] == sum, votes = true, matches = true, reductions = true, diverged = true;
  bool bits = true;
  for (int i = 0; i < 32; ++i) {
    const long long* mine = out + 32 * i;
    shuffles &= mine[1] == in[i * 7 % 32] && mine[2] == in[i < 3 ? i : i - 3] &&
                mine[3] == static_cast<long long>(in[i ^ 9]) << 33 &&
                mine[4] == in[i / 8 * 8 + 5] * 2;
    votes &= mine[5] == odd && mine[6] == any + 2;
    long long match = 0;
    for (int j = 0; j < 32; ++j) match |= static_cast<long long>((in[j] & 7) == (in[i] & 7)) << j;
    matches &= mine[7] == match && mine[8] == 0x100000001;
    reductions &= mine[9] == sum && mine[10] == least - 50 + greatest &&
                  mine[11] == (all_or ^ all_and ^ all_xor);
    if (i % 3 == 0) diverged &= (mine[12] >> i & 1) != 0 && mine[13] == twos;
    if (i % 3 == 1) diverged &= mine[13] == fours;
    unsigned reversed = 0;
    for (int j = 0; j < 32; ++j) reversed |= (static_cast<unsigned>(in[i]) >> j & 1) << (31 - j);
    bits &= mine[14] == static_cast<unsigned>(__builtin_popcount(in[i]) + __builtin_ffs(in[i]) +
                                              (in[i] == 0 ? 32 : __builtin_clz(in[i])) + reversed);
  }
  verify::check("shuffles", shuffles);
  verify::check("votes", votes);
  verify::check("match", matches);
  verify::check("reduce", reductions);
  verify::check("diverged lanes", diverged);
  verify::check("bits", bits);
  return verify::verdict();
}
