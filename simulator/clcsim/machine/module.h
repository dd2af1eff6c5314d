// A loaded PTX module: its variables live in device memory, its kernels are decoded when first
// used.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "machine/device_memory.h"
#include "ptx/ast.h"
#include "ptx/form.h"
#include "ptx/program.h"

namespace clcsim::machine {

class Module {
 public:
  /// Parses the text and allocates the module's variables. Throws ptx::ParseError;
  /// std::runtime_error where the memory doesn't suffice.
  Module(std::string_view ptx, DeviceMemory& memory);

  /// The kernel of this (mangled) name, or nullptr. Instructions that clcsim doesn't know are
  /// refused when they are executed, not here.
  const ptx::Program* kernel(std::string_view name);

  /// The names of its kernels, in the order of the text.
  std::vector<std::string_view> kernel_names() const;

  /// The memory of a .global or .const variable, or nullptr.
  const Allocation* variable(std::string_view name) const;

  const ptx::ast::Module& tree() const { return tree_; }

  /// Frees the variables: the module is used no more.
  void release(DeviceMemory& memory);

 private:
  void initialise(DeviceMemory& memory);

  ptx::ast::Module tree_;
  const ptx::FormTable& forms_;
  std::map<std::string, const Allocation*, std::less<>> variables_;
  std::map<std::string, std::unique_ptr<ptx::Program>, std::less<>> kernels_;
};

}  // namespace clcsim::machine
