// What an interpreter could reach that does nothing else: for each decoded instruction one indirect
// call and 32 lanes of arithmetic. Prints the million instructions a second of processor time that
// it executes; benchmark.py compares clcsim with it.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

namespace {

constexpr int kLanes = 32;

struct Instruction {
  void (*execute)(float* registers, const Instruction&);
  std::uint32_t d, a, b, c;
};

void multiply_add(float* registers, const Instruction& in) {
  float* d = registers + in.d;
  const float *a = registers + in.a, *b = registers + in.b, *c = registers + in.c;
#ifndef __clang__
#pragma GCC ivdep
#endif
  for (int i = 0; i < kLanes; ++i) d[i] = std::fma(a[i], b[i], c[i]);
}

void add_up(float* registers, const Instruction& in) {
  float* d = registers + in.d;
  const float *a = registers + in.a, *b = registers + in.b;
#ifndef __clang__
#pragma GCC ivdep
#endif
  for (int i = 0; i < kLanes; ++i) d[i] = a[i] + b[i];
}

}  // namespace

int main() {
  // A loop body of 64 instructions in 16 registers; those of 128 warps lie apart, as in clcsim.
  constexpr std::size_t kRegisters = 16 * kLanes, kWarps = 128;
  std::vector<Instruction> code;
  for (std::uint32_t i = 0; i < 64; ++i) {
    const auto reg = [](std::uint32_t number) { return number % 16 * kLanes; };
    code.push_back({i % 2 ? multiply_add : add_up, reg(i), reg(i + 3), reg(i + 7), reg(i + 11)});
  }
  std::vector<float> registers(kRegisters * kWarps, 1e-3f);
  constexpr int kRounds = 10'000;
  const std::clock_t begin = std::clock();
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t warp = 0; warp < kWarps; ++warp) {
      for (const Instruction& in : code) in.execute(&registers[warp * kRegisters], in);
    }
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  float sum = 0;
  for (const float value : registers) sum += value;
  std::fprintf(stderr, "%g\n", static_cast<double>(sum));  // or the compiler leaves all of it out
  std::printf("%.1f\n", kRounds * static_cast<double>(kWarps * code.size()) / seconds / 1e6);
}
