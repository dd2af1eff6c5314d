#include "machine/module.h"

#include <cstring>

#include "machine/isa/instruction_set.h"
#include "ptx/call_graph.h"
#include "ptx/decode.h"
#include "ptx/parser.h"

namespace clcsim::machine {

Module::Module(std::string_view ptx, DeviceMemory& memory)
    : tree_(ptx::parse(ptx)), forms_(isa::instruction_set_for(ptx)) {
  static std::uint32_t modules = 0;
  tree_.number = modules++;
  initialise(memory);
}

void Module::initialise(DeviceMemory& memory) {
  using ptx::ast::StateSpace;
  for (const ptx::ast::Variable& variable : tree_.variables) {
    if (variable.space != StateSpace::kGlobal && variable.space != StateSpace::kConst) continue;
    if (variable.size == 0) continue;
    const auto kind = variable.managed ? Allocation::Kind::managed : Allocation::Kind::variable;
    Allocation* allocation = memory.allocate(variable.size, kind, std::string(variable.name));
    if (allocation == nullptr) {
      throw std::runtime_error("no device memory is left for the " + std::to_string(variable.size) +
                               " bytes of the variable " + std::string(variable.name));
    }
    if (variable.space == StateSpace::kConst) memory.make_constant(*allocation);
    std::memcpy(allocation->host, variable.initial.data(), variable.initial.size());
    variables_[std::string(variable.name)] = allocation;
  }
  for (const ptx::ast::Variable& variable : tree_.variables) {
    for (const ptx::ast::Relocation& relocation : variable.relocations) {
      const Allocation* holder = this->variable(variable.name);
      if (holder == nullptr) continue;
      std::uint64_t target = 0;
      if (relocation.target == ptx::ast::Relocation::Target::kFunction) {
        target = ptx::function_address(tree_, relocation.index);
      } else if (const Allocation* found = this->variable(tree_.variables[relocation.index].name)) {
        target = found->address;
      } else {
        continue;
      }
      const std::uint64_t address =
          (target + static_cast<std::uint64_t>(relocation.addend)) >> relocation.shift;
      std::memcpy(holder->host + relocation.offset, &address, relocation.width);
    }
  }
}

const ptx::Program* Module::kernel(std::string_view name) {
  if (const auto known = kernels_.find(name); known != kernels_.end()) return known->second.get();
  const std::uint32_t index = tree_.find_function(name);
  if (index == ptx::ast::kNone || !tree_.functions[index].entry) return nullptr;
  auto program = std::make_unique<ptx::Program>(ptx::decode(tree_, index, forms_));
  for (const ptx::SymbolConstant& symbol : program->symbol_constants) {
    const Allocation* allocation = variable(symbol.symbol);
    const std::uint64_t address = allocation == nullptr ? 0 : allocation->address;
    program->constants.push_back(
        {symbol.slot, symbol.width, address + static_cast<std::uint64_t>(symbol.addend)});
  }
  return (kernels_[std::string(name)] = std::move(program)).get();
}

std::vector<std::string_view> Module::kernel_names() const {
  std::vector<std::string_view> names;
  for (const ptx::ast::Function& function : tree_.functions) {
    if (function.entry) names.push_back(function.name);
  }
  return names;
}

const Allocation* Module::variable(std::string_view name) const {
  const auto entry = variables_.find(name);
  return entry == variables_.end() ? nullptr : entry->second;
}

void Module::release(DeviceMemory& memory) {
  for (const auto& [name, allocation] : variables_) memory.free(allocation->address);
  variables_.clear();
}

}  // namespace clcsim::machine
