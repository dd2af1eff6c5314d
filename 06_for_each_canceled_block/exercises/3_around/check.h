// Exercise 06.3: every tile once and counted once, by the block that has done it, blocks stolen,
// and one clearing and one flush for each block that started, with barriers around its tiles. Only
// flush() adds to the global histogram.
// The answer calls add().

constexpr int kMostBlocks = 2048;

#ifdef __CUDACC__
__device__ unsigned histogram[kBins], added, by_thread[64], by_block[kMostBlocks][kBins];

__device__ void add(int bin, unsigned tiles) {
  atomicAdd(&histogram[bin], tiles);
  atomicAdd(&added, 1);
  atomicAdd(&by_thread[threadIdx.x], 1);
  atomicAdd(&by_block[blockIdx.x][bin], tiles);
}

template <class T>
void clear_variable(T& variable) {
  CUDA_CHECK(cudaMemset(clc::address_of(variable), 0, sizeof variable));
}
#else
constexpr int kBins = 8;
#endif

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  for (const int tiles : clc::tile_counts(resident)) {
    CLC_DO(clear_variable(histogram), clear_variable(cleared));
    CLC_DO(clear_variable(flushed), clear_variable(added));
    CLC_DO(clear_variable(by_thread), clear_variable(by_block));
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    clc::threads_stay(counted, 64);
    clc::stole(counted, tiles, resident);
    clc::asked_until_refused(counted);
    clc::done_by_their_blocks(counted);
    clc::prologues(counted);
    clc::threads_share(counted);
    const std::vector<unsigned> counts = CLC_GPU(unsigned, kBins, histogram);
    const unsigned clears = CLC_GPU(unsigned, 1, cleared)[0];
    const unsigned flushes = CLC_GPU(unsigned, 1, flushed)[0];
    const unsigned adds = CLC_GPU(unsigned, 1, added)[0];
    clc::compare("calls of clear()", clears, counted.started);
    clc::compare("calls of flush()", flushes, counted.started);
    if (adds != kBins * flushes)
      clc::compare("additions to the global histogram", adds, kBins * flushes);
    int threads = 0;
    for (const unsigned times : CLC_GPU(unsigned, 64, by_thread)) threads += times > 0;
    if (threads < kBins) clc::compare("threads of a block that add", threads, kBins);
    for (int bin = 0; bin < kBins; ++bin)
      if (counts[bin] != unsigned(tiles / kBins + (bin < tiles % kBins)))
        clc::compare("tiles in a bin", counts[bin], tiles / kBins + (bin < tiles % kBins));
    std::vector<unsigned> added_by = CLC_GPU(unsigned, kMostBlocks* kBins, by_block);
    for (std::size_t i = 0; i < counted.y.size(); i += 64)
      if (counted.y[i].block < kMostBlocks) --added_by[counted.y[i].block * kBins + i / 64 % kBins];
    long long others = 0;
    for (const unsigned difference : added_by) others += difference != 0;
    if (others > 0) clc::compare("bins with what a block has not done", others, 0);
    // The function has one for each tile; two more order what a block that starts does around it.
    clc::barriers_at_least(counted, tiles + 2 * counted.started, "barriers of whole blocks");
    clc::barriers_behind_tiles(counted);
  }
}
