// Exercise 06.4: every tile once, blocks stolen, and the sum of what all tiles have left, in each
// of several launches. The results are drawn, and each block that starts must have asked for some.

#ifdef __CUDACC__
__device__ unsigned results[kMostTiles], asked[kMostTiles];

__device__ unsigned result_of(int tile) {
  atomicAdd(&asked[blockIdx.x], 1);
  return results[tile];
}
#else
constexpr int kMostTiles = 1024;
#endif

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  for (const int tiles : clc::tile_counts(resident)) {
    [[maybe_unused]] const unsigned before = clc::draw(1, 1'000'000);  // not of this launch
    unsigned expected = 0, calls = 0, callers = 0, numbers[kMostTiles];
    for (unsigned& number : numbers) number = clc::draw(1, 1'000'000);
    for (int tile = 0; tile < tiles; ++tile) expected += numbers[tile];
    CLC_DO(CUDA_CHECK(cudaMemcpyToSymbol(results, numbers, sizeof numbers)));
    CLC_DO(CUDA_CHECK(cudaMemset(clc::address_of(asked), 0, sizeof asked)));
    CLC_DO(CUDA_CHECK(cudaMemcpyToSymbol(total, &before, sizeof before)));
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    if (counted.copied > 0)
      clc::fail(clc::kWrong, "copied by the host",
                "launch() writes to the GPU: tickets and total are the kernel's   <--");
    clc::threads_stay(counted, 64);
    clc::stole(counted, tiles, resident);
    const unsigned sum = CLC_GPU(unsigned, 1, total)[0], drawn = CLC_GPU(unsigned, 1, tickets)[0];
    const std::vector<unsigned> by_block = CLC_GPU(unsigned, kMostTiles, asked);
    for (const unsigned times : by_block) calls += times, callers += times > 0;
    clc::compare("sum of the tiles' results", sum, expected);
    clc::compare("tickets left behind", drawn, 0);
    if (calls != unsigned(tiles)) clc::compare("results asked for", calls, tiles);
    if (callers != counted.started)
      clc::compare("blocks that ask for results", callers, counted.started);
    clc::done_by_their_blocks(counted);
    clc::prologues(counted);
  }
}
