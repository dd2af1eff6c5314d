// fma_in_double against the processor's fma, or the C library's: bit for bit.
#include "machine/isa/fma.h"

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <random>

namespace clcsim::machine::isa {
namespace {

// Any NaN is as good as another: handlers make one of them.
bool agree(float a, float b, float c) {
  const volatile float x = a, y = b, z = c;
  const float expected = std::fma(x, y, z), got = fma_in_double(a, b, c);
  const bool same = std::bit_cast<std::uint32_t>(expected) == std::bit_cast<std::uint32_t>(got);
  const bool good = same || (expected != expected && got != got);
  if (!good) MESSAGE(a << " * " << b << " + " << c << ": " << got << ", not " << expected);
  return good;
}

float of_bits(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

TEST_CASE("any numbers: bits by lot") {
  std::mt19937 lot(1);
  for (int i = 0; i < 4'000'000; ++i) {
    REQUIRE(agree(of_bits(lot()), of_bits(lot()), of_bits(lot())));
  }
}

// Products that are a little less and a little more than 1, by less than 2^-35: added to a number
// of which they are half a last place, they are lost in a double.
const std::array<std::array<float, 2>, 3> kNearOne = {{
    {1 + 0x1p-23f, 1 - 0x1p-23f},
    {1 + 0x1p-12f, 1 - 0x1p-12f + 0x1p-24f},
    {1 + 0x1p-12f, 1 - 0x1p-12f},
}};

// c plus and minus half of a last place of its, nearly.
bool agree_halfway(float c, int half_exponent) {
  bool good = true;
  for (const auto& [x, y] : kNearOne) {
    const float a = std::ldexp(x, half_exponent / 2);
    const float b = std::ldexp(y, half_exponent - half_exponent / 2);
    good = good && agree(a, b, c) && agree(-a, b, c);
  }
  return good;
}

TEST_CASE("results near a number halfway between two floats") {
  std::mt19937 lot(2);
  for (int i = 0; i < 1'000'000; ++i) {
    const float c = of_bits((lot() & 0x807fffff) | (60 + lot() % 120) << 23);
    REQUIRE(agree_halfway(c, std::ilogb(c) - 24));
  }
}

TEST_CASE("results below the smallest normal number, where a float has fewer bits") {
  std::mt19937 lot(3);
  for (int i = 0; i < 1'000'000; ++i) {
    const float c = of_bits(lot() & 0x81ffffff);
    REQUIRE(agree_halfway(c, -150));
    REQUIRE(agree_halfway(c, -150 - static_cast<int>(lot() % 40)));
  }
}

TEST_CASE("zeros, infinities, NaN, the largest and the smallest numbers") {
  using Limits = std::numeric_limits<float>;
  const std::array numbers = {0.0f,
                              1.0f,
                              1.5f,
                              std::nextafter(1.0f, 2.0f),
                              Limits::min(),
                              Limits::denorm_min(),
                              std::nextafter(Limits::min(), 0.0f),
                              Limits::max(),
                              std::sqrt(Limits::max()),
                              Limits::infinity(),
                              Limits::quiet_NaN()};
  const auto both = [](float x) { return std::array{x, -x}; };
  for (const float x : numbers) {
    for (const float y : numbers) {
      for (const float z : numbers) {
        for (const float a : both(x)) {
          for (const float b : both(y)) {
            for (const float c : both(z)) REQUIRE(agree(a, b, c));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace clcsim::machine::isa
