// What libcu++'s for_each_canceled_block asks for in return (CUDA 13.0).
#ifdef CATALOGUE
add({"wrong-rank", "", "several-leaders, deadlock",
     "for_each_canceled_block of rank 1 in blocks of 32 x 2 threads", kHangs,
     ROWS(wrong_rank, kTile, 2)});
add({"rank-of-grid", "", "data-race", "the rank of the block, in a grid that has more",
     kWrongByRule, RUN(run_columns, rank_of_grid)});
add({"called-twice", "wrong-rank", "several-leaders", "calls for_each_canceled_block twice",
     kWrongByRule, KERNEL(called_twice)});
add({"some-threads", "", "block-barrier-divergence",
     "some threads don't call for_each_canceled_block", kByLuck, ROWS(some_threads, 96, 1)});
#else

// [wrong-rank]
__global__ void wrong_rank(Work work) {  // in blocks of 32 x 2 threads
#ifdef BROKEN
  constexpr int kRank = 1;
#else
  constexpr int kRank = 2;
#endif
  for_each_canceled_block<kRank>([=](dim3 block) { multiply_tile(work, block.x); });
}
// [/wrong-rank]

// [rank-of-grid]
__global__ void rank_of_grid(Work work) {  // in a grid of 8 columns, in blocks of one dimension
#ifdef BROKEN
  constexpr int kRank = 1;
#else
  constexpr int kRank = 2;
#endif
  for_each_canceled_block<kRank>([=](dim3 block) {
    const unsigned tile = block.x + gridDim.x * block.y;
    multiply_tile(work, tile, tile != blockIdx.x + gridDim.x * blockIdx.y);
  });
}
// [/rank-of-grid]

template <auto kernel>
Outcome run_columns() {
  constexpr int kColumns = 8;
  const int rows = many_tiles() / kColumns + 1;
  Bench bench(kColumns * rows);
  kernel<<<dim3(kColumns, rows), kTile>>>(bench.work);
  return bench.outcome();
}

// [called-twice]
__global__ void called_twice(Work work) {
  for_each_canceled_block<1>([=](dim3 block) {
    if (block.x % 2 == 0) multiply_tile(work, block.x);
#ifdef BROKEN
  });
  for_each_canceled_block<1>([=](dim3 block) {
#endif
    if (block.x % 2 == 1) multiply_tile(work, block.x);
  });
}
// [/called-twice]

// [some-threads]
__global__ void some_threads(Work work) {  // in blocks of 96 threads, for tiles of 64 elements
#ifdef BROKEN
  if (threadIdx.x < kTile)
    for_each_canceled_block<1>([=](dim3 block) { multiply_tile(work, block.x); });
#else
  for_each_canceled_block<1>([=](dim3 block) {
    if (threadIdx.x < kTile) multiply_tile(work, block.x);
  });
#endif
  __syncthreads();  // the block's epilogue would follow
}
// [/some-threads]

#endif
