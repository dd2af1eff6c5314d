// Half precision: __half and __nv_bfloat16 as CUB reduces, scans and sorts them, and as one
// computes with them, alone and two at a time.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cub/cub.cuh>

#include "verify.h"

/// y = a x + y, two numbers at a time, and their larger ones.
__global__ void two_at_a_time(const __half2* x, __half2* y, __half2* larger, __half2 a, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  larger[i] = __hmax2(x[i], y[i]);
  y[i] = __hfma2(a, x[i], y[i]);
}

template <class T>
__global__ void sum_of_block(const T* in, T* out) {
  using Reduce = cub::BlockReduce<T, 128>;
  __shared__ typename Reduce::TempStorage storage;
  const T sum = Reduce(storage).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) *out = sum;
}

/// Each thread adds one to one of two neighbours.
__global__ void count_atomically(__half2* counts) {
  atomicAdd(counts, threadIdx.x % 4 ? __half2(0, 1) : __half2(1, 0));
}

/// Small integers, whose sums every format holds exactly.
template <class T>
void reduce_and_sort(const char* what, int count) {
  T* in = verify::shared<T>(count);
  T* out = verify::shared<T>(count);
  float sum = 0;
  for (int i = 0; i < count; ++i) {
    const float value = static_cast<float>(i * 7919 % 13) - 6;
    in[i] = T(value);
    sum += value;
  }
  verify::device_wide(what, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(scratch, bytes, in, out, count);
  });
  verify::check(what, static_cast<float>(out[0]) == sum);
  verify::device_wide(what, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, count);
  });
  bool sorted = true;
  float sorted_sum = 0;
  for (int i = 0; i < count; ++i) {
    sorted_sum += static_cast<float>(out[i]);
    sorted &= i == 0 || static_cast<float>(out[i - 1]) <= static_cast<float>(out[i]);
  }
  verify::check(what, sorted && sorted_sum == sum);
  float block = 0;
  for (int i = 0; i < 128; ++i) block += static_cast<float>(in[i]);
  sum_of_block<<<1, 128>>>(in, out);
  verify::finish(what);
  verify::check(what, static_cast<float>(out[0]) == block);
}

int main() {
  constexpr int kCount = 300;
  __half2* x = verify::shared<__half2>(kCount);
  __half2* y = verify::shared<__half2>(kCount);
  __half2* larger = verify::shared<__half2>(kCount);
  for (int i = 0; i < kCount; ++i) {
    x[i] = __floats2half2_rn(static_cast<float>(i), -static_cast<float>(i));
    y[i] = __floats2half2_rn(0.5f, 1);
  }
  two_at_a_time<<<3, 128>>>(x, y, larger, __float2half2_rn(2), kCount);
  verify::finish("two_at_a_time");
  bool right = true, chosen = true;
  for (int i = 0; i < kCount; ++i) {
    const float value = static_cast<float>(i);
    right &= __low2float(y[i]) == 2 * value + 0.5f && __high2float(y[i]) == -2 * value + 1;
    chosen &= __low2float(larger[i]) == (i == 0 ? 0.5f : value) && __high2float(larger[i]) == 1;
  }
  verify::check("__hfma2", right);
  verify::check("__hmax2", chosen);

  __half2* counts = verify::shared<__half2>(1);
  *counts = __half2(0, 0);
  count_atomically<<<4, 128>>>(counts);
  verify::finish("count_atomically");
  verify::check("atomicAdd", __low2float(*counts) == 128 && __high2float(*counts) == 384);

  reduce_and_sort<__half>("__half", 1000);
  reduce_and_sort<__nv_bfloat16>("__nv_bfloat16", 1000);
  return verify::verdict();
}
