// ld, st, atom, red, fences and prefetches. PTX ISA 9.0, 9.7.9 and 9.7.13.
#include <array>
#include <bit>
#include <string>
#include <type_traits>

#include "machine/isa/access.h"

namespace clcsim::machine::isa {
namespace {

constexpr std::uint32_t kSector = 32;  // bytes that the memory bus moves at least

/// Books what a warp's access costs: issue slots for the data path of the SM (128 bytes a cycle, so
/// 32 for each of its four parts), and for global memory the bus. Returns when the last byte is
/// there.
Time charge(Warp& warp, bool global, std::uint64_t bytes) {
  if (bytes > kSector) warp.issued += bytes / kSector - 1;
  if (!global) return warp.now + 20;
  return warp.gpu->transfer(warp.now, bytes) + warp.gpu->profile().memory_latency;
}

/// Counts the 32-byte sectors that lanes touch in turn, without sorting: neighbours that touch the
/// same one share it.
class Sectors {
 public:
  void touch(std::uint64_t address) {
    const std::uint64_t sector = address / kSector;
    count_ += sector != last_;
    last_ = sector;
  }
  std::uint64_t bytes() const { return count_ * kSector; }

 private:
  std::uint64_t last_ = ~std::uint64_t{0}, count_ = 0;
};

template <class T>
T read(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// Extends a value to the width of its register, which may be wider than the value.
template <class T, class Register>
Register extend(T value) {
  if constexpr (std::is_signed_v<T>) {
    return static_cast<Register>(static_cast<std::make_signed_t<Register>>(value));
  } else {
    return static_cast<Register>(value);
  }
}

template <class T, class Register>
void load_contiguous(Register* d, const std::byte* bytes, int step) {
  for (int i = 0; i < kLanes; ++i) d[i] = extend<T, Register>(read<T>(bytes + i * step));
}

template <class T, int kCount, Where kWhere>
Step load(Warp& warp, const Instruction& in, LaneMask lanes) {
  constexpr int kSize = kCount * static_cast<int>(sizeof(T));
  const Addresses addresses(warp, in, kCount);
  const auto put = [&](int element, int lane, T value) {
    const std::uint32_t slot = in.operand[element];
    if (slot == ptx::kAbsent) return;
    if (in.wide >> element & 1) {
      warp.lanes_of<std::uint64_t>(slot)[lane] = extend<T, std::uint64_t>(value);
    } else {
      warp.lanes_of<std::uint32_t>(slot)[lane] = extend<T, std::uint32_t>(value);
    }
  };
  if constexpr (kWhere == Where::global) {
    if (lanes == kAllLanes && addresses.contiguous(kSize) && addresses[0] % kSize == 0) {
      if (const std::byte* bytes = warp.gpu->memory().translate(addresses[0], kSize * kLanes)) {
        for (int element = 0; element < kCount; ++element) {
          const std::uint32_t slot = in.operand[element];
          const std::byte* first = bytes + element * static_cast<int>(sizeof(T));
          if (slot == ptx::kAbsent) continue;
          if (in.wide >> element & 1) {
            load_contiguous<T>(warp.lanes_of<std::uint64_t>(slot), first, kSize);
          } else {
            load_contiguous<T>(warp.lanes_of<std::uint32_t>(slot), first, kSize);
          }
        }
        warp.path().loads =
            std::max(warp.path().loads, charge(warp, true, kSize * std::uint64_t{kLanes}));
        return Step::next;
      }
    }
  }
  Sectors sectors;
  bool global = kWhere == Where::global;
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t address = addresses[lane];
    const std::byte* bytes = bytes_at<kWhere>(warp, address, kSize, lane);
    for (int element = 0; element < kCount; ++element) {
      put(element, lane, read<T>(bytes + element * static_cast<int>(sizeof(T))));
    }
    if constexpr (kWhere == Where::generic) global |= space_of(address) == Space::global;
    sectors.touch(address);
  });
  warp.path().loads = std::max(warp.path().loads, charge(warp, global, sectors.bytes()));
  return Step::next;
}

template <class T, int kCount, Where kWhere>
Step store(Warp& warp, const Instruction& in, LaneMask lanes) {
  constexpr int kSize = kCount * static_cast<int>(sizeof(T));
  const Addresses addresses(warp, in, 0);
  const auto value = [&](int element, int lane) {
    const int entry = 2 + element;  // after the address
    const std::uint32_t slot = in.operand[entry];
    return in.wide >> entry & 1 ? static_cast<T>(warp.lanes_of<std::uint64_t>(slot)[lane])
                                : static_cast<T>(warp.lanes_of<std::uint32_t>(slot)[lane]);
  };
  const auto put = [&](std::byte* bytes, int lane) {
    for (int element = 0; element < kCount; ++element) {
      const T written = value(element, lane);
      std::memcpy(bytes + element * static_cast<int>(sizeof(T)), &written, sizeof(T));
    }
  };
  if constexpr (kWhere == Where::global) {
    if (lanes == kAllLanes && addresses.contiguous(kSize) && addresses[0] % kSize == 0) {
      if (std::byte* bytes = warp.gpu->memory().translate(addresses[0], kSize * kLanes)) {
        for (int lane = 0; lane < kLanes; ++lane) put(bytes + lane * kSize, lane);
        charge(warp, true, kSize * std::uint64_t{kLanes});
        warp.gpu->progress(warp.now);
        return Step::next;
      }
    }
  }
  Sectors sectors;
  bool global = kWhere == Where::global;
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t address = addresses[lane];
    put(bytes_at<kWhere>(warp, address, kSize, lane), lane);
    if constexpr (kWhere == Where::generic) global |= space_of(address) == Space::global;
    sectors.touch(address);
  });
  charge(warp, global, sectors.bytes());
  warp.gpu->progress(warp.now);
  return Step::next;
}

