// Cooperative groups: block, tiles, coalesced and labelled groups, invoke_one, clusters.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "verify.h"

namespace cg = cooperative_groups;

__global__ void tiles(const int* in, int* sums, int* scans, int* counts) {
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto eight = cg::tiled_partition<8>(warp);
  const int value = in[block.thread_rank()];
  const int sum = cg::reduce(eight, value, cg::plus<int>());
  if (eight.thread_rank() == 0) sums[block.thread_rank() / 8] = sum;
  scans[block.thread_rank()] = cg::inclusive_scan(warp, value, cg::plus<int>());
  if (value % 3 == 0) {
    const cg::coalesced_group some = cg::coalesced_threads();
    cg::invoke_one(some, [&] { atomicAdd(&counts[0], static_cast<int>(some.size())); });
    const int one = cg::invoke_one_broadcast(some, [&] { return atomicAdd(&counts[1], 1); });
    if (one < 0) counts[2] = 1;
  }
  const auto alike = cg::labeled_partition(warp, value & 3);
  if (alike.thread_rank() == 0) atomicAdd(&counts[3 + (value & 3)], alike.size());
  block.sync();
}

__global__ void __cluster_dims__(4, 1, 1) neighbours(int* out) {
  __shared__ int mine[64];
  const cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = static_cast<int>(blockIdx.x * 100 + threadIdx.x);
  cluster.sync();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  const int* theirs = cluster.map_shared_rank(mine, next);
  out[blockIdx.x * blockDim.x + threadIdx.x] = theirs[threadIdx.x];
  cluster.sync();
}

__global__ void exclusive(const int* in, int* out) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  out[threadIdx.x] = cg::exclusive_scan(tile, in[threadIdx.x]);
  out[128 + threadIdx.x] = tile.shfl_xor(in[threadIdx.x], 5) + tile.any(in[threadIdx.x] == 7) +
                           static_cast<int>(tile.ballot(in[threadIdx.x] & 1));
}

int main() {
  constexpr int kThreads = 128;
  int* in = verify::shared<int>(kThreads);
  int* sums = verify::shared<int>(kThreads / 8);
  int* scans = verify::shared<int>(kThreads);
  int* counts = verify::shared<int>(8);
  for (int i = 0; i < kThreads; ++i) in[i] = (i * 37 + 11) % 101;
  tiles<<<1, kThreads>>>(in, sums, scans, counts);
  verify::finish("tiles");
  bool sums_right = true, scans_right = true;
  int thirds = 0, alike[4] = {};
  for (int i = 0, sum8 = 0, scan = 0; i < kThreads; ++i) {
    sum8 = (i % 8 == 0 ? 0 : sum8) + in[i];
    scan = (i % 32 == 0 ? 0 : scan) + in[i];
    if (i % 8 == 7) sums_right &= sums[i / 8] == sum8;
    scans_right &= scans[i] == scan;
    thirds += in[i] % 3 == 0;
    ++alike[in[i] & 3];
  }
  verify::check("reduce", sums_right);
  verify::check("inclusive_scan", scans_right);
  verify::check("coalesced_threads",
                counts[0] == thirds && counts[1] >= 4 && counts[1] <= thirds && counts[2] == 0);
  verify::check("labeled_partition", counts[3] == alike[0] && counts[4] == alike[1] &&
                                         counts[5] == alike[2] && counts[6] == alike[3]);

  int* out = verify::shared<int>(8 * 64);
  neighbours<<<8, 64>>>(out);
  verify::finish("neighbours");
  bool right = true;
  for (int i = 0; i < 8 * 64; ++i) {
    const int block = i / 64;
    right &= out[i] == (block / 4 * 4 + (block + 1) % 4) * 100 + i % 64;
  }
  verify::check("map_shared_rank", right);

  int* scanned = verify::shared<int>(2 * kThreads);
  exclusive<<<1, kThreads>>>(in, scanned);
  verify::finish("exclusive");
  right = true;
  for (int i = 0, sum = 0; i < kThreads; ++i) {
    if (i % 16 == 0) sum = 0;
    right &= scanned[i] == sum;
    sum += in[i];
    int any = 0, ballot = 0;
    for (int j = 0; j < 16; ++j) {
      any |= in[i / 16 * 16 + j] == 7;
      ballot |= (in[i / 16 * 16 + j] & 1) << j;
    }
    right &= scanned[kThreads + i] == in[i ^ 5] + any + ballot;
  }
  verify::check("exclusive_scan, shfl_xor, any, ballot", right);
  return verify::verdict();
}
