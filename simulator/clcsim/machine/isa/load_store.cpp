// ld and st. PTX ISA 9.0, 9.7.9.8 to 9.7.9.12.
#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>

#include "machine/isa/transfer.h"
#include "machine/isa/watch.h"

namespace clcsim::machine::isa {
namespace {

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

/// Each lane's access to so many bytes, by touch(bytes, lane); when what they charge is over.
template <Space kSpace, class Touch>
Time access_each(Warp& warp, LaneMask lanes, const Addresses& addresses, std::uint32_t size,
                 Touch&& touch) {
  Sectors sectors;
  bool global = kSpace == Space::global;
  for_each_set(lanes, [&](int lane) {
    const std::uint64_t address = addresses[lane];
    touch(bytes_at<kSpace>(warp, address, size, lane), lane);
    if constexpr (kSpace == Space::generic) global |= space_of(address) == Space::global;
    sectors.touch(address);
  });
  return charge(warp, global, sectors.bytes());
}

template <class T, int kCount, Space kSpace>
Step load(Warp& warp, const Instruction& in, LaneMask lanes) {
  constexpr int kSize = kCount * static_cast<int>(sizeof(T));
  const Addresses addresses(warp, in, kCount);
  watch_access<kSpace>(warp, in, lanes, addresses, Access::Kind::read, kSize, 0, kCount);
  const auto put = [&](int element, int lane, T value) {
    const std::uint32_t slot = in.operand[element];
    if (slot == ptx::kAbsent) return;
    if (in.wide >> element & 1) {
      warp.lanes_of<std::uint64_t>(slot)[lane] = extend<T, std::uint64_t>(value);
    } else {
      warp.lanes_of<std::uint32_t>(slot)[lane] = extend<T, std::uint32_t>(value);
    }
  };
  if constexpr (kSpace == Space::global) {
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
  if constexpr (kSpace == Space::shared) {
    if (lanes == kAllLanes && addresses.uniform()) {
      const std::byte* bytes = bytes_at<kSpace>(warp, addresses[0], kSize, 0);
      for (int element = 0; element < kCount; ++element) {
        const T value = read<T>(bytes + element * static_cast<int>(sizeof(T)));
        for (int lane = 0; lane < kLanes; ++lane) put(element, lane, value);
      }
      warp.path().loads = std::max(warp.path().loads, charge(warp, false, kSector));
      return Step::next;
    }
  }
  const auto read_lane = [&](const std::byte* bytes, int lane) {
    for (int element = 0; element < kCount; ++element) {
      put(element, lane, read<T>(bytes + element * static_cast<int>(sizeof(T))));
    }
  };
  const Time done = access_each<kSpace>(warp, lanes, addresses, kSize, read_lane);
  warp.path().loads = std::max(warp.path().loads, done);
  return Step::next;
}

template <class T, int kCount, Space kSpace>
Step store(Warp& warp, const Instruction& in, LaneMask lanes) {
  constexpr int kSize = kCount * static_cast<int>(sizeof(T));
  const Addresses addresses(warp, in, 0);
  watch_access<kSpace>(warp, in, lanes, addresses, Access::Kind::write, kSize, 2, kCount);
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
  if constexpr (kSpace == Space::global) {
    if (lanes == kAllLanes && addresses.contiguous(kSize) && addresses[0] % kSize == 0) {
      if (std::byte* bytes = warp.gpu->memory().translate(addresses[0], kSize * kLanes)) {
        for (int lane = 0; lane < kLanes; ++lane) put(bytes + lane * kSize, lane);
        charge(warp, true, kSize * std::uint64_t{kLanes});
        warp.gpu->progress(warp.now);
        return Step::next;
      }
    }
  }
  access_each<kSpace>(warp, lanes, addresses, kSize, put);
  warp.gpu->progress(warp.now);
  return Step::next;
}

// All others are rarer: one function serves all types. Its type is the form's constant.
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

template <int kCount, Space kSpace>
Step load_any(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses addresses(warp, in, kCount);
  const std::uint32_t type = in.operand[kCount + 2];
  const std::uint32_t size = type & 0xff;
  watch_access<kSpace>(warp, in, lanes, addresses, Access::Kind::read, kCount * size, 0, kCount);
  const auto read_lane = [&](const std::byte* bytes, int lane) {
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
  };
  const Time done = access_each<kSpace>(warp, lanes, addresses, kCount * size, read_lane);
  warp.path().loads = std::max(warp.path().loads, done);
  return Step::next;
}

/// A kernel's parameter is the same for all lanes: read once.
template <int kCount>
Step load_parameter(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses addresses(warp, in, kCount);
  if (lanes != kAllLanes || !addresses.uniform()) {
    return load_any<kCount, Space::param>(warp, in, lanes);
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

template <int kCount, Space kSpace>
Step store_any(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses addresses(warp, in, 0);
  const std::uint32_t size = in.operand[2 + kCount] & 0xff;
  watch_access<kSpace>(warp, in, lanes, addresses, Access::Kind::write, kCount * size, 2, kCount);
  access_each<kSpace>(warp, lanes, addresses, kCount * size, [&](std::byte* bytes, int lane) {
    for (int element = 0; element < kCount; ++element) {
      const int entry = 2 + element;
      const std::uint32_t slot = in.operand[entry];
      const std::uint64_t value = in.wide >> entry & 1 ? warp.lanes_of<std::uint64_t>(slot)[lane]
                                                       : warp.lanes_of<std::uint32_t>(slot)[lane];
      std::memcpy(bytes + element * size, &value, size);  // the low bytes: little endian
    }
  });
  warp.gpu->progress(warp.now);
  return Step::next;
}

/// ld.b128 and st.b128: a register of two 64-bit halves.
template <Space kSpace>
Step load_128(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses addresses(warp, in, 1);
  watch_access<kSpace>(warp, in, lanes, addresses, Access::Kind::read, 16);
  auto* d = warp.lanes_of<std::uint64_t>(in.operand[0]);
  for_each_set(lanes, [&](int lane) {
    const std::byte* bytes = bytes_at<kSpace>(warp, addresses[lane], 16, lane);
    d[lane] = read<std::uint64_t>(bytes);
    d[kLanes + lane] = read<std::uint64_t>(bytes + 8);
  });
  warp.path().loads = std::max(warp.path().loads,
                               charge(warp, kSpace != Space::shared, 16 * std::uint64_t{kLanes}));
  return Step::next;
}

template <Space kSpace>
Step store_128(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses addresses(warp, in, 0);
  watch_access<kSpace>(warp, in, lanes, addresses, Access::Kind::write, 16, 2);
  const auto* a = warp.lanes_of<std::uint64_t>(in.operand[2]);
  for_each_set(lanes, [&](int lane) {
    std::byte* bytes = bytes_at<kSpace>(warp, addresses[lane], 16, lane);
    std::memcpy(bytes, &a[lane], 8);
    std::memcpy(bytes + 8, &a[kLanes + lane], 8);
  });
  charge(warp, kSpace != Space::shared, 16 * std::uint64_t{kLanes});
  warp.gpu->progress(warp.now);
  return Step::next;
}

// ---- discard ----

constexpr std::uint32_t kDiscarded = 128;  // bytes; PTX has no other size
constexpr std::byte kIndeterminate{0xd1};  // what is found there until somebody writes

/// A weak write of indeterminate values: PTX ISA 9.0, 9.7.9.17.
template <Space kSpace>
Step discard(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses addresses(warp, in, 0);
  watch_access<kSpace>(warp, in, lanes, addresses, Access::Kind::write, kDiscarded, 0, 0);
  for_each_set(lanes, [&](int lane) {
    std::byte* bytes = bytes_at<Space::global>(warp, addresses[lane], kDiscarded, lane);
    std::fill_n(bytes, kDiscarded, kIndeterminate);
  });
  charge(warp, true, kSector);
  warp.gpu->progress(warp.now);
  return Step::next;
}

// ---- st.bulk ----

/// Zeros, so many as each lane says: PTX ISA 9.0, 9.7.9.13.
template <Space kSpace>
Step clear(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses addresses(warp, in, 0);
  const auto size_of = [&](int lane) {
    return in.wide >> 2 & 1 ? warp.lanes_of<std::uint64_t>(in.operand[2])[lane]
                            : warp.lanes_of<std::uint32_t>(in.operand[2])[lane];
  };
  if (in.operand[3] != 0) {
    throw DeviceFault{FaultKind::illegal_instruction, Rule::illegal_instruction,
                      "st.bulk stores zeros and no other value", -1};
  }
  for (LaneMask left = lanes; left != 0;) {
    const int first = std::countr_zero(left);
    const std::uint64_t size = size_of(first);
    check_alignment(warp, size, 8, "size", first);
    const LaneMask same = left & lanes_where(left, [&](int lane) { return size_of(lane) == size; });
    left &= ~same;
    for_each_set(same, [&](int lane) {
      const std::uint64_t address = to_shared(addresses[lane], kSpace == Space::generic, lane);
      check_alignment(warp, address, 8, "shared", lane);
      std::fill_n(shared_bytes(warp, address, size, lane), size, std::byte{0});
    });
    watch_access<kSpace>(warp, in, same, addresses, Access::Kind::write,
                         static_cast<std::uint32_t>(size), 2);
    charge(warp, false, size * static_cast<std::uint64_t>(std::popcount(same)));
  }
  warp.gpu->progress(warp.now);
  return Step::next;
}

// ---- forms ----

/// The accesses that loops consist of have functions of their own: single ones, and vectors of 32
/// and 64 bits, in global and shared memory.
template <class T, int kCount, Space kSpace>
constexpr bool kHot =
    (kSpace == Space::global || kSpace == Space::shared) && std::is_unsigned_v<T> &&
    (kCount == 1 || sizeof(T) >= 4) && kCount * sizeof(T) <= 16;

/// The handler of a form, and whether it takes the type as the form's constant.
struct Handled {
  ptx::Handler handler;
  bool takes_type;
};

template <class T, int kCount, Space kSpace>
constexpr Handled load_of() {
  if constexpr (kHot<T, kCount, kSpace>) return {load<T, kCount, kSpace>, false};
  if constexpr (kSpace == Space::param) return {load_parameter<kCount>, true};
  if constexpr (!kHot<T, kCount, kSpace>) return {load_any<kCount, kSpace>, true};
}

template <class T, int kCount, Space kSpace>
constexpr Handled store_of() {
  using Stored = std::make_unsigned_t<T>;
  if constexpr (kHot<Stored, kCount, kSpace>) return {store<Stored, kCount, kSpace>, false};
  if constexpr (!kHot<Stored, kCount, kSpace>) return {store_any<kCount, kSpace>, true};
}

struct Vector {
  std::string space;
  Space where;
  const char* type;
  std::uint32_t type_number;
  bool stores;
};

/// No template: the compiler took longer for sixty of these than for the handlers.
void add_vector(FormTable& table, const Vector& vector, int count, Handled load, Handled store) {
  const std::string name =
      vector.space + (count == 1 ? "" : ".v" + std::to_string(count)) + "." + vector.type;
  const std::string registers = count == 1 ? "x" : "x" + std::to_string(count);
  const auto constant_of = [&](Handled handled) {
    return handled.takes_type ? std::optional(vector.type_number) : std::nullopt;
  };
  table.add({.name = "ld" + name,
             .signature = "=" + registers + " a",
             .execute = load.handler,
             .unit = Unit::memory,
             .facts = {Action::load, vector.where},
             .extra = constant_of(load),
             .loads = true});
  if (!vector.stores) return;
  table.add({"st" + name,
             "a " + registers,
             store.handler,
             Unit::memory,
             {Action::store, vector.where},
             constant_of(store)});
}

template <class T, Space kSpace>
void add_vectors(FormTable& table, const std::string& space, const char* type, bool stores,
                 Space where) {
  const Vector vector = {space, where, type, sizeof(T) | (std::is_signed_v<T> ? kSignedBit : 0),
                         stores};
  add_vector(table, vector, 1, load_of<T, 1, kSpace>(), store_of<T, 1, kSpace>());
  add_vector(table, vector, 2, load_of<T, 2, kSpace>(), store_of<T, 2, kSpace>());
  if constexpr (sizeof(T) <= 4)
    add_vector(table, vector, 4, load_of<T, 4, kSpace>(), store_of<T, 4, kSpace>());
  if (space != ".global") return;  // other memory has no accesses of 32 bytes
  if constexpr (sizeof(T) == 8)
    add_vector(table, vector, 4, load_of<T, 4, kSpace>(), store_of<T, 4, kSpace>());
  if constexpr (sizeof(T) == 4)
    add_vector(table, vector, 8, load_of<T, 8, kSpace>(), store_of<T, 8, kSpace>());
}

/// `where`: what it is called; parameters of functions lie in local memory.
template <Space kSpace>
void add_accesses(FormTable& table, const std::string& space, bool stores = true,
                  Space where = kSpace) {
  for (const char* type : {"b8", "u8"})
    add_vectors<std::uint8_t, kSpace>(table, space, type, stores, where);
  add_vectors<std::int8_t, kSpace>(table, space, "s8", stores, where);
  for (const char* type : {"b16", "u16"}) {
    add_vectors<std::uint16_t, kSpace>(table, space, type, stores, where);
  }
  add_vectors<std::int16_t, kSpace>(table, space, "s16", stores, where);
  for (const char* type : {"b32", "u32", "f32"}) {
    add_vectors<std::uint32_t, kSpace>(table, space, type, stores, where);
  }
  add_vectors<std::int32_t, kSpace>(table, space, "s32", stores, where);
  for (const char* type : {"b64", "u64", "s64", "f64"}) {
    add_vectors<std::uint64_t, kSpace>(table, space, type, stores, where);
  }
  table.add({.name = "ld" + space + ".b128",
             .signature = "=q a",
             .execute = load_128<kSpace>,
             .unit = Unit::memory,
             .facts = {Action::load, where},
             .loads = true});
  if (!stores) return;
  table.add(
      {"st" + space + ".b128", "a q", store_128<kSpace>, Unit::memory, {Action::store, where}});
}

}  // namespace

void add_load_store(FormTable& table) {
  add_accesses<Space::generic>(table, "");
  add_accesses<Space::global>(table, ".global");
  add_accesses<Space::global>(table, ".const", false);
  add_accesses<Space::shared>(table, ".shared");
  add_accesses<Space::shared>(table, ".shared::cluster");
  add_accesses<Space::local>(table, ".local");
  add_accesses<Space::param>(table, ".param::entry", false);
  add_accesses<Space::local>(table, ".param::func", true, Space::param);
  table.add({"st.bulk", "a x i", clear<Space::generic>, Unit::memory, {Action::store}});
  table.add({"st.bulk.shared",
             "a x i",
             clear<Space::shared>,
             Unit::memory,
             {Action::store, Space::shared}});
  table.add({"discard.L2", "a i", discard<Space::generic>, Unit::memory, {Action::store}});
  table.add({"discard.global.L2",
             "a i",
             discard<Space::global>,
             Unit::memory,
             {Action::store, Space::global}});
}

}  // namespace clcsim::machine::isa