// Generic, local and parameter accesses are rarer: one function serves all types. Its type is the
// form's constant.
constexpr std::uint32_t kSignedBit = 0x100;

std::uint64_t read_element(const std::byte* bytes, std::uint32_t type) {
  switch (type) {
    case 1:
      return read<std::uint8_t>(bytes);
    case 2:
      return read<std::uint16_t>(bytes);
    case 4:
      return read<std::uint32_t>(bytes);
    case 1 | kSignedBit:
      return extend<std::int8_t, std::uint64_t>(read<std::int8_t>(bytes));
    case 2 | kSignedBit:
      return extend<std::int16_t, std::uint64_t>(read<std::int16_t>(bytes));
    case 4 | kSignedBit:
      return extend<std::int32_t, std::uint64_t>(read<std::int32_t>(bytes));
    default:
      return read<std::uint64_t>(bytes);
  }
}

template <int kCount, Where kWhere>
Step load_any(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses addresses(warp, in, kCount);
  const std::uint32_t type = in.operand[kCount + 2];
  const std::uint32_t size = type & 0xff;
  Sectors sectors;
  bool global = false;
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t address = addresses[lane];
    const std::byte* bytes = bytes_at<kWhere>(warp, address, kCount * size, lane);
    for (int element = 0; element < kCount; ++element) {
      const std::uint32_t slot = in.operand[element];
      if (slot == ptx::kAbsent) continue;
      const std::uint64_t value = read_element(bytes + element * size, type);
      if (in.wide >> element & 1) {
        warp.lanes_of<std::uint64_t>(slot)[lane] = value;
      } else {
        warp.lanes_of<std::uint32_t>(slot)[lane] = static_cast<std::uint32_t>(value);
      }
    }
    if constexpr (kWhere == Where::generic) global |= space_of(address) == Space::global;
    sectors.touch(address);
  });
  warp.path().loads = std::max(warp.path().loads, charge(warp, global, sectors.bytes()));
  return Step::next;
}

