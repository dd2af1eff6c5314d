#include "process/host_pages.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <memory>

#include "machine/address.h"

namespace clcsim::process {

bool is_mapped(std::uint64_t address) {
  return is_mapped(address, 1);
}

bool is_mapped(std::uint64_t address, std::uint64_t size) {
  if (address >= machine::kHostEnd || size > machine::kHostEnd - address) return false;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t end = address + size;
  std::array<unsigned char, 4096> resident;  // mincore() wants a byte for each page
  for (std::uint64_t at = address / page * page; at < end; at += resident.size() * page) {
    const std::uint64_t length = std::min(end - at, resident.size() * page);
    if (mincore(reinterpret_cast<void*>(at), length, resident.data()) != 0) return false;
  }
  return true;
}

namespace {

struct Segment {
  std::uint64_t address;    // that is looked for
  std::uint64_t end = 0;    // of the segment that holds it; 0: none
  std::size_t objects = 0;  // seen before that
};

Segment find_segment(const void* address) {
  Segment segment{.address = reinterpret_cast<std::uint64_t>(address)};
  const auto look = [](dl_phdr_info* object, std::size_t, void* data) {
    Segment& wanted = *static_cast<Segment*>(data);
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const auto& header = object->dlpi_phdr[i];
      const std::uint64_t first = object->dlpi_addr + header.p_vaddr;
      const bool readable = header.p_type == PT_LOAD && (header.p_flags & PF_R) != 0;
      if (!readable || wanted.address - first >= header.p_memsz) continue;
      wanted.end = first + header.p_memsz;
      return 1;
    }
    ++wanted.objects;
    return 0;
  };
  dl_iterate_phdr(look, &segment);
  return segment;
}

}  // namespace

bool in_main_program(const void* address) {
  const Segment segment = find_segment(address);  // the executable is the first object
  return segment.end != 0 && segment.objects == 0;
}

std::size_t readable_bytes(const void* address) {
  const Segment segment = find_segment(address);
  if (segment.end != 0) return segment.end - segment.address;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "r"),
                                                             std::fclose);
  std::uint64_t first = 0, end = 0;
  char readable = '-';
  while (maps && std::fscanf(maps.get(), "%" SCNx64 "-%" SCNx64 " %c%*[^\n]", &first, &end,
                             &readable) == 3) {
    if (segment.address < first || segment.address >= end) continue;
    return readable == 'r' ? end - segment.address : 0;
  }
  return 0;
}

}  // namespace clcsim::process
