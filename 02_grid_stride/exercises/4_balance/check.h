// Exercise 02.4: the student's numbers are those that the check counts itself.

constexpr int kTiles = 320, kBlocks = 32;

__device__ unsigned drawn, counted[kBlocks];  // the check's own account

__host__ __device__ inline unsigned units_of(int tile) {
  return tile % 16 == 0 ? 40 : 1;
}

__device__ void do_tile(int tile, float* y, unsigned* work) {
  const unsigned units = units_of(tile);
  y[tile * 32 + threadIdx.x] += clc::chain(1.0f, 100 * units, 0.5f, 1.0f);
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

int percent(const unsigned* work) {
  unsigned sum = 0, most = 0;
  for (int i = 0; i < kBlocks; ++i) sum += work[i], most = work[i] > most ? work[i] : most;
  return static_cast<int>(100ull * most * kBlocks / sum);
}

// imbalance() alone, with shares that fit no 32-bit product.
void check_formula() {
  for (const int blocks : {2, clc::draw(3, 31), 32}) {
    unsigned even[32], uneven[32];
    for (int i = 0; i < blocks; ++i) {
      even[i] = 7;
      uneven[i] = static_cast<unsigned>(clc::draw(1, 90'000'000));
    }
    unsigned long long sum = 0, most = 0;
    for (int i = 0; i < blocks; ++i) {
      sum += uneven[i];
      most = uneven[i] > most ? uneven[i] : most;
    }
    clc::compare("imbalance() of equal shares", imbalance(even, blocks), 100);
    clc::compare("imbalance() of large shares", imbalance(uneven, blocks),
                 static_cast<int>(100 * most * blocks / sum));
  }
}

void check() {
  float* y;
  unsigned *work, yours[kBlocks], ours[kBlocks], none[kBlocks] = {};
  CUDA_CHECK(cudaMalloc(&y, kTiles * 32 * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&work, sizeof yours));
  CUDA_CHECK(cudaMemset(y, 0, kTiles * 32 * sizeof(float)));
  for (const auto kernel : {stride, queue}) {
    CUDA_CHECK(cudaMemset(work, 0, sizeof yours));
    CUDA_CHECK(cudaMemcpyToSymbol(counted, none, sizeof none));
    kernel<<<kBlocks, 32>>>(y, work);
    clc::wait_for_kernel();
    CUDA_CHECK(cudaMemcpy(yours, work, sizeof yours, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpyFromSymbol(ours, counted, sizeof ours));
    const char* name = kernel == stride ? "stride" : "queue";
    unsigned recorded = 0, all = 0, most = 0;
    int busiest = 0;
    for (int block = 0; block < kBlocks; ++block) {
      recorded += yours[block], all += ours[block];
      if (ours[block] > most) most = ours[block], busiest = block;
    }
    std::printf("  kernel %s\n", name);
    clc::compare("units recorded by all blocks", recorded, all);
    clc::compare("units of the busiest block", yours[busiest], most);
    clc::compare("busiest block, percent of the average", imbalance(yours, kBlocks), percent(ours));
    std::printf("    it did %u units, %u long tiles among them; an average share is %u\n", most,
                most / 40, all / kBlocks);
  }
  check_formula();
  const char why = kWhy;
  clc::predicted("the reason for the difference", why, 'b');
}
