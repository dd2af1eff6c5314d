#include "context/registry.h"

#include <exception>

#include "context/allocations.h"
#include "context/failure.h"
#include "context/launch.h"
#include "ptx/parser.h"

namespace clcsim::context {
namespace {

// "compute capability 10.0" -> what to give nvcc and CMake so that the program holds PTX for it.
std::string way_out(const config::Profile& profile) {
  std::string target = std::to_string(10 * profile.major + profile.minor);
  if (profile.major >= 9) target += "a";
  return "compile it with -gencode arch=compute_" + target + ",code=compute_" + target +
         " (in CMake: CMAKE_CUDA_ARCHITECTURES " + target + "-virtual)";
}

}  // namespace

std::string choose_ptx(const std::vector<ptx::FatbinEntry>& entries,
                       const config::Profile& profile) {
  const ptx::FatbinEntry* entry = ptx::select_ptx(
      entries, {static_cast<unsigned>(profile.major), static_cast<unsigned>(profile.minor)});
  if (entry != nullptr) return entry->text();
  const std::string held =
      entries.empty() ? "no device code at all, and no" : ptx::describe(entries) + ", but no";
  throw NoSuitablePtx("holds " + held + " PTX that " + description(profile) + " can run");
}

std::string description(const config::Profile& profile) {
  return "the simulated " + std::string(profile.name) + " (compute capability " +
         std::to_string(profile.major) + "." + std::to_string(profile.minor) + ")";
}

machine::Module& FatBinary::module(machine::DeviceMemory& memory, const config::Profile& profile,
                                   Caller& caller) {
  if (module_) return *module_;
  try {
    if (wrapper_ == nullptr) {
      module_ = std::make_unique<machine::Module>(text_, memory);
    } else {
      const auto entries = ptx::read_registered_fatbin(
          wrapper_, [&](const void* address) { return caller.readable_bytes(address); });
      module_ = std::make_unique<machine::Module>(choose_ptx(entries, profile), memory);
    }
  } catch (const NoSuitablePtx& error) {
    throw caller.give_up(caller.program() + " " + error.what() + "; " + way_out(profile));
  } catch (const std::exception& error) {
    throw caller.give_up(caller.program() +
                         " holds device code that clcsim can't read: " + error.what());
  }
  return *module_;
}

void FatBinary::unload(machine::DeviceMemory& memory) {
  if (!module_) return;
  module_->release(memory);
  unloaded_.push_back(std::move(module_));
}

FatBinary* Registry::add_binary(const void* wrapper) {
  return &binaries_.emplace_back(wrapper);
}

FatBinary* Registry::add_binary(std::string text, std::unique_ptr<machine::Module> module) {
  return &binaries_.emplace_back(std::move(text), std::move(module));
}

void Registry::add_kernel(FatBinary* binary, const void* stub, std::string name) {
  kernels_.insert_or_assign(stub, Kernel{.binary = binary, .name = std::move(name)});
}

void Registry::add_variable(const void* host, Variable variable) {
  variables_.insert_or_assign(host, std::move(variable));
}

Kernel& Registry::kernel(const void* stub) {
  demand(stub != nullptr, cudaErrorInvalidDeviceFunction);
  const auto entry = kernels_.find(stub);
  demand(entry != kernels_.end(), cudaErrorInvalidResourceHandle);
  return entry->second;
}

const ptx::Program& Registry::program(const Kernel& kernel) {
  try {
    const ptx::Program* program = load(*kernel.binary).kernel(kernel.name);
    demand(program != nullptr, cudaErrorInvalidDeviceFunction);
    const std::string lack = lack_of_local_memory(*program);
    if (!lack.empty()) throw std::runtime_error(lack);
    return *program;
  } catch (const std::exception& error) {
    throw caller_.give_up("the kernel " + kernel.name + " can't be read: " + error.what());
  }
}

const machine::Allocation& Registry::variable(const void* host) {
  const Variable* variable = find_variable(host);
  demand(variable != nullptr, cudaErrorInvalidSymbol);
  const machine::Allocation* allocation = load(*variable->binary).variable(variable->name);
  demand(allocation != nullptr, cudaErrorInvalidSymbol);
  return *allocation;
}

// A managed variable has two addresses: of the pointer that the compiler made, and of the memory
// behind it.
const Variable* Registry::find_variable(const void* host) const {
  if (const auto entry = variables_.find(host); entry != variables_.end()) return &entry->second;
  for (const auto& [key, variable] : variables_) {
    if (variable.managed_pointer != nullptr && *variable.managed_pointer == host) return &variable;
  }
  return nullptr;
}

// The addresses of managed variables stand where the program looks for them.
machine::Module& Registry::load(FatBinary& binary) {
  machine::Module& module = binary.module(memory_, profile_, caller_);
  for (auto& [host, variable] : variables_) {
    if (variable.binary != &binary || variable.managed_pointer == nullptr) continue;
    if (const machine::Allocation* allocation = module.variable(variable.name)) {
      *variable.managed_pointer = pointer_to(allocation->address);
    }
  }
  return module;
}

void Registry::forget(FatBinary& binary, bool idle) {
  // The program's own: it ends, and its destructors may still use managed variables.
  if (caller_.in_main_program(binary.wrapper())) return;
  if (idle) binary.unload(memory_);
  std::erase_if(kernels_, [&](const auto& entry) { return entry.second.binary == &binary; });
  std::erase_if(variables_, [&](const auto& entry) { return entry.second.binary == &binary; });
}

void Registry::unload() {
  for (FatBinary& binary : binaries_) binary.unload(memory_);
}

}  // namespace clcsim::context
