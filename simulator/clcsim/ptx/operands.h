// Whether the operands that a program writes are those that a form takes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ptx/ast.h"
#include "ptx/form.h"

namespace clcsim::ptx {

/// The operands, one for each element of the form's signature, with pairs `d|p` and vectors `{a,
/// b}` taken apart; nullptr: a missing one. Nothing: they don't fit the form.
std::optional<std::vector<const ast::Operand*>> match(const Form& form,
                                                      const ast::Function& function,
                                                      std::span<const ast::Operand> operands);

}  // namespace clcsim::ptx
