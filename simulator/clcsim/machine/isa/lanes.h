// What the handlers of machine/isa share: typed access to lanes, and the loops over them.
//
// Values of 8 to 32 bits live in 32-bit lanes; 64-bit values in 64-bit lanes. Bits above a value's
// own width mean nothing: whoever reads a 16-bit value takes 16 bits.
// With all lanes active the loops have a constant trip count and no branches, so that the compiler
// turns them into vector code.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "machine/warp.h"
#include "ptx/form.h"

namespace clcsim::machine::isa {

using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

using ptx::Action;
using ptx::Form;
using ptx::FormTable;
using ptx::Instruction;
using ptx::Step;
using ptx::Unit;

/// The type that a lane of T is stored as.
template <class T>
using Lane = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
T from_lane(Lane<T> bits) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<T>(bits);
  } else {
    return static_cast<T>(bits);
  }
}

/// Signed values fill the lane with their sign: cvt and ld extend to whatever register they write.
template <class T>
Lane<T> to_lane(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<Lane<T>>(value);
  } else {
    return static_cast<Lane<T>>(value);
  }
}

// ---- loops ----

template <class F>
inline void for_each_lane(LaneMask lanes, F&& f) {
  if (lanes == kAllLanes) {
#ifndef __clang__  // which doesn't know it, and looks at run time whether lanes overlap
#pragma GCC ivdep
#endif
    for (int lane = 0; lane < kLanes; ++lane) f(lane);
  } else {
    for (; lanes != 0; lanes &= lanes - 1) f(std::countr_zero(lanes));
  }
}

/// A mask of 32 flags, each all ones or zero.
inline LaneMask mask_of_flags(const std::uint32_t* flags) {
#ifdef __SSE2__
  const auto load = [flags](int k) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(flags) + k);
  };
  const auto half = [&](int k) {
    const __m128i low = _mm_packs_epi32(load(k), load(k + 1));
    const __m128i high = _mm_packs_epi32(load(k + 2), load(k + 3));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
  };
  return half(0) | half(4) << 16;
#else
  LaneMask mask = 0;
  for (int lane = 0; lane < kLanes; ++lane) mask |= (flags[lane] & 1u) << lane;
  return mask;
#endif
}

/// The lanes of `lanes` for which `f(lane)` holds.
template <class F>
inline LaneMask lanes_where(LaneMask lanes, F&& f) {
  if (lanes == kAllLanes) {
    alignas(32) std::uint32_t flags[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) flags[lane] = f(lane) ? ~0u : 0u;
    return mask_of_flags(flags);
  }
  LaneMask mask = 0;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (f(lane)) mask |= LaneMask{1} << lane;
  }
  return mask;
}

// ---- predicates ----

/// The predicate source whose two entries (slot, flip) start at operand `entry`.
inline LaneMask predicate_source(Warp& warp, const Instruction& in, int entry) {
  return warp.predicate(in.operand[entry]) ^ in.operand[entry + 1];
}

inline void set_predicate(Warp& warp, std::uint32_t slot, LaneMask lanes, LaneMask value) {
  if (slot == ptx::kAbsent) return;
  LaneMask& predicate = warp.predicate(slot);
  predicate = (predicate & ~lanes) | (value & lanes);
}

// ---- d = op(a, b, ...): operand 0 is d, the sources follow ----

template <auto Op, class D, class... S>
Step lanewise(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<Lane<D>>(in.operand[0]);
  int entry = 0;
  const auto next = [&] { return in.operand[++entry]; };
  const std::tuple<const Lane<S>*...> sources{warp.lanes_of<Lane<S>>(next())...};
  std::apply(
      [=](const auto*... s) {
        for_each_lane(lanes, [=](int i) { d[i] = to_lane<D>(Op(from_lane<S>(s[i])...)); });
      },
      sources);
  return Step::next;
}

// ---- names and signatures ----

/// PTX's name of a type: "s32", "f64", ...
template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, float>) return "f32";
  if constexpr (std::is_same_v<T, double>) return "f64";
  constexpr bool kSigned = std::is_signed_v<T>;
  if constexpr (sizeof(T) == 1) return kSigned ? "s8" : "u8";
  if constexpr (sizeof(T) == 2) return kSigned ? "s16" : "u16";
  if constexpr (sizeof(T) == 4) return kSigned ? "s32" : "u32";
  if constexpr (sizeof(T) == 8) return kSigned ? "s64" : "u64";
}

/// The kind letter of a register operand that holds a T (see ptx/form.h).
template <class T>
constexpr const char* kind_of() {
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 8 ? "d" : "f";
  return sizeof(T) == 8 ? "l" : "r";
}

/// "=d a b c" for a destination of type D and sources of the types S.
template <class D, class... S>
std::string signature() {
  std::string text = std::string("=") + kind_of<D>();
  ((text += ' ', text += kind_of<S>()), ...);
  return text;
}

/// Adds the form that computes a D from sources of the types S by Op, or by a lambda.
template <auto Op, class D, class... S>
void add_lanewise(FormTable& table, std::string name, Unit unit = Unit::alu) {
  table.add({std::move(name), signature<D, S...>(), lanewise<Op, D, S...>, unit});
}
template <class D, class... S, class Op>
void add_lanewise(FormTable& table, std::string name, Op, Unit unit = Unit::alu) {
  add_lanewise<Op{}, D, S...>(table, std::move(name), unit);
}

/// Calls f(std::type_identity<T>{}) for each type: `for_types<A, B>([&]<class T>(Type<T>) {...})`.
template <class T>
using Type = std::type_identity<T>;
template <class... T, class F>
void for_types(F&& f) {
  (f(Type<T>{}), ...);
}

/// The handler of an instruction that changes nothing here.
inline Step nothing(Warp&, const Instruction&, LaneMask) {
  return Step::next;
}

// compare.cpp's forms: those of convert.cpp, and of half.cpp.
void add_comparisons(FormTable&);
void add_half_comparisons(FormTable&);

}  // namespace clcsim::machine::isa