/// A kernel's parameter is the same for all lanes: read once.
template <int kCount>
Step load_parameter(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses addresses(warp, in, kCount);
  if (lanes != kAllLanes || !addresses.uniform()) {
    return load_any<kCount, Where::parameter>(warp, in, lanes);
  }
  const std::uint32_t type = in.operand[kCount + 2];
  const std::uint32_t size = type & 0xff;
  const std::byte* bytes = parameter_bytes(warp, addresses[0], kCount * size, 0);
  for (int element = 0; element < kCount; ++element) {
    const std::uint32_t slot = in.operand[element];
    if (slot == ptx::kAbsent) continue;
    const std::uint64_t value = read_element(bytes + element * size, type);
    if (in.wide >> element & 1) {
      std::fill_n(warp.lanes_of<std::uint64_t>(slot), kLanes, value);
    } else {
      std::fill_n(warp.lanes_of<std::uint32_t>(slot), kLanes, static_cast<std::uint32_t>(value));
    }
  }
  warp.path().loads = std::max(warp.path().loads, charge(warp, false, kSector));
  return Step::next;
}

template <int kCount, Where kWhere>
Step store_any(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses addresses(warp, in, 0);
  const std::uint32_t size = in.operand[2 + kCount] & 0xff;
  Sectors sectors;
  bool global = false;
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t address = addresses[lane];
    std::byte* bytes = bytes_at<kWhere>(warp, address, kCount * size, lane);
    for (int element = 0; element < kCount; ++element) {
      const int entry = 2 + element;
      const std::uint32_t slot = in.operand[entry];
      const std::uint64_t value = in.wide >> entry & 1 ? warp.lanes_of<std::uint64_t>(slot)[lane]
                                                       : warp.lanes_of<std::uint32_t>(slot)[lane];
      std::memcpy(bytes + element * size, &value, size);  // the low bytes: little endian
    }
    if constexpr (kWhere == Where::generic) global |= space_of(address) == Space::global;
    sectors.touch(address);
  });
  charge(warp, global, sectors.bytes());
  warp.gpu->progress(warp.now);
  return Step::next;
}

/// ld.b128 and st.b128: a register of two 64-bit halves.
template <Where kWhere>
Step load_128(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses addresses(warp, in, 1);
  auto* d = warp.lanes_of<std::uint64_t>(in.operand[0]);
  for_each_lane(lanes, [&](int lane) {
    const std::byte* bytes = bytes_at<kWhere>(warp, addresses[lane], 16, lane);
    d[lane] = read<std::uint64_t>(bytes);
    d[kLanes + lane] = read<std::uint64_t>(bytes + 8);
  });
  warp.path().loads = std::max(warp.path().loads,
                               charge(warp, kWhere != Where::shared, 16 * std::uint64_t{kLanes}));
  return Step::next;
}

template <Where kWhere>
Step store_128(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses addresses(warp, in, 0);
  const auto* a = warp.lanes_of<std::uint64_t>(in.operand[2]);
  for_each_lane(lanes, [&](int lane) {
    std::byte* bytes = bytes_at<kWhere>(warp, addresses[lane], 16, lane);
    std::memcpy(bytes, &a[lane], 8);
    std::memcpy(bytes + 8, &a[kLanes + lane], 8);
  });
  charge(warp, kWhere != Where::shared, 16 * std::uint64_t{kLanes});
  warp.gpu->progress(warp.now);
  return Step::next;
}

// ---- atomics: one lane after the other ----

template <class T>
T add(T old, T a) {
  if constexpr (std::is_signed_v<T> && !std::is_floating_point_v<T>) {
    return static_cast<T>(add<std::make_unsigned_t<T>>(static_cast<std::make_unsigned_t<T>>(old),
                                                       static_cast<std::make_unsigned_t<T>>(a)));
  } else {
    return old + a;
  }
}
template <class T>
T minimum(T old, T a) {
  return a < old ? a : old;
}
template <class T>
T maximum(T old, T a) {
  return a > old ? a : old;
}
template <class T>
T bit_and(T old, T a) {
  return old & a;
}
template <class T>
T bit_or(T old, T a) {
  return old | a;
}
template <class T>
T bit_xor(T old, T a) {
  return old ^ a;
}
template <class T>
T exchange(T, T a) {
  return a;
}
template <class T>
T increment(T old, T a) {
  return old >= a ? 0 : old + 1;
}
template <class T>
T decrement(T old, T a) {
  return old == 0 || old > a ? a : old - 1;
}

