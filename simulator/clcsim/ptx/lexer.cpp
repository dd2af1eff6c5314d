#include "ptx/lexer.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <string>

#include "ptx/parser.h"

namespace clcsim::ptx {
namespace {

enum CharClass : std::uint8_t {
  kBlank = 1,
  kWordStart = 2,
  kWordPart = 4,
  kDigit = 8,
  kHexDigit = 16,
};

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (const char c : {' ', '\t', '\r', '\n', '\f', '\v'}) classes[static_cast<int>(c)] = kBlank;
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = kWordStart | kWordPart;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = kWordStart | kWordPart;
  for (const char c : {'_', '$', '%'}) classes[static_cast<int>(c)] = kWordStart | kWordPart;
  classes[static_cast<int>('%')] = kWordStart;
  for (int c = '0'; c <= '9'; ++c) classes[c] = kDigit | kHexDigit | kWordPart;
  for (int c = 0; c < 6; ++c) {
    classes['a' + c] |= kHexDigit;
    classes['A' + c] |= kHexDigit;
  }
  return classes;
}
constexpr std::array<std::uint8_t, 256> kClasses = make_classes();

bool is_class(char c, std::uint8_t char_class) {
  return (kClasses[static_cast<unsigned char>(c)] & char_class) != 0;
}

std::string quoted_character(char c) {
  if (c >= ' ' && c <= '~') return std::string("'") + c + "'";
  constexpr char kHex[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return std::string("the byte 0x") + kHex[byte >> 4] + kHex[byte & 15];
}

}  // namespace

Lexer::Lexer(std::string_view text)
    : cursor_(text.data()), end_(text.data() + text.size()), line_start_(text.data()) {}

ast::TextPosition Lexer::position_of(const char* place) const {
  return {line_, static_cast<std::uint32_t>(place - line_start_ + 1)};
}

void Lexer::skip_blanks() {
  while (cursor_ != end_) {
    const char c = *cursor_;
    if (is_class(c, kBlank)) {
      ++cursor_;
      if (c == '\n') {
        ++line_;
        line_start_ = cursor_;
      }
    } else if (c == '/' && end_ - cursor_ >= 2 && cursor_[1] == '/') {
      const void* newline = std::memchr(cursor_, '\n', end_ - cursor_);
      const char* const end = newline ? static_cast<const char*>(newline) : end_;
      const std::string_view comment(cursor_, static_cast<std::size_t>(end - cursor_));
      if (comment.starts_with("// begin inline asm")) in_assembler_ = true;
      if (comment.starts_with("// end inline asm")) in_assembler_ = false;
      cursor_ = end;
    } else if (c == '/' && end_ - cursor_ >= 2 && cursor_[1] == '*') {
      const ast::TextPosition start = position_of(cursor_);
      cursor_ += 2;
      while (end_ - cursor_ >= 2 && !(cursor_[0] == '*' && cursor_[1] == '/')) {
        if (*cursor_++ == '\n') {
          ++line_;
          line_start_ = cursor_;
        }
      }
      if (end_ - cursor_ < 2) throw ParseError(start, "the comment has no end");
      cursor_ += 2;
    } else {
      return;
    }
  }
}

Token Lexer::take(Token::Kind kind, const char* end) {
  const Token token{kind,
                    {cursor_, static_cast<std::size_t>(end - cursor_)},
                    position_of(cursor_),
                    in_assembler_};
  cursor_ = end;
  return token;
}

const char* Lexer::end_of_word(const char* place) const {
  ++place;
  while (true) {
    while (place != end_ && is_class(*place, kWordPart)) ++place;
    if (end_ - place >= 2 && place[0] == '.' && is_class(place[1], kWordPart)) {
      ++place;
    } else if (end_ - place >= 3 && place[0] == ':' && place[1] == ':' &&
               is_class(place[2], kWordPart)) {
      place += 2;
    } else {
      return place;
    }
  }
}

// A sign belongs to a number only after the e of a decimal exponent.
const char* Lexer::end_of_number(const char* place) const {
  const bool prefixed =
      end_ - place >= 2 && place[0] == '0' && std::strchr("xXfFdDbB", place[1]) && place[1] != '\0';
  while (place != end_) {
    if (is_class(*place, kWordPart)) {
      const bool exponent = !prefixed && (*place == 'e' || *place == 'E');
      ++place;
      if (exponent && place != end_ && (*place == '+' || *place == '-')) ++place;
    } else if (*place == '.' && !prefixed) {
      ++place;
    } else {
      break;
    }
  }
  return place;
}

Token Lexer::next() {
  skip_blanks();
  if (cursor_ == end_) return take(Token::Kind::kEnd, end_);
  const char c = *cursor_;
  const std::ptrdiff_t left = end_ - cursor_;
  if (is_class(c, kWordStart)) {
    // A lone % is the operator.
    if (c == '%' && (left < 2 || !is_class(cursor_[1], kWordPart))) {
      return take(Token::Kind::kSymbol, cursor_ + 1);
    }
    return take(Token::Kind::kWord, end_of_word(cursor_));
  }
  if (is_class(c, kDigit)) return take(Token::Kind::kNumber, end_of_number(cursor_));
  if (c == '.' && left >= 2) {
    if (is_class(cursor_[1], kDigit)) return take(Token::Kind::kNumber, end_of_number(cursor_));
    if (is_class(cursor_[1], kWordPart)) {
      const char* end = cursor_ + 1;
      while (end != end_ && is_class(*end, kWordPart)) ++end;
      return take(Token::Kind::kDirective, end);
    }
  }
  if (c == '"') {
    const char* end = cursor_ + 1;
    while (end != end_ && *end != '"' && *end != '\n')
      end += *end == '\\' && end_ - end >= 2 ? 2 : 1;
    if (end == end_ || *end != '"') throw ParseError(position_of(cursor_), "the string has no end");
    Token token = take(Token::Kind::kString, end + 1);
    token.text = token.text.substr(1, token.text.size() - 2);
    return token;
  }
  if (c != '\0' && std::strchr("{}()[]<>,;:+-*/|&^~!=@?", c)) {
    if (left >= 2) {
      const std::string_view pair(cursor_, 2);
      for (const std::string_view operation : {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"}) {
        if (pair == operation) return take(Token::Kind::kSymbol, cursor_ + 2);
      }
    }
    return take(Token::Kind::kSymbol, cursor_ + 1);
  }
  throw ParseError(position_of(cursor_), quoted_character(c) + " has no meaning in PTX");
}

Number number_of(const Token& token) {
  const std::string_view text = token.text;
  const auto fail = [&]() -> ParseError {
    return {token.position, "'" + std::string(text.substr(0, 40)) + "' is no number"};
  };
  const char second = text.size() >= 2 && text[0] == '0' ? text[1] : '\0';

  const bool single = second == 'f' || second == 'F';
  if (single || second == 'd' || second == 'D') {
    const std::string_view digits = text.substr(2);
    Number number{single ? Number::Kind::kFloat32 : Number::Kind::kFloat64, false, 0};
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number.bits, 16);
    if (error != std::errc() || end != digits.data() + digits.size() ||
        digits.size() != (single ? 8 : 16)) {
      throw fail();
    }
    return number;
  }

  int base = 10;
  std::string_view digits = text;
  if (second == 'x' || second == 'X') {
    base = 16;
    digits.remove_prefix(2);
  } else if (second == 'b' || second == 'B') {
    base = 2;
    digits.remove_prefix(2);
  } else if (text.find_first_of(".eE") != std::string_view::npos) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) throw fail();
    return {Number::Kind::kFloat64, false, std::bit_cast<std::uint64_t>(value)};
  } else if (second != '\0' && second != 'U') {
    base = 8;
    digits.remove_prefix(1);
  }

  Number number;
  if (!digits.empty() && digits.back() == 'U') {
    number.is_unsigned = true;
    digits.remove_suffix(1);
  }
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number.bits, base);
  if (error == std::errc::result_out_of_range) {
    throw ParseError(token.position, "the number does not fit 64 bits");
  }
  if (error != std::errc() || end != digits.data() + digits.size()) throw fail();
  if (number.bits >> 63) number.is_unsigned = true;
  return number;
}

}  // namespace clcsim::ptx
