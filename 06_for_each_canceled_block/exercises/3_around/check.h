// Exercise 06.3: every tile once and counted once, blocks stolen, and one clearing and one flush
// for each block that started, with barriers around its tiles. Only flush() adds to the global
// histogram.

#ifdef __CUDACC__
__device__ unsigned histogram[kBins], added;

__device__ void add(int bin, unsigned tiles) {
  atomicAdd(&histogram[bin], tiles);
  atomicAdd(&added, 1);
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
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    clc::threads_stay(counted, 64);
    clc::stole(counted, tiles, resident);
    clc::asked_until_refused(counted);
    clc::done_by_their_blocks(counted);
    clc::prologues(counted);
    const std::vector<unsigned> counts = CLC_GPU(unsigned, kBins, histogram);
    const unsigned clears = CLC_GPU(unsigned, 1, cleared)[0];
    const unsigned flushes = CLC_GPU(unsigned, 1, flushed)[0];
    const unsigned adds = CLC_GPU(unsigned, 1, added)[0];
    clc::compare("calls of clear()", clears, counted.started);
    clc::compare("calls of flush()", flushes, counted.started);
    if (adds != kBins * flushes)
      clc::compare("additions to the global histogram", adds, kBins * flushes);
    for (int bin = 0; bin < kBins; ++bin)
      if (counts[bin] != unsigned(tiles / kBins + (bin < tiles % kBins)))
        clc::compare("tiles in a bin", counts[bin], tiles / kBins + (bin < tiles % kBins));
    // The function has one for each tile; two more order what a block that starts does around it.
    clc::barriers_at_least(counted, tiles + 2 * counted.started, "barriers of whole blocks");
  }
}
