#include "ptx/parser.h"

#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "ptx/constant_expression.h"
#include "ptx/function_body.h"
#include "ptx/module_builder.h"

namespace clcsim::ptx {
namespace {

struct Alias {
  Token name;
  Token target;
};

class ModuleParser {
 public:
  explicit ModuleParser(std::string_view text) : builder_(text), tokens_(builder_.tokens) {}

  ast::Module parse();

 private:
  void parse_statement();
  void parse_version();
  void parse_target();
  void parse_file();
  void parse_section();
  void parse_debug_strings();
  void parse_function(bool entry);
  void parse_function_directives(ast::Function& function);
  ast::Function& function_named(const Token& name);
  void add_variable(ast::Variable variable);
  void resolve_aliases();
  void resolve_relocations(ast::Variable& variable);

  ModuleBuilder builder_;
  TokenStream& tokens_;
  std::vector<Alias> aliases_;
  bool has_version_ = false;
};

ast::Module ModuleParser::parse() {
  while (tokens_.peek().kind != Token::Kind::kEnd) parse_statement();
  ast::Module& module = builder_.module;
  if (!has_version_) tokens_.fail_expected("a .version");
  if (module.target.text.empty()) tokens_.fail_expected("a .target");
  resolve_aliases();
  for (ast::Variable& variable : module.variables) resolve_relocations(variable);
  for (ast::Function& function : module.functions) {
    for (ast::Variable& variable : function.variables) resolve_relocations(variable);
  }
  builder_.locations.finish(module);
  return std::move(module);
}

void ModuleParser::parse_statement() {
  const Token next = tokens_.peek();
  if (tokens_.accept(';')) return;
  if (tokens_.accept_directive(".version")) return parse_version();
  if (tokens_.accept_directive(".target")) return parse_target();
  if (tokens_.accept_directive(".address_size")) {
    parse_count(tokens_, "the address size", 32, 64);
    return;
  }
  if (tokens_.accept_directive(".file")) return parse_file();
  if (tokens_.accept_directive(".section")) return parse_section();
  if (tokens_.accept_directive(".pragma")) return builder_.skip_pragma();
  if (tokens_.accept_directive(".alias")) {
    const Token name = tokens_.expect_kind(Token::Kind::kWord, "the name of an alias");
    tokens_.expect(',', "after the name of an alias");
    aliases_.push_back({name, tokens_.expect_kind(Token::Kind::kWord, "a function")});
    tokens_.expect(';', "after an alias");
    return;
  }
  const ast::Linkage linkage = accept_linkage(tokens_);
  if (tokens_.accept_directive(".entry")) return parse_function(true);
  if (tokens_.accept_directive(".func")) return parse_function(false);
  if (const std::optional<ast::StateSpace> space = accept_state_space(tokens_)) {
    for (ast::Variable& variable : builder_.declarations.parse_variables(*space, linkage)) {
      add_variable(std::move(variable));
    }
    return;
  }
  if (next.kind == Token::Kind::kDirective && linkage == ast::Linkage::kInternal) {
    throw ParseError(next.position, "the directive " + quoted(next.text) + " is not known");
  }
  tokens_.fail_expected("a function, a variable or another directive");
}

void ModuleParser::parse_version() {
  const Token token = tokens_.expect_kind(Token::Kind::kNumber, "a PTX version");
  unsigned number = 0;
  const char* const end = token.text.data() + token.text.size();
  const auto [dot, error] = std::from_chars(token.text.data(), end, number);
  if (error != std::errc() || dot == end || *dot != '.' ||
      std::from_chars(dot + 1, end, number).ptr != end || dot + 1 == end) {
    throw ParseError(token.position, quoted(token.text) + " is no PTX version such as 9.0");
  }
  has_version_ = true;
}

void ModuleParser::parse_target() {
  do {
    const Token token = tokens_.expect_kind(Token::Kind::kWord, "a target such as sm_100a");
    ast::Target& target = builder_.module.target;
    if (token.text.starts_with("sm_")) {
      const char* const end = token.text.data() + token.text.size();
      const auto [rest, error] = std::from_chars(token.text.data() + 3, end, target.number);
      const bool suffixed = end - rest == 1 && (*rest == 'a' || *rest == 'f');
      if (error != std::errc() || (rest != end && !suffixed)) {
        throw ParseError(token.position, quoted(token.text) + " is no target such as sm_100a");
      }
      target.variant = suffixed ? *rest : '\0';
      target.text = token.text;
    }  // else debug, texmode_independent and their like
  } while (tokens_.accept(','));
}

void ModuleParser::parse_file() {
  const std::uint64_t number = parse_count(tokens_, "the file number", 0, kGreatest32);
  builder_.locations.add_file(number,
                              tokens_.expect_kind(Token::Kind::kString, "the path of a file").text);
  while (tokens_.accept(',')) {  // time stamp, size
    parse_count(tokens_, "the time stamp or size", 0, std::numeric_limits<std::uint64_t>::max());
  }
}

// Only the strings matter to us, for the names of inlined functions. The rest is DWARF.
void ModuleParser::parse_section() {
  const Token name = tokens_.take();
  if (name.kind != Token::Kind::kDirective && name.kind != Token::Kind::kWord) {
    throw ParseError(name.position, "a section needs a name");
  }
  tokens_.expect('{', "after the name of a section");
  if (name.text == ".debug_str") return parse_debug_strings();
  for (int open = 1; open > 0;) {
    if (tokens_.peek().kind == Token::Kind::kEnd) {
      tokens_.fail_expected("the '}' of section " + quoted(name.text));
    }
    const Token token = tokens_.take();
    open += token.is('{') ? 1 : token.is('}') ? -1 : 0;
  }
}

void ModuleParser::parse_debug_strings() {
  while (!tokens_.accept('}')) {
    const Token token = tokens_.take();
    const unsigned size = token.is_directive(".b8")    ? 1
                          : token.is_directive(".b16") ? 2
                          : token.is_directive(".b32") ? 4
                          : token.is_directive(".b64") ? 8
                                                       : 0;
    if (token.kind == Token::Kind::kWord) {
      tokens_.expect(':', "after a label of .debug_str");
      builder_.locations.add_debug_label(token.text);
    } else if (size == 0) {
      throw ParseError(token.position,
                       "expected a label or bytes of .debug_str, found " + quoted(token.text));
    } else {
      do {
        builder_.locations.add_debug_bytes(parse_constant(tokens_).bits, size);
      } while (tokens_.accept(','));
    }
  }
}

// The function that a declaration or definition is about: a new one or the one declared before.
ast::Function& ModuleParser::function_named(const Token& name) {
  ast::Module& module = builder_.module;
  if (module.variable_index.contains(name.text)) {
    throw ParseError(name.position, quoted(name.text) + " is declared as a variable already");
  }
  const auto next = static_cast<std::uint32_t>(module.functions.size());
  const auto [place, is_new] = module.function_index.try_emplace(name.text, next);
  if (is_new) {
    ast::Function& function = module.functions.emplace_back();
    function.name = name.text;
    function.position = name.position;
  }
  return module.functions[place->second];
}

void ModuleParser::parse_function(bool entry) {
  std::vector<ast::Variable> returns;
  if (!entry) returns = parse_parameter_list(builder_, true);
  const Token name = tokens_.expect_kind(Token::Kind::kWord, "the name of a function");
  ast::Function& function = function_named(name);
  std::vector<ast::Variable> parameters = parse_parameter_list(builder_, !entry);

  ast::Function declared;
  declared.name = function.name;
  declared.entry = entry;
  declared.position = name.position;
  declared.return_count = static_cast<std::uint32_t>(returns.size());
  declared.parameter_count = static_cast<std::uint32_t>(parameters.size());
  declared.variables = std::move(returns);
  for (ast::Variable& parameter : parameters) declared.variables.push_back(std::move(parameter));
  parse_function_directives(declared);

  if (tokens_.accept('{')) {
    if (function.defined) {
      throw ParseError(name.position, quoted(name.text) + " is defined twice");
    }
    function = std::move(declared);
    function.defined = true;
    FunctionBodyParser(builder_, function).parse();
  } else {
    tokens_.expect(';', "or '{' after the head of " + quoted(name.text));
    if (!function.defined) function = std::move(declared);
  }
}

// .maxntid 256, 1, 1  .minnctapersm 2  .noreturn  .pragma "...";
void ModuleParser::parse_function_directives(ast::Function& function) {
  while (tokens_.peek().kind == Token::Kind::kDirective) {
    const Token token = tokens_.take();
    if (token.text == ".pragma") {
      builder_.skip_pragma();
      continue;
    }
    ast::Directive& directive = function.directives.emplace_back();
    directive.name = token.text;
    if (tokens_.peek().kind != Token::Kind::kNumber) continue;
    do {
      directive.values.push_back(
          parse_count(tokens_, "the value of " + quoted(token.text), 0, kGreatest32));
    } while (tokens_.accept(','));
  }
}

void ModuleParser::add_variable(ast::Variable variable) {
  ast::Module& module = builder_.module;
  if (module.function_index.contains(variable.name)) {
    throw ParseError(variable.position,
                     quoted(variable.name) + " is declared as a function already");
  }
  const auto next = static_cast<std::uint32_t>(module.variables.size());
  const auto [place, is_new] = module.variable_index.try_emplace(variable.name, next);
  if (is_new) {
    module.variables.push_back(std::move(variable));
    return;
  }
  ast::Variable& known = module.variables[place->second];
  if (variable.linkage == ast::Linkage::kExtern) return;
  if (known.linkage != ast::Linkage::kExtern) {
    throw ParseError(variable.position, quoted(variable.name) + " is declared twice");
  }
  known = std::move(variable);
}

void ModuleParser::resolve_aliases() {
  ast::Module& module = builder_.module;
  for (const Alias& alias : aliases_) {
    const std::uint32_t target = module.find_function(alias.target.text);
    if (target == ast::kNone || !module.functions[target].defined) {
      throw ParseError(
          alias.target.position,
          "the alias means the function " + quoted(alias.target.text) + ", which is not defined");
    }
    ast::Function& function = function_named(alias.name);
    if (function.defined) {
      throw ParseError(alias.name.position, quoted(alias.name.text) + " is defined already");
    }
    function.alias_of = target;
  }
}

void ModuleParser::resolve_relocations(ast::Variable& variable) {
  for (ast::Relocation& relocation : variable.relocations) {
    relocation.index = builder_.module.find_variable(relocation.symbol);
    relocation.target = ast::Relocation::Target::kVariable;
    if (relocation.index != ast::kNone) continue;
    relocation.index = builder_.module.find_function(relocation.symbol);
    relocation.target = ast::Relocation::Target::kFunction;
    if (relocation.index != ast::kNone) continue;
    throw ParseError(variable.position, "the initialiser of " + quoted(variable.name) + " names " +
                                            quoted(relocation.symbol) + ", which is not declared");
  }
}

}  // namespace

ast::Module parse(std::string_view text) {
  if (text.size() > kGreatest32) {
    throw ParseError({}, "the text is longer than 4 GiB");
  }
  return ModuleParser(text).parse();
}

}  // namespace clcsim::ptx
