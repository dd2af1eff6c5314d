#include "launcher/locate.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>

#include "config/output_file.h"
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

// Replaces what the loader replaces in an RPATH. The folder may be called so itself.
std::string expand_origin(const std::string& folder, const std::string& program) {
  const std::string origin = fs::absolute(program).parent_path().string();
  std::string expanded;
  for (std::size_t at = 0; at < folder.size();) {
    std::size_t length = 0;
    for (const std::string name : {"${ORIGIN}", "$ORIGIN"}) {
      if (length == 0 && folder.compare(at, name.size(), name) == 0) length = name.size();
    }
    expanded += length == 0 ? folder.substr(at, 1) : origin;
    at += std::max<std::size_t>(length, 1);
  }
  return expanded;
}

// False for names that can't be one's, too: too long, or in a folder that can't be entered.
bool is_file(const std::string& path) {
  std::error_code none;
  return fs::is_regular_file(path, none);
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
    if (is_file(path) && access(path.c_str(), X_OK) == 0) return path;
  }
  std::error_code none;
  if (fs::is_directory(program, none)) throw ProgramError(program + " is a folder, not a program");
  if (fs::exists(program, none)) {
    throw ProgramError(
        program + " was not found on the PATH; for the file in this folder, write ./" + program);
  }
  throw ProgramError(program + " was not found, neither in this folder nor on the PATH");
}

namespace {

Elf read_program(const std::string& path) {
  const MappedFile file(path);
  try {
    return read_elf(file.bytes());
  } catch (const ElfError& error) {
    throw ProgramError(path + " " + error.what());
  }
}

// Where the loader finds a shared library for an object: only the folders that it or the user
// names; those of the system hold no user's code.
std::string find_library(const std::string& name, const std::string& object, const Elf& elf) {
  const char* from_user = std::getenv("LD_LIBRARY_PATH");
  for (const std::string& folders :
       {elf.rpath, std::string(from_user == nullptr ? "" : from_user), elf.runpath}) {
    for (const std::string& folder : split_folders(folders)) {
      const std::string path = expand_origin(folder, object) + "/" + name;
      if (is_file(path)) return path;
    }
  }
  return {};
}

struct Need {
  std::string runtime;  // "libcudart.so.13"
  std::string object;   // that asks for it
  Elf elf;
};

constexpr const char* kDriver = "libcuda.so.1";
constexpr const char* kUseRuntime =
    "; clcsim replaces the CUDA runtime only, so call the runtime's functions instead (they load "
    "PTX, too: cudaLibraryLoadData), and link with nvcc's -cudart shared";

// Who asks for a CUDA runtime: the program, or one of its libraries. Throws where one of them asks
// for the driver's library, which would lead past the simulator.
std::optional<Need> find_need(const std::string& program) {
  std::vector<std::string> objects = {program};
  std::optional<Need> need;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const std::string object = objects[i];
    Elf elf;
    try {
      elf = read_program(object);
    } catch (const ProgramError&) {
      if (i == 0) throw;
      continue;  // a library that the loader will pass over, too
    }
    for (const std::string& name : elf.needed) {
      if (name == kDriver) {
        throw ProgramError(object + " uses the driver's library (" + kDriver + ") directly" +
                           kUseRuntime);
      }
      if (is_runtime(name)) {
        if (!need) need = Need{name, object, elf};
        continue;  // what it needs is replaced with it
      }
      const std::string path = find_library(name, object, elf);
      const bool is_new = std::find(objects.begin(), objects.end(), path) == objects.end();
      if (!path.empty() && is_new) objects.push_back(path);
    }
  }
  return need;
}

// Whether it opens the driver's library itself, and not through a CUDA runtime that it holds.
bool opens_driver(const std::string& program) {
  const MappedFile file(program);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()),
                              file.bytes().size());
  return text.find("libcuda.so") != text.npos && text.find("cudart") == text.npos;
}

// An RPATH is searched before LD_LIBRARY_PATH, a RUNPATH after it; where both are given, the loader
// ignores the RPATH.
void check_rpath(const std::string& object, const Elf& elf, const std::string& runtime,
                 const std::string& library_folder) {
  if (!elf.runpath.empty()) return;
  std::error_code none;
  for (const std::string& folder : split_folders(elf.rpath)) {
    const std::string found = expand_origin(folder, object) + "/" + runtime;
    if (fs::exists(found, none) && !fs::equivalent(found, library_folder + "/" + runtime, none)) {
      throw ProgramError(object + " has an RPATH, by which the loader takes " + found +
                         " in any case; link it with -Wl,--enable-new-dtags or without that RPATH");
    }
  }
}

