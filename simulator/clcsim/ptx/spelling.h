// The name that the form table knows an instruction by (form.h), from the opcode as PTX spells it.
#pragma once

#include <string>

#include "ptx/ast.h"
#include "ptx/facts.h"

namespace clcsim::ptx {

struct Spelling {
  std::string name;
  Order order = Order::weak;  ///< what is said outside of the name
  Scope scope = Scope::none;
  bool cache_policy = false;  ///< the last operand is one, and changes nothing
};

/// `parameter`: what `.param` means in it, "::entry" or "::func".
Spelling spell(const ast::Opcode& opcode, const char* parameter);

}  // namespace clcsim::ptx
