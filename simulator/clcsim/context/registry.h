// What a program's static constructors tell the runtime: its fat binaries, kernels and variables.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/profile.h"
#include "context/caller.h"
#include "machine/module.h"
#include "ptx/fatbin.h"

namespace clcsim::context {

/// No PTX of a fat binary suits the GPU. what(): "holds ..., but no PTX that ... can run".
class NoSuitablePtx : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "the simulated mini (compute capability 10.0)"
std::string description(const config::Profile& profile);

/// The text that suits the GPU. Throws NoSuitablePtx, ptx::FatbinError.
std::string choose_ptx(const std::vector<ptx::FatbinEntry>& entries,
                       const config::Profile& profile);

/// One fat binary. Its PTX is read when something in it is first used.
class FatBinary {
 public:
  /// `wrapper` is what the program registered; it stays where it is.
  explicit FatBinary(const void* wrapper) : wrapper_(wrapper) {}
  /// What the program has loaded itself: a text, and what was made of it.
  FatBinary(std::string text, std::unique_ptr<machine::Module> module)
      : text_(std::move(text)), module_(std::move(module)) {}

  /// Loads the PTX that suits the GPU. Where there is none, or where it can't be understood, the
  /// caller gives up.
  machine::Module& module(machine::DeviceMemory& memory, const config::Profile& profile,
                          Caller& caller);

  /// Of the loaded PTX: 100 for compute_100a.
  unsigned architecture() const { return module_->tree().target.number; }

  /// nullptr: of what the program has loaded itself.
  const void* wrapper() const { return wrapper_; }

  /// Frees the variables. The next use loads them anew, with their initial values.
  void unload(machine::DeviceMemory& memory);

 private:
  const void* wrapper_ = nullptr;
  std::string text_;
  std::unique_ptr<machine::Module> module_;
  // Programs of modules that were unloaded: findings may still name them.
  std::vector<std::unique_ptr<machine::Module>> unloaded_;
};

struct Kernel {
  FatBinary* binary = nullptr;
  std::string name;             ///< mangled
  int max_dynamic_shared = -1;  ///< set by cudaFuncSetAttribute; -1: the default
  int carveout = -1;            ///< set by cudaFuncSetAttribute; changes nothing
  bool non_portable_cluster = false;
  int required_cluster[3] = {};  ///< set by cudaFuncSetAttribute; zeros: not set
};

struct Variable {
  FatBinary* binary = nullptr;
  std::string name;  ///< mangled
  std::size_t size = 0;
  void** managed_pointer = nullptr;  ///< host variable that holds the address, if managed
};

class Registry {
 public:
  Registry(machine::DeviceMemory& memory, const config::Profile& profile, Caller& caller)
      : memory_(memory), profile_(profile), caller_(caller) {}

  FatBinary* add_binary(const void* wrapper);
  FatBinary* add_binary(std::string text, std::unique_ptr<machine::Module> module);
  void add_kernel(FatBinary* binary, const void* stub, std::string name);
  void add_variable(const void* host, Variable variable);

  /// Whether this is the host function of a kernel.
  bool has_kernel(const void* stub) const { return kernels_.contains(stub); }
  /// Throws Failure: cudaErrorInvalidDeviceFunction for nullptr, cudaErrorInvalidResourceHandle for
  /// what is no kernel.
  Kernel& kernel(const void* stub);
  const ptx::Program& program(const Kernel& kernel);
  /// The memory of a device variable. Throws Failure where there is none.
  const machine::Allocation& variable(const void* host);

  machine::Module& load(FatBinary& binary);
  /// Forgets what a library has registered, which is about to be unmapped, or what is unloaded.
  /// `idle`: nothing runs that may use its variables; else these stay.
  void forget(FatBinary& binary, bool idle);
  /// Unloads all binaries; see FatBinary::unload().
  void unload();

 private:
  const Variable* find_variable(const void* host) const;

  machine::DeviceMemory& memory_;
  const config::Profile& profile_;
  Caller& caller_;
  std::deque<FatBinary> binaries_;  // their addresses stay
  std::unordered_map<const void*, Kernel> kernels_;
  std::unordered_map<const void*, Variable> variables_;
};

}  // namespace clcsim::context
