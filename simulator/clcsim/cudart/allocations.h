// The memory that a program has allocated or registered through the runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "machine/device_memory.h"

namespace clcsim::cudart {

inline std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

class Allocations {
 public:
  explicit Allocations(machine::DeviceMemory& memory) : memory_(memory) {}

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
  std::map<std::uint64_t, Entry> entries_;  // by address
};

}  // namespace clcsim::cudart
