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

/// The function that is meant by an index, behind its aliases.
std::uint32_t without_alias(const ast::Module& module, std::uint32_t function);

/// What a pointer to a function holds. No memory lies there.
std::uint64_t function_address(const ast::Module& module, std::uint32_t function);

struct CallGraph {
  CallGraph(const ast::Module& module, std::uint32_t kernel);

  std::vector<std::uint32_t> functions;  ///< the kernel first; those without a body are left out
  std::set<std::uint32_t> recursive;     ///< called by name while they run
  /// Those that a pointer may lead to, where the kernel calls through pointers: all of the module
  /// whose addresses it takes.
  std::set<std::uint32_t> pointed_at;

 private:
  void follow(const ast::Module& module, std::uint32_t index);
  std::set<std::uint32_t> open_, reached_;
  bool calls_through_pointer_ = false;
};

}  // namespace clcsim::ptx
