#include "launcher/elf.h"

#include <elf.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

namespace clcsim::launcher {
namespace {

#if defined(__x86_64__)
constexpr int kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int kMachine = EM_AARCH64;
#endif

using Bytes = std::span<const std::byte>;

template <class T>
std::optional<T> read_at(Bytes file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

template <class T>
T demand(std::optional<T> value) {
  if (!value) throw ElfError("is cut off: its headers point beyond its end");
  return *value;
}

std::vector<Elf64_Phdr> read_segments(Bytes file, const Elf64_Ehdr& header) {
  std::vector<Elf64_Phdr> segments;
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    segments.push_back(demand(read_at<Elf64_Phdr>(file, header.e_phoff + i * sizeof(Elf64_Phdr))));
  }
  return segments;
}

// The file offset of a virtual address.
std::uint64_t offset_of(const std::vector<Elf64_Phdr>& segments, std::uint64_t address) {
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD && address - segment.p_vaddr < segment.p_filesz) {
      return segment.p_offset + (address - segment.p_vaddr);
    }
  }
  throw ElfError("is damaged: its dynamic section points outside of its segments");
}

std::string string_at(Bytes file, std::uint64_t offset) {
  std::string text;
  while (const char c = static_cast<char>(demand(read_at<std::byte>(file, offset++)))) text += c;
  return text;
}

}  // namespace

Elf read_elf(Bytes file) {
  const auto identity = read_at<std::array<unsigned char, EI_NIDENT>>(file, 0);
  if (!identity || std::memcmp(identity->data(), ELFMAG, SELFMAG) != 0) {
    throw ElfError("is not an executable: it is no ELF file");
  }
  if ((*identity)[EI_CLASS] != ELFCLASS64 || (*identity)[EI_DATA] != ELFDATA2LSB) {
    throw ElfError("is an ELF file for another kind of machine than this one");
  }
  const Elf64_Ehdr header = demand(read_at<Elf64_Ehdr>(file, 0));
  if (header.e_machine != kMachine) {
    throw ElfError("is an ELF file for another kind of machine than this one");
  }
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) {
    throw ElfError("is an ELF file but no executable (an object file or a core dump)");
  }
  if (header.e_phentsize != sizeof(Elf64_Phdr) && header.e_phnum != 0) {
    throw ElfError("is damaged: its program headers have a wrong size");
  }

  const std::vector<Elf64_Phdr> segments = read_segments(file, header);
  const Elf64_Phdr* dynamic = nullptr;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_DYNAMIC) dynamic = &segment;
  }
  Elf elf;
  if (dynamic == nullptr) return elf;  // linked statically

  std::vector<Elf64_Dyn> entries;
  std::uint64_t strings = 0;
  for (std::uint64_t i = 0; i < dynamic->p_filesz / sizeof(Elf64_Dyn); ++i) {
    entries.push_back(demand(read_at<Elf64_Dyn>(file, dynamic->p_offset + i * sizeof(Elf64_Dyn))));
    if (entries.back().d_tag == DT_NULL) break;
    if (entries.back().d_tag == DT_STRTAB) strings = entries.back().d_un.d_ptr;
  }
  for (const Elf64_Dyn& entry : entries) {
    const auto text = [&] {
      return string_at(file, offset_of(segments, strings) + entry.d_un.d_val);
    };
    if (entry.d_tag == DT_SONAME) elf.soname = text();
    if (entry.d_tag == DT_NEEDED) elf.needed.push_back(text());
    if (entry.d_tag == DT_RPATH) elf.rpath = text();
    if (entry.d_tag == DT_RUNPATH) elf.runpath = text();
  }
  return elf;
}

}  // namespace clcsim::launcher
