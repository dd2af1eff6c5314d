// atom and red: one lane after the other. PTX ISA 9.0, 9.7.13.6 and 9.7.13.7. Each element of a
// vector is an atomic operation of its own.
#include <algorithm>
#include <bit>
#include <string>
#include <type_traits>
#include <utility>

#include "machine/isa/bulk.h"
#include "machine/isa/half.h"
#include "machine/isa/rounding.h"
#include "machine/isa/transfer.h"
#include "machine/isa/watch.h"

namespace clcsim::machine::isa {
namespace {

enum class Atomic : std::uint32_t {
  add,
  min,
  max,
  inc,
  dec,
  bit_and,
  bit_or,
  bit_xor,
  exchange,
  add_f16,
  add_bf16,
};

/// One number of 16 bits, or two.
template <class H, class T>
T add_halves(T old, T a) {
  T result = 0;
  for (unsigned shift = 0; shift < 8 * sizeof(T); shift += 16) {
    const double sum =
        sum_to_odd(widen_half<H>(old >> shift & 0xffff), widen_half<H>(a >> shift & 0xffff));
    result |= static_cast<T>(round_to_half<H>(sum) << shift);
  }
  return result;
}

/// The only operation that PTX has for floating-point numbers. f32 in global memory has no
/// subnormal numbers. Of several NaNs of f64 an H200 takes the operand's in global memory, as it
/// is, and the memory's in shared memory, and makes it quiet.
template <class T>
T add_floating(T old, T a, bool global) {
  if constexpr (sizeof(T) == 4) {
    if (global) return canonical(flush(flush(old) + flush(a)));
  }
  const T sum = old + a;
  if (sum == sum) return sum;
  if constexpr (sizeof(T) == 8) {
    const T first = global ? a : old, second = global ? old : a;
    const T source = first != first ? first : second;
    if (source != source) return global ? source : nan_result(source);
    return std::bit_cast<T>(0xfff8000000000000);
  }
  return nan_result(sum);
}

template <class T>
T apply(Atomic operation, T old, T a, bool global) {
  if constexpr (std::is_floating_point_v<T>) {
    return add_floating(old, a, global);
  } else {
    using Unsigned = std::make_unsigned_t<T>;
    switch (operation) {
      case Atomic::add:
        return static_cast<T>(static_cast<Unsigned>(old) + static_cast<Unsigned>(a));
      case Atomic::min:
        return std::min(old, a);
      case Atomic::max:
        return std::max(old, a);
      case Atomic::inc:
        return old >= a ? 0 : old + 1;
      case Atomic::dec:
        return old == 0 || old > a ? a : old - 1;
      case Atomic::bit_and:
        return old & a;
      case Atomic::bit_or:
        return old | a;
      case Atomic::bit_xor:
        return old ^ a;
      case Atomic::exchange:
        return a;
      case Atomic::add_f16:
        return add_halves<F16>(old, a);
      case Atomic::add_bf16:
        return add_halves<Bf16>(old, a);
    }
    return old;
  }
}

// The state space is a fact of the instruction and no type of the handler: one lane goes after the
// other anyway, and the compiler would need long for all types in all spaces.

std::byte* bytes_of_lane(Warp& warp, Space space, std::uint64_t address, std::uint64_t size,
                         int lane) {
  switch (space) {
    case Space::global:
      return bytes_at<Space::global>(warp, address, size, lane);
    case Space::shared:
      return bytes_at<Space::shared>(warp, address, size, lane);
    default:
      return bytes_at<Space::generic>(warp, address, size, lane);
  }
}

/// Puts update(old) in the place of `old`, which it returns, and notes whether that is another
/// value. Threads of the host may do the same to global memory meanwhile.
template <class T, class Update>
T replace(std::byte* bytes, bool global, bool& changed, Update&& update) {
  using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
  Bits seen = read<Bits>(bytes), next;
  do {
    next = std::bit_cast<Bits>(update(std::bit_cast<T>(seen)));
    if (!global) {
      std::memcpy(bytes, &next, sizeof next);
      break;
    }
  } while (!__atomic_compare_exchange_n(reinterpret_cast<Bits*>(bytes), &seen, next, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  changed |= seen != next;
  return std::bit_cast<T>(seen);
}

/// [a] = update(lane, [a], whether it lies in global memory). The old values go to the register in
/// operand 0, if the form has one and the program names one. Of a vector of kCount: for `element`.
template <class T, bool kReturns, int kCount = 1, class Update>
void read_modify_write(Warp& warp, const Instruction& in, LaneMask lanes, Update&& update,
                       int element = 0) {
  const Addresses addresses(warp, in, kReturns ? kCount : 0, element * std::int64_t{sizeof(T)});
  const Space space = in.facts.space;
  if (warp.gpu->watched(kMemory)) [[unlikely]] {
    announce_access(warp, in, lanes, space, addresses, Access::Kind::atomic, sizeof(T),
                    static_cast<std::uint32_t>(element), kReturns);
  }
  bool changed = false;
  bool global = space == Space::global;
  Sectors sectors;
  for_each_set(lanes, [&](int lane) {
    const std::uint64_t address = addresses[lane];
    std::byte* bytes = bytes_of_lane(warp, space, address, sizeof(T), lane);
    const bool in_global = (space == Space::generic ? space_of(address) : space) == Space::global;
    const T old = replace<T>(bytes, in_global, changed,
                             [&](T value) { return update(lane, value, in_global); });
    if constexpr (kReturns) {
      const std::uint32_t d = in.operand[element];
      if (d != ptx::kAbsent) warp.lanes_of<Lane<T>>(d)[lane] = to_lane(old);
    }
    global |= in_global;
    sectors.touch(address);
  });
  const Time done = charge_atomic(warp, global, sectors.bytes());
  if constexpr (kReturns) warp.path().loads = std::max(warp.path().loads, done);
  if (changed) warp.gpu->progress(warp.now);
}

/// d = [a]; [a] = op(d, b). Entries: [d], a, displacement, b, operation. Without d it is a red.
template <class T, bool kReturns>
Step atomic(Warp& warp, const Instruction& in, LaneMask lanes) {
  constexpr int kValue = kReturns ? 3 : 2;
  const auto* b = warp.lanes_of<Lane<T>>(in.operand[kValue]);
  const auto operation = static_cast<Atomic>(in.operand[kValue + 1]);
  read_modify_write<T, kReturns>(warp, in, lanes, [=](int lane, T old, bool in_global) {
    return apply(operation, old, from_lane<T>(b[lane]), in_global);
  });
  return Step::next;
}

/// The same for a vector, which lies in global memory, whatever the address says.
template <class T, bool kReturns, int kCount>
Step vector_atomic(Warp& warp, const Instruction& in, LaneMask lanes) {
  constexpr int kValue = kReturns ? kCount + 2 : 2;
  const auto operation = static_cast<Atomic>(in.operand[kValue + kCount]);
  const Addresses addresses(warp, in, kReturns ? kCount : 0);
  for_each_set(lanes, [&](int lane) {
    bytes_at<Space::global>(warp, addresses[lane], kCount * sizeof(T), lane);
  });
  for (int element = 0; element < kCount; ++element) {
    const auto* b = warp.lanes_of<Lane<T>>(in.operand[kValue + element]);
    read_modify_write<T, kReturns, kCount>(
        warp, in, lanes,
        [=](int lane, T old, bool) { return apply(operation, old, from_lane<T>(b[lane]), true); },
        element);
  }
  return Step::next;
}

/// d = [a]; [a] = d == b ? c : d.
template <class T>
Step compare_and_swap(Warp& warp, const Instruction& in, LaneMask lanes) {
  const auto* b = warp.lanes_of<Lane<T>>(in.operand[3]);
  const auto* c = warp.lanes_of<Lane<T>>(in.operand[4]);
  read_modify_write<T, true>(warp, in, lanes, [=](int lane, T old, bool) {
    return old == from_lane<T>(b[lane]) ? from_lane<T>(c[lane]) : old;
  });
  return Step::next;
}

// ---- reductions by others than atom and red ----

// An H200 keeps subnormal numbers of f32 here.
template <class T, Atomic kOperation>
void combine(std::byte* to, const std::byte* from, std::size_t bytes) {
  bool changed = false;
  for (std::size_t i = 0; i < bytes; i += sizeof(T)) {
    replace<T>(to + i, false, changed, [&](T old) {
      return apply(kOperation, old, read<T>(from + i), !std::is_same_v<T, float>);
    });
  }
}

template <class T, Atomic kOperation>
Reduction reduction(const char* name, bool for_threads, bool in_shared) {
  return {name, sizeof(T), combine<T, kOperation>, for_threads, in_shared};
}

// ---- forms ----

struct Where {
  const char* name;
  Space space;
};

template <class T>
void add_operation(FormTable& table, Where where, const std::string& name, Atomic operation,
                   const std::string& type) {
  const std::string kind = kind_of<T>();
  const auto extra = static_cast<std::uint32_t>(operation);
  const std::string rest = where.name + ("." + name + "." + type);
  const bool exchanges = operation == Atomic::exchange;
  table.add({.name = "atom" + rest,
             .signature = "=" + kind + "? a " + kind,
             .execute = atomic<T, true>,
             .unit = Unit::memory,
             .facts = {exchanges ? Action::swap : Action::atomic, where.space},
             .extra = extra,
             .loads = true});
  if (exchanges) return;  // PTX has no red.exch
  table.add({"red" + rest,
             "a " + kind,
             atomic<T, false>,
             Unit::memory,
             {Action::reduce, where.space},
             extra});
}

/// atom.v8 has more operands than an instruction: the decoder makes two of v4.
template <class T, int kCount>
void add_vector(FormTable& table, Where where, const std::string& name, Atomic operation,
                const std::string& type) {
  const std::string count = std::to_string(kCount), registers = kind_of<T>() + count;
  const std::string rest = where.name + ("." + name + ".v" + count + "." + type);
  const auto extra = static_cast<std::uint32_t>(operation);
  if constexpr (kCount <= 4) {
    table.add({.name = "atom" + rest,
               .signature = "=" + registers + " a " + registers,
               .execute = vector_atomic<T, true, kCount>,
               .unit = Unit::memory,
               .facts = {Action::atomic, where.space},
               .extra = extra,
               .loads = true});
  }
  table.add({"red" + rest,
             "a " + registers,
             vector_atomic<T, false, kCount>,
             Unit::memory,
             {Action::reduce, where.space},
             extra});
}

void add_vectors(FormTable& table, Where where) {
  add_vector<float, 2>(table, where, "add", Atomic::add, "f32");
  add_vector<float, 4>(table, where, "add", Atomic::add, "f32");
  for (const auto& [type, operation] :
       {std::pair{std::string("f16"), Atomic::add_f16}, {"bf16", Atomic::add_bf16}}) {
    add_vector<std::uint16_t, 2>(table, where, "add.noftz", operation, type);
    add_vector<std::uint16_t, 4>(table, where, "add.noftz", operation, type);
    add_vector<std::uint16_t, 8>(table, where, "add.noftz", operation, type);
    add_vector<std::uint32_t, 2>(table, where, "add.noftz", operation, type + "x2");
    add_vector<std::uint32_t, 4>(table, where, "add.noftz", operation, type + "x2");
  }
}

void add_atomics(FormTable& table, Where where) {
  using U32 = std::uint32_t;
  using S32 = std::int32_t;
  using U64 = std::uint64_t;
  using S64 = std::int64_t;
  add_operation<U32>(table, where, "add", Atomic::add, "u32");
  add_operation<S32>(table, where, "add", Atomic::add, "s32");
  add_operation<U64>(table, where, "add", Atomic::add, "u64");
  add_operation<float>(table, where, "add", Atomic::add, "f32");
  add_operation<double>(table, where, "add", Atomic::add, "f64");
  for (const auto& [type, operation] :
       {std::pair{std::string("f16"), Atomic::add_f16}, {"bf16", Atomic::add_bf16}}) {
    add_operation<std::uint16_t>(table, where, "add.noftz", operation, type);
    add_operation<U32>(table, where, "add.noftz", operation, type + "x2");
  }
  for (const auto& [name, operation] : {std::pair{"min", Atomic::min}, {"max", Atomic::max}}) {
    add_operation<U32>(table, where, name, operation, "u32");
    add_operation<S32>(table, where, name, operation, "s32");
    add_operation<U64>(table, where, name, operation, "u64");
    add_operation<S64>(table, where, name, operation, "s64");
  }
  add_operation<U32>(table, where, "inc", Atomic::inc, "u32");
  add_operation<U32>(table, where, "dec", Atomic::dec, "u32");
  for (const auto& [name, operation] : {std::pair{"and", Atomic::bit_and},
                                        {"or", Atomic::bit_or},
                                        {"xor", Atomic::bit_xor},
                                        {"exch", Atomic::exchange}}) {
    add_operation<U32>(table, where, name, operation, "b32");
    add_operation<U64>(table, where, name, operation, "b64");
  }
  const auto add_cas = [&]<class T>(T, const char* type) {
    const std::string kind = kind_of<T>();
    table.add({.name = std::string("atom") + where.name + ".cas." + type,
               .signature = "=" + kind + "? a " + kind + " " + kind,
               .execute = compare_and_swap<T>,
               .unit = Unit::memory,
               .facts = {Action::atomic, where.space},
               .loads = true});
  };
  add_cas(std::uint16_t{}, "b16");
  add_cas(U32{}, "b32");
  add_cas(U64{}, "b64");
}

}  // namespace

const std::vector<Reduction>& reductions() {
  using U32 = std::uint32_t;
  using S32 = std::int32_t;
  using U64 = std::uint64_t;
  using S64 = std::int64_t;
  using enum Atomic;
  static const std::vector<Reduction> kAll = {
      reduction<U32, add>("add.u32", true, true),
      reduction<U32, min>("min.u32", true, true),
      reduction<U32, max>("max.u32", true, true),
      reduction<U32, inc>("inc.u32", true, true),
      reduction<U32, dec>("dec.u32", true, true),
      reduction<S32, add>("add.s32", true, true),
      reduction<S32, min>("min.s32", true, true),
      reduction<S32, max>("max.s32", true, true),
      reduction<U32, bit_and>("and.b32", true, true),
      reduction<U32, bit_or>("or.b32", true, true),
      reduction<U32, bit_xor>("xor.b32", true, true),
      reduction<U64, add>("add.u64", true, true),
      reduction<U64, min>("min.u64", false, false),
      reduction<U64, max>("max.u64", false, false),
      reduction<S64, min>("min.s64", false, false),
      reduction<S64, max>("max.s64", false, false),
      reduction<U64, bit_and>("and.b64", false, false),
      reduction<U64, bit_or>("or.b64", false, false),
      reduction<U64, bit_xor>("xor.b64", false, false),
      reduction<float, add>("add.f32", false, false),
      reduction<double, add>("add.f64", false, false),
      reduction<std::uint16_t, add_f16>("add.noftz.f16", false, false),
      reduction<std::uint16_t, add_bf16>("add.noftz.bf16", false, false)};
  return kAll;
}

void add_atomic(FormTable& table) {
  add_atomics(table, {"", Space::generic});
  add_atomics(table, {".global", Space::global});
  add_atomics(table, {".shared", Space::shared});
  add_atomics(table, {".shared::cluster", Space::shared});
  add_vectors(table, {"", Space::generic});
  add_vectors(table, {".global", Space::global});
}

}  // namespace clcsim::machine::isa
