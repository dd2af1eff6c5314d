// Exercise 06.3: every tile once and counted once, by the block that has done it, blocks stolen,
// and one clearing and one flush for each block that started, with barriers around its tiles.
// The answer calls clear(). The answer calls flush().

constexpr int kMostBlocks = 2048;

#ifdef __CUDACC__
__device__ unsigned cleared, flushed, histograms[kMostBlocks][kBins];  // what each block has added

__device__ void clear(unsigned* bins) {
  if (threadIdx.x < kBins) bins[threadIdx.x] = 0;
  if (threadIdx.x == 0) atomicAdd(&cleared, 1);
}
__device__ void flush(const unsigned* bins) {
  if (threadIdx.x < kBins) atomicAdd(&histograms[blockIdx.x][threadIdx.x], bins[threadIdx.x]);
  if (threadIdx.x == 0) atomicAdd(&flushed, 1);
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
    CLC_DO(clear_variable(histograms), clear_variable(cleared), clear_variable(flushed));
    const clc::Counted counted = clc::each_tile_once(clc::make_tiles(tiles, 64), launch);
    clc::threads_stay(counted, 64);
    clc::stole(counted, tiles, resident);
    clc::asked_until_refused(counted);
    clc::done_by_their_blocks(counted);
    clc::prologues(counted);
    clc::threads_share(counted);
    clc::compare("calls of clear()", CLC_GPU(unsigned, 1, cleared)[0], counted.started);
    clc::compare("calls of flush()", CLC_GPU(unsigned, 1, flushed)[0], counted.started);
    std::vector<unsigned> added = CLC_GPU(unsigned, kMostBlocks* kBins, histograms);
    for (int bin = 0; bin < kBins; ++bin) {
      unsigned sum = 0;
      for (int block = 0; block < kMostBlocks; ++block) sum += added[block * kBins + bin];
      const unsigned due = tiles / kBins + (bin < tiles % kBins);
      if (sum != due) clc::compare("tiles in a bin", sum, due);
    }
    for (std::size_t i = 0; i < counted.y.size(); i += 64)
      if (counted.y[i].block < kMostBlocks) --added[counted.y[i].block * kBins + i / 64 % kBins];
    const long long others = added.size() - std::count(added.begin(), added.end(), 0);
    if (others > 0) clc::compare("bins with what a block has not done", others, 0);
    // The function has one for each tile; two more order what a block that starts does around it.
    clc::barriers_at_least(counted, tiles + 2 * counted.started, "barriers of whole blocks");
    clc::barriers_behind_tiles(counted);
  }
}
