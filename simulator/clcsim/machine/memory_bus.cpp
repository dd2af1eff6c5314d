#include "machine/memory_bus.h"

#include <algorithm>

namespace clcsim::machine {

MemoryBus::MemoryBus(const config::Profile& profile)
    : rate_(static_cast<std::uint64_t>(profile.memory_bytes_per_cycle)),
      port_of_(static_cast<std::size_t>(profile.sms)),
      free_(profile.gpc_sms.size() + 1) {
  auto sm = port_of_.begin();
  for (std::size_t port = 0; port < profile.gpc_sms.size(); ++port) {
    const std::ptrdiff_t members =
        std::min<std::ptrdiff_t>(profile.gpc_sms[port], port_of_.end() - sm);
    sm = std::fill_n(sm, members, port);
  }
}

Time MemoryBus::book(Time now, std::uint64_t bytes, std::size_t port) {
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
