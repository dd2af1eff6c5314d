// Global memory: every allocation that the device can reach, by address.
//
// Device allocations get addresses that the host can't dereference, as on a real GPU, from a range
// that starts at the same place in every run. Addresses are never used twice, so a pointer that
// was freed stays recognisable; what was freed long ago is kept as ranges, which merge. Managed and
// pinned memory keeps its host address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "machine/fault.h"

namespace clcsim::machine {

struct Allocation {
  /// heap: of malloc on the device.
  enum class Kind : std::uint8_t { device, managed, pinned, variable, heap };
  std::uint64_t address = 0;
  std::uint64_t size = 0;  ///< bytes
  std::byte* host = nullptr;
  Kind kind = Kind::device;
  bool freed = false;
  bool read_only = false;   ///< constant memory
  bool registered = false;  ///< memory of the program's own: cudaHostRegister
  bool forgotten = false;   ///< freed long ago: `size` bytes that several allocations had
  std::string name;         ///< of a variable
};

class DeviceMemory {
 public:
  static constexpr std::uint64_t kFirstAddress = 0x0007'0000'0000'0000;  ///< beyond the host's

  explicit DeviceMemory(std::uint64_t capacity) : capacity_(capacity) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// nullptr: no memory left.
  Allocation* allocate(std::uint64_t size, Allocation::Kind kind, std::string name = {});

  void make_constant(Allocation& allocation) { constants_ = allocation.read_only = true; }
  bool has_constants() const { return constants_; }

  /// Makes host memory that the program owns reachable (cudaHostRegister).
  Allocation* add_host(void* host, std::uint64_t size);

  /// False if `address` is not the start of a live allocation.
  bool free(std::uint64_t address);

  /// The allocation that holds `address`, or nullptr. It may have been freed.
  const Allocation* find(std::uint64_t address) const;

  /// The first allocation at or behind `address`, or nullptr.
  const Allocation* first_behind(std::uint64_t address) const;

  /// The host address of `size` bytes at `address`, or nullptr if they are not all inside one live
  /// allocation. Fast where the same allocation is hit again.
  std::byte* translate(std::uint64_t address, std::uint64_t size) {
    if (address - last_address_ < last_size_ && size <= last_size_ - (address - last_address_)) {
      return last_host_ + (address - last_address_);
    }
    return translate_slowly(address, size);
  }

  /// Why translate() failed: `text` is the end of a sentence, "4 bytes past the end of the 64 bytes
  /// allocated".
  struct Explanation {
    std::string text;
    What happened = What::as_told;
  };
  Explanation explain(std::uint64_t address) const;

  /// Frees what malloc on the device has given.
  void empty_heap();
  /// Bytes that malloc on the device may give, in all (cudaLimitMallocHeapSize).
  void set_heap_capacity(std::uint64_t bytes) { heap_capacity_ = bytes; }

  std::uint64_t used() const { return used_; }
  std::size_t allocations() const {
    return allocations_.size();
  }  ///< ranges of freed ones included
  std::uint64_t capacity() const { return capacity_; }

 private:
  std::byte* translate_slowly(std::uint64_t address, std::uint64_t size);
  void forget(std::uint64_t address);
  void forget_last() { last_size_ = 0; }

  Allocation* add(Allocation::Kind kind, std::uint64_t address, std::uint64_t size, std::byte* host,
                  std::string name);
  Allocation* allocate_on_heap(std::uint64_t size);

  static constexpr std::uint64_t kFirstHeapAddress = 0x0007'4000'0000'0000;

  std::map<std::uint64_t, Allocation> allocations_;  // by address
  std::deque<std::uint64_t> freed_;                  // the latest, not forgotten yet
  std::uint64_t next_address_ = kFirstAddress, next_heap_address_ = kFirstHeapAddress;
  std::uint64_t capacity_, used_ = 0;
  bool constants_ = false;  // some allocation is read-only
  std::uint64_t heap_capacity_ = 8 << 20, heap_used_ = 0;
  std::uint64_t last_address_ = 0, last_size_ = 0;
  std::byte* last_host_ = nullptr;
};

}  // namespace clcsim::machine
