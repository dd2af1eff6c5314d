// Exercise 06.4: every tile once, blocks stolen, and the sum of what all tiles have left, in each
// of several launches. The results are drawn, and each block that starts must have asked for some,
// each when its tile was done: what the thread that asks finds in y stays so.
// The answer calls result_of().

#ifdef __CUDACC__
struct Given {  // of this launch
  const float* y;
  long long elements;
};
__device__ Given given;
__device__ unsigned results[kMostTiles], asked[kMostTiles], asker[kMostTiles];
__device__ float found[kMostTiles];  // by the thread that asks, in its own element of the tile

__device__ unsigned result_of(int tile) {
  atomicAdd(&asked[blockIdx.x], 1);
  const long long element = 64ll * tile + threadIdx.x;
  if (element < given.elements) found[tile] = given.y[element];
  asker[tile] = threadIdx.x;
  return results[tile];
}

void launch_given(const clc::Problem& problem, float* y, unsigned long long* counters) {
  const Given now = {y, problem.elements};
  CUDA_CHECK(cudaMemcpyToSymbol(given, &now, sizeof now));
  launch(problem, y, counters);
}
#else
constexpr int kMostTiles = 1024;
#endif
constexpr int kGivenBytes = 16;  // that launch_given() copies

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  std::vector<int> counts = clc::tile_counts(resident);
  // The last block takes long to add up many: one of the two largest in turn.
  counts.erase(counts.end() - 1 - clc::seed() % 2);
  for (const int count : counts) {
    const int tiles = std::min(count, 257);
    [[maybe_unused]] const unsigned before = clc::draw(1, 1'000'000);  // not of this launch
    unsigned expected = 0, calls = 0, callers = 0, early = 0, numbers[kMostTiles];
    for (unsigned& number : numbers) number = clc::draw(1, 1'000'000);
    for (int tile = 0; tile < tiles; ++tile) expected += numbers[tile];
    CLC_DO(CUDA_CHECK(cudaMemcpyToSymbol(results, numbers, sizeof numbers)));
    CLC_DO(CUDA_CHECK(cudaMemset(clc::address_of(asked), 0, sizeof asked)));
    CLC_DO(CUDA_CHECK(cudaMemcpyToSymbol(total, &before, sizeof before)));
    CLC_DO(clc::watch_aside(clc::address_of(tickets), sizeof tickets));
    const clc::Counted counted =
        clc::each_tile_once(clc::make_tiles(tiles, 64, 0, 16), launch_given);
    if (counted.copied > kGivenBytes)
      clc::fail(clc::kWrong, "copied by the host",
                "launch() writes to the GPU: tickets and total are the kernel's   <--");
    clc::threads_stay(counted, 64);
    clc::stole(counted, tiles, resident);
    clc::asked_until_refused(counted);
    const unsigned sum = CLC_GPU(unsigned, 1, total)[0], drawn = CLC_GPU(unsigned, 1, tickets)[0];
    const std::vector<unsigned> by_block = CLC_GPU(unsigned, kMostTiles, asked);
    for (const unsigned times : by_block) calls += times, callers += times > 0;
    const std::vector<unsigned> askers = CLC_GPU(unsigned, kMostTiles, asker);
    const std::vector<float> values = CLC_GPU(float, kMostTiles, found);
    for (std::size_t tile = 0; tile < askers.size(); ++tile) {
      const std::size_t element = 64 * tile + askers[tile];
      if (element < counted.y.size()) early += values[tile] != counted.y[element].value;
    }
    clc::compare("sum of the tiles' results", sum, expected);
    clc::compare("tickets left behind", drawn, 0);
    if (calls != unsigned(tiles)) clc::compare("results asked for", calls, tiles);
    if (callers != counted.started)
      clc::compare("blocks that ask for results", callers, counted.started);
    if (early > 0) clc::compare("results asked for before the tile is done", early, 0);
    long long uses = 0, unordered = 0;
    for (const clc::Launched& launched : counted.launches)
      for (const clc::BlockWork& block : launched.work) {
        uses += (block.atomic_aside + block.loaded_aside) / sizeof(unsigned);
        unordered += block.unordered_aside;
      }
    // It may be looked at, and set back, once more.
    if (uses > tiles + 2)
      clc::compare("looks at the tickets, one for each tile", uses, tiles);
    else if (unordered > 1)
      clc::compare("tickets drawn without a fence", unordered, 0);
    clc::done_by_their_blocks(counted);
    clc::prologues(counted);
    clc::threads_share(counted);
  }
}
