// Parses what stands between the braces of a function.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx/ast.h"
#include "ptx/module_builder.h"
#include "ptx/scopes.h"

namespace clcsim::ptx {

// "(.param .b32 a, .param .b64 b)", if a parenthesis is next; else nothing. `registers`: a .reg may
// stand there, too.
std::vector<ast::Variable> parse_parameter_list(ModuleBuilder& builder, bool registers = false);

class FunctionBodyParser {
 public:
  // The function's parameters stand in function.variables; all else is filled in.
  FunctionBodyParser(ModuleBuilder& builder, ast::Function& function);

  // Takes everything after the opening brace, the closing one included. Throws ParseError.
  void parse();

 private:
  using Operand = ast::Operand;

  void parse_statement();
  void parse_directive();
  void parse_registers();
  void parse_local_variables(ast::StateSpace space, ast::Linkage linkage);
  void parse_after_label(const Token& label);
  void parse_branch_targets(const Token& label);
  void parse_guarded_instruction();
  void parse_instruction(Token opcode, std::uint32_t guard, bool negated);
  Token with_detached_modifiers(Token opcode);

  void parse_plain_operands(std::string_view opcode);
  void parse_call_operands();
  void parse_label_operand(Operand::Kind kind);

  Operand parse_operand(int depth);
  Operand parse_address(int depth);
  Operand parse_list(char open, char close, Operand::Kind kind, int depth);
  Operand parse_immediate();
  Operand parse_reference();
  Operand resolve(const Token& name);
  // Moves the operands from `first` on, on top of pending_, into the function.
  Operand make_composite(Operand::Kind kind, std::size_t first, ast::TextPosition position);

  void declare_label(const Token& name, Labels::Kind kind, std::size_t index);
  void resolve_labels();
  std::uint32_t find_label(std::uint32_t reference, Labels::Kind kind) const;
  void fill_in_missing_lines();

  struct LabelReference {
    std::uint32_t scope;
    Token name;
  };
  // Remembers a label to look up at the end of the function.
  std::uint32_t refer_to_label(const Token& name);

  ModuleBuilder& builder_;
  TokenStream& tokens_;
  ast::Function& function_;
  Scopes scopes_;
  Labels labels_;
  std::vector<LabelReference> references_;
  std::vector<Operand> pending_;  // operands of the instruction being parsed
  std::uint32_t location_ = 0;
};

}  // namespace clcsim::ptx
