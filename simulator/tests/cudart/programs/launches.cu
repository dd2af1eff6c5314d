// Kernel launches: indices in three dimensions, parameters of every layout, clusters, dynamic
// shared memory.
#include <vector>

#include "check.h"

namespace {

template <class T>
struct DeviceArray {
  explicit DeviceArray(std::size_t size) : size(size) {
    OK(cudaMalloc(&data, size * sizeof(T)));
    OK(cudaMemset(data, 0, size * sizeof(T)));
  }
  ~DeviceArray() { OK(cudaFree(data)); }
  std::vector<T> read() const {
    std::vector<T> host(size);
    OK(cudaMemcpy(host.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }
  T* data = nullptr;
  std::size_t size;
};

__global__ void visit(unsigned* visits) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  const unsigned width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
  atomicAdd(&visits[(z * height + y) * width + x], 1 + x + 10 * y + 100 * z);
}

void three_dimensions() {
  const dim3 grid(3, 2, 2), block(5, 3, 2);
  const unsigned width = 15, height = 6, depth = 4;
  DeviceArray<unsigned> visits(width * height * depth);
  visit<<<grid, block>>>(visits.data);
  const std::vector<unsigned> seen = visits.read();
  bool right = true;
  for (unsigned z = 0; z < depth; ++z) {
    for (unsigned y = 0; y < height; ++y) {
      for (unsigned x = 0; x < width; ++x) {
        right &= seen[(z * height + y) * width + x] == 1 + x + 10 * y + 100 * z;
      }
    }
  }
  EXPECT(right);
}

struct Odd {
  char letter;
  double number;
  short list[3];
};

struct Four {
  int values[4];
};

__global__ void take(signed char a, double b, Odd odd, short c, Four four, bool yes, double* out) {
  out[0] = a;
  out[1] = b;
  out[2] = odd.letter;
  out[3] = odd.number;
  out[4] = odd.list[2];
  out[5] = c;
  out[6] = four.values[3];
  out[7] = yes;
}

void parameters() {
  DeviceArray<double> out(8);
  take<<<1, 1>>>(-7, 2.25, Odd{'q', -1.5, {1, 2, 3}}, -300, Four{{4, 5, 6, 70'000}}, true,
                 out.data);
  OK(cudaDeviceSynchronize());
  EXPECT(out.read() == std::vector<double>{-7, 2.25, 'q', -1.5, 3, -300, 70'000, 1});
}

__global__ void sizes(unsigned* out) {
  unsigned shape, rank, blocks;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(shape));
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  out[blockIdx.x] = shape * 100 + blocks * 10 + rank;
}
__global__ void __cluster_dims__(2) sizes_of_two(unsigned* out) {
  unsigned rank, blocks;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  out[blockIdx.x] = blocks * 10 + rank;
}

void clusters() {
  DeviceArray<unsigned> out(8);
  sizes_of_two<<<4, 32>>>(out.data);
  OK(cudaGetLastError());
  EXPECT(out.read() == std::vector<unsigned>{20, 21, 20, 21, 0, 0, 0, 0});

  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = 4;
  attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
  attributes[1].id = cudaLaunchAttributePriority;
  attributes[1].val.priority = -3;
  cudaLaunchConfig_t config = {};
  config.gridDim = 8;
  config.blockDim = 32;
  config.attrs = attributes;
  config.numAttrs = 2;
  OK(cudaLaunchKernelEx(&config, sizes, out.data));
  EXPECT(out.read() == std::vector<unsigned>{440, 441, 442, 443, 440, 441, 442, 443});
  sizes<<<2, 32>>>(out.data);
  EXPECT(out.read()[1] == 110);
}

__global__ void reverse(int* data) {
  extern __shared__ int room[];
  __shared__ int fixed[32];
  room[threadIdx.x] = data[threadIdx.x];
  fixed[threadIdx.x % 32] = 1;
  __syncthreads();
  data[threadIdx.x] = room[blockDim.x - 1 - threadIdx.x] + fixed[threadIdx.x % 32];
}

void shared_memory() {
  std::vector<int> numbers(128);
  for (int i = 0; i < 128; ++i) numbers[i] = i;
  DeviceArray<int> data(128);
  OK(cudaMemcpy(data.data, numbers.data(), 512, cudaMemcpyHostToDevice));
  reverse<<<1, 128, 512>>>(data.data);
  const std::vector<int> after = data.read();
  EXPECT(after[0] == 128 && after[127] == 1);
  OK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 90'000));
  reverse<<<1, 128, 90'000>>>(data.data);
  OK(cudaGetLastError());
  EXPECT(data.read()[0] == 2);
}

}  // namespace

int main() {
  three_dimensions();
  parameters();
  clusters();
  shared_memory();
  return failures() != 0;
}
