#include "ptx/module_builder.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "ptx/constant_expression.h"

namespace clcsim::ptx {
namespace {

// ---- the names of PTX's special registers (PTX ISA 9.0, chapter 10) ----

using namespace std::string_view_literals;

// These have the components .x .y .z .w.
constexpr std::array kVectors = {
    "%tid"sv,       "%ntid"sv,       "%ctaid"sv,         "%nctaid"sv,
    "%clusterid"sv, "%nclusterid"sv, "%cluster_ctaid"sv, "%cluster_nctaid"sv,
};

constexpr std::array kScalars = {
    "%laneid"sv,
    "%warpid"sv,
    "%nwarpid"sv,
    "%smid"sv,
    "%nsmid"sv,
    "%gridid"sv,
    "%is_explicit_cluster"sv,
    "%cluster_ctarank"sv,
    "%cluster_nctarank"sv,
    "%lanemask_eq"sv,
    "%lanemask_le"sv,
    "%lanemask_lt"sv,
    "%lanemask_ge"sv,
    "%lanemask_gt"sv,
    "%clock"sv,
    "%clock_hi"sv,
    "%clock64"sv,
    "%globaltimer"sv,
    "%globaltimer_lo"sv,
    "%globaltimer_hi"sv,
    "%reserved_smem_offset_begin"sv,
    "%reserved_smem_offset_end"sv,
    "%reserved_smem_offset_cap"sv,
    "%total_smem_size"sv,
    "%aggr_smem_size"sv,
    "%dynamic_smem_size"sv,
    "%current_graph_exec"sv,
    "WARP_SZ"sv,
};

struct Family {
  std::string_view prefix;
  unsigned count;
  std::string_view suffix;
};
constexpr std::array<Family, 4> kFamilies = {{
    {"%envreg", 32, ""},
    {"%pm", 8, ""},
    {"%pm", 8, "_64"},
    {"%reserved_smem_offset_", 2, ""},
}};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_member(const Family& family, std::string_view name) {
  if (!name.starts_with(family.prefix) || !name.ends_with(family.suffix)) return false;
  name.remove_prefix(family.prefix.size());
  if (name.size() < family.suffix.size()) return false;
  name.remove_suffix(family.suffix.size());
  unsigned number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() && number < family.count;
}

// "%tid.x", "%laneid", "%envreg12", also "WARP_SZ", which PTX counts as a constant.
bool is_special_register(std::string_view name) {
  if (contains(kScalars, name) || contains(kVectors, name)) return true;
  if (const std::size_t dot = name.find('.'); dot != std::string_view::npos) {
    const std::string_view component = name.substr(dot + 1);
    return component.size() == 1 && std::string_view("xyzw").find(component) != component.npos &&
           contains(kVectors, name.substr(0, dot));
  }
  return std::any_of(kFamilies.begin(), kFamilies.end(),
                     [&](const Family& family) { return is_member(family, name); });
}

// ---- what the builder is made of ----

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
