#include "cudart/host_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace clcsim::cudart {

bool is_mapped(std::uint64_t address) {
  return is_mapped(address, 1);
}

bool is_mapped(std::uint64_t address, std::uint64_t size) {
  if (address >= kHostEnd || size > kHostEnd - address) return false;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t end = address + size;
  std::array<unsigned char, 4096> resident;  // mincore() wants a byte for each page
  for (std::uint64_t at = address / page * page; at < end; at += resident.size() * page) {
    const std::uint64_t length = std::min(end - at, resident.size() * page);
    if (mincore(reinterpret_cast<void*>(at), length, resident.data()) != 0) return false;
  }
  return true;
}

}  // namespace clcsim::cudart
