#include "ptx/call_graph.h"

namespace clcsim::ptx {

bool is_call(const ast::Module& module, const ast::Instruction& instruction) {
  return module.opcode_of(instruction).parts.front() == "call";
}

std::uint32_t callee_of(const ast::Module& module, const ast::Function& caller,
                        const ast::Instruction& call) {
  const ast::Operand& callee = caller.operands_of(call)[1];
  if (callee.kind != ast::Operand::Kind::kFunction) return ast::kNone;
  std::uint32_t index = callee.index;
  while (module.functions[index].alias_of != ast::kNone) index = module.functions[index].alias_of;
  return index;
}

CallGraph::CallGraph(const ast::Module& module, std::uint32_t kernel) {
  reached_.insert(kernel);
  follow(module, kernel);
}

// Depth first; a call back into a function that is still open is recursion.
void CallGraph::follow(const ast::Module& module, std::uint32_t index) {
  functions.push_back(index);
  open_.insert(index);
  const ast::Function& function = module.functions[index];
  for (const ast::Instruction& instruction : function.instructions) {
    if (!is_call(module, instruction)) continue;
    const std::uint32_t callee = callee_of(module, function, instruction);
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
