#include <doctest/doctest.h>

#include <bit>
#include <string>
#include <vector>

#include "ptx/constant_expression.h"
#include "ptx/lexer.h"
#include "ptx/parser.h"

namespace clcsim::ptx {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  Lexer lexer(text);
  for (Token token = lexer.next(); token.kind != Token::Kind::kEnd; token = lexer.next()) {
    words.emplace_back(token.text);
  }
  return words;
}

std::uint64_t integer_of(std::string_view text) {
  TokenStream tokens(text);
  const Number number = parse_constant(tokens);
  CHECK(number.kind == Number::Kind::kInteger);
  CHECK(tokens.peek().kind == Token::Kind::kEnd);
  return number.bits;
}

using Words = std::vector<std::string>;

TEST_CASE("comments vanish and lines are counted through them") {
  Lexer lexer("a // b\n/* c\n d */ e");
  CHECK(lexer.next().text == "a");
  const Token token = lexer.next();
  CHECK(token.text == "e");
  CHECK(token.position.line == 3);
  CHECK(token.position.column == 7);
  CHECK(lexer.next().kind == Token::Kind::kEnd);
  CHECK(lexer.next().kind == Token::Kind::kEnd);
}

TEST_CASE("what has no end is an error at its start") {
  CHECK_THROWS_WITH_AS(words_of("ab\n  /* c"), "PTX line 2, column 3: the comment has no end",
                       ParseError);
  CHECK_THROWS_WITH_AS(words_of(" \"ab\n\""), "PTX line 1, column 2: the string has no end",
                       ParseError);
  CHECK_THROWS_WITH_AS(words_of("/*/"), "PTX line 1, column 1: the comment has no end", ParseError);
}

TEST_CASE("strange bytes are named") {
  CHECK_THROWS_WITH_AS(words_of("a #"), "PTX line 1, column 3: '#' has no meaning in PTX",
                       ParseError);
  CHECK_THROWS_WITH_AS(words_of("\x80"),
                       "PTX line 1, column 1: the byte 0x80 has no meaning in PTX", ParseError);
  CHECK_THROWS_AS(words_of(std::string_view("\0", 1)), ParseError);
}

TEST_CASE("integers in all bases") {
  CHECK(integer_of("12") == 12);
  CHECK(integer_of("0") == 0);
  CHECK(integer_of("0x1fU") == 31);
  CHECK(integer_of("0XFFFFFFFFFFFFFFFF") == ~std::uint64_t{0});
  CHECK(integer_of("0b101") == 5);
  CHECK(integer_of("017") == 15);
  CHECK(integer_of("-0x10") == static_cast<std::uint64_t>(-16));
  CHECK(integer_of("18446744073709551615") == ~std::uint64_t{0});
}

TEST_CASE("floating-point numbers keep their bits") {
  const auto number = [](std::string_view text) {
    TokenStream tokens(text);
    return parse_constant(tokens);
  };
  CHECK(number("0f3F800000").kind == Number::Kind::kFloat32);
  CHECK(number("0f3F800000").bits == 0x3f800000);
  CHECK(number("0d7ff0000000000000").bits == 0x7ff0000000000000);
  CHECK(number("-0f7fc00001").bits == 0xffc00001);
  CHECK(number("1.5e-3").kind == Number::Kind::kFloat64);
  CHECK(std::bit_cast<double>(number("1.5e-3").bits) == 1.5e-3);
  CHECK(std::bit_cast<double>(number("-.25").bits) == -0.25);
}

TEST_CASE("numbers that are none") {
  const auto fails = [](std::string_view text) { CHECK_THROWS_AS(integer_of(text), ParseError); };
  for (const char* text : {"0f123", "0f123456789", "0d12", "0x", "0b2", "08", "12ab", "1.2.3", "1e",
                           "18446744073709551616", "0fgggggggg", "1e999"}) {
    CAPTURE(text);
    fails(text);
  }
}

TEST_CASE("constant expressions follow C's precedence") {
  CHECK(integer_of("1 + 2 * 3") == 7);
  CHECK(integer_of("(1 + 2) * 3") == 9);
  CHECK(integer_of("10 - 4 - 3") == 3);
  CHECK(integer_of("1 << 3 | 1") == 9);
  CHECK(integer_of("~0 & 0xff") == 255);
  CHECK(integer_of("!5 + !0") == 1);
  CHECK(integer_of("7 / 2 + 7 % 4") == 6);
  CHECK(integer_of("-7 / 2") == static_cast<std::uint64_t>(-3));
  CHECK(integer_of("-1 < 0") == 1);
  CHECK(integer_of("-1 < 0U") == 0);
  CHECK(integer_of("-8 >> 1") == static_cast<std::uint64_t>(-4));
  CHECK(integer_of("1 << 64") == 0);
  CHECK(integer_of("(0 - 9223372036854775807 - 1) / -1") == std::uint64_t{1} << 63);
}

TEST_CASE("constant expressions that have no value") {
  CHECK_THROWS_WITH_AS(integer_of("1 / (2 - 2)"),
                       "PTX line 1, column 3: the constant is divided by zero", ParseError);
  CHECK_THROWS_AS(integer_of("1 % 0"), ParseError);
  CHECK_THROWS_AS(integer_of("1.5 + 1"), ParseError);
  CHECK_THROWS_AS(integer_of("~1.5"), ParseError);
  CHECK_THROWS_AS(integer_of("(1"), ParseError);
  CHECK_THROWS_AS(integer_of(std::string(100000, '(')), ParseError);
  CHECK_THROWS_AS(integer_of(std::string(100000, '-') + "1"), ParseError);
}

}  // namespace
}  // namespace clcsim::ptx
