#include "exercises/program_file.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>

#include "config/output_file.h"
#include "exercises/imports.h"

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

// Whether no other library brings C++'s: it was linked into the program, and what it imports can't
// be told from what the answer does.
bool has_own_cpp_library(const std::string& file, const Elf64_Shdr& dynamic,
                         const Elf64_Shdr& names) {
  for (std::uint64_t i = 0; i < dynamic.sh_size / sizeof(Elf64_Dyn); ++i) {
    const auto entry = at<Elf64_Dyn>(file, dynamic.sh_offset + i * sizeof(Elf64_Dyn));
    if (!entry || entry->d_tag != DT_NEEDED) continue;
    const std::uint64_t place = names.sh_offset + entry->d_un.d_val;
    if (place >= file.size()) continue;
    const std::string library = file.c_str() + place;
    if (library.starts_with("libstdc++") || library.starts_with("libc++")) return false;
  }
  return true;
}

// A function in the place of another library's: visible are those that one uses. C++ names are the
// program's own, and weak copies of the library's templates are everywhere.
bool is_replaced(const Elf64_Sym& symbol, const std::string& name, bool own_cpp) {
  const auto starts_with_one_of = [&](std::initializer_list<const char*> starts) {
    return std::ranges::any_of(starts, [&](const char* start) { return name.starts_with(start); });
  };
  if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || name == "_init" || name == "_fini") return false;
  if (own_cpp) return !name.starts_with("_");
  if (starts_with_one_of({"_Zn", "_Zd"})) return true;  // new and delete
  return !name.starts_with("_Z") || (ELF64_ST_BIND(symbol.st_info) != STB_WEAK &&
                                     starts_with_one_of({"_ZS", "_ZNS", "_ZNKS"}));
}

Objection no(const std::string& key, const std::string& sentence) {
  return {key, "  " + sentence + "   <--\n"};
}

Objection objection_to_symbols(const std::string& file, const Elf64_Shdr& symbols,
                               const Elf64_Shdr& names, bool own_cpp) {
  for (std::uint64_t i = 0; i < symbols.sh_size / sizeof(Elf64_Sym); ++i) {
    const auto symbol = at<Elf64_Sym>(file, symbols.sh_offset + i * sizeof(Elf64_Sym));
    if (!symbol || names.sh_offset + symbol->st_name >= file.size()) continue;
    const std::string name = file.c_str() + names.sh_offset + symbol->st_name;
    if (name.empty()) continue;
    // A variable of another library is copied: so it is defined here.
    const bool is_copied = ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT && !name.starts_with("_Z");
    if (symbol->st_shndx != SHN_UNDEF && is_replaced(*symbol, name, own_cpp))
      return no("replaced function", "your file has " + name +
                                         "(), a function of the system: the check needs the "
                                         "system's own");
    if (own_cpp || (symbol->st_shndx != SHN_UNDEF && !is_copied)) continue;
    const std::string what = refused_import(name);
    if (what.empty()) continue;
    const std::string verb = is_copied || !what.ends_with("()") ? "uses " : "calls ";
    return no("needless function", "your program " + verb + (is_copied ? name : what) +
                                       ", which no answer needs: take it out");
  }
  return {};
}

// Functions that choose other functions before anything else runs.
bool has_choosers(const std::string& file, const Elf64_Shdr& section, int machine) {
  const std::uint64_t chooser = machine == EM_AARCH64 ? R_AARCH64_IRELATIVE : R_X86_64_IRELATIVE;
  for (std::uint64_t i = 0; i < section.sh_size / sizeof(Elf64_Rela); ++i) {
    const auto one = at<Elf64_Rela>(file, section.sh_offset + i * sizeof(Elf64_Rela));
    if (one && ELF64_R_TYPE(one->r_info) == chooser) return true;
  }
  return false;
}

}  // namespace

Objection objection_to_program(const std::filesystem::path& program) {
  const std::string file = config::text_of_file(program);
  const auto header = at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {};
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    const auto part = at<Elf64_Phdr>(file, header->e_phoff + i * sizeof(Elf64_Phdr));
    if (part && (part->p_type == PT_LOAD || part->p_type == PT_GNU_STACK) &&
        (part->p_flags & (PF_W | PF_X)) == (PF_W | PF_X))
      return no("replaced function", "your program can change its own code, which no answer needs");
  }
  const auto section = [&](std::uint64_t index) {
    return at<Elf64_Shdr>(file, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  bool own_cpp = false;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const auto one = section(i);
    const auto names = one ? section(one->sh_link) : std::nullopt;
    if (names && one->sh_type == SHT_DYNAMIC) own_cpp = has_own_cpp_library(file, *one, *names);
  }
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const auto one = section(i);
    if (!one) break;
    if (one->sh_type == SHT_PREINIT_ARRAY ||
        (one->sh_type == SHT_RELA && has_choosers(file, *one, header->e_machine)))
      return no("replaced function",
                "your file has code that runs before everything else: no answer needs it");
    const auto names = section(one->sh_link);
    if (one->sh_type != SHT_DYNSYM || !names) continue;
    if (Objection objection = objection_to_symbols(file, *one, *names, own_cpp)) return objection;
  }
  return {};
}

}  // namespace clcsim::exercises
