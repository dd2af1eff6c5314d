#include "context/allocations.h"

#include <iterator>

#include "context/failure.h"

namespace clcsim::context {
void* Allocations::allocate(std::size_t size, Kind kind, unsigned flags) {
  if (size == 0) return nullptr;
  const machine::Allocation* made = memory_.allocate(size, kind);
  demand(made != nullptr, cudaErrorMemoryAllocation);
  entries_[made->address] = {.size = size, .kind = kind, .flags = flags};
  return pointer_to(made->address);
}

void Allocations::add_host(void* host, std::size_t size, unsigned flags) {
  demand(size != 0 && caller_.is_mapped(address_of(host), size), cudaErrorInvalidValue);
  const std::uint64_t first = address_of(host);
  const auto after = entries_.lower_bound(first + size);
  if (after != entries_.begin()) {
    const auto& [address, entry] = *std::prev(after);
    const bool overlaps = address + entry.size > first;
    demand(!overlaps, cudaErrorHostMemoryAlreadyRegistered);
  }
  memory_.add_host(host, size);
  entries_[first] = {.size = size, .kind = Kind::pinned, .flags = flags, .registered = true};
}

void Allocations::remove_host(void* host) {
  const auto entry = entries_.find(address_of(host));
  demand(entry != entries_.end() && entry->second.registered, cudaErrorHostMemoryNotRegistered);
  memory_.free(entry->first);
  entries_.erase(entry);
}

Allocations::Entry& Allocations::demand_entry(void* address) {
  const auto entry = entries_.find(address_of(address));
  demand(entry != entries_.end() && !entry->second.being_freed, cudaErrorInvalidValue);
  return entry->second;
}

void Allocations::free_device(void* address) {
  demand(demand_entry(address).kind != Kind::pinned, cudaErrorInvalidValue);
  free_now(address);
}

void Allocations::free_host(void* address) {
  const Entry& entry = demand_entry(address);
  demand(entry.kind == Kind::pinned && !entry.registered, cudaErrorInvalidValue);
  free_now(address);
}

void Allocations::begin_free(void* address) {
  Entry& entry = demand_entry(address);
  demand(entry.kind == Kind::device, cudaErrorInvalidValue);
  entry.being_freed = true;
}

void Allocations::free_now(void* address) {
  memory_.free(address_of(address));
  entries_.erase(address_of(address));
}

unsigned Allocations::flags_of(const void* host) const {
  const auto after = entries_.upper_bound(address_of(host));
  demand(after != entries_.begin(), cudaErrorInvalidValue);
  const auto& [address, entry] = *std::prev(after);
  const bool inside = address_of(host) - address < entry.size;
  demand(inside && entry.kind == Kind::pinned, cudaErrorInvalidValue);
  return entry.flags;
}

void Allocations::clear() {
  for (const auto& [address, entry] : entries_) memory_.free(address);
  entries_.clear();
}

}  // namespace clcsim::context
