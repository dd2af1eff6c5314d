#include "launcher/locate.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "launcher/elf.h"

namespace clcsim::launcher {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRebuild =
    "rebuild it with nvcc's -cudart shared (in CMake: CUDA_RUNTIME_LIBRARY Shared)";

// A file's bytes for as long as this lives.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw ProgramError(path + " can't be read");
    struct stat facts = {};
    if (fstat(file, &facts) == 0 && facts.st_size > 0) {
      size_ = static_cast<std::size_t>(facts.st_size);
      void* pages = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (pages == MAP_FAILED) size_ = 0;
      if (size_ > 0) data_ = static_cast<const std::byte*>(pages);
    }
    close(file);
  }
  ~MappedFile() {
    if (size_ > 0) munmap(const_cast<std::byte*>(data_), size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

bool is_script(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{'#'} && bytes[1] == std::byte{'!'};
}

std::vector<std::string> split_folders(const std::string& folders) {
  std::vector<std::string> parts;
  std::istringstream stream(folders);
  for (std::string part; std::getline(stream, part, ':');) parts.push_back(part);
  return parts;
}

// The names that the loader replaces in an RPATH.
std::string expand_origin(std::string folder, const std::string& program) {
  const std::string origin = fs::absolute(program).parent_path().string();
  for (const std::string name : {"${ORIGIN}", "$ORIGIN"}) {
    for (std::size_t at; (at = folder.find(name)) != std::string::npos;) {
      folder.replace(at, name.size(), origin);
    }
  }
  return folder;
}

// Names like "libcudart.so.13".
bool is_runtime(const std::string& library) {
  return library.starts_with("libcudart.so.");
}

}  // namespace

std::string find_program(const std::string& program, const std::string& search_path) {
  if (program.empty()) throw ProgramError("the program's name is empty");
  if (program.find('/') != std::string::npos) return program;
  for (const std::string& folder : split_folders(search_path)) {
    const std::string path = (folder.empty() ? "." : folder) + "/" + program;
    if (fs::is_regular_file(path) && access(path.c_str(), X_OK) == 0) return path;
  }
  if (fs::is_directory(program)) throw ProgramError(program + " is a folder, not a program");
  if (fs::exists(program)) {
    throw ProgramError(
        program + " was not found on the PATH; for the file in this folder, write ./" + program);
  }
  throw ProgramError(program + " was not found, neither in this folder nor on the PATH");
}

void check_program(const std::string& path, const std::string& library_folder) {
  std::error_code none;
  if (!fs::exists(path, none)) throw ProgramError(path + " was not found");
  if (fs::is_directory(path, none)) throw ProgramError(path + " is a folder, not a program");
  if (!fs::is_regular_file(path, none)) throw ProgramError(path + " is not a program");
  const MappedFile file(path);
  if (is_script(file.bytes())) {
    throw ProgramError(path + " is a script; name the executable that it runs");
  }
  Elf elf;
  try {
    elf = read_elf(file.bytes());
  } catch (const ElfError& error) {
    throw ProgramError(path + " " + error.what());
  }
  if (access(path.c_str(), X_OK) != 0) {
    throw ProgramError(path + " is not marked as executable (chmod +x)");
  }

  const auto runtime = std::find_if(elf.needed.begin(), elf.needed.end(), is_runtime);
  if (runtime == elf.needed.end()) {
    if (std::find(elf.needed.begin(), elf.needed.end(), "libcuda.so.1") != elf.needed.end()) {
      throw ProgramError(path + " uses the driver's library (libcuda.so.1) directly; clcsim " +
                         "replaces the CUDA runtime only");
    }
    throw ProgramError(path +
                       " doesn't load the shared CUDA runtime (libcudart.so), which clcsim would " +
                       "replace; if it is a CUDA program, " + kRebuild);
  }
  if (!fs::exists(library_folder + "/" + *runtime)) {
    std::string offered;
    for (const auto& entry : fs::directory_iterator(library_folder, none)) {
      const std::string name = entry.path().filename().string();
      if (is_runtime(name)) offered += (offered.empty() ? "" : ", ") + name;
    }
    throw ProgramError(path + " needs " + *runtime + ", and this clcsim was built with " +
                       (offered.empty() ? "none" : offered) +
                       "; build both with the same CUDA toolkit");
  }
  // An RPATH is searched before LD_LIBRARY_PATH, a RUNPATH after it; where both are given, the
  // loader ignores the RPATH.
  if (!elf.runpath.empty()) return;
  for (const std::string& folder : split_folders(elf.rpath)) {
    const std::string found = expand_origin(folder, path) + "/" + *runtime;
    if (fs::exists(found, none) && !fs::equivalent(found, library_folder + "/" + *runtime, none)) {
      throw ProgramError(path + " has an RPATH, by which the loader takes " + found +
                         " in any case; link it with -Wl,--enable-new-dtags or without that RPATH");
    }
  }
}

std::string library_folder() {
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  if (failed) throw ProgramError("clcsim can't find its own folder: " + failed.message());
  return (self.parent_path().parent_path() / "lib" / "clcsim").string();
}

}  // namespace clcsim::launcher
