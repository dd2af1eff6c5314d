// Compiled to PTX and to fatbins for the tests of the readers: a little of everything that nvcc
// writes in a way of its own. It is never run.
#include <cooperative_groups.h>

#include <cassert>
#include <cstdio>

struct Tile {
  int first;
  double weight;
  char name[5];
};
struct __attribute__((packed)) Packed {
  char tag;
  int* target;
};

__device__ int counter;
__device__ int table[3][4] = {{1, 2}, {3, 4, 5}};
__device__ Packed packed = {1, &counter};
__device__ const char* const names[] = {"one", "two"};
__constant__ float coefficients[4] = {1.0f, -2.5f};
__managed__ double managed = 0.5;

__device__ __noinline__ double weigh(Tile tile, float scale) {
  return tile.weight * scale + tile.name[tile.first & 3];
}
__device__ __noinline__ int twice(int x) {
  return 2 * x;
}
__device__ __noinline__ int thrice(int x) {
  return 3 * x;
}

__global__ void __launch_bounds__(128, 2) __cluster_dims__(2, 1, 1)
    sample(Tile tile, int* out, int n) {
  extern __shared__ int scratch[];
  __shared__ int total;
  int local[16];
  for (int i = 0; i < 16; ++i) local[i] = out[i] * i;
  int (*function)(int) = n > 3 ? twice : thrice;
  if (threadIdx.x == 0) total = function(n);
  cooperative_groups::this_cluster().sync();
  scratch[threadIdx.x] = __shfl_xor_sync(~0u, local[n & 15], 1);
  cooperative_groups::invoke_one(cooperative_groups::coalesced_threads(),
                                 [&] { atomicAdd(&counter, total); });
  asm volatile(
      "{ .reg .pred p;\n"
      "again: setp.ne.s32 p, %0, 0;\n"
      "@!p bra again; }" ::"r"(n));
  asm volatile(
      "{ .reg.pred p; .reg .b128 wide;\n"
      "mov.b128 wide, {%1, %1}; setp.gt.u64 p, %1, 1 << 4; selp.s32 %0, 1, 0, p; }"
      : "+r"(local[3])
      : "l"(clock64()));
  assert(out != nullptr);
  printf("%s %f %d\n", names[n & 1], weigh(tile, coefficients[n]) + managed, table[1][n]);
  out[threadIdx.x] = local[3] + scratch[n] + *packed.target;
}
