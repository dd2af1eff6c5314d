// Addresses: from what an instruction names to the bytes, or a fault that says what is wrong.
#pragma once

#include <cstring>
#include <string>

#include "machine/address.h"
#include "machine/fault.h"
#include "machine/gpu.h"
#include "machine/isa/lanes.h"

namespace clcsim::machine::isa {

/// The addresses that the lanes of an address operand name.
class Addresses {
 public:
  /// `beyond`: bytes behind what the operand names.
  Addresses(Warp& warp, const Instruction& in, int entry, std::int64_t beyond = 0)
      : narrow_(warp.lanes_of<std::uint32_t>(in.operand[entry])),
        wide_(in.wide >> entry & 1 ? warp.lanes_of<std::uint64_t>(in.operand[entry]) : nullptr),
        displacement_(static_cast<std::int32_t>(in.operand[entry + 1]) + beyond) {}

  std::uint64_t operator[](int lane) const {
    const std::uint64_t base = wide_ != nullptr ? wide_[lane] : narrow_[lane];
    return base + static_cast<std::uint64_t>(displacement_);
  }

  /// Whether all lanes name one address.
  bool uniform() const { return contiguous(0); }

  /// Whether lane i names the address `size` bytes after that of lane i - 1, for all lanes.
  bool contiguous(std::uint64_t size) const {
    if (wide_ == nullptr) return contiguous_in(narrow_, static_cast<std::uint32_t>(size));
    return contiguous_in(wide_, size);
  }

 private:
  template <class T>
  static bool contiguous_in(const T* base, T size) {
    T wrong = 0;
    for (int i = 1; i < kLanes; ++i) {
      wrong |= base[i] ^ (base[0] + static_cast<T>(i) * size);
    }
    return wrong == 0;
  }

  const std::uint32_t* narrow_;
  const std::uint64_t* wide_;
  std::int64_t displacement_;
};

std::string hex(std::uint64_t value);

// The sentences for bad addresses are made out of line: accesses are many, faults are rare.
[[noreturn]] void fault_out_of_bounds(const Warp& warp, std::uint64_t size, const char* space,
                                      std::uint64_t address, const std::string& why, int lane,
                                      What happened = What::as_told);
[[noreturn]] void fault_misaligned(const Warp& warp, std::uint64_t size, const char* space,
                                   std::uint64_t address, int lane);
[[noreturn]] void fault_global(const Warp& warp, std::uint64_t address, std::uint64_t size,
                               int lane);
/// Faults unless the address lies in the scratch memory of cooperative groups, and the kernel asks
/// for it.
void check_reserved_shared(const Warp& warp, const Block& owner, std::uint64_t address,
                           std::uint64_t size, int lane);
[[noreturn]] void fault_local(const Warp& warp, std::uint64_t address, std::uint64_t size,
                              int lane);
[[noreturn]] void fault_parameter(const Warp& warp, std::uint64_t address, std::uint64_t size,
                                  int lane);

inline void check_alignment(const Warp& warp, std::uint64_t address, std::uint64_t size,
                            const char* space, int lane) {
  if (address % size != 0) fault_misaligned(warp, size, space, address, lane);
}

/// The block of the cluster that a shared address outside the executing block names.
Block& other_shared_owner(Warp& warp, std::uint32_t address, std::uint64_t size, int lane);

/// The block of the cluster that a shared address names.
inline Block& shared_owner(Warp& warp, std::uint32_t address, std::uint64_t size, int lane) {
  Block& own = *warp.block;
  return address >> kRankShift == own.rank ? own : other_shared_owner(warp, address, size, lane);
}

inline std::byte* shared_bytes(Warp& warp, std::uint64_t wide_address, std::uint64_t size,
                               int lane) {
  const auto address = static_cast<std::uint32_t>(wide_address);
  Block& owner = shared_owner(warp, address, size, lane);
  const std::uint32_t offset = address & kOffsetMask;
  if (wide_address > 0xffff'ffff || offset < config::kSharedReserved ||
      offset + size > owner.shared.size()) {
    check_reserved_shared(warp, owner, wide_address, size, lane);
  }
  return owner.shared.data() + offset;
}

inline std::byte* global_bytes(Warp& warp, std::uint64_t address, std::uint64_t size, int lane) {
  std::byte* bytes = warp.gpu->memory().translate(address, size);
  if (bytes == nullptr) fault_global(warp, address, size, lane);
  return bytes;
}

inline std::byte* local_bytes(Warp& warp, std::uint64_t address, std::uint64_t size, int lane) {
  if (address + size > warp.local_stride || address + size < size) {
    fault_local(warp, address, size, lane);
  }
  return warp.local.data() + std::size_t{warp.local_stride} * static_cast<std::size_t>(lane) +
         address;
}

inline std::byte* parameter_bytes(Warp& warp, std::uint64_t address, std::uint64_t size, int lane) {
  auto& parameters = warp.block->grid->launch.parameters;
  if (address + size > parameters.size() || address + size < size) {
    fault_parameter(warp, address, size, lane);
  }
  return parameters.data() + address;
}

/// The bytes at a lane's address, checked: inside live memory, and aligned to `size`.
template <Space kSpace>
std::byte* bytes_at(Warp& warp, std::uint64_t address, std::uint64_t size, int lane) {
  if constexpr (kSpace == Space::generic) {
    const std::uint64_t offset = address % kWindowSize;
    switch (space_of(address)) {
      case Space::shared:
        return bytes_at<Space::shared>(warp, offset, size, lane);
      case Space::local:
        return bytes_at<Space::local>(warp, offset, size, lane);
      case Space::param:
        return bytes_at<Space::param>(warp, offset, size, lane);
      default:
        return bytes_at<Space::global>(warp, address, size, lane);
    }
  } else if constexpr (kSpace == Space::global) {
    check_alignment(warp, address, size, "global", lane);
    return global_bytes(warp, address, size, lane);
  } else if constexpr (kSpace == Space::shared) {
    check_alignment(warp, address, size, "shared", lane);
    return shared_bytes(warp, address, size, lane);
  } else if constexpr (kSpace == Space::local) {
    check_alignment(warp, address, size, "local", lane);
    return local_bytes(warp, address, size, lane);
  } else {
    return parameter_bytes(warp, address, size, lane);
  }
}

/// A shared address from an operand that may hold a generic one: PTX assumes generic addressing
/// where an instruction names no state space. Throws DeviceFault if it is not in shared memory.
std::uint64_t to_shared(std::uint64_t address, bool generic, int lane);

}  // namespace clcsim::machine::isa
