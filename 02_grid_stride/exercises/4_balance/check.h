// Exercise 02.4: the student's numbers are those that the check counts itself.

constexpr int kTiles = 320, kBlocks = 32;

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
    compare_percent("imbalance() of equal shares", imbalance(even.data(), blocks), even);
    compare_percent("imbalance() of large shares", imbalance(uneven.data(), blocks), uneven);
  }
  std::vector<unsigned> alone(100'003, 3);  // a float loses each of the small shares
  alone[0] = 180'000'000;
  compare_percent("imbalance() of a block that does almost all",
                  imbalance(alone.data(), static_cast<int>(alone.size())), alone);
}

void check() {
  float* y;
  unsigned* work;
  void* ours_on_gpu;
  CUDA_CHECK(cudaMalloc(&y, kTiles * 32 * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&work, kBlocks * sizeof(unsigned)));
  CUDA_CHECK(cudaMemset(y, 0, kTiles * 32 * sizeof(float)));
  CUDA_CHECK(cudaGetSymbolAddress(&ours_on_gpu, counted));
  for (const char* const name : {"stride", "queue"}) {
    CUDA_CHECK(cudaMemset(work, 0, kBlocks * sizeof(unsigned)));
    CUDA_CHECK(cudaMemset(ours_on_gpu, 0, kBlocks * sizeof(unsigned)));
    clc::watch(y, kTiles * 32, nullptr);
    launch_kernel(*name, y, work);
    clc::watched();
    const std::vector<unsigned> yours = clc::from_gpu(work, kBlocks);
    const std::vector<unsigned> ours = clc::from_gpu(static_cast<unsigned*>(ours_on_gpu), kBlocks);
    unsigned recorded = 0, all = 0, most = 0;
    int busiest = 0;
    for (int block = 0; block < kBlocks; ++block) {
      recorded += yours[block], all += ours[block];
      if (ours[block] > most) most = ours[block], busiest = block;
    }
    clc::note("  kernel %s: its busiest block did %u units, %u long tiles among them\n", name, most,
              most / 40'000);
    clc::compare("units recorded by all blocks", recorded, all);
    clc::compare("units of the busiest block", yours[busiest], most);
    compare_percent("busiest block, percent of the average", imbalance(yours.data(), kBlocks),
                    ours);
  }
  check_formula();
  clc::predicted("the reason for the difference", kWhy, 'b');
  clc::takes(285'100);
}
