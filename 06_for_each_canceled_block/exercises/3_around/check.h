// Exercise 06.3: every tile once and counted once, blocks stolen, and one clearing and one flush
// for each block that started. Only flush() adds to the global histogram.

__device__ unsigned histogram[kBins], added;

__device__ void add(int bin, unsigned tiles) {
  atomicAdd(&histogram[bin], tiles);
  atomicAdd(&added, 1);
}

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  for (const int tiles : clc::tile_counts(resident)) {
    unsigned counts[kBins] = {}, calls[3] = {};
    CUDA_CHECK(cudaMemcpyToSymbol(histogram, counts, sizeof counts));
    CUDA_CHECK(cudaMemcpyToSymbol(cleared, calls, sizeof *calls));
    CUDA_CHECK(cudaMemcpyToSymbol(flushed, calls, sizeof *calls));
    CUDA_CHECK(cudaMemcpyToSymbol(added, calls, sizeof *calls));
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    clc::threads_stay(counted, 64);
    clc::stole(counted, tiles, resident);
    CUDA_CHECK(cudaMemcpyFromSymbol(counts, histogram, sizeof counts));
    CUDA_CHECK(cudaMemcpyFromSymbol(&calls[0], cleared, sizeof *calls));
    CUDA_CHECK(cudaMemcpyFromSymbol(&calls[1], flushed, sizeof *calls));
    CUDA_CHECK(cudaMemcpyFromSymbol(&calls[2], added, sizeof *calls));
    clc::compare("calls of clear()", calls[0], counted.started);
    clc::compare("calls of flush()", calls[1], counted.started);
    if (calls[2] != kBins * calls[1])
      clc::compare("additions to the global histogram", calls[2], kBins * calls[1]);
    for (int bin = 0; bin < kBins; ++bin)
      if (counts[bin] != unsigned(tiles / kBins + (bin < tiles % kBins)))
        clc::compare("tiles in a bin", counts[bin], tiles / kBins + (bin < tiles % kBins));
  }
}
