#include "ptx/source.h"

#include <cxxabi.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>

namespace clcsim::ptx {
namespace {

/// Headers of a CUDA toolkit or of CCCL: nobody's own code.
bool in_toolkit(std::string_view file) {
  for (const std::string_view part :
       {"/cccl/", "/cooperative_groups", "/cuda/std/", "/cuda/__", "/cub/", "/thrust/",
        "/libcudacxx/", "/targets/x86_64-linux/include/", "/targets/sbsa-linux/include/"}) {
    if (file.find(part) != file.npos) return true;
  }
  return file.find("/cuda") != file.npos && file.find("/include/") != file.npos;
}

}  // namespace

const Location& users_location(const Program& program, std::uint32_t location) {
  const Location* place = &program.locations[location];
  while (place->parent != kNoLocation && (place->line == 0 || place->file >= program.files.size() ||
                                          in_toolkit(program.files[place->file]))) {
    place = &program.locations[place->parent];
  }
  return *place;
}

std::string demangle(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? readable.get() : name;
}

}  // namespace clcsim::ptx
