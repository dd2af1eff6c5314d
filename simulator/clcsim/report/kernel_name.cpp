#include "report/kernel_name.h"

#include "ptx/source.h"

namespace clcsim::report {

std::string kernel_name(const ptx::Program& program) {
  return kernel_name(program.name);
}

std::string kernel_name(const std::string& mangled) {
  const std::string full = ptx::demangle(mangled);
  const std::size_t end = full.rfind('(');
  std::string name = end == std::string::npos || end == 0 ? full : full.substr(0, end);
  if (name.starts_with("void ")) name.erase(0, 5);
  const std::string anonymous = "(anonymous namespace)::";
  for (std::size_t at; (at = name.find(anonymous)) != std::string::npos;) {
    name.erase(at, anonymous.size());
  }
  if (name.size() > 40) name = name.substr(0, 37) + "...";
  return name;
}

}  // namespace clcsim::report
