// Exercise 02.4: the student's numbers are those that the check counts itself.
//
// Hint: which one thread of a block may add? And is it 100 if all blocks have done the same?

constexpr int kTiles = 320, kBlocks = 32;

__device__ unsigned drawn;

__host__ __device__ inline unsigned units_of(int tile) {
  return tile % 16 == 0 ? 40 : 1;
}

// `counted` is the check's own account.
__device__ void do_tile(int tile, float* y, unsigned* work, unsigned* counted) {
  const unsigned units = units_of(tile);
  y[tile * 32 + threadIdx.x] += clc::chain(1.0f, 100 * units, 0.5f, 1.0f);
  record(work, units);
  if (threadIdx.x == 0) atomicAdd(&counted[blockIdx.x], units);
}

__global__ void stride(float* y, unsigned* work, unsigned* counted) {
  for (int tile = blockIdx.x; tile < kTiles; tile += gridDim.x) do_tile(tile, y, work, counted);
}

__global__ void queue(float* y, unsigned* work, unsigned* counted) {
  __shared__ unsigned tile;
  while (true) {
    if (threadIdx.x == 0) tile = atomicAdd(&drawn, 1);
    __syncthreads();
    if (tile >= kTiles) break;
    do_tile(tile, y, work, counted);
    __syncthreads();
  }
}

int percent(const unsigned* work) {
  unsigned sum = 0, most = 0;
  for (int i = 0; i < kBlocks; ++i) sum += work[i], most = work[i] > most ? work[i] : most;
  return static_cast<int>(100ull * most * kBlocks / sum);
}

void check() {
  float* y;
  unsigned *accounts, yours[kBlocks], ours[kBlocks];
  CUDA_CHECK(cudaMalloc(&y, kTiles * 32 * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&accounts, sizeof yours + sizeof ours));
  CUDA_CHECK(cudaMemset(y, 0, kTiles * 32 * sizeof(float)));
  for (const auto kernel : {stride, queue}) {
    CUDA_CHECK(cudaMemset(accounts, 0, sizeof yours + sizeof ours));
    kernel<<<kBlocks, 32>>>(y, accounts, accounts + kBlocks);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(yours, accounts, sizeof yours, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(ours, accounts + kBlocks, sizeof ours, cudaMemcpyDeviceToHost));
    std::printf("  kernel %s\n", kernel == stride ? "stride" : "queue");
    clc::compare("busiest block, percent of the average", imbalance(yours, kBlocks), percent(ours));
  }
  clc::compare_claim("the reason for the difference is right", kWhy == 'b', true);
}
