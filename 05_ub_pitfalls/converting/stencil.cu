// A 2-D stencil with a tile in shared memory, as it was and with Cluster Launch Control.
//
// Read first: ../CONVERTING.md
// Build:      nvcc -O3 -lineinfo -cudart shared -arch=sm_100 -Icommon
//             05_ub_pitfalls/converting/stencil.cu common/program.cpp -o build/stencil

#include <cuda/work_stealing>
#include <vector>

#include "check.h"

#if CCCL_VERSION >= 3002000  // chapter 06 says why
using cuda::device::for_each_canceled_block;
#else
using cuda::for_each_canceled_block;
#endif

constexpr int kWide = 16, kHigh = 8;

struct Image {
  const float* in;
  float* out;
  int columns, rows;
  unsigned* stolen;
};

__host__ __device__ float blur(float left, float middle, float right) {
  return 0.25f * left + 0.5f * middle + 0.25f * right;  // exact for small whole numbers
}

__device__ float at(const Image& image, int column, int row) {  // 0 beyond the edges
  const bool inside = column >= 0 && column < image.columns && row < image.rows;
  return inside ? image.in[row * image.columns + column] : 0.0f;
}

// [before]
__global__ void one_block_per_tile(Image image) {
  __shared__ float tile[kHigh][kWide + 2];
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = blockIdx.x * kWide + x, row = blockIdx.y * kHigh + y;
  tile[y][x] = at(image, column - 1, row);
  if (x < 2) tile[y][kWide + x] = at(image, column + kWide - 1, row);
  __syncthreads();
  if (column >= image.columns || row >= image.rows) return;
  image.out[row * image.columns + column] = blur(tile[y][x], tile[y][x + 1], tile[y][x + 2]);
}
// [/before]

// [after]
__global__ void with_clc(Image image) {
  __shared__ float tile[kHigh][kWide + 2];
  const int x = threadIdx.x, y = threadIdx.y;
  for_each_canceled_block<2>([&](dim3 block) {
    const int column = block.x * kWide + x, row = block.y * kHigh + y;
    __syncthreads();  // all have read the tile before
    tile[y][x] = at(image, column - 1, row);
    if (x < 2) tile[y][kWide + x] = at(image, column + kWide - 1, row);
    __syncthreads();
    if (column >= image.columns || row >= image.rows) return;  // ends the tile, not the thread
    image.out[row * image.columns + column] = blur(tile[y][x], tile[y][x + 1], tile[y][x + 2]);
    const bool stolen = block.x != blockIdx.x || block.y != blockIdx.y;
    if (stolen && x + y == 0) atomicAdd(image.stolen, 1u);
  });
}
// [/after]

int main(int argc, char** argv) {
  clc::require_compute_capability(10, 0, argc, argv);
  Image image = {};
  image.columns = 203;
  image.rows = 101;
  const int n = image.columns * image.rows;
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = static_cast<float>(i % 1009 + 1);
  float* device_in;
  CUDA_CHECK(cudaMalloc(&device_in, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(device_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  image.in = device_in;
  CUDA_CHECK(cudaMalloc(&image.out, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&image.stolen, sizeof *image.stolen));
  const dim3 blocks((image.columns + kWide - 1) / kWide, (image.rows + kHigh - 1) / kHigh);
  for (auto kernel : {one_block_per_tile, with_clc}) {
    CUDA_CHECK(cudaMemset(image.out, 0, n * sizeof(float)));
    CUDA_CHECK(cudaMemset(image.stolen, 0, sizeof *image.stolen));
    kernel<<<blocks, dim3(kWide, kHigh)>>>(image);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    unsigned stolen;
    CUDA_CHECK(cudaMemcpy(&stolen, image.stolen, sizeof stolen, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(out.data(), image.out, n * sizeof(float), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
      const int column = i % image.columns;
      const float left = column > 0 ? in[i - 1] : 0.0f;
      const float right = column + 1 < image.columns ? in[i + 1] : 0.0f;
      wrong += out[i] != blur(left, in[i], right);
    }
    std::printf("stolen: %u\n%s\n", stolen, wrong == 0 ? "right" : "WRONG");
    if (wrong != 0) return clc::kWrong;
    if (kernel == with_clc && stolen == 0) return clc::kInconclusive;
  }
  return clc::kPass;
}
