#include "ptx/declarations.h"

#include <algorithm>
#include <bit>
#include <string>

#include "ptx/constant_expression.h"

namespace clcsim::ptx {
namespace {

using ast::ScalarType;
using ast::StateSpace;

constexpr std::uint64_t kLargestVariable = std::uint64_t{1} << 40;
constexpr std::uint64_t kLargestAlignment = 1 << 20;
constexpr std::size_t kMostDimensions = 16;
// An initialiser such as {{1}, {2}} of a[2][1000000] skips bytes. More than this in one module is
// no program but an attempt to fill our memory.
constexpr std::uint64_t kMostZerosFilled = 16 << 20;

std::optional<ScalarType> type_of(std::string_view directive) {
  for (int i = 0; i <= static_cast<int>(ScalarType::kSurfref); ++i) {
    if (ast::to_string(static_cast<ScalarType>(i)) == directive) return static_cast<ScalarType>(i);
  }
  return std::nullopt;
}

bool is_float(ScalarType type) {
  return type == ScalarType::kF32 || type == ScalarType::kF64;
}

// What follows .attribute: "(.managed)", "(.unified(1, 2))". True for .managed.
bool skip_attribute(TokenStream& tokens) {
  tokens.expect('(', "after .attribute");
  bool managed = false;
  for (int open = 1; open > 0;) {
    if (tokens.peek().kind == Token::Kind::kEnd) tokens.fail_expected("')'");
    const Token token = tokens.take();
    managed |= token.is_directive(".managed");
    open += token.is('(') ? 1 : token.is(')') ? -1 : 0;
  }
  return managed;
}

// The bits of `number` as an element of this type.
std::uint64_t bits_as(ScalarType type, const Number& number) {
  if (number.kind == Number::Kind::kFloat32) {
    if (type != ScalarType::kF64) return number.bits;
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(number.bits));
    return std::bit_cast<std::uint64_t>(static_cast<double>(value));
  }
  double value = 0;
  if (number.kind == Number::Kind::kFloat64) {
    if (type != ScalarType::kF32) return number.bits;
    value = std::bit_cast<double>(number.bits);
  } else {
    if (!is_float(type)) return number.bits;
    value = number.is_unsigned ? static_cast<double>(number.bits)
                               : static_cast<double>(static_cast<std::int64_t>(number.bits));
    if (type == ScalarType::kF64) return std::bit_cast<std::uint64_t>(value);
  }
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

void append(std::vector<std::byte>& bytes, std::uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; ++i) {
    bytes.push_back(static_cast<std::byte>(i < 8 ? value >> 8 * i : 0));
  }
}

}  // namespace

std::optional<StateSpace> accept_state_space(TokenStream& tokens) {
  for (const StateSpace space : {StateSpace::kGlobal, StateSpace::kConst, StateSpace::kShared,
                                 StateSpace::kLocal, StateSpace::kParam}) {
    if (tokens.accept_directive(ast::to_string(space))) return space;
  }
  return std::nullopt;
}

ast::Linkage accept_linkage(TokenStream& tokens) {
  if (tokens.accept_directive(".visible")) return ast::Linkage::kVisible;
  if (tokens.accept_directive(".extern")) return ast::Linkage::kExtern;
  if (tokens.accept_directive(".weak")) return ast::Linkage::kWeak;
  if (tokens.accept_directive(".common")) return ast::Linkage::kCommon;
  return ast::Linkage::kInternal;
}

