#include "ptx/layout.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace clcsim::ptx {
namespace {

constexpr std::uint32_t kLaneAlignment = 64;  // bytes: a vector register of the host
constexpr std::uint32_t kLocalAlignment = 16;

std::uint32_t checked(std::uint64_t value) {
  if (value > std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error("its registers or variables take 4 GiB or more");
  }
  return static_cast<std::uint32_t>(value);
}

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Takes the next place behind `end`.
std::uint32_t place(std::uint32_t& end, const ast::Variable& variable) {
  const std::uint64_t offset = align_up(end, std::max(1u, variable.alignment));
  checked(variable.size);
  end = checked(offset + variable.size);
  return static_cast<std::uint32_t>(offset);
}

}  // namespace

Width width_of(ast::ScalarType type) {
  if (type == ast::ScalarType::kPred) return Width::predicate;
  const unsigned size = ast::size_of(type);
  return size <= 4 ? Width::b32 : size == 8 ? Width::b64 : Width::b128;
}

Layout::Layout(const ast::Module& module, const CallGraph& calls, Program& program)
    : module_(module), program_(program) {
  place_registers(calls);
  place_variables(calls);
  place_shared(calls);
}

Parameter Layout::place_of(std::uint32_t function, std::uint32_t variable) const {
  return {offset_of(function, variable),
          static_cast<std::uint32_t>(module_.functions[function].variables[variable].size)};
}

std::uint32_t Layout::new_slot(Width width) {
  std::uint64_t slot = next_slot_;
  if (width != Width::predicate) slot = align_up(slot, kLaneAlignment);
  next_slot_ = checked(slot + bytes_of(width));
  return static_cast<std::uint32_t>(slot);
}

void Layout::place_registers(const CallGraph& calls) {
  next_slot_ = bytes_of(Width::predicate);       // slot 0: always true
  for (const bool predicates : {true, false}) {  // predicates side by side
    for (const std::uint32_t index : calls.functions) {
      const std::vector<ast::Register>& registers = module_.functions[index].registers;
      FunctionLayout& layout = functions_[index];
      layout.registers.resize(registers.size());
      for (std::size_t i = 0; i < registers.size(); ++i) {
        const Width width = width_of(registers[i].type);
        if ((width == Width::predicate) == predicates) layout.registers[i] = new_slot(width);
      }
      if (predicates || index == calls.functions.front()) continue;
      layout.return_slot = new_slot(Width::b32);
      program_.return_slots.push_back(layout.return_slot);
    }
  }
  scratch_ = new_slot(Width::b128);
}

void Layout::place_variables(const CallGraph& calls) {
  std::uint32_t local_end = 0;
  for (const std::uint32_t index : calls.functions) {
    const ast::Function& function = module_.functions[index];
    std::vector<std::uint32_t>& offsets = functions_[index].variables;
    offsets.assign(function.variables.size(), 0);
    for (std::size_t i = 0; i < function.variables.size(); ++i) {
      const ast::Variable& variable = function.variables[i];
      if (variable.space == ast::StateSpace::kShared) continue;
      if (index == calls.functions.front() &&
          i < function.return_count + function.parameter_count) {
        offsets[i] = place(program_.parameter_bytes, variable);
        program_.parameters.push_back({offsets[i], checked(variable.size)});
      } else {
        offsets[i] = place(local_end, variable);
      }
    }
  }
  for (const std::uint32_t index : calls.functions) share_call_parameters(index);
  program_.local_bytes = checked(align_up(local_end, kLocalAlignment));
}

// The arguments of a call are written to where the callee reads them.
void Layout::share_call_parameters(std::uint32_t index) {
  const ast::Function& function = module_.functions[index];
  for (const ast::Instruction& instruction : function.instructions) {
    if (!is_call(module_, instruction)) continue;
    const std::uint32_t callee = callee_of(module_, function, instruction);
    if (callee == ast::kNone || !module_.functions[callee].defined) continue;
    const auto operands = function.operands_of(instruction);
    const std::vector<std::uint32_t>& formals = functions_[callee].variables;
    std::size_t formal = 0;
    for (const std::size_t list : {0, 2}) {
      for (const ast::Operand& actual : function.parts_of(operands[list])) {
        if (actual.kind == ast::Operand::Kind::kLocalVariable && formal < formals.size()) {
          functions_[index].variables[actual.index] = formals[formal];
        }
        ++formal;
      }
    }
  }
}

// Static shared memory of the kernel: the variables that its code names, then the unsized one.
void Layout::place_shared(const CallGraph& calls) {
  std::vector<std::pair<const ast::Variable*, std::uint32_t*>> unsized;
  std::uint32_t alignment = kLocalAlignment;
  const auto name = [&](const ast::Variable& variable, std::uint32_t offset) {
    program_.shared_variables.push_back(
        {std::string(variable.name), offset, static_cast<std::uint32_t>(variable.size)});
  };
  const auto place_one = [&](const ast::Variable& variable, std::uint32_t& offset) {
    alignment = std::max(alignment, variable.alignment);
    if (variable.unsized) {
      unsized.push_back({&variable, &offset});
    } else {
      offset = place(program_.shared_bytes, variable);
      name(variable, offset);
    }
  };
  for (const std::uint32_t index : calls.functions) {
    const ast::Function& function = module_.functions[index];
    for (std::size_t i = 0; i < function.variables.size(); ++i) {
      if (function.variables[i].space == ast::StateSpace::kShared) {
        place_one(function.variables[i], functions_[index].variables[i]);
      }
    }
    for (const ast::Operand& operand : function.operands) {
      if (operand.kind != ast::Operand::Kind::kModuleVariable) continue;
      const ast::Variable& variable = module_.variables[operand.index];
      if (variable.space == ast::StateSpace::kShared && !module_shared_.contains(operand.index)) {
        place_one(variable, module_shared_[operand.index]);
      }
    }
  }
  if (unsized.empty()) return;
  program_.shared_bytes = checked(align_up(program_.shared_bytes, alignment));
  for (const auto& [variable, offset] : unsized) {
    *offset = program_.shared_bytes;
    name(*variable, *offset);
  }
}

std::uint32_t Layout::constant(Width width, std::uint64_t bits) {
  const auto [entry, added] = constants_.try_emplace({width, bits}, 0);
  if (added) {
    entry->second = new_slot(width);
    program_.constants.push_back({entry->second, width, bits});
  }
  return entry->second;
}

std::uint32_t Layout::shared_constant(std::uint32_t offset, Width width) {
  const std::uint32_t slot = new_slot(width);
  program_.shared_constants.push_back({slot, width, offset});
  return slot;
}

std::uint32_t Layout::address(std::uint32_t function, const ast::Operand& operand,
                              std::int64_t addend, Width width) {
  const bool local = operand.kind == ast::Operand::Kind::kLocalVariable;
  const ast::Variable& variable = local ? module_.functions[function].variables[operand.index]
                                        : module_.variables[operand.index];
  const bool shared = variable.space == ast::StateSpace::kShared;
  if (local || shared) {
    const std::uint32_t offset =
        local ? offset_of(function, operand.index) : module_shared_.at(operand.index);
    if (shared) return shared_constant(offset + static_cast<std::uint32_t>(addend), width);
    return constant(width, offset + static_cast<std::uint64_t>(addend));
  }
  const std::uint32_t slot = new_slot(width);
  program_.symbol_constants.push_back({slot, width, std::string(variable.name), addend});
  return slot;
}

}  // namespace clcsim::ptx
