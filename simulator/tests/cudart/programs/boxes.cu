// boxes WAY: doubles a matrix, box by box, with a tensor map that cuTensorMapEncodeTiled makes.
//   entry: found through the runtime.  driver: in libcuda.so.1.  linked: it was linked with that.
//   copied: the kernel gets a copy.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

constexpr unsigned kWidth = 100, kHeight = 37, kPitch = 112, kColumns = 32, kRows = 8;

__device__ std::uint32_t shared(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

__device__ void twice(const CUtensorMap* map) {
  __shared__ alignas(128) float tile[kRows][kColumns];
  __shared__ alignas(8) std::uint64_t barrier;
  const unsigned x = blockIdx.x * kColumns, y = blockIdx.y * kRows, at = shared(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(at));
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%2, %3}], [%4];" ::"r"(shared(tile)),
        "l"(map), "r"(x), "r"(y), "r"(at)
        : "memory");
  }
  __syncthreads();
  asm volatile(
      "{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra AGAIN; "
      "}" ::"r"(at)
      : "memory");
  for (unsigned i = threadIdx.x; i < kColumns * kRows; i += blockDim.x) (&tile[0][0])[i] *= 2;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
      "r"(x), "r"(y), "r"(shared(tile))
      : "memory");
  asm volatile("cp.async.bulk.commit_group;");
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

__global__ void by_parameter(const __grid_constant__ CUtensorMap map) {
  twice(&map);
}
__global__ void by_copy(CUtensorMap map, int bits) {
  reinterpret_cast<int*>(&map)[31] += bits;  // so that it is one
  twice(&map);
}

int main(int, char** argv) {
  const std::string way = argv[1];
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#ifdef LINKED
  found = reinterpret_cast<void*>(cuTensorMapEncodeTiled);
#endif
  if (way == "driver") {
    found = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuTensorMapEncodeTiled");
  } else if (found == nullptr) {
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                     &result);
  }
  const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  float* data = nullptr;
  cudaMallocManaged(&data, kPitch * kHeight * sizeof(float));
  for (unsigned i = 0; i < kPitch * kHeight; ++i) data[i] = static_cast<float>(i);
  CUtensorMap map;
  const cuuint64_t sizes[] = {kWidth, kHeight}, strides[] = {kPitch * sizeof(float)}, odd[] = {404};
  const cuuint32_t box[] = {kColumns, kRows}, steps[] = {1, 1};
  const auto of = [&](const cuuint64_t* strides) {
    return static_cast<int>(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data, sizes, strides,
                                   box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                   CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  };
  std::printf("%d ", of(odd));
  std::printf("%d\n", of(strides));
  const dim3 grid((kWidth + kColumns - 1) / kColumns, (kHeight + kRows - 1) / kRows);
  if (way == "copied") {
    by_copy<<<grid, 64>>>(map, 0);
  } else {
    by_parameter<<<grid, 64>>>(map);
  }
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  int wrong = 0;
  for (unsigned i = 0; i < kPitch * kHeight; ++i) {
    wrong += data[i] != static_cast<float>(i) * (i % kPitch < kWidth ? 2 : 1);
  }
  std::printf("%d wrong\n", wrong);
}
