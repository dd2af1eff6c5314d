// Logic, shifts and bit fields: and or xor not cnot lop3, shl shr shf, prmt, bfe bfi bfind bmsk
// szext, popc clz brev fns.
//
// Source: PTX ISA 9.0, sections 9.7.1 (bit fields) and 9.7.8 (logic and shift).
#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include "machine/isa/lanes.h"

namespace clcsim::machine::isa {
namespace {

template <class T>
constexpr unsigned kBits = 8 * sizeof(T);

// ---- bitwise, on registers and on predicates ----

template <auto Op>
Step predicates(Warp& warp, const Instruction& in, LaneMask lanes) {
  const LaneMask result = Op(predicate_source(warp, in, 1), predicate_source(warp, in, 3));
  set_predicate(warp, in.operand[0], lanes, result);
  return Step::next;
}

Step not_predicate(Warp& warp, const Instruction& in, LaneMask lanes) {
  set_predicate(warp, in.operand[0], lanes, ~predicate_source(warp, in, 1));
  return Step::next;
}

/// Bit k of `table` is the result for the inputs whose bits read k, a's bit first.
uint32_t look_up(uint32_t table, uint32_t a, uint32_t b, uint32_t c) {
  // Each choice between two words halves the table: first by c, then by b, then by a.
  const auto choose = [](uint32_t by, uint32_t one, uint32_t zero) {
    return zero ^ (by & (one ^ zero));
  };
  const auto row = [&](int k) { return 0u - (table >> k & 1u); };
  const auto by_c = [&](int k) { return choose(c, row(2 * k + 1), row(2 * k)); };
  const auto by_b = [&](int k) { return choose(b, by_c(2 * k + 1), by_c(2 * k)); };
  return choose(a, by_b(1), by_b(0));
}

Step lop3(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<uint32_t>(in.operand[0]);
  const auto* a = warp.lanes_of<uint32_t>(in.operand[1]);
  const auto* b = warp.lanes_of<uint32_t>(in.operand[2]);
  const auto* c = warp.lanes_of<uint32_t>(in.operand[3]);
  const uint32_t table = in.operand[4];
  for_each_lane(lanes, [=](int i) { d[i] = look_up(table, a[i], b[i], c[i]); });
  return Step::next;
}

/// lop3.or, lop3.and: d|p, a, b, c, table, q. p is (d != 0) op q.
template <bool Or>
Step lop3_predicate(Warp& warp, const Instruction& in, LaneMask lanes) {
  const auto* a = warp.lanes_of<uint32_t>(in.operand[2]);
  const auto* b = warp.lanes_of<uint32_t>(in.operand[3]);
  const auto* c = warp.lanes_of<uint32_t>(in.operand[4]);
  const uint32_t table = in.operand[5];
  const LaneMask q = predicate_source(warp, in, 6);
  uint32_t result[kLanes];
  for_each_lane(lanes, [&](int i) { result[i] = look_up(table, a[i], b[i], c[i]); });
  const LaneMask nonzero = lanes_where(lanes, [&](int i) { return result[i] != 0; });
  if (in.operand[0] != ptx::kAbsent) {
    auto* d = warp.lanes_of<uint32_t>(in.operand[0]);
    for_each_lane(lanes, [&](int i) { d[i] = result[i]; });
  }
  set_predicate(warp, in.operand[1], lanes, Or ? nonzero | q : nonzero & q);
  return Step::next;
}

// ---- shifts: the count is a u32, and counts past the width shift everything out ----

template <class T>
T shl(T a, uint32_t count) {
  return count < kBits<T> ? static_cast<T>(a << (count & (kBits<T> - 1))) : T{0};
}

template <class T>
T shr(T a, uint32_t count) {
  if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> std::min(count, kBits<T> - 1));
  return count < kBits<T> ? static_cast<T>(a >> (count & (kBits<T> - 1))) : T{0};
}

/// The 64 bits high:low, shifted as one word.
template <bool Left, bool Wrap>
uint32_t funnel_shift(uint32_t low, uint32_t high, uint32_t count) {
  const uint32_t n = Wrap ? count & 31 : std::min(count, 32u);
  const uint64_t both = uint64_t{high} << 32 | low;
  return static_cast<uint32_t>(Left ? both << n >> 32 : both >> n);
}

// ---- prmt: a nibble of the selector picks one of the eight bytes b:a, or copies its sign ----

uint32_t permute(uint32_t a, uint32_t b, uint32_t selector) {
  uint32_t result = 0;
  for (int k = 0; k < 4; ++k) {
    const uint32_t nibble = selector >> (4 * k);
    const uint32_t byte = (nibble & 4 ? b : a) >> (8 * (nibble & 3)) & 0xff;
    const uint32_t sign = byte & 0x80 ? 0xff : 0;
    result |= (nibble & 8 ? sign : byte) << (8 * k);
  }
  return result;
}

struct PermuteMode {
  const char* name;
  std::array<uint32_t, 4> selectors;  ///< for the mode's counts 0 to 3
};
constexpr PermuteMode kPermuteModes[] = {
    {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
    {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
    {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}},
};

Step permute_mode(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<uint32_t>(in.operand[0]);
  const auto* a = warp.lanes_of<uint32_t>(in.operand[1]);
  const auto* b = warp.lanes_of<uint32_t>(in.operand[2]);
  const auto* c = warp.lanes_of<uint32_t>(in.operand[3]);
  const auto& selectors = kPermuteModes[in.operand[4]].selectors;
  for_each_lane(lanes, [&](int i) { d[i] = permute(a[i], b[i], selectors[c[i] & 3]); });
  return Step::next;
}

// ---- bit fields ----

/// `length` ones, as far as there is room.
template <class T>
T ones(uint32_t length) {
  return length < kBits<T> ? (T{1} << (length & (kBits<T> - 1))) - 1 : ~T{0};
}

/// The bits of a position or length that count: 8, unless T has 64 bits.
template <class T>
uint32_t low_byte(uint32_t count) {
  return sizeof(T) == 8 ? count : count & 0xff;
}

template <class T>
T bfe(T a, uint32_t position, uint32_t length) {
  position = low_byte<T>(position);
  length = low_byte<T>(length);
  using U = std::make_unsigned_t<T>;
  const U value = shr<U>(static_cast<U>(a), position) & ones<U>(length);
  if constexpr (std::is_signed_v<T>) {
    if (length == 0) return 0;
    const uint32_t sign_at =
        std::min(std::min(position, kBits<T>) + std::min(length, kBits<T>), kBits<T>) - 1;
    if (static_cast<U>(a) >> sign_at & 1) {
      // The bits of the field that a has, extended upwards with the sign.
      const uint32_t present = sign_at >= position ? sign_at - position + 1 : 0;
      return static_cast<T>(value | ~ones<U>(present));
    }
  }
  return static_cast<T>(value);
}

template <class T>
T bfi(T insert, T base, uint32_t position, uint32_t length) {
  position = low_byte<T>(position);
  const T field = shl<T>(ones<T>(low_byte<T>(length)), position);
  return (base & ~field) | (shl<T>(insert, position) & field);
}

/// Position of the highest bit that differs from the sign, or all ones.
template <class T, bool ShiftAmount>
uint32_t bfind(T a) {
  using U = std::make_unsigned_t<T>;
  const U bits = static_cast<U>(a < 0 ? ~a : a);
  if (bits == 0) return ~0u;
  const auto leading = static_cast<uint32_t>(std::countl_zero(bits));
  return ShiftAmount ? leading : kBits<T> - 1 - leading;
}

/// `width` ones from `start` upwards.
template <bool Wrap>
uint32_t bmsk(uint32_t start, uint32_t width) {
  if (!Wrap && start >= 32) return 0;
  return ones<uint32_t>(Wrap ? width & 31 : width) << (start & 31);
}

/// The lower `width` bits of a, extended.
template <class T, bool Wrap>
uint32_t szext(uint32_t a, uint32_t width) {
  if (Wrap) width &= 31;
  if (width >= 32) return a;
  const auto field = ones<uint32_t>(width);
  const bool negative = std::is_signed_v<T> && width > 0 && (a >> (width - 1) & 1);
  return (a & field) | (negative ? ~field : 0);
}

// ---- counting and reversing ----

template <class T>
T brev(T a) {
  constexpr uint64_t kMasks[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                 0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
  for (unsigned k = 0; (1u << k) < kBits<T>; ++k) {
    const T mask = static_cast<T>(kMasks[k]);
    const unsigned distance = 1u << k;
    a = static_cast<T>((a >> distance & mask) | (a & mask) << distance);
  }
  return a;
}

/// The offset-th set bit from `base` on: upwards for a positive offset, downwards for a negative.
uint32_t fns(uint32_t mask, uint32_t base, int32_t offset) {
  if (offset == 0) return base < 32 && (mask >> base & 1) ? base : ~0u;
  if (offset == std::numeric_limits<int32_t>::min()) return 0;  // so an H200
  const int64_t step = offset > 0 ? 1 : -1;
  int64_t still = offset > 0 ? offset : -int64_t{offset};
  for (int64_t at = base; at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) && --still == 0) return static_cast<uint32_t>(at);
  }
  return ~0u;
}

// ---- the forms ----

template <class T>
void add_each_size(FormTable& table) {
  using S = std::make_signed_t<T>;
  using U = uint32_t;
  const std::string bits = std::to_string(kBits<T>);
  add_lanewise<T, T, T>(table, "and.b" + bits, std::bit_and<T>{});
  add_lanewise<T, T, T>(table, "or.b" + bits, std::bit_or<T>{});
  add_lanewise<T, T, T>(table, "xor.b" + bits, std::bit_xor<T>{});
  add_lanewise<T, T>(table, "not.b" + bits, std::bit_not<T>{});
  add_lanewise<T, T>(table, "cnot.b" + bits, [](T a) { return static_cast<T>(a == 0); });
  add_lanewise<shl<T>, T, T, U>(table, "shl.b" + bits);
  add_lanewise<shr<T>, T, T, U>(table, "shr.b" + bits);
  add_lanewise<shr<T>, T, T, U>(table, "shr.u" + bits);
  add_lanewise<shr<S>, S, S, U>(table, "shr.s" + bits);
  if constexpr (sizeof(T) >= 4) {
    add_lanewise<bfe<T>, T, T, U, U>(table, "bfe.u" + bits, Unit::half_rate);
    add_lanewise<bfe<S>, S, S, U, U>(table, "bfe.s" + bits, Unit::half_rate);
    add_lanewise<bfi<T>, T, T, T, U, U>(table, "bfi.b" + bits, Unit::half_rate);
    add_lanewise<U, T>(
        table, "popc.b" + bits, [](T a) { return static_cast<U>(std::popcount(a)); },
        Unit::special);
    add_lanewise<U, T>(
        table, "clz.b" + bits, [](T a) { return static_cast<U>(std::countl_zero(a)); },
        Unit::special);
    add_lanewise<brev<T>, T, T>(table, "brev.b" + bits, Unit::special);
    add_lanewise<bfind<T, false>, U, T>(table, "bfind.u" + bits, Unit::special);
    add_lanewise<bfind<S, false>, U, S>(table, "bfind.s" + bits, Unit::special);
    add_lanewise<bfind<T, true>, U, T>(table, "bfind.shiftamt.u" + bits, Unit::special);
    add_lanewise<bfind<S, true>, U, S>(table, "bfind.shiftamt.s" + bits, Unit::special);
  }
}

}  // namespace