DeclaredType parse_type(TokenStream& tokens) {
  DeclaredType result;
  bool has_type = false;
  bool pointer = false;  // what follows .ptr describes what it points to
  while (tokens.peek().kind == Token::Kind::kDirective) {
    const Token token = tokens.take();
    if (token.text == ".align") {
      const ast::TextPosition position = tokens.peek().position;
      const std::uint64_t alignment = parse_count(tokens, "the alignment", 1, kLargestAlignment);
      if (!std::has_single_bit(alignment)) {
        throw ParseError(position, "the alignment is no power of two");
      }
      if (!pointer) result.alignment = static_cast<std::uint32_t>(alignment);
    } else if (token.text == ".attribute") {
      result.managed |= skip_attribute(tokens);
    } else if (token.text == ".v2" || token.text == ".v4" || token.text == ".v8") {
      result.vector_width = static_cast<unsigned>(token.text[2] - '0');
    } else if (token.text == ".ptr") {
      pointer = true;
    } else if (pointer && (token.text == ".global" || token.text == ".const" ||
                           token.text == ".shared" || token.text == ".local")) {
      // which memory a parameter points to: of no use to us
    } else if (const std::optional<ScalarType> type = type_of(token.text)) {
      if (has_type) throw ParseError(token.position, "a second type, " + quoted(token.text));
      has_type = true;
      result.type = *type;
    } else {
      throw ParseError(token.position, quoted(token.text) + " is no type");
    }
  }
  if (!has_type) tokens.fail_expected("a type");
  return result;
}

ast::Variable DeclarationParser::parse_name_and_size(StateSpace space, const DeclaredType& type) {
  const Token name = tokens_.expect_kind(Token::Kind::kWord, "a name");
  ast::Variable variable;
  variable.name = name.text;
  variable.position = name.position;
  variable.space = space;
  variable.type = type.type;
  variable.vector_width = static_cast<std::uint8_t>(type.vector_width);
  variable.managed = type.managed;
  variable.size = std::uint64_t{ast::size_of(type.type)} * type.vector_width;
  variable.alignment = type.alignment
                           ? type.alignment
                           : std::max<std::uint32_t>(1, static_cast<std::uint32_t>(variable.size));
  while (tokens_.accept('[')) {
    if (variable.dimensions.size() == kMostDimensions) {
      throw ParseError(name.position, quoted(name.text) + " has too many dimensions");
    }
    if (tokens_.peek().is(']') && variable.dimensions.empty()) {
      variable.unsized = true;
      variable.dimensions.push_back(0);
    } else {
      const std::uint64_t count = parse_count(tokens_, "the dimension", 0, kLargestVariable);
      variable.dimensions.push_back(count);
      if (count != 0 && variable.size > kLargestVariable / count) {
        throw ParseError(name.position, quoted(name.text) + " is larger than 2^40 bytes");
      }
      variable.size *= count;
    }
    tokens_.expect(']', "after the dimension");
  }
  return variable;
}

ast::Variable DeclarationParser::parse_parameter() {
  const DeclaredType type = parse_type(tokens_);
  ast::Variable variable = parse_name_and_size(StateSpace::kParam, type);
  if (variable.unsized) variable.size = 0;
  return variable;
}

std::vector<ast::Variable> DeclarationParser::parse_variables(StateSpace space,
                                                              ast::Linkage linkage) {
  const DeclaredType type = parse_type(tokens_);
  std::vector<ast::Variable> variables;
  do {
    ast::Variable& variable = variables.emplace_back(parse_name_and_size(space, type));
    variable.linkage = linkage;
    if (tokens_.accept('=')) parse_initialiser(variable);
    if (variable.unsized) {
      // `a[] = {1, 2}` is as long as its initialiser; `extern .shared a[]` as the launch says.
      variable.unsized = variable.initial.empty();
      variable.size = variable.initial.size();
    }
  } while (tokens_.accept(','));
  tokens_.expect(';', "after the declaration of " + quoted(variables.back().name));
  return variables;
}

void DeclarationParser::fill_with_zeros(ast::Variable& variable, std::uint64_t size) {
  if (size <= variable.initial.size()) return;
  zeros_filled_ += size - variable.initial.size();
  if (zeros_filled_ > kMostZerosFilled) {
    throw ParseError(variable.position,
                     "the initialiser of " + quoted(variable.name) + " skips too many elements");
  }
  variable.initial.resize(size);
}

