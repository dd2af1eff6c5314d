// The tokens of a PTX text with one token of look-ahead, and the errors of a parser.
#pragma once

#include <string>
#include <string_view>

#include "ptx/lexer.h"
#include "ptx/parser.h"

namespace clcsim::ptx {

// A piece of the text for a message: in quotes, cut short where it is long.
std::string quoted(std::string_view text);

class TokenStream {
 public:
  explicit TokenStream(std::string_view text) : lexer_(text), ahead_(lexer_.next()) {}

  const Token& peek() const { return ahead_; }
  Token take() {
    const Token token = ahead_;
    ahead_ = lexer_.next();
    return token;
  }

  // Takes the next token if it is this one.
  bool accept(char symbol) {
    if (!ahead_.is(symbol)) return false;
    ahead_ = lexer_.next();
    return true;
  }
  bool accept_directive(std::string_view directive) {
    if (!ahead_.is_directive(directive)) return false;
    ahead_ = lexer_.next();
    return true;
  }

  // These throw ParseError if the next token is another; `where` ends the sentence "expected ...":
  // "after the operands".
  void expect(char symbol, std::string_view where);
  Token expect_kind(Token::Kind kind, std::string_view what);

  // "expected <what>, found '}'" at the next token.
  [[noreturn]] void fail_expected(std::string_view what) const;

 private:
  Lexer lexer_;
  Token ahead_;
};

}  // namespace clcsim::ptx
