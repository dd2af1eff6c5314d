// Any bytes as PTX: they are refused with a ParseError, or give a tree whose indices all lead
// somewhere.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ptx/parser.h"

using namespace clcsim::ptx;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_relocations(const ast::Module& module, const ast::Variable& variable) {
  require(variable.initial.size() <= variable.size || variable.unsized);
  for (const ast::Relocation& relocation : variable.relocations) {
    require(relocation.offset + relocation.width <= variable.initial.size());
    const bool is_function = relocation.target == ast::Relocation::Target::kFunction;
    require(relocation.index < (is_function ? module.functions.size() : module.variables.size()));
  }
}

// Where Operand::index must lie below.
std::size_t limit_of(const ast::Module& module, const ast::Function& function,
                     const ast::Operand& operand) {
  using Kind = ast::Operand::Kind;
  switch (operand.kind) {
    case Kind::kRegister:
      return function.registers.size();
    case Kind::kSpecial:
      return module.special_registers.size();
    case Kind::kModuleVariable:
      return module.variables.size();
    case Kind::kLocalVariable:
      return function.variables.size();
    case Kind::kFunction:
      return module.functions.size();
    case Kind::kLabel:
      return function.instructions.size() + 1;
    case Kind::kBranchTargets:
      return function.branch_targets.size();
    case Kind::kPrototype:
      return function.prototypes.size();
    case Kind::kVector:
    case Kind::kAddress:
    case Kind::kPair:
    case Kind::kList:
      return function.operands.size() - operand.count + 1;
    default:
      return 1;
  }
}

void check_function(const ast::Module& module, const ast::Function& function) {
  require(function.return_count + function.parameter_count <= function.variables.size());
  for (const ast::Operand& operand : function.operands) {
    require(operand.count <= function.operands.size());
    require(operand.index < limit_of(module, function, operand));
  }
  for (const ast::Instruction& instruction : function.instructions) {
    require(instruction.opcode < module.opcodes.size());
    require(instruction.location < module.locations.size());
    require(instruction.guard == ast::kNone || instruction.guard < function.registers.size());
    require(instruction.first_operand + instruction.operand_count <= function.operands.size());
  }
  for (const ast::BranchTargets& targets : function.branch_targets) {
    for (const std::uint32_t target : targets.instructions) {
      require(target <= function.instructions.size());
    }
  }
  for (const ast::Variable& variable : function.variables) check_relocations(module, variable);
  require(function.alias_of == ast::kNone || function.alias_of < module.functions.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const ast::Module module = parse({reinterpret_cast<const char*>(data), size});
    for (const ast::Variable& variable : module.variables) check_relocations(module, variable);
    for (const ast::Function& function : module.functions) check_function(module, function);
    for (std::size_t i = 0; i < module.locations.size(); ++i) {
      const ast::Location& location = module.locations[i];
      require(location.parent == ast::kNone || location.parent < i);
      require(location.file == ast::kNone || location.file < module.files.size());
    }
  } catch (const ParseError&) {
  }
  return 0;
}
