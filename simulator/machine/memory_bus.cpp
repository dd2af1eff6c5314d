#include "machine/memory_bus.h"

#include <algorithm>

namespace clcsim::machine {

MemoryBus::MemoryBus(int bytes_per_cycle, std::size_t ports)
    : rate_(static_cast<std::uint64_t>(bytes_per_cycle)), free_(ports) {}

Time MemoryBus::transfer(Time now, std::uint64_t bytes, std::size_t port) {
  const std::uint64_t start = now * rate_;
  free_[port] = std::max(free_[port], start);
  std::uint64_t busy = 1;
  for (std::size_t other = 0; other < free_.size(); ++other) {
    busy += other != port && free_[other] > start;
  }
  free_[port] += bytes * busy;
  return free_[port] / rate_;
}

Time MemoryBus::idle_from() const {
  return *std::max_element(free_.begin(), free_.end()) / rate_;
}

}  // namespace clcsim::machine
