// What the loader will do with an executable: the part of an ELF file that says so.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace clcsim::launcher {

/// The file is not an executable of this machine. what() is the end of a sentence that starts with
/// the file's name: "is not an ELF file".
class ElfError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Elf {
  std::string soname;               ///< by which others ask for it (DT_SONAME)
  std::vector<std::string> needed;  ///< names of the shared libraries it asks for (DT_NEEDED)
  std::string rpath;                ///< folders searched before LD_LIBRARY_PATH (DT_RPATH)
  std::string runpath;              ///< folders searched after it; makes the loader ignore rpath
};

/// Reads the bytes of a file, whatever they are. Throws ElfError.
Elf read_elf(std::span<const std::byte> file);

}  // namespace clcsim::launcher