/// d = [a]; [a] = op(d, b). Without a destination (red) entry 0 is the address.
template <auto Op, class T, Where kWhere, bool kReturns>
Step atomic(Warp& warp, const Instruction& in, LaneMask lanes) {
  constexpr int kAddress = kReturns ? 1 : 0;
  const Addresses addresses(warp, in, kAddress);
  const auto* b = warp.lanes_of<Lane<T>>(in.operand[kAddress + 2]);
  bool changed = false;
  bool global = kWhere == Where::global;
  Sectors sectors;
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t address = addresses[lane];
    std::byte* bytes = bytes_at<kWhere>(warp, address, sizeof(T), lane);
    const T old = read<T>(bytes);
    const T result = Op(old, from_lane<T>(b[lane]));
    std::memcpy(bytes, &result, sizeof(T));
    changed |= std::memcmp(&old, &result, sizeof(T)) != 0;
    if constexpr (kReturns) {
      if (in.operand[0] != ptx::kAbsent) warp.lanes_of<Lane<T>>(in.operand[0])[lane] = to_lane(old);
    }
    if constexpr (kWhere == Where::generic) global |= space_of(address) == Space::global;
    sectors.touch(address);
  });
  const Time done = charge(warp, global, sectors.bytes());
  if constexpr (kReturns) warp.path().loads = std::max(warp.path().loads, done);
  if (changed) warp.gpu->progress(warp.now);
  return Step::next;
}

template <class T, Where kWhere>
Step compare_and_swap(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses addresses(warp, in, 1);
  const auto* b = warp.lanes_of<Lane<T>>(in.operand[3]);
  const auto* c = warp.lanes_of<Lane<T>>(in.operand[4]);
  bool changed = false;
  bool global = kWhere == Where::global;
  Sectors sectors;
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t address = addresses[lane];
    std::byte* bytes = bytes_at<kWhere>(warp, address, sizeof(T), lane);
    const T old = read<T>(bytes);
    if (old == from_lane<T>(b[lane])) {
      const T result = from_lane<T>(c[lane]);
      std::memcpy(bytes, &result, sizeof(T));
      changed |= result != old;
    }
    if (in.operand[0] != ptx::kAbsent) warp.lanes_of<Lane<T>>(in.operand[0])[lane] = to_lane(old);
    if constexpr (kWhere == Where::generic) global |= space_of(address) == Space::global;
    sectors.touch(address);
  });
  warp.path().loads = std::max(warp.path().loads, charge(warp, global, sectors.bytes()));
  if (changed) warp.gpu->progress(warp.now);
  return Step::next;
}

Step nothing(Warp&, const Instruction&, LaneMask) {
  return Step::next;
}

// ---- forms ----

std::string repeat(const char* kind, int count) {
  return count == 1 ? kind : kind + std::to_string(count);
}

