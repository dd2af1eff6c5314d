// Executes one instruction on a warp made by hand: no PTX, no decoder, no schedule.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "machine/gpu.h"
#include "machine/isa/instruction_set.h"
#include "machine/isa/lanes.h"

namespace clcsim::test {

using machine::kAllLanes;
using machine::kLanes;
using machine::LaneMask;

/// A register of the bench's warp: its slot in the register file.
struct Register {
  std::uint32_t slot;
};

class Bench {
 public:
  Bench() : gpu_(*config::find_profile("mini"), 0), file_(1 << 16) {
    warp.registers = file_.data();
    warp.gpu = &gpu_;
    warp.live = kAllLanes;
    warp.paths.push_back({.pc = 7, .lanes = kAllLanes});
    next_ = 64;
    predicate(kAllLanes);  // what an instruction without a guard is guarded by
  }

  /// A register whose lane i holds value(i), or one value everywhere.
  template <class T, class F>
  Register lanes(F&& value) {
    const Register result = take(kLanes * sizeof(machine::isa::Lane<T>));
    for (int i = 0; i < kLanes; ++i) put<T>(result, i, value(i));
    return result;
  }
  template <class T>
  Register all(T value) {
    return lanes<T>([=](int) { return value; });
  }
  Register predicate(LaneMask value) {
    const Register result = take(4);
    warp.predicate(result.slot) = value;
    return result;
  }

  template <class T>
  T get(Register from, int lane) {
    return machine::isa::from_lane<T>(warp.lanes_of<machine::isa::Lane<T>>(from.slot)[lane]);
  }
  template <class T>
  void put(Register to, int lane, T value) {
    warp.lanes_of<machine::isa::Lane<T>>(to.slot)[lane] = machine::isa::to_lane<T>(value);
  }
  LaneMask get(Register predicate) { return warp.predicate(predicate.slot); }

  /// Runs the form `name`, whose signature must be `signature`, with these entries.
  ptx::Step run(std::string_view name, std::string_view signature,
                std::initializer_list<std::uint32_t> entries, LaneMask lanes = kAllLanes) {
    for (const ptx::Form& form : machine::isa::instruction_set().find(name)) {
      if (form.signature != signature) continue;
      ptx::Instruction in{.execute = form.execute};
      std::copy(entries.begin(), entries.end(), in.operand.begin());
      if (form.extra) in.operand[entries.size()] = *form.extra;
      return form.execute(warp, in, lanes);
    }
    FAIL("no form ", name, " (", signature, ")");
    return ptx::Step::next;
  }

  machine::Warp warp;

 private:
  Register take(std::size_t bytes) {
    const Register result{next_};
    next_ += (static_cast<std::uint32_t>(bytes) + 63) / 64 * 64;
    REQUIRE(next_ <= file_.size());
    return result;
  }

  machine::Gpu gpu_;
  std::vector<std::byte> file_;
  std::uint32_t next_;
};

inline std::uint32_t bits_of(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
inline std::uint64_t bits_of(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

}  // namespace clcsim::test
