// set and setp of numbers of every type.
//
// Source: PTX ISA 9.0, section 9.7.6, and "Half Precision Comparison Instructions".
#include "machine/isa/lanes.h"

#include <bit>
#include <string>
#include <type_traits>
#include <utility>

#include "machine/isa/half.h"

namespace clcsim::machine::isa {
namespace {

/// The constant of a form: the outcomes for which its comparison holds, and what else it says.
enum CompareBits : uint32_t {
  kLess = 1,
  kEqual = 2,
  kGreater = 4,
  kUnordered = 8,  ///< one of the two is NaN
  kOutcomes = 15,
  kFlushed = 16,
  kAnd = 0 << 5,  ///< with a predicate
  kOr = 1 << 5,
  kXor = 2 << 5,
  kCombination = 3 << 5,
  kPacked = 128,
  kTrueIsOne = 256,  ///< else all bits
};

struct Comparison {
  const char* name;
  uint32_t holds_for;
};
constexpr Comparison kOrdered[] = {
    {"eq", kEqual},         {"ne", kLess | kGreater}, {"lt", kLess},
    {"le", kLess | kEqual}, {"gt", kGreater},         {"ge", kGreater | kEqual},
};
constexpr Comparison kOfUnsigned[] = {
    {"lo", kLess}, {"ls", kLess | kEqual}, {"hi", kGreater}, {"hs", kGreater | kEqual}};
constexpr Comparison kCombinations[] = {{"", kAnd}, {".and", kAnd}, {".or", kOr}, {".xor", kXor}};

/// The lanes where what value(0, lane) and value(1, lane) are is an outcome of the form.
template <class Value>
LaneMask compare_values(LaneMask lanes, uint32_t form, Value value) {
  const auto where = [&](auto holds) {
    return lanes_where(lanes, [=](int i) { return holds(value(0, i), value(1, i)); });
  };
  switch (form & kOutcomes) {
    case kEqual:
      return where([](auto x, auto y) { return x == y; });
    case kLess | kGreater:
      return where([](auto x, auto y) { return (x < y) | (x > y); });
    case kLess:
      return where([](auto x, auto y) { return x < y; });
    case kLess | kEqual:
      return where([](auto x, auto y) { return x <= y; });
    case kGreater:
      return where([](auto x, auto y) { return x > y; });
    case kGreater | kEqual:
      return where([](auto x, auto y) { return x >= y; });
    default:
      return where([](auto x, auto y) { return (x <= y) | (x > y); });
  }
}

/// Of the operands from `first` on; for halves those at `shift` in the register. Not inlined into
/// the handlers below: that would take a megabyte.
template <class T>
[[gnu::noinline]] LaneMask compare_ordered(Warp& warp, const Instruction& in, int first,
                                           LaneMask lanes, uint32_t form, int shift = 0) {
  const bool flushed = form & kFlushed;
  if constexpr (std::is_arithmetic_v<T>) {
    const Lane<T>* from[] = {warp.lanes_of<Lane<T>>(in.operand[first]),
                             warp.lanes_of<Lane<T>>(in.operand[first + 1])};
    if constexpr (std::is_same_v<T, float>) {
      if (flushed) {
        return compare_values(lanes, form,
                              [=](int k, int i) { return flush(from_lane<T>(from[k][i])); });
      }
    }
    return compare_values(lanes, form, [=](int k, int i) { return from_lane<T>(from[k][i]); });
  } else {
    const uint32_t* from[] = {warp.lanes_of<uint32_t>(in.operand[first]),
                              warp.lanes_of<uint32_t>(in.operand[first + 1])};
    return compare_values(lanes, form, [=](int k, int i) {
      const uint32_t bits = from[k][i] >> shift & 0xffff;
      return widen_half<T>(flushed ? flush_half<T>(bits) : bits);
    });
  }
}

template <class T>
LaneMask compare_lanes(Warp& warp, const Instruction& in, int first, LaneMask lanes, uint32_t form,
                       int shift = 0) {
  if (!std::is_integral_v<T> && form & kUnordered)
    return lanes & ~compare_ordered<T>(warp, in, first, lanes, form ^ kOutcomes, shift);
  return compare_ordered<T>(warp, in, first, lanes, form, shift);
}

inline LaneMask combine(uint32_t form, LaneMask a, LaneMask b) {
  const uint32_t combination = form & kCombination;
  return combination == kAnd ? a & b : combination == kOr ? a | b : a ^ b;
}

template <class T, bool kCombined>
Step setp(Warp& warp, const Instruction& in, LaneMask lanes) {
  const uint32_t form = in.operand[kCombined ? 6 : 4];
  LaneMask result = compare_lanes<T>(warp, in, 2, lanes, form), otherwise = ~result;
  if constexpr (kCombined) {
    const LaneMask c = predicate_source(warp, in, 4);
    result = combine(form, result, c);
    otherwise = combine(form, otherwise, c);
  }
  set_predicate(warp, in.operand[0], lanes, result);
  set_predicate(warp, in.operand[1], lanes, otherwise);
  return Step::next;
}

template <class T, bool kCombined>
Step set(Warp& warp, const Instruction& in, LaneMask lanes) {
  const uint32_t form = in.operand[kCombined ? 5 : 3];
  const LaneMask c = kCombined ? predicate_source(warp, in, 3) : kAllLanes;
  const LaneMask result = combine(form, compare_lanes<T>(warp, in, 1, lanes, form), c);
  auto* d = warp.lanes_of<uint32_t>(in.operand[0]);
  const uint32_t truth = form & kTrueIsOne ? std::bit_cast<uint32_t>(1.0f) : ~0u;
  for_each_lane(lanes, [=](int i) { d[i] = result >> i & 1 ? truth : 0; });
  return Step::next;
}

/// Of two numbers in a register each has a predicate of its own.
template <class H, bool kTwoResults, bool kCombined>
Step setp_half(Warp& warp, const Instruction& in, LaneMask lanes) {
  constexpr int kFirst = kTwoResults ? 2 : 1;
  const uint32_t form = in.operand[kFirst + (kCombined ? 4 : 2)];
  const LaneMask c = kCombined ? predicate_source(warp, in, kFirst + 2) : kAllLanes;
  LaneMask result[2];
  for (int k = 0; k < kFirst; ++k) {
    result[k] = combine(form, compare_lanes<H>(warp, in, kFirst, lanes, form, 16 * k), c);
  }
  for (int k = 0; k < kFirst; ++k) set_predicate(warp, in.operand[k], lanes, result[k]);
  return Step::next;
}

template <class H>
Step set_half(Warp& warp, const Instruction& in, LaneMask lanes) {
  const uint32_t form = in.operand[3];
  const LaneMask low = compare_lanes<H>(warp, in, 1, lanes, form);
  const LaneMask high = form & kPacked ? compare_lanes<H>(warp, in, 1, lanes, form, 16) : low;
  const uint32_t one = form & kTrueIsOne ? H::kOne : 0xffff;
  auto* d = warp.lanes_of<uint32_t>(in.operand[0]);
  for_each_lane(lanes, [=](int i) { d[i] = (low >> i & 1) * one | (high >> i & 1) * one << 16; });
  return Step::next;
}

// ---- the forms ----

void add_setp(FormTable& table, const std::string& name, const std::string& signature,
              ptx::Handler handler, uint32_t form) {
  table.add({"setp." + name, signature, handler, Unit::alu, {Action::compare}, form});
}

void add_set(FormTable& table, const std::string& name, const std::string& signature,
             ptx::Handler handler, uint32_t form) {
  table.add({"set." + name, signature, handler, Unit::alu, {}, form});
}

/// A type, and its handlers without another predicate and with it.
struct Compared {
  const char* name;
  const char* kind;
  ptx::Handler setp[2], set[2];
};
template <class T>
constexpr Compared kCompared = {
    type_name<T>(), kind_of<T>(), {setp<T, false>, setp<T, true>}, {set<T, false>, set<T, true>}};

void add_comparison(FormTable& table, const Compared& type, const Comparison& comparison) {
  const bool flushed = comparison.holds_for & kFlushed;
  for (const auto& [combined, combination] : kCombinations) {
    const bool more = *combined != '\0';
    const std::string name = std::string(comparison.name) + combined + (flushed ? ".ftz." : ".");
    const std::string sources = std::string(" ") + type.kind + " " + type.kind + (more ? " p" : "");
    const uint32_t form = comparison.holds_for | combination;
    add_setp(table, name + type.name, "=p =p?" + sources, type.setp[more], form);
    for (const std::string result : {"u32.", "s32."})
      add_set(table, name + result + type.name, "=r" + sources, type.set[more], form);
    add_set(table, name + "f32." + type.name, "=f" + sources, type.set[more], form | kTrueIsOne);
  }
}

template <class H>
void add_half_comparison(FormTable& table, const Comparison& comparison) {
  const std::string ftz = comparison.holds_for & kFlushed ? ".ftz." : ".";
  const std::string type = H::kName, two = type + "x2";
  for (const auto& [combined, combination] : kCombinations) {
    const bool more = *combined != '\0';
    const std::string name = std::string(comparison.name) + combined + ftz;
    const std::string sources = more ? " r r p" : " r r";
    const uint32_t form = comparison.holds_for | combination;
    add_setp(table, name + type, "=p" + sources,
             more ? setp_half<H, false, true> : setp_half<H, false, false>, form);
    add_setp(table, name + two, "=p =p?" + sources,
             more ? setp_half<H, true, true> : setp_half<H, true, false>, form);
  }
  const auto add = [&](const std::string& types, uint32_t more) {
    add_set(table, comparison.name + ftz + types, "=r r r", set_half<H>,
            comparison.holds_for | more);
  };
  add(type + "." + type, kTrueIsOne);
  add("u32." + type, 0);
  add(two + "." + two, kTrueIsOne | kPacked);
  add("u32." + two, kPacked);
}

/// Calls add(Comparison) for those of floating-point numbers.
template <class Add>
void for_float_comparisons(uint32_t flags, Add add) {
  for (const auto& [name, holds_for] : kOrdered) {
    add(Comparison{name, holds_for | flags});
    add(Comparison{(std::string(name) + "u").c_str(), holds_for | kUnordered | flags});
  }
  add(Comparison{"num", kLess | kEqual | kGreater | flags});
  add(Comparison{"nan", kUnordered | flags});
}

}  // namespace

void add_comparisons(FormTable& table) {
  for_types<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>([&]<class T>(Type<T>) {
    for (const Comparison& one : kOrdered) add_comparison(table, kCompared<T>, one);
    if constexpr (std::is_unsigned_v<T>) {
      for (const Comparison& one : kOfUnsigned) add_comparison(table, kCompared<T>, one);
      Compared bits = kCompared<T>;
      bits.name = sizeof(T) == 2 ? "b16" : sizeof(T) == 4 ? "b32" : "b64";
      for (int i = 0; i < 2; ++i) add_comparison(table, bits, kOrdered[i]);
    }
  });
  const auto f32 = [&](const Comparison& one) { add_comparison(table, kCompared<float>, one); };
  for_float_comparisons(0, f32);
  for_float_comparisons(kFlushed, f32);
  for_float_comparisons(
      0, [&](const Comparison& one) { add_comparison(table, kCompared<double>, one); });
}

void add_half_comparisons(FormTable& table) {
  const auto f16 = [&](const Comparison& one) { add_half_comparison<F16>(table, one); };
  for_float_comparisons(0, f16);
  for_float_comparisons(kFlushed, f16);
  for_float_comparisons(0, [&](const Comparison& one) { add_half_comparison<Bf16>(table, one); });
}

}  // namespace clcsim::machine::isa
