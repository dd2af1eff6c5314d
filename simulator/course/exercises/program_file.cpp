#include "exercises/program_file.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

namespace clcsim::exercises {
namespace {

// A T at this place of the file, where there is one.
template <class T>
std::optional<T> at(const std::string& file, std::uint64_t place) {
  T value;
  if (place > file.size() || file.size() - place < sizeof value) return std::nullopt;
  std::memcpy(&value, file.data() + place, sizeof value);
  return value;
}

// C++ names are the program's own, and their weak copies are everywhere.
bool is_foreign(const Elf64_Sym& symbol, const std::string& name) {
  return symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
         ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL && !name.starts_with("_Z") &&
         name != "_init" && name != "_fini";
}

std::string foreign_function(const std::string& file, const Elf64_Shdr& symbols,
                             const Elf64_Shdr& names) {
  for (std::uint64_t i = 0; i < symbols.sh_size / sizeof(Elf64_Sym); ++i) {
    const auto symbol = at<Elf64_Sym>(file, symbols.sh_offset + i * sizeof(Elf64_Sym));
    if (!symbol || names.sh_offset + symbol->st_name >= file.size()) continue;
    const std::string name = file.c_str() + names.sh_offset + symbol->st_name;
    if (is_foreign(*symbol, name)) return name;
  }
  return {};
}

}  // namespace

std::string meddles_with(const std::filesystem::path& program) {
  std::ifstream stream(program, std::ios::binary);
  const std::string file((std::istreambuf_iterator<char>(stream)), {});
  const auto header = at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {};
  const auto section = [&](std::uint64_t index) {
    return at<Elf64_Shdr>(file, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const auto one = section(i);
    if (!one) break;
    if (one->sh_type == SHT_PREINIT_ARRAY) return "code that runs before everything else";
    const auto names = section(one->sh_link);
    if (one->sh_type != SHT_DYNSYM || !names) continue;
    if (const std::string name = foreign_function(file, *one, *names); !name.empty())
      return name + "(), a function of the system";
  }
  return {};
}

}  // namespace clcsim::exercises
