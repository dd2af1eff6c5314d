// Which functions a kernel calls, itself included.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "ptx/ast.h"

namespace clcsim::ptx {

bool is_call(const ast::Module& module, const ast::Instruction& instruction);

/// The function that a call names, behind its aliases; ast::kNone: a call through a pointer.
std::uint32_t callee_of(const ast::Module& module, const ast::Function& caller,
                        const ast::Instruction& call);

struct CallGraph {
  CallGraph(const ast::Module& module, std::uint32_t kernel);

  std::vector<std::uint32_t> functions;  ///< the kernel first; those without a body are left out
  std::set<std::uint32_t> recursive;     ///< called while they run

 private:
  void follow(const ast::Module& module, std::uint32_t index);
  std::set<std::uint32_t> open_, reached_;
};

}  // namespace clcsim::ptx
