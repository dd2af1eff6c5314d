#include "ptx/call_graph.h"

namespace clcsim::ptx {

bool is_call(const ast::Module& module, const ast::Instruction& instruction) {
  return module.opcode_of(instruction).parts.front() == "call";
}

std::uint32_t callee_of(const ast::Module& module, const ast::Function& caller,
                        const ast::Instruction& call) {
  const ast::Operand& callee = caller.operands_of(call)[1];
  if (callee.kind != ast::Operand::Kind::kFunction) return ast::kNone;
  return without_alias(module, callee.index);
}

std::uint32_t without_alias(const ast::Module& module, std::uint32_t function) {
  while (module.functions[function].alias_of != ast::kNone) {
    function = module.functions[function].alias_of;
  }
  return function;
}

std::uint64_t function_address(const ast::Module& module, std::uint32_t function) {
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 62, kApart = 16;
  return kFirst + (std::uint64_t{module.number} << 32) + without_alias(module, function) * kApart;
}

namespace {

/// The functions with a body whose addresses the module takes, in code or in variables.
std::set<std::uint32_t> addressed(const ast::Module& module) {
  std::set<std::uint32_t> result;
  const auto add = [&](std::uint32_t function) {
    function = without_alias(module, function);
    if (module.functions[function].defined) result.insert(function);
  };
  for (const ast::Variable& variable : module.variables) {
    for (const ast::Relocation& relocation : variable.relocations) {
      if (relocation.target == ast::Relocation::Target::kFunction) add(relocation.index);
    }
  }
  for (const ast::Function& function : module.functions) {
    for (const ast::Instruction& instruction : function.instructions) {
      if (is_call(module, instruction)) continue;
      for (const ast::Operand& operand : function.operands_of(instruction)) {
        if (operand.kind == ast::Operand::Kind::kFunction) add(operand.index);
      }
    }
  }
  return result;
}

}  // namespace

CallGraph::CallGraph(const ast::Module& module, std::uint32_t kernel) {
  reached_.insert(kernel);
  follow(module, kernel);
  if (!calls_through_pointer_) return;
  pointed_at = addressed(module);
  for (const std::uint32_t function : pointed_at) {
    if (reached_.insert(function).second) follow(module, function);
  }
}

// Depth first; a call back into a function that is still open is recursion.
void CallGraph::follow(const ast::Module& module, std::uint32_t index) {
  functions.push_back(index);
  open_.insert(index);
  const ast::Function& function = module.functions[index];
  for (const ast::Instruction& instruction : function.instructions) {
    if (!is_call(module, instruction)) continue;
    const std::uint32_t callee = callee_of(module, function, instruction);
    if (callee == ast::kNone) calls_through_pointer_ = true;
    if (callee == ast::kNone || !module.functions[callee].defined) continue;
    if (open_.contains(callee)) {
      recursive.insert(callee);
    } else if (reached_.insert(callee).second) {
      follow(module, callee);
    }
  }
  open_.erase(index);
}

}  // namespace clcsim::ptx
