// Integer arithmetic: add sub mul mad, their packed, saturating and carrying forms, div rem, abs
// neg min max, sad, 24-bit multiplication and dot products.
//
// Source: PTX ISA 9.0, sections 9.7.1 (integer) and 9.7.2 (extended precision). What PTX leaves
// open (division by zero) was taken from an H200.
#include <algorithm>
#include <limits>

#include "machine/isa/lanes.h"

namespace clcsim::machine::isa {
namespace {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

/// An unsigned type in which T's arithmetic wraps: C++ computes short types as int, which
/// overflows.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

/// A type that holds every product of two T.
template <class T>
using Product =
    std::conditional_t<sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, Int128, Uint128>,
                       std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

template <class T>
struct TwiceAsWide;
template <>
struct TwiceAsWide<int16_t> : std::type_identity<int32_t> {};
template <>
struct TwiceAsWide<uint16_t> : std::type_identity<uint32_t> {};
template <>
struct TwiceAsWide<int32_t> : std::type_identity<int64_t> {};
template <>
struct TwiceAsWide<uint32_t> : std::type_identity<uint64_t> {};

// ---- add, sub, mul, mad ----

template <class T>
T add(T a, T b) {
  return static_cast<T>(Wrapping<T>(a) + Wrapping<T>(b));
}

template <class T>
T sub(T a, T b) {
  return static_cast<T>(Wrapping<T>(a) - Wrapping<T>(b));
}

int32_t saturate(int64_t value) {
  using Limits = std::numeric_limits<int32_t>;
  return static_cast<int32_t>(std::clamp<int64_t>(value, Limits::min(), Limits::max()));
}

template <class T>
T mul_lo(T a, T b) {
  return static_cast<T>(Wrapping<T>(a) * Wrapping<T>(b));
}

template <class T>
T mul_hi(T a, T b) {
  return static_cast<T>((Product<T>(a) * Product<T>(b)) >> (8 * sizeof(T)));
}

template <class T>
auto mul_wide(T a, T b) {
  using Wide = typename TwiceAsWide<T>::type;
  return static_cast<Wide>(static_cast<Wide>(a) * static_cast<Wide>(b));
}

/// The lower 24 bits of a as a T.
template <class T>
int64_t low_24(T a) {
  if constexpr (std::is_signed_v<T>) {
    return static_cast<int32_t>(static_cast<uint32_t>(a) << 8) >> 8;
  } else {
    return a & 0xffffff;
  }
}

template <class T>
T mul24_lo(T a, T b) {
  return static_cast<T>(low_24(a) * low_24(b));
}

template <class T>
T mul24_hi(T a, T b) {
  return static_cast<T>((low_24(a) * low_24(b)) >> 16);
}

// ---- division: on an H200, quotient and remainder of a division by zero are all ones ----

template <class T>
T div(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return sub<T>(0, a);  // the quotient of the lowest value wraps
  }
  return static_cast<T>(a / b);
}

template <class T>
T rem(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

// ---- abs, neg, min, max, sad ----

template <class T>
T neg(T a) {
  return sub<T>(0, a);
}

template <class T>
T min(T a, T b) {
  return b < a ? b : a;
}

template <class T>
T max(T a, T b) {
  return a < b ? b : a;
}

template <class T>
T min_relu(T a, T b) {
  return max<T>(min<T>(a, b), 0);
}

template <class T>
T max_relu(T a, T b) {
  return max<T>(max<T>(a, b), 0);
}

// ---- two 16-bit values in one register ----

template <class T, T (*Op)(T, T)>
uint32_t packed(uint32_t a, uint32_t b) {
  const auto half = [](uint32_t both, int k) { return static_cast<T>(both >> (16 * k)); };
  const auto bits = [](T value) { return uint32_t{static_cast<uint16_t>(value)}; };
  return bits(Op(half(a, 0), half(b, 0))) | bits(Op(half(a, 1), half(b, 1))) << 16;
}

// ---- dot products: bytes of a and b, or halves of a and bytes of b ----

template <class T>
int32_t byte_of(uint32_t word, int k) {
  using Byte = std::conditional_t<std::is_signed_v<T>, std::int8_t, std::uint8_t>;
  return static_cast<Byte>(word >> (8 * k));
}

template <class A, class B>
uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c) {
  for (int k = 0; k < 4; ++k) c += static_cast<uint32_t>(byte_of<A>(a, k) * byte_of<B>(b, k));
  return c;
}

template <class A, class B, int First>
uint32_t dp2a(uint32_t a, uint32_t b, uint32_t c) {
  using Half = std::conditional_t<std::is_signed_v<A>, int16_t, uint16_t>;
  for (int k = 0; k < 2; ++k) {
    const int32_t half = static_cast<Half>(a >> (16 * k));
    c += static_cast<uint32_t>(half * byte_of<B>(b, First + k));
  }
  return c;
}

/// vabsdiff4: differences of bytes, side by side or added up to c.
template <bool Sum>
uint32_t byte_differences(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t result = Sum ? c : 0;
  for (int k = 0; k < 4; ++k) {
    const int32_t difference = byte_of<uint32_t>(a, k) - byte_of<uint32_t>(b, k);
    const auto size = static_cast<uint32_t>(difference < 0 ? -difference : difference);
    result += Sum ? size : size << (8 * k);
  }
  return result;
}

// ---- extended precision: the carry flag is a mask in the warp; sub's borrow is the flag set ----

enum CarryUse : int { kReads = 1, kWrites = 2 };

template <class T, bool Subtract, int Use>
Step add_with_carry(Warp& warp, LaneMask lanes, uint32_t destination, const auto& left,
                    const auto& right) {
  auto* d = warp.lanes_of<Lane<T>>(destination);
  const LaneMask carry_in = Use & kReads ? warp.carry : 0;
  LaneMask carry_out = 0;
  for_each_lane(lanes, [&](int i) {
    const T a = left(i), b = right(i), c = carry_in >> i & 1;
    const T first = Subtract ? a - b : a + b;
    const T result = Subtract ? first - c : first + c;
    // Only one of the two steps can overflow.
    const bool overflow = Subtract ? (a < b) | (first < c) : (first < a) | (result < first);
    carry_out |= LaneMask{overflow} << i;
    d[i] = result;
  });
  if (Use & kWrites) warp.carry = (warp.carry & ~lanes) | carry_out;
  return Step::next;
}

template <class T, bool Subtract, int Use>
Step carrying(Warp& warp, const Instruction& in, LaneMask lanes) {
  const T* a = warp.lanes_of<T>(in.operand[1]);
  const T* b = warp.lanes_of<T>(in.operand[2]);
  return add_with_carry<T, Subtract, Use>(
      warp, lanes, in.operand[0], [=](int i) { return a[i]; }, [=](int i) { return b[i]; });
}

/// mad with carry: T tells whether the product's upper half is that of signed numbers.
template <class T, bool High, int Use>
Step multiply_carrying(Warp& warp, const Instruction& in, LaneMask lanes) {
  using U = std::make_unsigned_t<T>;
  const U* a = warp.lanes_of<U>(in.operand[1]);
  const U* b = warp.lanes_of<U>(in.operand[2]);
  const U* c = warp.lanes_of<U>(in.operand[3]);
  const auto product = [=](int i) {
    const T x = static_cast<T>(a[i]), y = static_cast<T>(b[i]);
    return static_cast<U>(High ? mul_hi<T>(x, y) : mul_lo<T>(x, y));
  };
  return add_with_carry<U, false, Use>(warp, lanes, in.operand[0], product,
                                       [=](int i) { return c[i]; });
}

template <class T>
void add_carry_forms(FormTable& table) {
  using U = std::make_unsigned_t<T>;
  const std::string type = std::string(".") + type_name<T>();
  const auto two = [&](const char* name, ptx::Handler handler) {
    table.add({name + type, signature<T, T, T>(), handler});
  };
  two("add.cc", carrying<U, false, kWrites>);
  two("addc", carrying<U, false, kReads>);
  two("addc.cc", carrying<U, false, kReads | kWrites>);
  two("sub.cc", carrying<U, true, kWrites>);
  two("subc", carrying<U, true, kReads>);
  two("subc.cc", carrying<U, true, kReads | kWrites>);

  const auto three = [&](const char* name, ptx::Handler handler) {
    table.add({name + type, signature<T, T, T, T>(), handler, Unit::half_rate});
  };
  three("mad.lo.cc", multiply_carrying<T, false, kWrites>);
  three("madc.lo", multiply_carrying<T, false, kReads>);
  three("madc.lo.cc", multiply_carrying<T, false, kReads | kWrites>);
  three("mad.hi.cc", multiply_carrying<T, true, kWrites>);
  three("madc.hi", multiply_carrying<T, true, kReads>);
  three("madc.hi.cc", multiply_carrying<T, true, kReads | kWrites>);
}

// ---- the forms ----

template <class T>
void add_every_size(FormTable& table) {
  const std::string type = std::string(".") + type_name<T>();
  constexpr Unit kHalf = Unit::half_rate;
  const ptx::Facts sum{.growth = sizeof(T) >= 4 ? ptx::Growth::sum : ptx::Growth::unknown};
  const std::string two = signature<T, T, T>();
  table.add({"add" + type, two, lanewise<add<T>, T, T, T>, Unit::alu, sum});
  table.add({"sub" + type, two, lanewise<sub<T>, T, T, T>, Unit::alu, sum});
  add_lanewise<mul_lo<T>, T, T, T>(table, "mul.lo" + type, kHalf);
  add_lanewise<mul_hi<T>, T, T, T>(table, "mul.hi" + type, kHalf);
  add_lanewise<T, T, T, T>(
      table, "mad.lo" + type, [](T a, T b, T c) { return add<T>(mul_lo<T>(a, b), c); }, kHalf);
  add_lanewise<T, T, T, T>(
      table, "mad.hi" + type, [](T a, T b, T c) { return add<T>(mul_hi<T>(a, b), c); }, kHalf);
  add_lanewise<div<T>, T, T, T>(table, "div" + type, Unit::special);
  add_lanewise<rem<T>, T, T, T>(table, "rem" + type, Unit::special);
  add_lanewise<min<T>, T, T, T>(table, "min" + type);
  add_lanewise<max<T>, T, T, T>(table, "max" + type);
  add_lanewise<T, T, T, T>(table, "sad" + type, [](T a, T b, T c) {
    return add<T>(c, a < b ? sub<T>(b, a) : sub<T>(a, b));
  });
  if constexpr (std::is_signed_v<T>) {
    add_lanewise<T, T>(table, "abs" + type, [](T a) { return a < 0 ? neg<T>(a) : a; });
    add_lanewise<neg<T>, T, T>(table, "neg" + type);
  }
  if constexpr (sizeof(T) < 8) {
    using Wide = typename TwiceAsWide<T>::type;
    add_lanewise<mul_wide<T>, Wide, T, T>(table, "mul.wide" + type, kHalf);
    add_lanewise<Wide, T, T, Wide>(
        table, "mad.wide" + type, [](T a, T b, Wide c) { return add<Wide>(mul_wide<T>(a, b), c); },
        kHalf);
  }
  if constexpr (sizeof(T) == 4) {
    add_lanewise<mul24_lo<T>, T, T, T>(table, "mul24.lo" + type, kHalf);
    add_lanewise<mul24_hi<T>, T, T, T>(table, "mul24.hi" + type, kHalf);
    add_lanewise<T, T, T, T>(
        table, "mad24.lo" + type, [](T a, T b, T c) { return add<T>(mul24_lo<T>(a, b), c); },
        kHalf);
    add_lanewise<T, T, T, T>(
        table, "mad24.hi" + type, [](T a, T b, T c) { return add<T>(mul24_hi<T>(a, b), c); },
        kHalf);
  }
}

template <class T>
void add_packed(FormTable& table) {
  const std::string type = std::is_signed_v<T> ? ".s16x2" : ".u16x2";
  using U = uint32_t;
  add_lanewise<packed<T, add<T>>, U, U, U>(table, "add" + type);
  add_lanewise<packed<T, min<T>>, U, U, U>(table, "min" + type);
  add_lanewise<packed<T, max<T>>, U, U, U>(table, "max" + type);
  if constexpr (std::is_signed_v<T>) {
    add_lanewise<packed<T, min_relu<T>>, U, U, U>(table, "min.relu" + type);
    add_lanewise<packed<T, max_relu<T>>, U, U, U>(table, "max.relu" + type);
  }
}

template <class A, class B>
void add_dot_products(FormTable& table) {
  const std::string types = std::string(".") + type_name<A>() + "." + type_name<B>();
  using U = uint32_t;
  add_lanewise<dp4a<A, B>, U, U, U, U>(table, "dp4a" + types, Unit::half_rate);
  add_lanewise<dp2a<A, B, 0>, U, U, U, U>(table, "dp2a.lo" + types, Unit::half_rate);
  add_lanewise<dp2a<A, B, 2>, U, U, U, U>(table, "dp2a.hi" + types, Unit::half_rate);
}

}  // namespace

