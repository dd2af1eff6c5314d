// Plain CUDA C++: integers of every width, float and double with rounding modes, local memory,
// calls, constant memory, printf, clocks.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "verify.h"

__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ int total;

struct Item {
  int8_t tiny;
  int16_t small;
  int64_t large;
};

__device__ __noinline__ long long mixed(Item item, int by) {
  return item.tiny / by + item.small % by + (item.large >> 3) * by;
}

template <class T>
__host__ __device__ long long arithmetic(T a, T b) {
  const T quotient = static_cast<T>(a / b), rest = static_cast<T>(a % b);
  const T folded = static_cast<T>(a * b + (a << 2) - (b ^ a) + (a & b) - (a | 3) + ~b);
  return static_cast<long long>(quotient) * 1000003 + rest * 101 + folded + (a < b) + (a >> 1);
}

template <class T>
__global__ void integers(const long long* in, long long* out, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const T divisor = static_cast<T>(in[i] / 7 | 1);
  out[i] = arithmetic<T>(static_cast<T>(in[i]), divisor == 0 ? T{1} : divisor);
}

template <class T>
bool integers_right(const long long* in, long long* out, int count) {
  integers<T><<<(count + 63) / 64, 64>>>(in, out, count);
  verify::finish("integers");
  bool right = true;
  for (int i = 0; i < count; ++i) {
    const T divisor = static_cast<T>(in[i] / 7 | 1);
    right &= out[i] == arithmetic<T>(static_cast<T>(in[i]), divisor == 0 ? T{1} : divisor);
  }
  return right;
}

__global__ void reals(const double* in, double* out) {
  const int i = static_cast<int>(threadIdx.x);
  const double x = in[i], y = in[i + 1];
  const auto a = static_cast<float>(x), b = static_cast<float>(y);
  double* mine = out + 16 * i;
  mine[0] = __fadd_rd(a, b) + __fadd_ru(a, b) + __fmul_rz(a, b);
  mine[1] = __dadd_rd(x, y) + __dmul_ru(x, y);
  mine[2] = fma(x, y, 1.0) + fmaf(a, b, 1.0f);
  mine[3] = sqrt(x) + 1.0 / y;
  mine[4] = sqrtf(a) + a / b;
  mine[5] = __double2int_rn(x * 100) + __float2ll_rd(b * 1000) + __double2ull_rz(y);
  mine[6] = floor(x) + ceilf(b) + rint(y * 10) + truncf(a);
  mine[7] = fmin(x, y) + fmaxf(a, b) + fabs(-x) + copysign(1.0, -y);
  mine[8] =
      __double_as_longlong(x) == __double_as_longlong(y) ? 1 : __hiloint2double(0x40080000, 0);
  mine[9] = fmod(x * 10, y) + ldexp(x, 3);
}

__global__ void memories(int* out) {
  int stack[16];
  for (int i = 0; i < 16; ++i) stack[(i * 5 + threadIdx.x) % 16] = i + table[i % 8];
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum = sum * 3 + stack[(i + table[threadIdx.x % 8]) % 16];
  out[threadIdx.x] = sum;
  atomicAdd(&total, table[threadIdx.x % 8]);
  const Item item{static_cast<int8_t>(threadIdx.x * 9), static_cast<int16_t>(-300), 1ll << 40};
  out[32 + threadIdx.x] = static_cast<int>(mixed(item, 7) >> 20);
}

__global__ void times(long long* out) {
  const long long begin = clock64();
  unsigned long long early, late;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(early));
  __nanosleep(3000);
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(late));
  out[0] = clock64() - begin;
  out[1] = static_cast<long long>(late - early);
  out[2] = clock() != 0;
  printf("thread %d of %d: %s %5.2f %c %lld %x\n", threadIdx.x, blockDim.x, "text", 2.5, 'c',
         1ll << 40, 255u);
}

int main() {
  constexpr int kCount = 500;
  auto* in = verify::shared<long long>(kCount);
  auto* out = verify::shared<long long>(kCount);
  unsigned long long state = 12345;
  for (int i = 0; i < kCount; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    in[i] = static_cast<long long>(state) >> (i % 60);
  }
  verify::check("8 bits", integers_right<uint8_t>(in, out, kCount));
  verify::check("16 bits", integers_right<uint16_t>(in, out, kCount));
  verify::check("32 bits", integers_right<uint32_t>(in, out, kCount));
  verify::check("64 bits", integers_right<uint64_t>(in, out, kCount));

  double* x = verify::shared<double>(33);
  double* y = verify::shared<double>(32 * 16);
  for (int i = 0; i < 33; ++i) x[i] = 0.7 + i * 1.37;
  reals<<<1, 32>>>(x, y);
  verify::finish("reals");
  bool right = true;
  for (int i = 0; i < 32; ++i) {
    const float a = static_cast<float>(x[i]), b = static_cast<float>(x[i + 1]);
    const double* mine = y + 16 * i;
    right &= mine[2] == std::fma(x[i], x[i + 1], 1.0) + std::fma(a, b, 1.0f);
    right &= mine[3] == std::sqrt(x[i]) + 1.0 / x[i + 1];
    right &= mine[4] == static_cast<double>(std::sqrt(a) + a / b);
    right &= mine[6] == std::floor(x[i]) + std::ceil(b) + std::rint(x[i + 1] * 10) + std::trunc(a);
    right &= mine[7] == std::fmin(x[i], x[i + 1]) + std::fmax(a, b) + x[i] - 1.0;
    right &= mine[8] == 3.0 && std::fabs(mine[0] - (2.0 * (a + b) + a * b)) < 1e-3 * mine[0];
    right &= mine[9] == std::fmod(x[i] * 10, x[i + 1]) + std::ldexp(x[i], 3);
  }
  verify::check("float and double", right);

  int* ints = verify::shared<int>(64);
  memories<<<1, 32>>>(ints);
  verify::finish("memories");
  const int digits[8] = {3, 1, 4, 1, 5, 9, 2, 6};
  right = true;
  for (int thread = 0; thread < 32; ++thread) {
    int stack[16], sum = 0;
    for (int i = 0; i < 16; ++i) stack[(i * 5 + thread) % 16] = i + digits[i % 8];
    for (int i = 0; i < 16; ++i) {
      sum = static_cast<int>(static_cast<unsigned>(sum) * 3 + stack[(i + digits[thread % 8]) % 16]);
    }
    right &= ints[thread] == sum;
    const long long item = static_cast<int8_t>(thread * 9) / 7 - 300 % 7 + (1ll << 37) * 7;
    right &= ints[32 + thread] == static_cast<int>(item >> 20);
  }
  int sum = 0;
  verify::must("cudaMemcpyFromSymbol", cudaMemcpyFromSymbol(&sum, total, sizeof sum));
  verify::check("local, constant and global memory, calls", right && sum == 4 * 31);

  auto* clocks = verify::shared<long long>(3);
  times<<<1, 1>>>(clocks);
  verify::finish("times");
  verify::check("clocks", clocks[0] > 0 && clocks[1] >= 0 && clocks[2] == 1);
  return verify::verdict();
}
