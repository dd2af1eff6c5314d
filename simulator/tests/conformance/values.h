// Operand values: the edges of each type, mixed with random numbers. The same on every machine.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace clcsim::conformance {

/// What an operand is for, beyond its type.
enum class Role {
  any,
  count,       ///< a shift count, bit position or length: mostly small, some past the width
  converted,   ///< a floating-point number that is converted to an integer
  moderate,    ///< a floating-point number of a size that approximations are used with
  narrowed,    ///< a number that is rounded to f16
  narrowed_b,  ///< or to bf16
  narrowed_e4m3,
  narrowed_e5m2,
};

/// Whether a PTX type is f16, bf16 or two of them.
bool is_half(std::string_view type);

/// `count` values of a PTX type ("s32", "f64", "pred"). Another `seed` gives other values.
std::vector<std::uint64_t> values_of(std::string_view type, Role role, std::uint32_t seed,
                                     std::uint32_t count);

/// A sequence of random numbers.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}
  std::uint64_t next();
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }

 private:
  std::uint64_t state_;
};

}  // namespace clcsim::conformance
