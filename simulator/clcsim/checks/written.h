// Which bytes of global memory have been written since they were allocated.
//
// A bit for each byte, in pages: a page that is full needs no bits. Only memory of cudaMalloc and
// its like is watched: variables begin as zeros, and the host writes to the rest without a call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "machine/device_memory.h"

namespace clcsim::checks {

/// `count` bits from `first` on.
inline std::uint64_t bit_mask(std::uint32_t first, std::uint32_t count) {
  return (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << first;
}

/// Calls f(word, mask) for the words that hold the bits first .. end - 1.
template <class F>
void for_each_word(std::uint32_t first, std::uint32_t end, F&& f) {
  while (first != end) {
    const std::uint32_t count = std::min(64 - first % 64, end - first);
    f(first / 64, bit_mask(first % 64, count));
    first += count;
  }
}

class Written {
 public:
  explicit Written(const machine::DeviceMemory& memory) : memory_(memory) {}

  void mark(std::uint64_t address, std::uint64_t bytes);
  /// They count as never written again, where that is known of their memory.
  void forget(std::uint64_t address, std::uint64_t bytes);
  /// Whether all of them are.
  bool all(std::uint64_t address, std::uint64_t bytes);
  /// Whether one of them is: the rest may be padding. They lie within 64 aligned bytes.
  bool any(std::uint64_t address, std::uint32_t bytes);

 private:
  static constexpr std::uint32_t kPage = 1 << 16;
  // No page holds bytes of two allocations: those lie further apart.
  struct Page {
    std::uint32_t missing = 0;              // bytes
    std::unique_ptr<std::uint64_t[]> bits;  // none: full
  };
  Page& page_of(std::uint64_t number);
  const machine::Allocation* allocation_in(std::uint64_t number) const;
  void forget_freed();
  template <class F>
  void for_each_part(std::uint64_t address, std::uint64_t bytes, F&& f);

  const machine::DeviceMemory& memory_;
  std::unordered_map<std::uint64_t, Page> pages_;  // by address / kPage
  std::uint64_t last_number_ = ~std::uint64_t{0};
  Page* last_page_ = nullptr;
  std::size_t forget_at_ = 1 << 16;
  bool complete_ = true;  // false: there was more than memory is given, and all counts as written
};

}  // namespace clcsim::checks
