#include "ptx/function_body.h"

#include <limits>
#include <string>
#include <utility>

#include "ptx/constant_expression.h"

namespace clcsim::ptx {
namespace {

using ast::Operand;
using ast::ScalarType;
using ast::StateSpace;

constexpr std::size_t kDeepestScope = 64;
constexpr int kDeepestOperand = 8;
constexpr std::size_t kMostOperands = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint64_t kLongestRange = std::numeric_limits<std::uint32_t>::max();

ParseError declared_twice(const Token& name) {
  return {name.position, quoted(name.text) + " is declared twice in this scope"};
}

bool is_reference(Operand::Kind kind) {
  return kind == Operand::Kind::kRegister || kind == Operand::Kind::kSink;
}

bool is_variable(Operand::Kind kind) {
  return kind == Operand::Kind::kModuleVariable || kind == Operand::Kind::kLocalVariable;
}

}  // namespace

std::vector<ast::Variable> parse_parameter_list(ModuleBuilder& builder, bool registers) {
  TokenStream& tokens = builder.tokens;
  std::vector<ast::Variable> parameters;
  if (!tokens.accept('(') || tokens.accept(')')) return parameters;
  do {
    const bool is_register = registers && tokens.accept_directive(".reg");
    if (!is_register && !tokens.accept_directive(".param")) tokens.fail_expected("a .param");
    parameters.push_back(builder.declarations.parse_parameter());
    parameters.back().is_register = is_register;
  } while (tokens.accept(','));
  tokens.expect(')', "after the parameters");
  return parameters;
}

namespace {

// What follows a label that is no place to jump to: "prototype_0 : .callprototype (...) _ (...);".
// Which function is called, and what it takes, is known when the call is executed.
void skip_prototype(ModuleBuilder& builder) {
  TokenStream& tokens = builder.tokens;
  parse_parameter_list(builder);
  if (!tokens.peek().is_word("_")) tokens.fail_expected("the _ of a prototype");
  tokens.take();
  parse_parameter_list(builder);
  while (tokens.peek().kind == Token::Kind::kDirective) {
    const Token directive = tokens.take();
    if (directive.text == ".abi_preserve" || directive.text == ".abi_preserve_control") {
      parse_count(tokens, "the number of registers", 0, kLongestRange);
    } else if (directive.text != ".noreturn") {
      throw ParseError(directive.position,
                       "a prototype has no directive " + quoted(directive.text));
    }
  }
  tokens.expect(';', "after the prototype");
}

}  // namespace

FunctionBodyParser::FunctionBodyParser(ModuleBuilder& builder, ast::Function& function)
    : builder_(builder),
      tokens_(builder.tokens),
      function_(function),
      scopes_(function.registers, builder.module.made_names) {}

void FunctionBodyParser::parse() {
  builder_.locations.start_function(function_.name);
  scopes_.open();
  for (std::size_t i = 0; i < function_.variables.size(); ++i) {
    ast::Variable& parameter = function_.variables[i];
    const bool is_new =
        parameter.is_register
            ? scopes_.declare_register(parameter.name, parameter.type, 1)
            : scopes_.declare_variable(parameter.name, static_cast<std::uint32_t>(i));
    if (!is_new) {
      throw ParseError(parameter.position, "two parameters are named " + quoted(parameter.name));
    }
    if (parameter.is_register) parameter.register_index = scopes_.find(parameter.name).index;
  }
  scopes_.open();
  const std::size_t outermost = scopes_.depth();
  while (true) {
    if (tokens_.peek().is('}') && scopes_.depth() == outermost) break;
    if (tokens_.peek().kind == Token::Kind::kEnd) {
      tokens_.fail_expected("the '}' of function " + quoted(function_.name));
    }
    parse_statement();
  }
  tokens_.take();
  resolve_labels();
  fill_in_missing_lines();
}

void FunctionBodyParser::parse_statement() {
  const Token& next = tokens_.peek();
  if (next.kind == Token::Kind::kWord) {
    const Token word = tokens_.take();
    if (tokens_.accept(':')) {
      parse_after_label(word);
    } else {
      parse_instruction(word, ast::kNone, false);
    }
  } else if (next.kind == Token::Kind::kDirective) {
    parse_directive();
  } else if (next.is('@')) {
    parse_guarded_instruction();
  } else if (next.is('{')) {
    if (scopes_.depth() >= kDeepestScope) {
      throw ParseError(next.position, "the scopes are nested too deeply");
    }
    tokens_.take();
    scopes_.open();
    labels_.open();
  } else if (next.is('}')) {
    tokens_.take();
    scopes_.close();
    labels_.close();
  } else if (!tokens_.accept(';')) {
    tokens_.fail_expected("an instruction, a label or a declaration");
  }
}

void FunctionBodyParser::parse_directive() {
  const Token directive = tokens_.peek();
  if (tokens_.accept_directive(".loc")) {
    // In an asm statement LLVM counts lines of its text; all of it stands at the statement's line.
    const std::uint32_t location = builder_.parse_loc();
    if (!directive.in_assembler) location_ = location;
  } else if (tokens_.accept_directive(".reg")) {
    parse_registers();
  } else if (tokens_.accept_directive(".pragma")) {
    builder_.skip_pragma();
  } else {
    const ast::Linkage linkage = accept_linkage(tokens_);
    const std::optional<StateSpace> space = accept_state_space(tokens_);
    if (!space) {
      throw ParseError(directive.position,
                       "the directive " + quoted(directive.text) + " has no meaning in a function");
    }
    parse_local_variables(*space, linkage);
  }
}

void FunctionBodyParser::parse_registers() {
  const ast::TextPosition position = tokens_.peek().position;
  const DeclaredType type = parse_type(tokens_);
  if (type.vector_width > 4) {
    throw ParseError(position, "a register has at most 4 elements");
  }
  do {
    const Token name = tokens_.expect_kind(Token::Kind::kWord, "the name of a register");
    bool is_new = false;
    if (tokens_.accept('<')) {
      const std::uint64_t count = parse_count(tokens_, "the number of registers", 0, kLongestRange);
      tokens_.expect('>', "after the number of registers");
      is_new = scopes_.declare_range(name.text, count, type.type, type.vector_width);
    } else {
      is_new = scopes_.declare_register(name.text, type.type, type.vector_width);
    }
    if (!is_new) throw declared_twice(name);
  } while (tokens_.accept(','));
  tokens_.expect(';', "after the declaration of registers");
}

void FunctionBodyParser::parse_local_variables(StateSpace space, ast::Linkage linkage) {
  for (ast::Variable& variable : builder_.declarations.parse_variables(space, linkage)) {
    const auto index = static_cast<std::uint32_t>(function_.variables.size());
    if (!scopes_.declare_variable(variable.name, index)) {
      throw ParseError(variable.position,
                       quoted(variable.name) + " is declared twice in this scope");
    }
    function_.variables.push_back(std::move(variable));
  }
}

void FunctionBodyParser::declare_label(const Token& name, Labels::Kind kind, std::size_t index) {
  if (!labels_.declare(name.text, {kind, static_cast<std::uint32_t>(index)})) {
    throw declared_twice(name);
  }
}

void FunctionBodyParser::parse_after_label(const Token& label) {
  if (tokens_.accept_directive(".branchtargets")) {
    parse_branch_targets(label);
  } else if (tokens_.accept_directive(".callprototype")) {
    declare_label(label, Labels::Kind::kPrototype, 0);
    skip_prototype(builder_);
  } else if (tokens_.peek().is_directive(".calltargets")) {
    throw ParseError(label.position, "lists of call targets (.calltargets) are not supported");
  } else {
    declare_label(label, Labels::Kind::kStatement, function_.instructions.size());
    function_.labels.push_back(static_cast<std::uint32_t>(function_.instructions.size()));
  }
}

void FunctionBodyParser::parse_branch_targets(const Token& label) {
  declare_label(label, Labels::Kind::kBranchTargets, function_.branch_targets.size());
  std::vector<std::uint32_t>& targets = function_.branch_targets.emplace_back();
  do {
    const Token name = tokens_.expect_kind(Token::Kind::kWord, "a label");
    targets.push_back(refer_to_label(name));
  } while (tokens_.accept(','));
  tokens_.expect(';', "after the branch targets");
}

std::uint32_t FunctionBodyParser::refer_to_label(const Token& name) {
  references_.push_back({labels_.scope(), name});
  return static_cast<std::uint32_t>(references_.size() - 1);
}

void FunctionBodyParser::parse_guarded_instruction() {
  tokens_.expect('@', "before a guard");
  const bool negated = tokens_.accept('!');
  const Token name = tokens_.expect_kind(Token::Kind::kWord, "a predicate register");
  const Operand guard = resolve(name);
  if (guard.kind != Operand::Kind::kRegister ||
      function_.registers[guard.index].type != ScalarType::kPred) {
    throw ParseError(name.position, "the guard " + quoted(name.text) + " is no predicate register");
  }
  parse_instruction(tokens_.expect_kind(Token::Kind::kWord, "an instruction"), guard.index,
                    negated);
}

// White space may stand before a modifier: "mov .u32".
Token FunctionBodyParser::with_detached_modifiers(Token opcode) {
  if (tokens_.peek().kind != Token::Kind::kDirective) return opcode;
  std::vector<char> text(opcode.text.begin(), opcode.text.end());
  while (tokens_.peek().kind == Token::Kind::kDirective) {
    const std::string_view modifier = tokens_.take().text;
    text.insert(text.end(), modifier.begin(), modifier.end());
  }
  const std::vector<char>& made = builder_.module.made_names.emplace_back(std::move(text));
  opcode.text = {made.data(), made.size()};
  return opcode;
}

void FunctionBodyParser::parse_instruction(Token opcode, std::uint32_t guard, bool negated) {
  opcode = with_detached_modifiers(opcode);
  ast::Instruction instruction;
  instruction.opcode = builder_.opcode_index(opcode.text);
  instruction.guard = guard;
  instruction.guard_negated = negated;
  instruction.location = location_;
  instruction.position = opcode.position;

  pending_.clear();
  switch (builder_.syntaxes[instruction.opcode]) {
    case OperandSyntax::kPlain:
      parse_plain_operands(opcode.text);
      break;
    case OperandSyntax::kCall:
      parse_call_operands();
      break;
    case OperandSyntax::kBranch:
      parse_label_operand(Operand::Kind::kLabel);
      break;
    case OperandSyntax::kIndexedBranch:
      pending_.push_back(parse_operand(0));
      tokens_.expect(',', "after the index of a branch");
      parse_label_operand(Operand::Kind::kBranchTargets);
      break;
  }
  if (!tokens_.accept(';'))
    tokens_.fail_expected("';' or ',' after an operand of " + quoted(opcode.text));

  instruction.operand_count = static_cast<std::uint16_t>(pending_.size());
  instruction.first_operand = static_cast<std::uint32_t>(function_.operands.size());
  function_.operands.insert(function_.operands.end(), pending_.begin(), pending_.end());
  function_.instructions.push_back(instruction);
}

void FunctionBodyParser::parse_plain_operands(std::string_view opcode) {
  if (tokens_.peek().is(';')) return;
  do {
    if (pending_.size() == kMostOperands) {
      throw ParseError(tokens_.peek().position, quoted(opcode) + " has too many operands");
    }
    pending_.push_back(parse_operand(0));
  } while (tokens_.accept(','));
}

void FunctionBodyParser::parse_label_operand(Operand::Kind kind) {
  const Token label = tokens_.expect_kind(Token::Kind::kWord, "a label");
  pending_.push_back({.kind = kind, .index = refer_to_label(label)});
}

// (returns), callee, (arguments), prototype; all but the callee may be missing.
void FunctionBodyParser::parse_call_operands() {
  const auto add_list = [&](bool there) {
    pending_.push_back(there ? parse_list('(', ')', Operand::Kind::kList, 1)
                             : Operand{.kind = Operand::Kind::kList});
    return there;
  };
  if (add_list(tokens_.peek().is('('))) tokens_.expect(',', "after what a call returns");
  pending_.push_back(resolve(tokens_.expect_kind(Token::Kind::kWord, "the function to call")));
  bool more = tokens_.accept(',');
  if (add_list(more && tokens_.peek().is('('))) more = tokens_.accept(',');
  if (more) {
    parse_label_operand(Operand::Kind::kPrototype);
  } else {
    pending_.emplace_back();
  }
}

Operand FunctionBodyParser::make_composite(Operand::Kind kind, std::size_t first,
                                           ast::TextPosition position) {
  const std::size_t count = pending_.size() - first;
  if (count > kMostOperands) throw ParseError(position, "the list is too long");
  const Operand composite{.kind = kind,
                          .count = static_cast<std::uint16_t>(count),
                          .index = static_cast<std::uint32_t>(function_.operands.size())};
  function_.operands.insert(function_.operands.end(),
                            pending_.begin() + static_cast<std::ptrdiff_t>(first), pending_.end());
  pending_.resize(first);
  return composite;
}

Operand FunctionBodyParser::parse_list(char open, char close, Operand::Kind kind, int depth) {
  const ast::TextPosition position = tokens_.peek().position;
  tokens_.expect(open, "before a list");
  const std::size_t first = pending_.size();
  if (!tokens_.accept(close)) {
    do {
      pending_.push_back(parse_operand(depth + 1));
    } while (tokens_.accept(','));
    tokens_.expect(close, "after a list of operands");
  }
  return make_composite(kind, first, position);
}

// [base], [base+8], [base, what a texture or a tensor needs...]
Operand FunctionBodyParser::parse_address(int depth) {
  const ast::TextPosition position = tokens_.peek().position;
  tokens_.expect('[', "before an address");
  const std::size_t first = pending_.size();
  Operand base;
  std::int64_t offset = 0;
  if (tokens_.peek().kind == Token::Kind::kWord) {
    const Token name = tokens_.take();
    base = resolve(name);
    if (base.kind != Operand::Kind::kRegister && base.kind != Operand::Kind::kFunction &&
        !is_variable(base.kind)) {
      throw ParseError(name.position, quoted(name.text) + " is no address");
    }
    if (tokens_.peek().is('+') || tokens_.peek().is('-')) {
      tokens_.accept('+');  // a minus is the sign of what follows: "+-8", "-8"
      offset = parse_immediate().value;
    }
  } else {
    base = parse_immediate();
    std::swap(offset, base.value);
  }
  pending_.push_back(base);
  while (tokens_.accept(',')) pending_.push_back(parse_operand(depth + 1));
  tokens_.expect(']', "after an address");
  Operand address = make_composite(Operand::Kind::kAddress, first, position);
  address.value = offset;
  return address;
}

Operand FunctionBodyParser::parse_immediate() {
  const Number number = parse_constant(tokens_);
  return {.kind = number.kind == Number::Kind::kInteger   ? Operand::Kind::kInteger
                  : number.kind == Number::Kind::kFloat32 ? Operand::Kind::kFloat32
                                                          : Operand::Kind::kFloat64,
          .value = static_cast<std::int64_t>(number.bits)};
}

// A name, a name plus an offset, or a pair p|q.
Operand FunctionBodyParser::parse_reference() {
  const Token name = tokens_.take();
  Operand operand = resolve(name);
  if (is_reference(operand.kind) && tokens_.peek().is('|')) {
    tokens_.take();
    const std::size_t first = pending_.size();
    pending_.push_back(operand);
    const Token second = tokens_.expect_kind(Token::Kind::kWord, "a register after '|'");
    const Operand right = resolve(second);
    if (!is_reference(right.kind)) {
      throw ParseError(second.position, quoted(second.text) + " is no register");
    }
    pending_.push_back(right);
    return make_composite(Operand::Kind::kPair, first, name.position);
  }
  if (is_variable(operand.kind) && (tokens_.peek().is('+') || tokens_.peek().is('-'))) {
    tokens_.accept('+');
    operand.value = parse_immediate().value;
  }
  return operand;
}

Operand FunctionBodyParser::parse_operand(int depth) {
  if (depth > kDeepestOperand) {
    throw ParseError(tokens_.peek().position, "the operand is nested too deeply");
  }
  const Token& next = tokens_.peek();
  if (next.kind == Token::Kind::kWord) return parse_reference();
  if (next.is('{')) return parse_list('{', '}', Operand::Kind::kVector, depth);
  if (next.is('[')) return parse_address(depth);
  if (next.is('!')) {
    const Token sign = tokens_.take();
    Operand operand = parse_operand(depth + 1);
    if (operand.kind != Operand::Kind::kRegister) {
      throw ParseError(sign.position, "'!' stands before something that is no predicate");
    }
    operand.negated = !operand.negated;
    return operand;
  }
  if (next.kind == Token::Kind::kNumber || next.is('-') || next.is('+') || next.is('~') ||
      next.is('(')) {
    return parse_immediate();
  }
  tokens_.fail_expected("an operand");
}

Operand FunctionBodyParser::resolve(const Token& name) {
  using Kind = Operand::Kind;
  if (name.text == "_") return {.kind = Kind::kSink};
  const Scopes::Found found = scopes_.find(name.text);
  if (found.kind == Scopes::Found::Kind::kVariable) {
    return {.kind = Kind::kLocalVariable, .index = found.index};
  }
  if (found.kind == Scopes::Found::Kind::kRegister) {
    if (found.width == 1) return {.kind = Kind::kRegister, .index = found.index};
    const std::size_t first = pending_.size();
    for (unsigned i = 0; i < found.width; ++i) {
      pending_.push_back({.kind = Kind::kRegister, .index = found.index + i});
    }
    return make_composite(Kind::kVector, first, name.position);
  }
  std::uint32_t index = builder_.module.find_variable(name.text);
  if (index != ast::kNone) return {.kind = Kind::kModuleVariable, .index = index};
  index = builder_.module.find_function(name.text);
  if (index != ast::kNone) return {.kind = Kind::kFunction, .index = index};
  index = builder_.special_register_index(name.text);
  if (index != ast::kNone) return {.kind = Kind::kSpecial, .index = index};
  throw ParseError(name.position, "the name " + quoted(name.text) + " is not declared");
}

std::uint32_t FunctionBodyParser::find_label(std::uint32_t reference, Labels::Kind kind) const {
  const LabelReference& wanted = references_[reference];
  const Labels::Label* label = labels_.find(wanted.scope, wanted.name.text);
  if (label && label->kind == kind) return label->index;
  const std::string what = kind == Labels::Kind::kStatement       ? "label"
                           : kind == Labels::Kind::kBranchTargets ? "list of branch targets"
                                                                  : "prototype";
  throw ParseError(wanted.name.position,
                   "there is no " + what + " " + quoted(wanted.name.text) + " in this scope");
}

void FunctionBodyParser::resolve_labels() {
  for (std::vector<std::uint32_t>& targets : function_.branch_targets) {
    for (std::uint32_t& target : targets) {
      target = find_label(target, Labels::Kind::kStatement);
    }
  }
  for (Operand& operand : function_.operands) {
    if (operand.kind == Operand::Kind::kLabel) {
      operand.index = find_label(operand.index, Labels::Kind::kStatement);
    } else if (operand.kind == Operand::Kind::kBranchTargets) {
      operand.index = find_label(operand.index, Labels::Kind::kBranchTargets);
    } else if (operand.kind == Operand::Kind::kPrototype) {
      operand.index = find_label(operand.index, Labels::Kind::kPrototype);
    }
  }
}

void FunctionBodyParser::fill_in_missing_lines() {
  const SourceLocations& locations = builder_.locations;
  std::vector<ast::Instruction>& instructions = function_.instructions;
  for (std::size_t i = instructions.size(); i-- > 1;) {
    std::uint32_t& location = instructions[i - 1].location;
    if (!locations.has_line(location) && locations.has_line(instructions[i].location)) {
      location = instructions[i].location;
    }
  }
  for (std::size_t i = 1; i < instructions.size(); ++i) {
    if (!locations.has_line(instructions[i].location)) {
      instructions[i].location = instructions[i - 1].location;
    }
  }
}

}  // namespace clcsim::ptx
