// f16 and bf16 beside a model of their own: all numbers as integers, the result found by search.
#include <cmath>
#include <random>
#include <string>

#include "bench.h"

namespace clcsim::test {
namespace {

using std::uint32_t;
using std::uint64_t;
__extension__ using Exact = __int128;  // in units of 2^-64 (bf16) or 2^-48 (f16)

struct Format {
  const char* name;
  int fraction;  ///< bits
  uint32_t infinity;
  int unit;  ///< the power of two that the model counts in, of a product
};
constexpr Format kF16 = {"f16", 10, 0x7c00, -48}, kBf16 = {"bf16", 7, 0x7f80, -64};

int lowest_exponent(const Format& format) {
  return format.fraction == 10 ? -14 : -126;
}

/// The size of a finite number, rounded down to a multiple of 2^unit.
Exact size_of(const Format& format, uint32_t bits, int unit) {
  const uint32_t field = (bits & 0x7fff) >> format.fraction;
  const Exact fraction = bits & ((1u << format.fraction) - 1);
  const Exact significand = fraction | (field ? Exact{1} << format.fraction : 0);
  const int exponent =
      static_cast<int>(field ? field : 1) - 1 + lowest_exponent(format) - format.fraction - unit;
  return exponent >= 0 ? significand << exponent : exponent > -100 ? significand >> -exponent : 0;
}

Exact number(const Format& format, uint32_t bits, int unit) {
  const Exact size = size_of(format, bits, unit);
  return bits & 0x8000 ? -size : size;
}

/// The number nearest to x, of two the even one.
uint32_t nearest(const Format& format, Exact x) {
  const Exact size = x < 0 ? -x : x;
  uint32_t low = 0, high = format.infinity;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    (size_of(format, middle, format.unit) <= size ? low : high) = middle;
  }
  const Exact below = size_of(format, low, format.unit);
  // Beyond the largest number follows what would be the next one.
  const Exact above = size_of(format, low + 1, format.unit);
  const Exact to_low = size - below, to_high = above - size;
  const uint32_t bits = to_low < to_high || (to_low == to_high && low % 2 == 0) ? low : low + 1;
  return bits | (x < 0 ? 0x8000 : 0);
}

/// A number that the model can multiply.
uint32_t any_number(const Format& format, std::mt19937& random) {
  uint32_t bits = random() & 0xffff;
  if (format.fraction == 7) bits = (bits & 0x807f) | (102 + bits / 128 % 50) << 7;
  if ((bits & 0x7fff) >= format.infinity) bits &= 0x8fff;
  if (random() % 2) bits &= ~((1u << (format.fraction - 3)) - 1);  // few bits: ties
  return bits;
}

TEST_CASE("fma, add, sub and mul round the exact result once") {
  Bench bench;
  std::mt19937 random(1);
  for (const Format& format : {kF16, kBf16}) {
    const std::string name = format.name;
    CAPTURE(name);
    const Register a = bench.all(0u), b = bench.all(0u), c = bench.all(0u), d = bench.all(0u);
    int inexact = 0;
    for (int round = 0; round < 4000; ++round) {
      for (int i = 0; i < kLanes; ++i) {
        for (const Register& source : {a, b, c}) bench.put(source, i, any_number(format, random));
      }
      const auto source = [&](const Register& from, int i, int unit) {
        return number(format, bench.get<uint32_t>(from, i), unit);
      };
      const auto check = [&](int i, Exact exact) {
        // Of small sums the model does not know all numbers; a zero's sign is tested elsewhere.
        if (exact > -512 && exact < 512) return;
        const uint32_t expected = nearest(format, exact), got = bench.get<uint32_t>(d, i) & 0xffff;
        inexact += size_of(format, got, format.unit) != (exact < 0 ? -exact : exact);
        if (expected == got) return;
        const uint32_t x = bench.get<uint32_t>(a, i), y = bench.get<uint32_t>(b, i);
        CAPTURE(x);
        CAPTURE(y);
        CHECK(got == expected);
      };
      const int unit = format.unit, half = unit / 2;
      bench.run("fma.rn." + name, "=r r r r", {d.slot, a.slot, b.slot, c.slot});
      for (int i = 0; i < kLanes; ++i) {
        check(i, source(a, i, half) * source(b, i, half) + source(c, i, unit));
      }
      bench.run("mul.rn." + name, "=r r r", {d.slot, a.slot, b.slot});
      for (int i = 0; i < kLanes; ++i) check(i, source(a, i, half) * source(b, i, half));
      bench.run("add.rn." + name, "=r r r", {d.slot, a.slot, b.slot});
      for (int i = 0; i < kLanes; ++i) check(i, source(a, i, unit) + source(b, i, unit));
      bench.run("sub.rn." + name, "=r r r", {d.slot, a.slot, b.slot});
      for (int i = 0; i < kLanes; ++i) check(i, source(a, i, unit) - source(b, i, unit));
    }
    CHECK(inexact > 100'000);
  }
}

TEST_CASE("f32 becomes the number that the rounding says, at every number and half-way") {
  Bench bench;
  const Register a = bench.all(0.0f), d = bench.all(0u);
  for (const Format& format : {kF16, kBf16}) {
    const std::string name = format.name;
    const int shift = 23 - format.fraction;
    // A number's f32, exactly; one more than the largest is the power of two that follows.
    const auto exact = [&](uint32_t bits) {
      const uint32_t field = bits >> format.fraction;
      const double fraction = std::ldexp(bits & ((1u << format.fraction) - 1), -format.fraction);
      return std::ldexp(fraction + (field ? 1 : 0),
                        static_cast<int>(field ? field : 1) - 1 + lowest_exponent(format));
    };
    CAPTURE(name);
    for (uint32_t low = 0; low < format.infinity; low += kLanes / 4) {
      // Four f32 in each gap: its beginning, before, at and behind its middle.
      const auto bits_below = [&](int i) { return low + i / 4; };
      const auto value = [&](int i) {
        const auto begin = static_cast<float>(exact(bits_below(i)));
        const double end = exact(bits_below(i) + 1);
        const auto middle = static_cast<float>((begin + end) / 2);
        return i % 4 == 0   ? begin
               : i % 4 == 1 ? std::nextafter(middle, 0.0f)
               : i % 4 == 2 ? middle
                            : std::nextafter(middle, INFINITY);
      };
      for (const uint32_t sign : {0u, 0x8000u}) {
        for (int i = 0; i < kLanes; ++i) bench.put(a, i, sign ? -value(i) : value(i));
        const auto check = [&](const char* rounding, auto&& expected) {
          bench.run("cvt." + std::string(rounding) + "." + name + ".f32", "=r f", {d.slot, a.slot});
          for (int i = 0; i < kLanes; ++i) {
            const uint32_t got = bench.get<uint32_t>(d, i);
            if (got == (sign | expected(i))) continue;
            CAPTURE(rounding);
            CAPTURE(bench.get<float>(a, i));
            CHECK(got == (sign | expected(i)));
          }
        };
        const auto down = [&](int i) { return bits_below(i); };
        const auto up = [&](int i) {
          return bits_below(i) + (static_cast<double>(value(i)) > exact(bits_below(i)));
        };
        // bf16 has the exponents of f32, whose smallest numbers have no neighbours half-way.
        if (shift == 16 && low == 0) continue;
        check("rz", down);
        check("rm", [&](int i) { return sign ? up(i) : down(i); });
        check("rp", [&](int i) { return sign ? down(i) : up(i); });
        check("rn", [&](int i) {
          const uint32_t even = bits_below(i) + bits_below(i) % 2;
          return i % 4 < 2 ? down(i) : i % 4 == 2 ? even : bits_below(i) + 1;
        });
      }
    }
  }
}

TEST_CASE("integers and f64 are rounded once, however many bits they have") {
  Bench bench;
  const Register a = bench.all<std::int64_t>(0), x = bench.all(0.0), d = bench.all(0u);
  const auto from_integer = [&](std::int64_t value) {
    bench.put(a, 0, value);
    bench.run("cvt.rn.bf16.s64", "=r l", {d.slot, a.slot});
    return bench.get<uint32_t>(d, 0);
  };
  constexpr std::int64_t kTie = (std::int64_t{1} << 62) + (std::int64_t{1} << 54);
  CHECK(from_integer(kTie) == 0x5e80);
  CHECK(from_integer(kTie + 1) == 0x5e81);
  CHECK(from_integer(-kTie - 1) == 0xde81);
  const auto from_double = [&](double value) {
    bench.put(x, 0, value);
    bench.run("cvt.rn.f16.f64", "=r d", {d.slot, x.slot});
    return bench.get<uint32_t>(d, 0);
  };
  CHECK(from_double(1 + 0x1p-11) == 0x3c00);
  CHECK(from_double(1 + 0x1p-11 + 0x1p-50) == 0x3c01);  // as an f32 it would be a tie
  CHECK(from_double(0x1p-25) == 0);
  CHECK(from_double(0x1p-25 + 0x1p-70) == 1);
  CHECK(from_double(5e-324) == 0);
}

// A hash of each function's results for all 65,536 arguments, as an H200 gave them on 2026-11-22
// (driver 580.159.04): of the approximations, and of fma.oob with the other factor 1 and -2 added.
TEST_CASE("approximations, and an argument out of bounds: every result is a GPU's") {
  struct Function {
    const char* name;
    const char* signature;
    uint32_t one, minus_two;
    uint64_t hash;
  };
  constexpr Function kFunctions[] = {
      {"ex2.approx.f16", "=r r", 0, 0, 0x80729ac6ad55e21a},
      {"ex2.approx.ftz.bf16", "=r r", 0, 0, 0x70809a4dea78138a},
      {"tanh.approx.f16", "=r r", 0, 0, 0xad1f254087177b9d},
      {"tanh.approx.bf16", "=r r", 0, 0, 0x0483e97475bf5a09},
      {"fma.rn.oob.f16", "=r r r r", 0x3c00, 0xc000, 0x64aa15274d2ed5ea},
      {"fma.rn.oob.bf16", "=r r r r", 0x3f80, 0xc000, 0x99cad9aa2833c78a},
  };
  Bench bench;
  const Register a = bench.all(0u), b = bench.all(0u), c = bench.all(0u), d = bench.all(0u);
  for (const Function& function : kFunctions) {
    const std::string name = function.name;
    CAPTURE(name);
    uint64_t hash = 0xcbf29ce484222325, of_two = hash;
    const auto add = [](uint64_t& sum, uint32_t result) { sum = (sum ^ result) * 0x100000001b3; };
    const auto run = [&](const std::string& form) {
      if (function.one == 0) {
        bench.run(form, function.signature, {d.slot, a.slot});
      } else {
        bench.run(form, function.signature, {d.slot, a.slot, b.slot, c.slot});
      }
    };
    for (uint32_t argument = 0; argument < 0x10000; argument += kLanes) {
      for (uint32_t i = 0; i < kLanes; ++i) {
        bench.put(a, static_cast<int>(i), argument + i);
        bench.put(b, static_cast<int>(i), function.one);
        bench.put(c, static_cast<int>(i), function.minus_two);
      }
      run(name);
      for (int i = 0; i < kLanes; ++i) add(hash, bench.get<uint32_t>(d, i));
      for (const Register& source : {a, b, c}) {
        for (int i = 0; i < kLanes; ++i) bench.put(source, i, bench.get<uint32_t>(source, i) << 16);
      }
      run(name + "x2");
      for (int i = 0; i < kLanes; ++i) add(of_two, bench.get<uint32_t>(d, i) >> 16);
    }
    CHECK(hash == function.hash);
    CHECK(of_two == function.hash);
  }
}

TEST_CASE("two numbers in a register, and lanes that don't execute") {
  Bench bench;
  const Register a = bench.all(0x3c00'4000u), b = bench.all(0x4400'c000u), d = bench.all(7u);
  bench.run("add.rn.f16x2", "=r r r", {d.slot, a.slot, b.slot}, 0x1);  // 1 + 4, 2 - 2
  CHECK(bench.get<uint32_t>(d, 0) == 0x4500'0000);
  CHECK(bench.get<uint32_t>(d, 1) == 7);
  const Register p = bench.predicate(0), q = bench.predicate(0);
  bench.run("setp.lt.f16x2", "=p =p? r r", {p.slot, q.slot, b.slot, a.slot}, 0x3);
  CHECK(bench.get(p) == 3);  // -2 < 2
  CHECK(bench.get(q) == 0);  // 4 < 1
}

}  // namespace
}  // namespace clcsim::test
