// Exercise 06.3: every tile once and counted once, blocks stolen, and one clearing and one flush
// for each block that started, with barriers around its tiles.

__device__ unsigned cleared, flushed, histogram[kBins];

__device__ void clear(unsigned* bins) {
  if (threadIdx.x < kBins) bins[threadIdx.x] = 0;
  if (threadIdx.x == 0) atomicAdd(&cleared, 1);
}
__device__ void flush(const unsigned* bins) {
  if (threadIdx.x < kBins) atomicAdd(&histogram[threadIdx.x], bins[threadIdx.x]);
  if (threadIdx.x == 0) atomicAdd(&flushed, 1);
}

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  for (const int tiles : clc::tile_counts(resident)) {
    const unsigned none[kBins] = {};
    unsigned clears = 0, flushes = 0, bins[kBins];
    CUDA_CHECK(cudaMemcpyToSymbol(histogram, none, sizeof none));
    CUDA_CHECK(cudaMemcpyToSymbol(cleared, none, sizeof cleared));
    CUDA_CHECK(cudaMemcpyToSymbol(flushed, none, sizeof flushed));
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    CUDA_CHECK(cudaMemcpyFromSymbol(bins, histogram, sizeof bins));
    CUDA_CHECK(cudaMemcpyFromSymbol(&clears, cleared, sizeof clears));
    CUDA_CHECK(cudaMemcpyFromSymbol(&flushes, flushed, sizeof flushes));
    clc::threads_stay(counted, 64);
    clc::stole(counted, tiles, resident);
    clc::asked_until_refused(counted);
    clc::done_by_their_blocks(counted);
    clc::prologues(counted);
    clc::threads_share(counted);
    clc::compare("calls of clear()", clears, counted.started);
    clc::compare("calls of flush()", flushes, counted.started);
    for (int bin = 0; bin < kBins; ++bin) {
      const int due = tiles / kBins + (bin < tiles % kBins);
      if (static_cast<int>(bins[bin]) == due) continue;
      clc::note("  bin %d:\n", bin);
      clc::compare("tiles in a bin", bins[bin], due);
      break;
    }
    // The function has one for each tile; two more order what a block that starts does around it.
    clc::barriers_at_least(counted, tiles + 2 * counted.started, "barriers of whole blocks");
  }
  clc::takes(47'300);
}
