// Exercise 02.4: the student's numbers are those that the check counts itself.

#include <algorithm>
#include <numeric>

constexpr int kTiles = 320, kBlocks = 32;

__device__ unsigned drawn, counted[kBlocks];  // the check's own account

__device__ void do_tile(int tile, float* y, unsigned* work) {
  const unsigned units = tile % 16 == 0 ? 40'000 : 1'000;
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

// Truncated or rounded: both are right.
void compare_percent(const char* what, long long yours, const std::vector<unsigned>& work) {
  unsigned long long sum = 0, most = 0;
  for (const unsigned units : work) sum += units, most = units > most ? units : most;
  const long long truncated = 100 * most * work.size() / sum;
  const long long rounded = (200 * most * work.size() / sum + 1) / 2;
  clc::compare(what, yours, yours == rounded ? rounded : truncated);
}

void check() {
  float* y;
  unsigned* work;
  CUDA_CHECK(cudaMalloc(&y, kTiles * 32 * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&work, kBlocks * sizeof(unsigned)));
  CUDA_CHECK(cudaMemset(y, 0, kTiles * 32 * sizeof(float)));
  for (const auto kernel : {stride, queue}) {
    std::vector<unsigned> ours(kBlocks), yours;
    CUDA_CHECK(cudaMemset(work, 0, kBlocks * sizeof(unsigned)));
    CUDA_CHECK(cudaMemcpyToSymbol(counted, ours.data(), sizeof counted));
    clc::watch(y, kTiles * 32, nullptr);
    kernel<<<kBlocks, 32>>>(y, work);
    clc::watched();
    yours = clc::from_gpu(work, kBlocks);
    CUDA_CHECK(cudaMemcpyFromSymbol(ours.data(), counted, sizeof counted));
    const auto busiest = std::max_element(ours.begin(), ours.end());
    clc::note("  kernel %s: its busiest block did %u units, %u long tiles among them\n",
              kernel == stride ? "stride" : "queue", *busiest, *busiest / 40'000);
    clc::compare("units recorded by all blocks", std::accumulate(yours.begin(), yours.end(), 0u),
                 std::accumulate(ours.begin(), ours.end(), 0u));
    clc::compare("units of the busiest block", yours[busiest - ours.begin()], *busiest);
    compare_percent("busiest block, percent of the average", imbalance(yours.data(), kBlocks),
                    ours);
  }
  // imbalance() alone: shares that fit no 32-bit product, and a float loses each of the small ones.
  const std::vector<unsigned> even(clc::draw(2, 300), 7);
  std::vector<unsigned> large, alone(100'003, 3);
  for (int i = 0; i < 300; ++i) large.push_back(i % 8 == 3 ? 0 : clc::draw(1, 180'000'000));
  alone[0] = 180'000'000;
  compare_percent("imbalance() of equal shares", imbalance(even.data(), even.size()), even);
  compare_percent("imbalance() of large shares", imbalance(large.data(), 300), large);
  compare_percent("imbalance() of a block that does almost all",
                  imbalance(alone.data(), alone.size()), alone);
  clc::predicted("the reason for the difference", kWhy, 'b');
  clc::takes(285'100);
}