template <class T, Where kWhere>
void add_vectors(FormTable& table, const std::string& space, const char* type, bool stores) {
  const auto add = [&]<int kCount>(std::integral_constant<int, kCount>) {
    constexpr bool kHot = kWhere == Where::global || kWhere == Where::shared;
    using Stored = std::conditional_t<std::is_signed_v<T>, std::make_unsigned_t<T>, T>;
    const std::string vector = kCount == 1 ? "" : ".v" + std::to_string(kCount);
    Form form{.name = "ld" + space + vector + "." + type,
              .signature = "=" + repeat("x", kCount) + " a",
              .unit = Unit::memory,
              .extra = sizeof(T) | (std::is_signed_v<T> ? kSignedBit : 0),
              .has_extra = !kHot,
              .loads = true};
    if constexpr (kHot) {
      form.execute = load<T, kCount, kWhere>;
    } else if constexpr (kWhere == Where::parameter) {
      form.execute = load_parameter<kCount>;
    } else {
      form.execute = load_any<kCount, kWhere>;
    }
    table.add(form);
    if (!stores) return;
    form.name.replace(0, 2, "st");
    form.signature = "a " + repeat("x", kCount);
    form.loads = false;
    if constexpr (kHot) {
      form.execute = store<Stored, kCount, kWhere>;
    } else {
      form.execute = store_any<kCount, kWhere>;
    }
    table.add(form);
  };
  add(std::integral_constant<int, 1>{});
  add(std::integral_constant<int, 2>{});
  if constexpr (sizeof(T) <= 4 || kWhere == Where::global) add(std::integral_constant<int, 4>{});
  if constexpr (sizeof(T) == 4 && kWhere == Where::global) add(std::integral_constant<int, 8>{});
}

template <Where kWhere>
void add_load_store(FormTable& table, const std::string& space, bool stores = true) {
  for (const char* type : {"b8", "u8"})
    add_vectors<std::uint8_t, kWhere>(table, space, type, stores);
  add_vectors<std::int8_t, kWhere>(table, space, "s8", stores);
  for (const char* type : {"b16", "u16"}) {
    add_vectors<std::uint16_t, kWhere>(table, space, type, stores);
  }
  add_vectors<std::int16_t, kWhere>(table, space, "s16", stores);
  for (const char* type : {"b32", "u32", "f32"}) {
    add_vectors<std::uint32_t, kWhere>(table, space, type, stores);
  }
  add_vectors<std::int32_t, kWhere>(table, space, "s32", stores);
  for (const char* type : {"b64", "u64", "s64", "f64"}) {
    add_vectors<std::uint64_t, kWhere>(table, space, type, stores);
  }
  table.add({.name = "ld" + space + ".b128",
             .signature = "=q a",
             .execute = load_128<kWhere>,
             .unit = Unit::memory,
             .loads = true});
  if (stores) {
    table.add({.name = "st" + space + ".b128",
               .signature = "a q",
               .execute = store_128<kWhere>,
               .unit = Unit::memory});
  }
}

template <auto Op, class T, Where kWhere>
void add_atomic(FormTable& table, const std::string& space, const std::string& op, const char* type,
                bool has_red = true) {
  const std::string kind = kind_of<T>();
  table.add({.name = "atom" + space + "." + op + "." + type,
             .signature = "=" + kind + "? a " + kind,
             .execute = atomic<Op, T, kWhere, true>,
             .unit = Unit::memory,
             .loads = true});
  if (!has_red) return;
  table.add({.name = "red" + space + "." + op + "." + type,
             .signature = "a " + kind,
             .execute = atomic<Op, T, kWhere, false>,
             .unit = Unit::memory});
}

