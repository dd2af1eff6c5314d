// Exercise 02.4: the student's numbers are those that the check counts itself.

constexpr int kTiles = 320, kBlocks = 32;

#ifdef __CUDACC__
__device__ unsigned drawn, counted[kBlocks];  // the check's own account

__host__ __device__ inline unsigned units_of(int tile) {
  return tile % 16 == 0 ? 40'000 : 1'000;
}

__device__ void do_tile(int tile, float* y, unsigned* work) {
  const unsigned units = units_of(tile);
  y[tile * 32 + threadIdx.x] += clc::chain(1.0f, units / 10, 0.5f, 1.0f);
  record(work, units);
  if (threadIdx.x == 0) atomicAdd(&counted[blockIdx.x], units);
}

__global__ void stride(float* y, unsigned* work) {
  for (int tile = blockIdx.x; tile < kTiles; tile += gridDim.x) do_tile(tile, y, work);
}

__global__ void queue(float* y, unsigned* work) {
  __shared__ unsigned tile;
  while (true) {
    if (threadIdx.x == 0) tile = atomicAdd(&drawn, 1);
    __syncthreads();
    if (tile >= kTiles) break;
    do_tile(tile, y, work);
    __syncthreads();
  }
}

void launch_kernel(char name, float* y, unsigned* work) {
  if (name == 's') stride<<<kBlocks, 32>>>(y, work);
  if (name == 'q') queue<<<kBlocks, 32>>>(y, work);
}
#endif

// Truncated or rounded: both are right.
void compare_percent(const char* what, long long yours, const std::vector<unsigned>& work) {
  unsigned long long sum = 0, most = 0;
  for (const unsigned units : work) sum += units, most = units > most ? units : most;
  const long long truncated = 100 * most * work.size() / sum;
  const long long rounded = (200 * most * work.size() / sum + 1) / 2;
  clc::compare(what, yours, yours == rounded ? rounded : truncated);
}

// imbalance() alone, with shares that fit no 32-bit product, and blocks that have done nothing.
void check_formula() {
  for (const int blocks : {2, clc::draw(3, 31), clc::draw(33, 300)}) {
    std::vector<unsigned> even(blocks, 7), uneven;
    for (int i = 0; i < blocks; ++i) {
      const int units = clc::draw(i % 8 == 0 ? 1 : 150'000'000, 180'000'000);
      uneven.push_back(i % 8 == 3 ? 0u : static_cast<unsigned>(units));
    }
    compare_percent("imbalance() of equal shares", CLC_YOURS(imbalance(even.data(), blocks)), even);
    compare_percent("imbalance() of large shares", CLC_YOURS(imbalance(uneven.data(), blocks)),
                    uneven);
  }
  std::vector<unsigned> alone(100'003, 3);  // a float loses each of the small shares
  alone[0] = 180'000'000;
  compare_percent("imbalance() of a block that does almost all",
                  CLC_YOURS(imbalance(alone.data(), static_cast<int>(alone.size()))), alone);
}

void check() {
  const char why = static_cast<char>(CLC_YOURS(kWhy));
  float* y = nullptr;
  unsigned* work = nullptr;
  CLC_DO(CUDA_CHECK(cudaMalloc(&y, kTiles * 32 * sizeof(float))));
  CLC_DO(CUDA_CHECK(cudaMalloc(&work, kBlocks * sizeof(unsigned))));
  CLC_DO(CUDA_CHECK(cudaMemset(y, 0, kTiles * 32 * sizeof(float))));
  for (const char* const name : {"stride", "queue"}) {
    CLC_DO(CUDA_CHECK(cudaMemset(work, 0, kBlocks * sizeof(unsigned))));
    CLC_DO(CUDA_CHECK(cudaMemset(clc::address_of(counted), 0, kBlocks * sizeof(unsigned))));
    clc::watch(y, kTiles * 32, nullptr);
    clc::watch_aside(work, kBlocks * sizeof(unsigned));
    clc::begin_run();
    CLC_DO(launch_kernel(*name, y, work));
    long long stores = 0;  // a thread that adds for itself stores once for each tile
    for (const clc::Launched& launched : clc::watched().launches)
      for (const clc::BlockWork& block : launched.work)
        stores += (block.stored_aside - block.atomic_aside) / sizeof(unsigned);
    const std::vector<unsigned> yours = clc::gpu_memory<unsigned>(work, kBlocks);
    const std::vector<unsigned> ours = CLC_GPU(unsigned, kBlocks, counted);
    const long long percent = CLC_YOURS(imbalance(yours.data(), kBlocks));
    unsigned recorded = 0, all = 0, most = 0;
    int busiest = 0;
    for (int block = 0; block < kBlocks; ++block) {
      recorded += yours[block], all += ours[block];
      if (ours[block] > most) most = ours[block], busiest = block;
    }
    clc::print("  kernel %s\n", name);
    clc::compare("units recorded by all blocks", recorded, all);
    if (stores > kTiles) clc::compare("stores to work, one for each tile", stores, kTiles);
    clc::compare("units of the busiest block", yours[busiest], most);
    compare_percent("busiest block, percent of the average", percent, ours);
    clc::print("    it did %u units, %u long tiles among them; an average share is %u\n", most,
               most / 40'000, all / kBlocks);
  }
  check_formula();
  clc::predicted("the reason for the difference", why, 'b');
}
