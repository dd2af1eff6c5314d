#include "launcher/launcher.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "config/output_file.h"

namespace clcsim::launcher {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRebuild =
    "rebuild it with nvcc's -cudart shared (in CMake: CUDA_RUNTIME_LIBRARY Shared)";
constexpr const char* kDriver = "libcuda.so.1";
constexpr const char* kUseRuntime =
    "; clcsim replaces the CUDA runtime only, so call the runtime's functions instead (they load "
    "PTX, too: cudaLibraryLoadData), and link with nvcc's -cudart shared";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// False for names that can't be one's, too: too long, or in a folder that can't be entered.
bool is_file(const std::string& path) {
  std::error_code none;
  return fs::is_regular_file(path, none);
}

bool same(const std::string& a, const std::string& b) {
  std::error_code none;
  return fs::equivalent(a, b, none);
}

// Names like "libcudart.so.13".
bool is_runtime(const std::string& library) {
  return library.starts_with("libcudart.so.");
}

// Of a file that is too short, the rest is 0.
Elf64_Ehdr header_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ProgramError(path + " can't be read");
  Elf64_Ehdr header = {};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  return header;
}

// Throws ProgramError for what the loader has no good sentence for.
void check_header(const std::string& path) {
  const Elf64_Ehdr header = header_of(path), own = header_of("/proc/self/exe");
  if (std::memcmp(header.e_ident, "#!", 2) == 0) {
    throw ProgramError(path + " is a script; name the executable that it runs");
  }
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    throw ProgramError(path + " is not an executable: it is no ELF file");
  }
  if (std::memcmp(header.e_ident, own.e_ident, EI_VERSION) != 0 ||
      header.e_machine != own.e_machine) {
    throw ProgramError(path + " is an ELF file for another kind of machine than this one");
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

// What the loader says that it would load with the program, a line for each library. For a program
// that is linked statically it may crash, and says nothing.
std::string list_libraries(const std::string& path, const std::string& library_folder) {
  const std::string folders = library_path(library_folder);
  Dl_info loader = {};
  int ends[2];
  if (dladdr(dlsym(RTLD_DEFAULT, "__tls_get_addr"), &loader) == 0 || pipe(ends) != 0) {
    throw ProgramError("clcsim can't ask the loader what it would load with " + path);
  }
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    execl(loader.dli_fname, loader.dli_fname, "--library-path", folders.c_str(), "--list",
          path.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t size; (size = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(size));
  }
  close(ends[0]);
  waitpid(child, nullptr, 0);
  const std::string failed = "error while loading shared libraries: ";
  if (const std::size_t at = text.find(failed); at != text.npos) {
    const std::size_t begin = at + failed.size();
    const std::string refused = text.substr(begin, text.find('\n', begin) - begin);
    // A runtime that is nowhere: check_runtime says more than the loader does.
    if (is_runtime(refused)) return "\t" + refused.substr(0, refused.find(':')) + " (not found)";
    throw ProgramError("the loader refuses " + refused);
  }
  return text;
}

// "libcudart.so.13": the one that the program gets, by itself or by a library of its own.
struct Runtime {
  std::string name;  // empty: none
  std::string path;  // where the loader finds it
};

// The loader's lines are "\tname => path (address)", or "\tpath (address)" for what a path names.
Runtime find_runtime(const std::string& libraries) {
  std::istringstream lines(libraries);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('\t')) continue;
    line = line.substr(1, line.rfind(" (") - 1);
    const std::size_t arrow = line.find(" => ");
    const std::string name = fs::path(line.substr(0, arrow)).filename();
    if (is_runtime(name)) return {name, arrow == line.npos ? line : line.substr(arrow + 4)};
  }
  return {};
}

void check_runtime(const std::string& program, const Runtime& runtime,
                   const std::string& library_folder) {
  const std::string own = library_folder + "/" + runtime.name;
  if (!is_file(own)) {
    std::error_code none;
    std::string offered;
    for (const auto& entry : fs::directory_iterator(library_folder, none)) {
      const std::string name = entry.path().filename().string();
      if (is_runtime(name)) offered += (offered.empty() ? "" : ", ") + name;
    }
    if (offered.empty()) {
      throw ProgramError("clcsim's own library " + runtime.name + " is missing from " +
                         library_folder + "; build or install clcsim again");
    }
    throw ProgramError(program + " needs " + runtime.name + ", and this clcsim was built with " +
                       offered + "; build both with the same CUDA toolkit");
  }
  // The loader may prefer one of the same folder that is built for this processor.
  if (runtime.path.starts_with(library_folder + "/") || same(runtime.path, own)) return;
  // What is preloaded comes before everything that LD_LIBRARY_PATH leads to, and so does an RPATH.
  if (variable("LD_PRELOAD").find(runtime.path) != std::string::npos) {
    throw ProgramError("LD_PRELOAD makes the loader take " + runtime.path + " before clcsim's " +
                       runtime.name + "; leave it out");
  }
  throw ProgramError(program + " or a library of its own has an RPATH, by which the loader takes " +
                     runtime.path +
                     " in any case; link it with -Wl,--enable-new-dtags or without that RPATH");
}

// Whether it opens the driver's library itself, and not through a CUDA runtime that it holds.
bool opens_driver(const std::string& program) {
  const std::string text = config::text_of_file(program);
  return text.find("libcuda.so") != text.npos && text.find("cudart") == text.npos;
}

}  // namespace

std::string find_program(const std::string& program) {
  if (program.empty()) throw ProgramError("the program's name is empty");
  if (program.find('/') != std::string::npos) return program;
  std::istringstream folders(variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
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

void check_program(const std::string& path, const std::string& library_folder) {
  std::error_code none;
  if (!fs::exists(path, none)) throw ProgramError(path + " was not found");
  if (fs::is_directory(path, none)) throw ProgramError(path + " is a folder, not a program");
  if (!is_file(path)) throw ProgramError(path + " is not a program");
  check_header(path);
  if (access(path.c_str(), X_OK) != 0) {
    throw ProgramError(path + " is not marked as executable (chmod +x)");
  }
  check_rights(path);
  const std::string libraries = list_libraries(path, library_folder);
  const Runtime runtime = find_runtime(libraries);
  if (runtime.name.empty() && opens_driver(path)) {
    throw ProgramError(path + " opens the driver's library (" + kDriver + ") itself" + kUseRuntime);
  }
  if (runtime.name.empty()) {
    throw ProgramError(path + " doesn't load the shared CUDA runtime (libcudart.so), which " +
                       "clcsim would replace; if it is a CUDA program, " + kRebuild);
  }
  check_runtime(path, runtime, library_folder);
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

std::string library_path(const std::string& library_folder) {
  const std::string others = variable("LD_LIBRARY_PATH");
  return others.empty() ? library_folder : library_folder + ":" + others;
}

}  // namespace clcsim::launcher
