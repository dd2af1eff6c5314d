// Any bytes as a fatbin: they are read, or refused with a FatbinError.
#include <cstddef>
#include <cstdint>
#include <span>

#include "ptx/fatbin.h"

using namespace clcsim::ptx;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<FatbinEntry> entries;
  try {
    entries = read_fatbin(std::as_bytes(std::span(data, size)));
  } catch (const FatbinError&) {
    return 0;
  }
  describe(entries);
  for (const ComputeCapability capability : {ComputeCapability{9, 0}, {10, 0}, {10, 3}, {12, 0}}) {
    select_ptx(entries, capability);
  }
  for (const FatbinEntry& entry : entries) {
    try {
      entry.text();
    } catch (const FatbinError&) {
    }
  }
  return 0;
}