template <Where kWhere>
void add_atomics(FormTable& table, const std::string& space) {
  using U32 = std::uint32_t;
  using S32 = std::int32_t;
  using U64 = std::uint64_t;
  using S64 = std::int64_t;
  add_atomic<add<U32>, U32, kWhere>(table, space, "add", "u32");
  add_atomic<add<S32>, S32, kWhere>(table, space, "add", "s32");
  add_atomic<add<U64>, U64, kWhere>(table, space, "add", "u64");
  add_atomic<add<float>, float, kWhere>(table, space, "add", "f32");
  add_atomic<add<double>, double, kWhere>(table, space, "add", "f64");
  add_atomic<minimum<U32>, U32, kWhere>(table, space, "min", "u32");
  add_atomic<minimum<S32>, S32, kWhere>(table, space, "min", "s32");
  add_atomic<minimum<U64>, U64, kWhere>(table, space, "min", "u64");
  add_atomic<minimum<S64>, S64, kWhere>(table, space, "min", "s64");
  add_atomic<maximum<U32>, U32, kWhere>(table, space, "max", "u32");
  add_atomic<maximum<S32>, S32, kWhere>(table, space, "max", "s32");
  add_atomic<maximum<U64>, U64, kWhere>(table, space, "max", "u64");
  add_atomic<maximum<S64>, S64, kWhere>(table, space, "max", "s64");
  add_atomic<increment<U32>, U32, kWhere>(table, space, "inc", "u32");
  add_atomic<decrement<U32>, U32, kWhere>(table, space, "dec", "u32");
  add_atomic<bit_and<U32>, U32, kWhere>(table, space, "and", "b32");
  add_atomic<bit_and<U64>, U64, kWhere>(table, space, "and", "b64");
  add_atomic<bit_or<U32>, U32, kWhere>(table, space, "or", "b32");
  add_atomic<bit_or<U64>, U64, kWhere>(table, space, "or", "b64");
  add_atomic<bit_xor<U32>, U32, kWhere>(table, space, "xor", "b32");
  add_atomic<bit_xor<U64>, U64, kWhere>(table, space, "xor", "b64");
  add_atomic<exchange<U32>, U32, kWhere>(table, space, "exch", "b32", false);
  add_atomic<exchange<U64>, U64, kWhere>(table, space, "exch", "b64", false);
  const auto add_cas = [&]<class T>(T, const char* type) {
    const std::string kind = kind_of<T>();
    table.add({.name = "atom" + space + ".cas." + type,
               .signature = "=" + kind + "? a " + kind + " " + kind,
               .execute = compare_and_swap<T, kWhere>,
               .unit = Unit::memory,
               .loads = true});
  };
  add_cas(std::uint16_t{}, "b16");
  add_cas(U32{}, "b32");
  add_cas(U64{}, "b64");
}

void add_fences(FormTable& table) {
  const auto add = [&](std::string name) {
    table.add({.name = std::move(name), .signature = "", .execute = nothing, .unit = Unit::memory});
  };
  for (const char* scope : {"cta", "cluster", "gpu", "sys"}) {
    for (const char* order : {"sc", "acq_rel", "acquire", "release"}) {
      add(std::string("fence.") + order + "." + scope);
    }
  }
  for (const char* level : {"cta", "gl", "sys"}) add(std::string("membar.") + level);
  add("fence.mbarrier_init.release.cluster");
  add("fence.proxy.alias");
  add("fence.proxy.async");
  for (const char* space : {"global", "shared::cta", "shared::cluster"}) {
    add(std::string("fence.proxy.async.") + space);
  }
  add("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster");
  add("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster");
  const auto add_prefetch = [&](std::string name) {
    table.add(
        {.name = std::move(name), .signature = "a", .execute = nothing, .unit = Unit::memory});
  };
  for (const char* level : {"L1", "L2"}) {
    add_prefetch(std::string("prefetch.") + level);
    add_prefetch(std::string("prefetch.global.") + level);
    add_prefetch(std::string("prefetch.local.") + level);
  }
  add_prefetch("prefetchu.L1");
}

}  // namespace

void add_memory(FormTable& table) {
  add_load_store<Where::generic>(table, "");
  add_load_store<Where::global>(table, ".global");
  add_load_store<Where::global>(table, ".const", false);
  add_load_store<Where::shared>(table, ".shared");
  add_load_store<Where::shared>(table, ".shared::cluster");
  add_load_store<Where::local>(table, ".local");
  add_load_store<Where::parameter>(table, ".param::entry", false);
  add_load_store<Where::local>(table, ".param::func");
  add_atomics<Where::generic>(table, "");
  add_atomics<Where::global>(table, ".global");
  add_atomics<Where::shared>(table, ".shared");
  add_atomics<Where::shared>(table, ".shared::cluster");
  add_fences(table);
}

}  // namespace clcsim::machine::isa