void add_integer(FormTable& table) {
  for_types<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>(
      [&]<class T>(Type<T>) { add_every_size<T>(table); });
  for_types<uint32_t, int32_t, uint64_t, int64_t>(
      [&]<class T>(Type<T>) { add_carry_forms<T>(table); });
  for_types<uint16_t, int16_t>([&]<class T>(Type<T>) { add_packed<T>(table); });
  for_types<uint32_t, int32_t>([&]<class A>(Type<A>) {
    add_dot_products<A, uint32_t>(table);
    add_dot_products<A, int32_t>(table);
  });

  using S = int32_t;
  using U = uint32_t;
  constexpr Unit kHalf = Unit::half_rate;
  add_lanewise<S, S, S>(table, "add.sat.s32", [](S a, S b) { return saturate(int64_t{a} + b); });
  add_lanewise<S, S, S>(table, "sub.sat.s32", [](S a, S b) { return saturate(int64_t{a} - b); });
  add_lanewise<S, S, S, S>(
      table, "mad.hi.sat.s32", [](S a, S b, S c) { return saturate(int64_t{mul_hi<S>(a, b)} + c); },
      kHalf);
  add_lanewise<S, S, S, S>(
      table, "mad24.hi.sat.s32",
      [](S a, S b, S c) { return saturate(int64_t{mul24_hi<S>(a, b)} + c); }, kHalf);
  add_lanewise<min_relu<S>, S, S, S>(table, "min.relu.s32");
  add_lanewise<max_relu<S>, S, S, S>(table, "max.relu.s32");
  add_lanewise<byte_differences<false>, U, U, U, U>(table, "vabsdiff4.u32.u32.u32", kHalf);
  add_lanewise<byte_differences<true>, U, U, U, U>(table, "vabsdiff4.u32.u32.u32.add", kHalf);
}

}  // namespace clcsim::machine::isa
