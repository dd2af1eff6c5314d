#include "ptx/source.h"

#include <cxxabi.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>

namespace clcsim::ptx {
namespace {

// Whether a folder that holds `include` is a toolkit's: cuda, cuda-13.0, and of PyPI's wheels cu13,
// cuda_runtime, cuda_nvcc and cuda_cccl.
bool is_toolkit(std::string_view folder) {
  if (folder == "cuda" || folder == "cuda_runtime" || folder == "cuda_nvcc" ||
      folder == "cuda_cccl") {
    return true;
  }
  const std::string_view version = folder.starts_with("cuda-") ? folder.substr(5)
                                   : folder.starts_with("cu")  ? folder.substr(2)
                                                               : "";
  return !version.empty() && version.find_first_not_of("0123456789.") == version.npos;
}

}  // namespace

// The tests of CCCL's repository lie beside its include folders, and are somebody's own code.
bool in_library(std::string_view path) {
  const std::string file = std::filesystem::path(path).lexically_normal().generic_string();
  if (file.starts_with("/usr/include/")) return true;
  for (const std::string_view part :
       {"/include/cccl/", "/libcudacxx/include/", "/cudax/include/", "/cub/cub/", "/thrust/thrust/",
        "/include/cub/", "/include/thrust/", "/cooperative_groups", "/cuda/std/", "/cuda/__",
        "/targets/x86_64-linux/include/", "/targets/sbsa-linux/include/", "/triton/language/",
        "/triton/experimental/gluon/", "/nvidia_cutlass_dsl/"}) {
    if (file.find(part) != file.npos) return true;
  }
  const std::size_t include = file.find("/include/");
  if (include == file.npos || include == 0) return false;
  return is_toolkit(
      std::string_view(file).substr(0, include).substr(file.rfind('/', include - 1) + 1));
}

bool is_in_file(const Program& program, std::uint32_t location, std::string_view ending) {
  if (location >= program.locations.size()) return false;
  const std::uint32_t file = program.locations[location].file;
  return file < program.files.size() && program.files[file].ends_with(ending);
}

bool in_grid_sync(const Program& program, std::uint32_t location) {
  for (; location < program.locations.size(); location = program.locations[location].parent) {
    const std::string& function = program.locations[location].function;
    if (function.find("cooperative_groups") != function.npos &&
        function.find("grid") != function.npos && function.find("sync") != function.npos) {
      return true;
    }
  }
  return false;
}

const Location& users_location(const Program& program, std::uint32_t location) {
  const Location* place = &program.locations[location];
  while (place->parent != kNoLocation && (place->line == 0 || place->file >= program.files.size() ||
                                          in_library(program.files[place->file]))) {
    place = &program.locations[place->parent];
  }
  return *place;
}

namespace {

// Behind the parenthesis that closes the one at `open`.
std::size_t behind_parentheses(const std::string& text, std::size_t open) {
  int depth = 0;
  do {
    depth += text[open] == '(' ? 1 : text[open] == ')' ? -1 : 0;
  } while (++open < text.size() && depth != 0);
  return open;
}

// What a function returns tells nobody which one it is, and demanglers write it differently.
std::string without_decltype(const std::string& name) {
  if (!name.starts_with("decltype") || name.find('(') == name.npos) return name;
  const std::size_t end = behind_parentheses(name, name.find('('));
  return end + 1 < name.size() && name[end] == ' ' ? name.substr(end + 1) : name;
}

// libc++'s demangler writes the first lambda of a function 'lambda'(int), the second
// 'lambda0'(int); GNU's writes {lambda(int)#1} and {lambda(int)#2}. GNU's way, whoever compiled
// this.
std::string with_gnu_lambdas(std::string name) {
  constexpr std::string_view kLambda = "'lambda";
  for (std::size_t at; (at = name.find(kLambda)) != name.npos;) {
    const std::size_t quote = name.find('\'', at + 1);
    if (quote == name.npos || name.find('(', quote) != quote + 1) break;
    const std::string digits = name.substr(at + kLambda.size(), quote - at - kLambda.size());
    const std::size_t end = behind_parentheses(name, quote + 1);
    const int number = digits.empty() ? 1 : std::atoi(digits.c_str()) + 2;
    name.replace(
        at, end - at,
        "{lambda" + name.substr(quote + 1, end - quote - 1) + "#" + std::to_string(number) + "}");
  }
  return name;
}

}  // namespace

std::string demangle(const std::string& name) {
  if (!name.starts_with("_Z")) return name;  // "g" is a type's name, too
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? without_decltype(with_gnu_lambdas(readable.get())) : name;
}

}  // namespace clcsim::ptx
