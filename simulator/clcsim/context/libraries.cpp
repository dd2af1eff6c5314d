#include "context/libraries.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "ptx/parser.h"

namespace clcsim::context {
namespace {

bool starts_with(std::span<const std::byte> code, std::span<const unsigned char> magic) {
  return code.size() >= magic.size() && std::memcmp(code.data(), magic.data(), magic.size()) == 0;
}

std::string ptx_of(std::span<const std::byte> code, const config::Profile& profile) {
  constexpr unsigned char kElf[] = {0x7f, 'E', 'L', 'F'};
  constexpr unsigned char kFatbin[] = {0x50, 0xed, 0x55, 0xba};
  if (starts_with(code, kElf)) {
    throw LoadError{cudaErrorNoKernelImageForDevice,
                    "the code is machine code (a cubin), and clcsim executes PTX"};
  }
  if (!starts_with(code, kFatbin)) {
    const char* const text = reinterpret_cast<const char*>(code.data());
    return {text, strnlen(text, code.size())};
  }
  try {
    return choose_ptx(ptx::read_fatbin(code), profile);
  } catch (const NoSuitablePtx& error) {
    throw LoadError{cudaErrorNoKernelImageForDevice, std::string("the fatbin ") + error.what()};
  } catch (const ptx::FatbinError& error) {
    throw LoadError{cudaErrorInvalidKernelImage, error.what()};
  }
}

void check(machine::Module& module, const config::Profile& profile) {
  const ptx::ast::Target& target = module.tree().target;
  if (!ptx::suits(target.number, target.variant,
                  {static_cast<unsigned>(profile.major), static_cast<unsigned>(profile.minor)})) {
    throw LoadError{cudaErrorInvalidPtx, "the PTX is for " + std::string(target.text) + ", which " +
                                             description(profile) + " can't run"};
  }
  for (const std::string_view name : module.kernel_names()) module.kernel(name);
}

std::unique_ptr<machine::Module> read(const std::string& text, machine::DeviceMemory& memory,
                                      const config::Profile& profile) {
  auto module = std::make_unique<machine::Module>(text, memory);
  try {
    check(*module, profile);
  } catch (...) {
    module->release(memory);
    throw;
  }
  return module;
}

std::unique_ptr<machine::Module> module_of(const std::string& text, machine::DeviceMemory& memory,
                                           const config::Profile& profile) {
  try {
    return read(text, memory, profile);
  } catch (const ptx::ParseError& error) {
    throw LoadError{cudaErrorInvalidPtx, error.what()};
  } catch (const std::runtime_error& error) {
    throw LoadError{cudaErrorMemoryAllocation, error.what()};
  } catch (const std::length_error& error) {
    throw LoadError{cudaErrorInvalidPtx, std::string("the PTX can't be read: ") + error.what()};
  }
}

}  // namespace

Library* Libraries::load(std::span<const std::byte> code, Registry& registry,
                         machine::DeviceMemory& memory, const config::Profile& profile) {
  std::string text = ptx_of(code, profile);
  std::unique_ptr<machine::Module> module;
  Library& library = libraries_.emplace_back();
  try {
    module = module_of(text, memory, profile);
  } catch (const LoadError& error) {
    library.bad = error;
    return &library;
  }
  for (const std::string_view name : module->kernel_names()) library.kernels.emplace_back(name);
  library.binary = registry.add_binary(std::move(text), std::move(module));
  for (const std::string& name : library.kernels) {
    registry.add_kernel(library.binary, &name, name);
  }
  return &library;
}

Library* Libraries::find(cudaLibrary_t handle) {
  const auto found = std::find_if(libraries_.begin(), libraries_.end(), [&](Library& library) {
    return static_cast<void*>(&library) == static_cast<void*>(handle);
  });
  return found == libraries_.end() ? nullptr : &*found;
}

void Libraries::remove(const Library* library) {
  libraries_.remove_if([&](const Library& each) { return &each == library; });
}

}  // namespace clcsim::context
