// What the handlers of machine/isa share: typed access to lanes, and the loops over them.
//
// Values of 8 to 32 bits live in 32-bit lanes, zero-extended; 64-bit values in 64-bit lanes.
// With all lanes active the loops have a constant trip count and no branches, so that the compiler
// turns them into vector code.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "machine/warp.h"
#include "ptx/form.h"

namespace clcsim::machine::isa {

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

template <class T>
Lane<T> to_lane(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<Lane<T>>(value);
  } else {
    return static_cast<Lane<T>>(static_cast<std::make_unsigned_t<T>>(value));
  }
}

template <class F>
inline void for_each_lane(LaneMask lanes, F&& f) {
  if (lanes == kAllLanes) {
#pragma GCC ivdep
    for (int lane = 0; lane < kLanes; ++lane) f(lane);
  } else {
    for (; lanes != 0; lanes &= lanes - 1) f(std::countr_zero(lanes));
  }
}

/// d = op(a), d = op(a, b), d = op(a, b, c): operand 0 is d, the sources follow.
template <auto Op, class D, class A>
Step unary(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<Lane<D>>(in.operand[0]);
  const auto* a = warp.lanes_of<Lane<A>>(in.operand[1]);
  for_each_lane(lanes, [=](int i) { d[i] = to_lane<D>(Op(from_lane<A>(a[i]))); });
  return Step::next;
}

template <auto Op, class D, class A, class B = A>
Step binary(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<Lane<D>>(in.operand[0]);
  const auto* a = warp.lanes_of<Lane<A>>(in.operand[1]);
  const auto* b = warp.lanes_of<Lane<B>>(in.operand[2]);
  for_each_lane(lanes, [=](int i) { d[i] = to_lane<D>(Op(from_lane<A>(a[i]), from_lane<B>(b[i]))); });
  return Step::next;
}

template <auto Op, class D, class A, class B = A, class C = A>
Step ternary(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<Lane<D>>(in.operand[0]);
  const auto* a = warp.lanes_of<Lane<A>>(in.operand[1]);
  const auto* b = warp.lanes_of<Lane<B>>(in.operand[2]);
  const auto* c = warp.lanes_of<Lane<C>>(in.operand[3]);
  for_each_lane(lanes, [=](int i) {
    d[i] = to_lane<D>(Op(from_lane<A>(a[i]), from_lane<B>(b[i]), from_lane<C>(c[i])));
  });
  return Step::next;
}

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

// ---- each file of this folder adds its own forms ----
void add_integer(FormTable&);     // add sub mul mad min max abs neg div rem, sad, carries
void add_logic(FormTable&);       // and or xor not shl shr lop3 shf prmt bfe bfi popc clz brev ...
void add_float(FormTable&);       // f32 and f64 arithmetic and approximations
void add_convert(FormTable&);     // cvt, cvta, mov, selp, set and setp
void add_memory(FormTable&);      // ld st atom red prefetch, fences
void add_control(FormTable&);     // bra exit ret call trap, special registers
void add_warp(FormTable&);        // shfl vote match redux activemask elect bar.warp
void add_barrier(FormTable&);     // bar, barrier, barrier.cluster
void add_mbarrier(FormTable&);    // mbarrier.*
void add_async(FormTable&);       // cp.async, cp.async.bulk
void add_clc(FormTable&);         // clusterlaunchcontrol.*, b128 moves
void add_cluster(FormTable&);     // mapa, getctarank, isspacep

/// All forms.
const FormTable& instruction_set();

}  // namespace clcsim::machine::isa
