#include "ptx/fatbin.h"

#ifndef __EMSCRIPTEN__  // in a browser PTX comes as text
#include <lz4.h>
#include <zstd.h>
#endif

#include <cstring>
#include <memory>
#include <string_view>

namespace clcsim::ptx {
namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243b1;
constexpr std::uint32_t kFatbinMagic = 0xba55ed50;
constexpr std::size_t kFatbinHeader = 16;
constexpr std::size_t kEntryHeader = 64;  // the least

constexpr std::uint64_t kLz4 = 0x2000;
constexpr std::uint64_t kZstd = 0x8000;
constexpr std::uint64_t kArchitectureSpecific = 0x100000;
constexpr std::uint64_t kFamilySpecific = 0x200000;

// A text that claims to be larger is refused before memory is taken for it. The ratios are what the
// formats can reach: zstd says 128 KiB of one byte in 4 bytes, LZ4 255 bytes in one.
constexpr std::uint64_t kLargestText = std::uint64_t{1} << 30;
constexpr std::uint64_t kZstdRatio = 32768;
constexpr std::uint64_t kLz4Ratio = 255;

template <typename T>
T load(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;
  const void* fatbin;
  const void* prelinked;
};

FatbinEntry read_entry(std::span<const std::byte> entry, std::size_t header_size,
                       std::uint64_t payload_size) {
  const auto kind = load<std::uint16_t>(entry, 0);
  const auto compressed_size = load<std::uint32_t>(entry, 16);

  FatbinEntry result;
  result.kind = kind == 1   ? FatbinEntry::Kind::kPtx
                : kind == 2 ? FatbinEntry::Kind::kMachineCode
                            : FatbinEntry::Kind::kOther;
  result.architecture = load<std::uint32_t>(entry, 28);
  result.flags = load<std::uint64_t>(entry, 40);
  result.variant = result.flags & kArchitectureSpecific ? 'a'
                   : result.flags & kFamilySpecific     ? 'f'
                                                        : '\0';
  result.payload = entry.subspan(header_size, payload_size);
  if (compressed_size != 0) {
    if (compressed_size > payload_size) {
      throw FatbinError("the fatbin is damaged: compressed text is longer than its entry");
    }
    result.payload = result.payload.first(compressed_size);
    result.text_size = load<std::uint64_t>(entry, 56);
  }
  return result;
}

std::string without_trailing_zeros(std::string_view text) {
  const std::size_t last = text.find_last_not_of('\0');
  return std::string(text.substr(0, last == std::string_view::npos ? 0 : last + 1));
}

}  // namespace

std::string FatbinEntry::target() const {
  std::string result = std::to_string(architecture);
  if (variant != '\0') result += variant;
  return result;
}

std::string FatbinEntry::text() const {
  const auto* source = reinterpret_cast<const char*>(payload.data());
  const bool zstd = (flags & kZstd) != 0;
  const bool lz4 = (flags & kLz4) != 0;
  if (!zstd && !lz4) {
    if (text_size != 0) {
      throw FatbinError("the PTX for " + target() + " is compressed in a way that is not known");
    }
    return without_trailing_zeros({source, payload.size()});
  }
  const std::uint64_t ratio = zstd ? kZstdRatio : kLz4Ratio;
  if (text_size > kLargestText || text_size / ratio > payload.size()) {
    throw FatbinError("the PTX for " + target() + " claims to be " + std::to_string(text_size) +
                      " bytes long, which cannot be");
  }
  // Not a std::string: that would fill the memory before it is known that the claim is true.
  const std::unique_ptr<char[]> text(new char[text_size]);
  bool complete = false;
#ifndef __EMSCRIPTEN__
  if (zstd) {
    complete = ZSTD_decompress(text.get(), text_size, source, payload.size()) == text_size;
  } else {
    const int size = LZ4_decompress_safe(source, text.get(), static_cast<int>(payload.size()),
                                         static_cast<int>(text_size));
    complete = size >= 0 && static_cast<std::uint64_t>(size) == text_size;
  }
#endif
  if (!complete) {
    throw FatbinError("the PTX for " + target() + " is damaged: it cannot be decompressed");
  }
  return without_trailing_zeros({text.get(), static_cast<std::size_t>(text_size)});
}

