// Variables and parameters of PTX: type, alignment, dimensions, initialiser.
// Source: PTX ISA 9.0, section 5.4.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ptx/ast.h"
#include "ptx/token_stream.h"

namespace clcsim::ptx {

// Takes one of .global .const .shared .local .param, if it is next.
std::optional<ast::StateSpace> accept_state_space(TokenStream& tokens);

// Takes one of .extern .visible .weak .common, if it is next; else it is kInternal.
ast::Linkage accept_linkage(TokenStream& tokens);

// What stands between the state space and the name.
struct DeclaredType {
  ast::ScalarType type = ast::ScalarType::kB8;
  unsigned vector_width = 1;
  std::uint32_t alignment = 0;  // bytes; 0: not given
  bool managed = false;
};

// ".align 4 .v2 .f32", with what may stand between: .attribute(...), .ptr .global .align 4.
DeclaredType parse_type(TokenStream& tokens);

class DeclarationParser {
 public:
  explicit DeclarationParser(TokenStream& tokens) : tokens_(tokens) {}

  // What follows `.param`: ".align 8 .b8 name[24]". In a prototype the name is `_`.
  ast::Variable parse_parameter();

  // What follows the state space, and the semicolon: one variable for each name. The targets of
  // relocations are left open (index kNone), since names may be declared later.
  std::vector<ast::Variable> parse_variables(ast::StateSpace space, ast::Linkage linkage);

 private:
  ast::Variable parse_name_and_size(ast::StateSpace space, const DeclaredType& type);
  void parse_initialiser(ast::Variable& variable);
  void parse_element(ast::Variable& variable);
  void fill_with_zeros(ast::Variable& variable, std::uint64_t size);

  TokenStream& tokens_;
  std::uint64_t zeros_filled_ = 0;  // bytes that initialisers skip, in the whole module
};

}  // namespace clcsim::ptx