void add_logic(FormTable& table) {
  for_types<uint16_t, uint32_t, uint64_t>([&]<class T>(Type<T>) { add_each_size<T>(table); });

  table.add({"and.pred", "=p p p", predicates<std::bit_and<LaneMask>{}>});
  table.add({"or.pred", "=p p p", predicates<std::bit_or<LaneMask>{}>});
  table.add({"xor.pred", "=p p p", predicates<std::bit_xor<LaneMask>{}>});
  table.add({"not.pred", "=p p", not_predicate});

  table.add({"lop3.b32", "=r r r r i", lop3});
  table.add({"lop3.or.b32", "=r? =p r r r i p", lop3_predicate<true>});
  table.add({"lop3.and.b32", "=r? =p r r r i p", lop3_predicate<false>});

  using U = uint32_t;
  constexpr Unit kHalf = Unit::half_rate;
  add_lanewise<funnel_shift<true, true>, U, U, U, U>(table, "shf.l.wrap.b32", kHalf);
  add_lanewise<funnel_shift<true, false>, U, U, U, U>(table, "shf.l.clamp.b32", kHalf);
  add_lanewise<funnel_shift<false, true>, U, U, U, U>(table, "shf.r.wrap.b32", kHalf);
  add_lanewise<funnel_shift<false, false>, U, U, U, U>(table, "shf.r.clamp.b32", kHalf);
  add_lanewise<bmsk<true>, U, U, U>(table, "bmsk.wrap.b32", kHalf);
  add_lanewise<bmsk<false>, U, U, U>(table, "bmsk.clamp.b32", kHalf);
  add_lanewise<szext<U, true>, U, U, U>(table, "szext.wrap.u32", kHalf);
  add_lanewise<szext<U, false>, U, U, U>(table, "szext.clamp.u32", kHalf);
  add_lanewise<szext<int32_t, true>, U, U, U>(table, "szext.wrap.s32", kHalf);
  add_lanewise<szext<int32_t, false>, U, U, U>(table, "szext.clamp.s32", kHalf);
  add_lanewise<fns, U, U, U, int32_t>(table, "fns.b32", kHalf);
  add_lanewise<permute, U, U, U, U>(table, "prmt.b32", kHalf);
  for (uint32_t mode = 0; mode < std::size(kPermuteModes); ++mode) {
    table.add({std::string("prmt.b32.") + kPermuteModes[mode].name,
               "=r r r r",
               permute_mode,
               kHalf,
               {},
               mode});
  }
}

}  // namespace clcsim::machine::isa