// A number, or a name in one of the forms name, name+4, generic(name)+4, 0xff00(name).
void DeclarationParser::parse_element(ast::Variable& variable) {
  const unsigned size = ast::size_of(variable.type);
  const Token first = tokens_.peek();
  ast::Relocation relocation;
  relocation.index = ast::kNone;
  relocation.offset = variable.initial.size();
  relocation.width = static_cast<std::uint8_t>(std::min(size, 8u));
  bool masked = false;
  if (first.kind != Token::Kind::kWord) {
    const Number number = parse_constant(tokens_);
    if (!tokens_.peek().is('(')) {
      append(variable.initial, bits_as(variable.type, number), size);
      return;
    }
    tokens_.take();
    masked = true;
    const int shift = std::countr_zero(number.bits);
    if (number.kind != Number::Kind::kInteger || number.bits == 0 || shift % 8 != 0 ||
        number.bits >> shift != 0xff) {
      throw ParseError(first.position, "the mask of an address must choose one byte of it");
    }
    relocation.shift = static_cast<std::uint8_t>(shift);
    relocation.width = 1;
  }
  Token name = tokens_.expect_kind(Token::Kind::kWord, "a number or a name");
  if (name.text == "generic" && tokens_.accept('(')) {
    relocation.generic = true;
    name = tokens_.expect_kind(Token::Kind::kWord, "a name");
    tokens_.expect(')', "after the name of a generic address");
  }
  if (tokens_.peek().is('+') || tokens_.peek().is('-')) {
    const Token sign = tokens_.peek();
    const Number addend = parse_constant(tokens_);
    if (addend.kind != Number::Kind::kInteger) {
      throw ParseError(sign.position, "the offset is no integer");
    }
    relocation.addend = static_cast<std::int64_t>(addend.bits);
  }
  if (masked) tokens_.expect(')', "after the address");
  if (size < 4 && !masked) {
    throw ParseError(name.position, "the address of " + quoted(name.text) +
                                        " does not fit an element of type " +
                                        std::string(ast::to_string(variable.type)));
  }
  relocation.symbol = name.text;
  variable.relocations.push_back(relocation);
  append(variable.initial, 0, size);
}

// The elements of all dimensions in a row; inner braces end a row of their dimension.
void DeclarationParser::parse_initialiser(ast::Variable& variable) {
  const std::uint64_t element = std::uint64_t{ast::size_of(variable.type)};
  if (element == 0) {
    throw ParseError(variable.position, "a variable of type " +
                                            std::string(ast::to_string(variable.type)) +
                                            " takes no initialiser");
  }
  // rows[d]: bytes of a row that braces of depth d + 1 enclose
  std::vector<std::uint64_t> rows(variable.dimensions.size() + 1);
  rows.back() = element * variable.vector_width;
  for (std::size_t d = variable.dimensions.size(); d > 0; --d) {
    rows[d - 1] = rows[d] * variable.dimensions[d - 1];
  }
  const std::size_t most_braces =
      std::max<std::size_t>(1, variable.dimensions.size() + (variable.vector_width > 1 ? 1 : 0));
  const std::uint64_t limit = variable.unsized ? kLargestVariable : variable.size;

  if (!tokens_.peek().is('{')) {
    parse_element(variable);
  } else {
    std::vector<std::uint64_t> starts;  // of the open braces
    bool after_element = false;
    do {
      const Token token = tokens_.peek();
      if (token.is('{') && !after_element) {
        tokens_.take();
        if (starts.size() == most_braces) {
          throw ParseError(token.position, "the initialiser of " + quoted(variable.name) +
                                               " has more braces than dimensions");
        }
        starts.push_back(variable.initial.size());
      } else if (token.is('}')) {
        tokens_.take();
        const std::uint64_t row = rows[starts.size() - 1];
        const std::uint64_t used = variable.initial.size() - starts.back();
        if (starts.size() > 1) {
          if (used > row) {
            throw ParseError(token.position, "the braces hold more than a row");
          }
          fill_with_zeros(variable, starts.back() + row);
        }
        starts.pop_back();
        after_element = true;
      } else if (after_element) {
        tokens_.expect(',', "between the elements of an initialiser");
        after_element = false;
      } else {
        parse_element(variable);
        after_element = true;
      }
      if (variable.initial.size() > limit) {
        throw ParseError(token.position, "the initialiser is longer than " + quoted(variable.name));
      }
    } while (!starts.empty());
  }
  if (variable.initial.size() > limit) {
    throw ParseError(variable.position, "the initialiser is longer than " + quoted(variable.name));
  }
}

}  // namespace clcsim::ptx
