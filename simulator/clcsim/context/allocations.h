// The memory that a program has allocated or registered through the runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "context/caller.h"
#include "machine/device_memory.h"

namespace clcsim::context {

// The GPU's addresses have 64 bits. Where pointers have fewer (WebAssembly), the upper half of what
// they can hold stands for the first of the GPU's own.
inline constexpr bool kShortPointers = sizeof(void*) < sizeof(std::uint64_t);
inline constexpr std::uint64_t kUpperHalf = std::uint64_t{1} << 31;

inline std::uint64_t address_of(const void* pointer) {
  const auto value = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(pointer));
  if (!kShortPointers || value < kUpperHalf) return value;
  return machine::DeviceMemory::kFirstAddress + (value - kUpperHalf);
}
/// Throws Failure where no pointer is left for it.
inline void* pointer_to(std::uint64_t address) {
  if (kShortPointers && address >= kUpperHalf) {
    address += kUpperHalf - machine::DeviceMemory::kFirstAddress;
    demand(address < 2 * kUpperHalf, cudaErrorMemoryAllocation);
  }
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

class Allocations {
 public:
  Allocations(machine::DeviceMemory& memory, const Caller& caller)
      : memory_(memory), caller_(caller) {}

  using Kind = machine::Allocation::Kind;

  /// nullptr for 0 bytes. Throws Failure where no memory is left.
  void* allocate(std::size_t size, Kind kind, unsigned flags = 0);

  /// Makes memory of the host accessible to the GPU. Throws Failure.
  void add_host(void* host, std::size_t size, unsigned flags);
  void remove_host(void* host);

  /// cudaFree: device and managed memory. cudaFreeHost: pinned memory. Throw Failure.
  void free_device(void* address);
  void free_host(void* address);

  /// cudaFreeAsync: from the call on the address can't be freed again, from free_now() on it can't
  /// be used.
  void begin_free(void* address);
  void free_now(void* address);

  /// The flags that pinned memory was made with. Throws Failure where `host` isn't in any.
  unsigned flags_of(const void* host) const;

  /// Frees everything.
  void clear();

 private:
  struct Entry {
    std::uint64_t size = 0;
    Kind kind = Kind::device;
    unsigned flags = 0;
    bool registered = false;
    bool being_freed = false;
  };
  Entry& demand_entry(void* address);

  machine::DeviceMemory& memory_;
  const Caller& caller_;
  std::map<std::uint64_t, Entry> entries_;  // by address
};

}  // namespace clcsim::context