std::vector<FatbinEntry> read_fatbin(std::span<const std::byte> bytes) {
  if (bytes.size() < kFatbinHeader || load<std::uint32_t>(bytes, 0) != kFatbinMagic) {
    throw FatbinError("this is no fatbin: it does not start with 0xba55ed50");
  }
  const auto version = load<std::uint16_t>(bytes, 4);
  if (version != 1) {
    throw FatbinError("the fatbin has version " + std::to_string(version) + "; 1 is known");
  }
  const auto header_size = load<std::uint16_t>(bytes, 6);
  const auto size = load<std::uint64_t>(bytes, 8);
  if (header_size < kFatbinHeader || header_size > bytes.size() ||
      size > bytes.size() - header_size) {
    throw FatbinError("the fatbin is cut off: it should be " + std::to_string(size) +
                      " bytes long");
  }
  std::span<const std::byte> rest = bytes.subspan(header_size, size);
  std::vector<FatbinEntry> entries;
  while (!rest.empty()) {
    if (rest.size() < kEntryHeader) {
      throw FatbinError("the fatbin is damaged: an entry is shorter than its header");
    }
    const auto entry_header = load<std::uint32_t>(rest, 4);
    const auto payload = load<std::uint64_t>(rest, 8);
    if (entry_header < kEntryHeader || entry_header > rest.size() ||
        payload > rest.size() - entry_header) {
      throw FatbinError("the fatbin is damaged: an entry reaches beyond its end");
    }
    entries.push_back(read_entry(rest, entry_header, payload));
    rest = rest.subspan(entry_header + payload);
  }
  return entries;
}

std::vector<FatbinEntry> read_registered_fatbin(
    const void* wrapper, const std::function<std::size_t(const void*)>& readable) {
  Wrapper registered{};
  if (wrapper && readable(wrapper) >= sizeof registered)
    std::memcpy(&registered, wrapper, sizeof registered);
  if (registered.magic != kWrapperMagic) {
    throw FatbinError("the program registers something that is no fatbin");
  }
  if (registered.version == 2) {
    throw FatbinError(
        "the program was linked from relocatable device code (-rdc=true), which is not supported; "
        "compile without that option one file that has all device code or includes the others "
        "(#include)");
  }
  if (registered.version != 1) {
    throw FatbinError("the program's fatbin has a wrapper of version " +
                      std::to_string(registered.version) + "; 1 is known");
  }
  if (!registered.fatbin) throw FatbinError("the program registers an empty fatbin");
  const auto* bytes = static_cast<const std::byte*>(registered.fatbin);
  return read_fatbin({bytes, readable(bytes)});
}

bool suits(unsigned architecture, char variant, ComputeCapability capability) {
  const unsigned major = architecture / 10;
  const unsigned minor = architecture % 10;
  const bool same_major = major == capability.major;
  if (variant == 'a') return same_major && minor == capability.minor;
  if (same_major) return minor <= capability.minor;
  return variant != 'f' && major < capability.major;
}

const FatbinEntry* select_ptx(std::span<const FatbinEntry> entries, ComputeCapability capability) {
  const FatbinEntry* best = nullptr;
  const auto rank = [](const FatbinEntry& entry) {
    return entry.variant == 'a' ? 2 : entry.variant == 'f' ? 1 : 0;
  };
  for (const FatbinEntry& entry : entries) {
    if (entry.kind != FatbinEntry::Kind::kPtx) continue;
    if (!suits(entry.architecture, entry.variant, capability)) continue;
    if (!best || rank(entry) > rank(*best) ||
        (rank(entry) == rank(*best) && entry.architecture > best->architecture)) {
      best = &entry;
    }
  }
  return best;
}

std::string describe(std::span<const FatbinEntry> entries) {
  std::string result;
  for (const auto& [kind, name] : {std::pair(FatbinEntry::Kind::kPtx, "PTX"),
                                   std::pair(FatbinEntry::Kind::kMachineCode, "machine code"),
                                   std::pair(FatbinEntry::Kind::kOther, "something else")}) {
    std::vector<std::string> targets;
    for (const FatbinEntry& entry : entries) {
      if (entry.kind == kind) targets.push_back(entry.target());
    }
    if (targets.empty()) continue;
    result += std::string(result.empty() ? "" : ", ") + name + " for ";
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (i > 0) result += i + 1 == targets.size() ? " and " : ", ";
      result += targets[i];
    }
  }
  return result.empty() ? "nothing" : result;
}

}  // namespace clcsim::ptx
