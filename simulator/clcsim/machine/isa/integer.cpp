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

int32_t add_saturating(int32_t a, int32_t b) {
  return saturate(int64_t{a} + b);
}
int32_t sub_saturating(int32_t a, int32_t b) {
  return saturate(int64_t{a} - b);
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

template <class T>
T mad_lo(T a, T b, T c) {
  return add<T>(mul_lo<T>(a, b), c);
}

template <class T>
T mad_hi(T a, T b, T c) {
  return add<T>(mul_hi<T>(a, b), c);
}

int32_t mad_hi_saturating(int32_t a, int32_t b, int32_t c) {
  return saturate(int64_t{mul_hi<int32_t>(a, b)} + c);
}

template <class T>
auto mad_wide(T a, T b, typename TwiceAsWide<T>::type c) {
  using Wide = typename TwiceAsWide<T>::type;
  return add<Wide>(mul_wide<T>(a, b), c);
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

template <class T>
T mad24_lo(T a, T b, T c) {
  return add<T>(mul24_lo<T>(a, b), c);
}

template <class T>
T mad24_hi(T a, T b, T c) {
  return add<T>(mul24_hi<T>(a, b), c);
}

int32_t mad24_hi_saturating(int32_t a, int32_t b, int32_t c) {
  return saturate(int64_t{mul24_hi<int32_t>(a, b)} + c);
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
T abs(T a) {
  return a < 0 ? neg<T>(a) : a;
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

template <class T>
T sad(T a, T b, T c) {
  return add<T>(c, a < b ? sub<T>(b, a) : sub<T>(a, b));
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

template <auto Op, class T>
Form two_sources(Unit unit = Unit::alu) {
  return {"", signature<T, T, T>(), binary<Op, T, T>, unit};
}

template <auto Op, class T>
Form three_sources(Unit unit = Unit::alu) {
  return {"", signature<T, T, T, T>(), ternary<Op, T, T>, unit};
}

template <class T>
void add_every_size(FormTable& table) {
  const auto put = [&](const char* name, Form form) {
    form.name = std::string(name) + "." + type_name<T>();
    table.add(std::move(form));
  };
  put("add", two_sources<add<T>, T>());
  put("sub", two_sources<sub<T>, T>());
  put("mul.lo", two_sources<mul_lo<T>, T>(Unit::half_rate));
  put("mul.hi", two_sources<mul_hi<T>, T>(Unit::half_rate));
  put("mad.lo", three_sources<mad_lo<T>, T>(Unit::half_rate));
  put("mad.hi", three_sources<mad_hi<T>, T>(Unit::half_rate));
  put("div", two_sources<div<T>, T>(Unit::special));
  put("rem", two_sources<rem<T>, T>(Unit::special));
  put("min", two_sources<min<T>, T>());
  put("max", two_sources<max<T>, T>());
  put("sad", three_sources<sad<T>, T>());
  if constexpr (std::is_signed_v<T>) {
    put("abs", {"", signature<T, T>(), unary<abs<T>, T, T>});
    put("neg", {"", signature<T, T>(), unary<neg<T>, T, T>});
  }
  if constexpr (sizeof(T) < 8) {
    using Wide = typename TwiceAsWide<T>::type;
    put("mul.wide", {"", signature<Wide, T, T>(), binary<mul_wide<T>, Wide, T>, Unit::half_rate});
    put("mad.wide", {"", signature<Wide, T, T, Wide>(), ternary<mad_wide<T>, Wide, T, T, Wide>,
                     Unit::half_rate});
  }
  if constexpr (sizeof(T) == 4) {
    put("mul24.lo", two_sources<mul24_lo<T>, T>(Unit::half_rate));
    put("mul24.hi", two_sources<mul24_hi<T>, T>(Unit::half_rate));
    put("mad24.lo", three_sources<mad24_lo<T>, T>(Unit::half_rate));
    put("mad24.hi", three_sources<mad24_hi<T>, T>(Unit::half_rate));
  }
}

template <class T>
void add_packed(FormTable& table) {
  const auto put = [&](const char* name, ptx::Handler handler, const char* type) {
    table.add({std::string(name) + type, "=r r r", handler});
  };
  const char* type = std::is_signed_v<T> ? ".s16x2" : ".u16x2";
  put("add", binary<packed<T, add<T>>, uint32_t, uint32_t>, type);
  put("min", binary<packed<T, min<T>>, uint32_t, uint32_t>, type);
  put("max", binary<packed<T, max<T>>, uint32_t, uint32_t>, type);
  if constexpr (std::is_signed_v<T>) {
    put("min.relu", binary<packed<T, min_relu<T>>, uint32_t, uint32_t>, type);
    put("max.relu", binary<packed<T, max_relu<T>>, uint32_t, uint32_t>, type);
  }
}

template <class A, class B>
void add_dot_products(FormTable& table) {
  const std::string types = std::string(".") + type_name<A>() + "." + type_name<B>();
  const auto put = [&](const char* name, ptx::Handler handler) {
    table.add({name + types, "=r r r r", handler, Unit::half_rate});
  };
  put("dp4a", ternary<dp4a<A, B>, uint32_t, uint32_t>);
  put("dp2a.lo", ternary<dp2a<A, B, 0>, uint32_t, uint32_t>);
  put("dp2a.hi", ternary<dp2a<A, B, 2>, uint32_t, uint32_t>);
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

  const auto put = [&](const char* name, Form form) {
    form.name = name;
    table.add(std::move(form));
  };
  put("add.sat.s32", two_sources<add_saturating, int32_t>());
  put("sub.sat.s32", two_sources<sub_saturating, int32_t>());
  put("mad.hi.sat.s32", three_sources<mad_hi_saturating, int32_t>(Unit::half_rate));
  put("mad24.hi.sat.s32", three_sources<mad24_hi_saturating, int32_t>(Unit::half_rate));
  put("min.relu.s32", two_sources<min_relu<int32_t>, int32_t>());
  put("vabsdiff4.u32.u32.u32", three_sources<byte_differences<false>, uint32_t>(Unit::half_rate));
  put("vabsdiff4.u32.u32.u32.add",
      three_sources<byte_differences<true>, uint32_t>(Unit::half_rate));
  put("max.relu.s32", two_sources<max_relu<int32_t>, int32_t>());
}

}  // namespace clcsim::machine::isa
