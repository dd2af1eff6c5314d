#include "ptx/token_stream.h"

namespace clcsim::ptx {

ParseError::ParseError(ast::TextPosition position, const std::string& sentence)
    : std::runtime_error("PTX line " + std::to_string(position.line) + ", column " +
                         std::to_string(position.column) + ": " + sentence),
      position_(position) {}

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string result = "'";
  for (const char c : text.substr(0, kLongest)) result += c >= ' ' && c <= '~' ? c : '?';
  if (text.size() > kLongest) result += "...";
  return result + "'";
}

void TokenStream::expect(char symbol, std::string_view where) {
  if (accept(symbol)) return;
  fail_expected(std::string("'") + symbol + "' " + std::string(where));
}

Token TokenStream::expect_kind(Token::Kind kind, std::string_view what) {
  if (ahead_.kind != kind) fail_expected(what);
  return take();
}

void TokenStream::fail_expected(std::string_view what) const {
  const std::string found =
      ahead_.kind == Token::Kind::kEnd ? "the end of the text" : quoted(ahead_.text);
  throw ParseError(ahead_.position, "expected " + std::string(what) + ", found " + found);
}

}  // namespace clcsim::ptx
