// Turns a kernel of a parsed module into the program that the machine executes.
#pragma once

#include <cstdint>

#include "ptx/ast.h"
#include "ptx/form.h"
#include "ptx/program.h"

namespace clcsim::ptx {

/// Decodes the kernel with this index in `module.functions`, and every function that it calls:
/// their code follows the kernel's, and a call leaves its return address in a hidden register.
/// Recursion and calls through pointers are refused.
///
/// An instruction that no form of the table fits does not fail here. It becomes a refusal that is
/// raised if it is executed, so that code which is never reached does no harm.
Program decode(const ast::Module& module, std::uint32_t kernel, const FormTable& table);

}  // namespace clcsim::ptx