// What is preloaded comes before everything that LD_LIBRARY_PATH leads to.
void check_preloaded(const std::string& runtime, const std::string& library_folder) {
  const char* const from_user = std::getenv("LD_PRELOAD");
  std::istringstream names(std::string(from_user == nullptr ? "" : from_user) + " " +
                           config::text_of_file("/etc/ld.so.preload"));
  for (std::string words; names >> words;) {
    for (const std::string& name : split_folders(words)) {
      const std::string path =
          name.find('/') != std::string::npos ? name : find_library(name, name, Elf());
      Elf elf;
      try {
        elf = read_program(path.empty() ? name : path);
      } catch (const ProgramError&) {  // perhaps one of the system's
      }
      std::error_code none;
      const bool is_other = (elf.soname == runtime || fs::path(name).filename() == runtime) &&
                            !fs::equivalent(path, library_folder + "/" + runtime, none);
      if (is_other) {
        throw ProgramError("LD_PRELOAD makes the loader take " + name + " before clcsim's " +
                           runtime + "; leave it out");
      }
      check_rpath(name, elf, runtime, library_folder);
    }
  }
}

// With rights that its user doesn't have, a program gets no LD_LIBRARY_PATH from the loader.
void check_rights(const std::string& path) {
  struct stat facts = {};
  if (stat(path.c_str(), &facts) != 0) return;
  const bool other_user = (facts.st_mode & S_ISUID) != 0 && facts.st_uid != getuid();
  const bool other_group = (facts.st_mode & S_ISGID) != 0 && facts.st_gid != getgid();
  const bool capable = getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  if (other_user || other_group || capable) {
    throw ProgramError(
        path + " runs with rights that you don't have (set-uid, set-gid or a " +
        "capability), and the loader lets nobody replace a library then; run a copy");
  }
}

}  // namespace

void check_program(const std::string& path, const std::string& library_folder) {
  std::error_code none;
  if (!fs::exists(path, none)) throw ProgramError(path + " was not found");
  if (fs::is_directory(path, none)) throw ProgramError(path + " is a folder, not a program");
  if (!fs::is_regular_file(path, none)) throw ProgramError(path + " is not a program");
  if (is_script(MappedFile(path).bytes())) {
    throw ProgramError(path + " is a script; name the executable that it runs");
  }
  const Elf elf = read_program(path);
  if (access(path.c_str(), X_OK) != 0) {
    throw ProgramError(path + " is not marked as executable (chmod +x)");
  }
  check_rights(path);

  const std::optional<Need> need = find_need(path);
  if (!need && opens_driver(path)) {
    throw ProgramError(path + " opens the driver's library (" + kDriver + ") itself" + kUseRuntime);
  }
  if (!need) {
    throw ProgramError(path + " doesn't load the shared CUDA runtime (libcudart.so), which " +
                       "clcsim would replace; if it is a CUDA program, " + kRebuild);
  }
  if (!fs::exists(library_folder + "/" + need->runtime, none)) {
    std::string offered;
    for (const auto& entry : fs::directory_iterator(library_folder, none)) {
      const std::string name = entry.path().filename().string();
      if (is_runtime(name)) offered += (offered.empty() ? "" : ", ") + name;
    }
    if (offered.empty()) {
      throw ProgramError("clcsim's own library " + need->runtime + " is missing from " +
                         library_folder + "; build or install clcsim again");
    }
    throw ProgramError(need->object + " needs " + need->runtime +
                       ", and this clcsim was built with " + offered +
                       "; build both with the same CUDA toolkit");
  }
  check_preloaded(need->runtime, library_folder);
  check_rpath(path, elf, need->runtime, library_folder);
  check_rpath(need->object, need->elf, need->runtime, library_folder);
}

std::string library_folder() {
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  if (failed) throw ProgramError("clcsim can't find its own folder: " + failed.message());
  const std::string folder = (self.parent_path().parent_path() / "lib" / "clcsim").string();
  // The loader splits its path at the first two, and replaces $ORIGIN and the like.
  const std::size_t at = folder.find_first_of(":;$");
  if (at != std::string::npos) {
    throw ProgramError("its libraries are in " + folder + ", and the loader takes no path with '" +
                       folder[at] + "'; rename that folder");
  }
  return folder;
}

}  // namespace clcsim::launcher
