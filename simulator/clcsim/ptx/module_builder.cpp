#include "ptx/module_builder.h"

#include "ptx/constant_expression.h"
#include "ptx/special_registers.h"

namespace clcsim::ptx {
namespace {

ast::Module module_with(std::string_view text) {
  ast::Module module;
  module.text.assign(text.begin(), text.end());
  return module;
}

SourceLocations::Place parse_place(TokenStream& tokens) {
  SourceLocations::Place place;
  place.file = parse_count(tokens, "the file number", 0, kGreatest32);
  place.line = static_cast<std::uint32_t>(parse_count(tokens, "the line", 0, kGreatest32));
  place.column = static_cast<std::uint32_t>(parse_count(tokens, "the column", 0, kGreatest32));
  return place;
}

}  // namespace

ModuleBuilder::ModuleBuilder(std::string_view text)
    : module(module_with(text)),
      tokens({module.text.data(), module.text.size()}),
      declarations(tokens) {}

std::uint32_t ModuleBuilder::opcode_index(std::string_view text) {
  const auto next = static_cast<std::uint32_t>(module.opcodes.size());
  const auto [place, is_new] = opcode_indices_.try_emplace(text, next);
  if (!is_new) return place->second;
  ast::Opcode& opcode = module.opcodes.emplace_back();
  opcode.text = text;
  for (std::string_view rest = text;;) {
    const std::size_t dot = rest.find('.');
    opcode.parts.push_back(rest.substr(0, dot));
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  const std::string_view stem = opcode.parts.front();
  syntaxes.push_back(stem == "call"  ? OperandSyntax::kCall
                     : stem == "bra" ? OperandSyntax::kBranch
                     : stem == "brx" ? OperandSyntax::kIndexedBranch
                                     : OperandSyntax::kPlain);
  return next;
}

std::uint32_t ModuleBuilder::special_register_index(std::string_view name) {
  const auto next = static_cast<std::uint32_t>(module.special_registers.size());
  if (const auto known = special_indices_.find(name); known != special_indices_.end()) {
    return known->second;
  }
  if (!is_special_register(name)) return ast::kNone;
  special_indices_.emplace(name, next);
  module.special_registers.push_back(name);
  return next;
}

std::uint32_t ModuleBuilder::parse_loc() {
  const SourceLocations::Place place = parse_place(tokens);
  if (!tokens.accept(',')) return locations.add(place);
  if (!tokens.peek().is_word("function_name")) tokens.fail_expected("function_name");
  tokens.take();
  const Token label = tokens.expect_kind(Token::Kind::kWord, "the label of a function's name");
  std::uint64_t offset = 0;
  if (tokens.accept('+')) offset = parse_count(tokens, "the offset", 0, kGreatest32);
  tokens.expect(',', "before inlined_at");
  if (!tokens.peek().is_word("inlined_at")) tokens.fail_expected("inlined_at");
  tokens.take();
  return locations.add_inlined(place, label.text, offset, parse_place(tokens));
}

void ModuleBuilder::skip_pragma() {
  do {
    tokens.expect_kind(Token::Kind::kString, "the text of the pragma");
  } while (tokens.accept(','));
  tokens.expect(';', "after the pragma");
}

}  // namespace clcsim::ptx
