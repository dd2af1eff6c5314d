// Exercise 06.2: every tile once and counted once, blocks stolen, and one clearing and one flush
// for each block that started. Other threads add than those that clear or count, so that a barrier
// that is missing on either side of the tiles is a data race.

__device__ unsigned counts[kBins + 2];  // the histogram; calls of clear() and of flush()

__device__ void clear(unsigned* bins) {
  if (threadIdx.x < kBins) bins[threadIdx.x] = 0;
  if (threadIdx.x == 0) atomicAdd(&counts[kBins], 1);
}
__device__ void flush(const unsigned* bins) {
  const unsigned bin = kBins - 1 - threadIdx.x;
  if (bin < kBins) atomicAdd(&counts[bin], bins[bin]);
  if (threadIdx.x == 0) atomicAdd(&counts[kBins + 1], 1);
}

void check() {
  const int resident = clc::resident_blocks(multiply, 64);
  for (const int tiles : clc::tile_counts(resident)) {
    unsigned yours[kBins + 2] = {};
    CUDA_CHECK(cudaMemcpyToSymbol(counts, yours, sizeof yours));
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    CUDA_CHECK(cudaMemcpyFromSymbol(yours, counts, sizeof yours));
    clc::threads_stay(counted, 64);
    clc::worked_by_stealing(counted, tiles, resident);
    clc::compare("calls of clear()", yours[kBins], counted.started);
    clc::compare("calls of flush()", yours[kBins + 1], counted.started);
    for (int bin = 0; bin < kBins; ++bin) {
      const unsigned due = (tiles - bin + kBins - 1) / kBins;
      if (yours[bin] == due) continue;
      clc::note("  bin %d:\n", bin);
      clc::compare("tiles in a bin", yours[bin], due);
      break;
    }
  }
  clc::takes(47'300);
}
