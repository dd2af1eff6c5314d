// Cuts PTX text into tokens. White space is dropped, and so are comments, but for those by which
// compilers mark the text of an asm statement.
//
// A word takes its dots and `::` along, so that a whole opcode is one token:
// "ld.global.v4.f32", "shared::cta", "%tid.x", "$L__BB0_2". A word that starts with a dot is a
// directive and ends at the next dot: ".reg" ".b32".
//
// Source: PTX ISA 9.0, sections 4.2 to 4.5.
#pragma once

#include <cstdint>
#include <string_view>

#include "ptx/ast.h"

namespace clcsim::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    kEnd,
    kWord,       // an identifier or opcode
    kDirective,  // text starts with the dot
    kNumber,     // as spelled: "12", "0x1fU", "0f3f800000", "1.5e-3"
    kString,     // text is without its quotes; escapes are left as they are
    kSymbol,     // one character, or one of << >> <= >= == != && ||
  };
  Kind kind = Kind::kEnd;
  std::string_view text;
  ast::TextPosition position;
  bool in_assembler = false;  // between "// begin inline asm" and "// end inline asm"

  bool is(char symbol) const {
    return kind == Kind::kSymbol && text.size() == 1 && text[0] == symbol;
  }
  bool is_symbol(std::string_view symbol) const { return kind == Kind::kSymbol && text == symbol; }
  bool is_directive(std::string_view directive) const {
    return kind == Kind::kDirective && text == directive;
  }
  bool is_word(std::string_view word) const { return kind == Kind::kWord && text == word; }
};

class Lexer {
 public:
  // `text` must outlive the lexer and its tokens.
  explicit Lexer(std::string_view text);

  // The next token; after the last one kEnd, for ever. Throws ParseError at a character that
  // starts no token and at a comment or string without an end.
  Token next();

 private:
  void skip_blanks();
  ast::TextPosition position_of(const char* place) const;
  Token take(Token::Kind kind, const char* end);
  const char* end_of_word(const char* place) const;
  const char* end_of_number(const char* place) const;

  const char* cursor_;
  const char* end_;
  const char* line_start_;
  std::uint32_t line_ = 1;
  bool in_assembler_ = false;
};

// The value of a number token.
struct Number {
  enum class Kind : std::uint8_t { kInteger, kFloat32, kFloat64 };
  Kind kind = Kind::kInteger;
  bool is_unsigned = false;  // U suffix, or too large for a signed 64-bit integer
  std::uint64_t bits = 0;
};

// Throws ParseError if the token's text is no number or does not fit 64 bits.
Number number_of(const Token& token);

}  // namespace clcsim::ptx
