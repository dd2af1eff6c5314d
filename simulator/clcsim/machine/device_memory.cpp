#include "machine/device_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <vector>

#include "machine/address.h"

namespace clcsim::machine {
namespace {

constexpr std::uint64_t kAlignment = 512;    // of cudaMalloc; Programming Guide: at least 256
constexpr std::uint64_t kRedZone = 1 << 16;  // addresses between two allocations, of none
constexpr std::uint64_t kHeapAlignment = 16, kHeapRedZone = 256;
constexpr std::size_t kRemembered = 4096;   // freed allocations that are known one by one
constexpr std::uint64_t kLowest = 1 << 16;  // Linux puts nothing of a process below

std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// What a GPU's malloc takes besides is not documented.
std::uint64_t heap_size(std::uint64_t size) {
  return round_up(size, kHeapAlignment);
}

// Emscripten's munmap frees memory, and then reads its own record, which lies right behind it
// (emscripten_mmap.c of 3.1.6): behind a few bytes, the heap has written over that by then.
std::uint64_t whole_pages(std::uint64_t size) {
  return round_up(size, static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

constexpr std::uint64_t kLargePage = 2 << 20;

/// Whole large pages where there is room for some: a fault for each page of 4 KiB would take a
/// quarter of a run that streams through its memory.
std::byte* map_pages(std::uint64_t wanted) {
  const std::uint64_t size = whole_pages(wanted);
  if (size > std::numeric_limits<std::size_t>::max()) return nullptr;
#ifdef __EMSCRIPTEN__  // it gives memory back as it gave it out, or not at all
  constexpr std::uint64_t kLargePages = std::numeric_limits<std::uint64_t>::max();
#else
  constexpr std::uint64_t kLargePages = 2 * kLargePage;
#endif
  const std::uint64_t slack = size >= kLargePages ? kLargePage : 0;
  void* pages = mmap(nullptr, size + slack, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(pages);
  if (slack == 0) return begin;
  const auto address = reinterpret_cast<std::uint64_t>(begin);
  const std::uint64_t before = round_up(address, kLargePage) - address;
  if (before != 0) munmap(begin, before);
  begin += before;
  munmap(begin + size, slack - before);
#ifdef MADV_HUGEPAGE
  madvise(begin, size / kLargePage * kLargePage, MADV_HUGEPAGE);  // as a favour
#endif
  return begin;
}

void give_back(const Allocation& allocation) {
  if (allocation.registered || allocation.host == nullptr) return;
  if (allocation.kind == Allocation::Kind::heap) {
    std::free(allocation.host);
  } else {
    munmap(allocation.host, whole_pages(allocation.size));
  }
}

// Host addresses are used again: what was freed where the new allocation lies is forgotten.
void drop_freed(std::map<std::uint64_t, Allocation>& allocations, std::uint64_t address,
                std::uint64_t size) {
  auto entry = allocations.lower_bound(address);
  if (entry != allocations.begin()) {
    const Allocation& before = std::prev(entry)->second;
    if (before.address + before.size > address) --entry;
  }
  while (entry != allocations.end() && entry->first < address + size) {
    entry = entry->second.freed ? allocations.erase(entry) : std::next(entry);
  }
}

}  // namespace

DeviceMemory::~DeviceMemory() {
  for (auto& [address, allocation] : allocations_) {
    if (!allocation.freed) give_back(allocation);
  }
}

Allocation* DeviceMemory::allocate(std::uint64_t size, Allocation::Kind kind, std::string name) {
  if (kind == Allocation::Kind::heap) return allocate_on_heap(size);
  if (size == 0 || size > capacity_ - used_) return nullptr;
  std::byte* host = map_pages(size);
  if (host == nullptr) return nullptr;
  used_ += size;
  std::uint64_t address = reinterpret_cast<std::uint64_t>(host);
  if (kind == Allocation::Kind::device || kind == Allocation::Kind::variable) {
    address = next_address_;
    next_address_ = round_up(next_address_ + size + kRedZone, kAlignment);
  }
  return add(kind, address, size, host, std::move(name));
}

// As many small pieces as a kernel wants: from the host's heap. They hold anything but zeros.
Allocation* DeviceMemory::allocate_on_heap(std::uint64_t size) {
  if (size == 0 || size > heap_capacity_ || heap_size(size) > heap_capacity_ - heap_used_) {
    return nullptr;
  }
  auto* host = static_cast<std::byte*>(std::malloc(heap_size(size)));
  if (host == nullptr) return nullptr;
  std::memset(host, 0xcd, heap_size(size));
  heap_used_ += heap_size(size);
  const std::uint64_t address = next_heap_address_;
  next_heap_address_ = round_up(next_heap_address_ + size + kHeapRedZone, kHeapAlignment);
  return add(Allocation::Kind::heap, address, size, host, {});
}

Allocation* DeviceMemory::add(Allocation::Kind kind, std::uint64_t address, std::uint64_t size,
                              std::byte* host, std::string name) {
  forget_last();
  drop_freed(allocations_, address, size);
  Allocation& slot = allocations_[address];
  slot = {.address = address, .size = size, .host = host, .kind = kind, .name = std::move(name)};
  return &slot;
}

Allocation* DeviceMemory::add_host(void* host, std::uint64_t size) {
  Allocation* const made = add(Allocation::Kind::pinned, reinterpret_cast<std::uint64_t>(host),
                               size, static_cast<std::byte*>(host), {});
  made->registered = true;
  return made;
}

bool DeviceMemory::free(std::uint64_t address) {
  const auto entry = allocations_.find(address);
  if (entry == allocations_.end() || entry->second.freed) return false;
  Allocation& allocation = entry->second;
  forget_last();
  if (allocation.kind == Allocation::Kind::heap) {
    heap_used_ -= heap_size(allocation.size);
  } else if (!allocation.registered) {
    used_ -= allocation.size;
  }
  give_back(allocation);
  allocation.freed = true;
  allocation.host = nullptr;
  if (address < kFirstAddress) return true;  // the host may use these again
  freed_.push_back(address);
  if (freed_.size() > kRemembered) {
    forget(freed_.front());
    freed_.pop_front();
  }
  return true;
}

void DeviceMemory::empty_heap() {
  std::vector<std::uint64_t> live;
  for (auto entry = allocations_.lower_bound(kFirstHeapAddress); entry != allocations_.end();
       ++entry) {
    if (!entry->second.freed) live.push_back(entry->first);
  }
  for (const std::uint64_t address : live) free(address);
}

void DeviceMemory::forget(std::uint64_t address) {
  auto entry = allocations_.find(address);
  entry->second.forgotten = true;
  entry->second.name.clear();
  const auto merge = [&](auto first, auto second) {
    first->second.size = second->second.address + second->second.size - first->second.address;
    allocations_.erase(second);
    return first;
  };
  if (entry != allocations_.begin() && std::prev(entry)->second.forgotten) {
    entry = merge(std::prev(entry), entry);
  }
  const auto next = std::next(entry);
  if (next != allocations_.end() && next->second.forgotten) merge(entry, next);
}

const Allocation* DeviceMemory::find(std::uint64_t address) const {
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  const Allocation& candidate = std::prev(after)->second;
  return address - candidate.address < candidate.size ? &candidate : nullptr;
}

const Allocation* DeviceMemory::first_behind(std::uint64_t address) const {
  const auto entry = allocations_.lower_bound(address);
  return entry == allocations_.end() ? nullptr : &entry->second;
}

std::byte* DeviceMemory::translate_slowly(std::uint64_t address, std::uint64_t size) {
  const Allocation* found = find(address);
  if (found == nullptr || found->freed) return nullptr;
  if (size > found->size - (address - found->address)) return nullptr;
  last_address_ = found->address;
  last_size_ = found->size;
  last_host_ = found->host;
  return last_host_ + (address - last_address_);
}

DeviceMemory::Explanation DeviceMemory::explain(std::uint64_t address) const {
  if (address < 4096) {
    return {"the address is a null pointer or close to one", What::null_pointer};
  }
  const auto describe = [](const Allocation& allocation) -> std::string {
    if (allocation.forgotten) return "memory that was freed long ago";
    std::string text = "the " + std::to_string(allocation.size) + " bytes ";
    return text + (allocation.name.empty() ? "allocated" : "of the variable " + allocation.name);
  };
  if (const Allocation* found = find(address)) {
    if (found->forgotten) return {"it lies in " + describe(*found)};
    return {found->freed ? "it lies in " + describe(*found) + ", which have been freed"
                         : "it runs over the end of " + describe(*found)};
  }
  const auto after = allocations_.upper_bound(address);
  if (after != allocations_.begin()) {
    const Allocation& before = std::prev(after)->second;
    const std::uint64_t past = address - (before.address + before.size);
    if (past < kRedZone) {
      return {past == 0 ? "right behind the end of " + describe(before)
                        : std::to_string(past) + " bytes past the end of " + describe(before)};
    }
  }
  if (after != allocations_.end() && after->second.address - address <= kRedZone) {
    return {std::to_string(after->second.address - address) + " bytes before the start of " +
            describe(after->second)};
  }
  if (address < kHostEnd && address > kLowest) {
    return {"it looks like an address of the host's memory, which a kernel can't reach",
            What::host_pointer};
  }
  for (std::uint64_t away = std::uint64_t{1} << 31; away <= std::uint64_t{1} << 36; away *= 2) {
    for (const bool before : {true, false}) {  // as an index wraps around in 32 bits
      const Allocation* found = find(before ? address + away : address - away);
      if (found == nullptr || found->freed) continue;
      return {std::to_string(away >> 30) + " GiB " + (before ? "before" : "behind") +
                  " a place in " + describe(*found) + ": has a product of 32 bits overflowed?",
              What::index_overflow};
    }
  }
  return {"no allocation is near it"};
}

}  // namespace clcsim::machine
