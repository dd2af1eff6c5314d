#include "ptx/constant_expression.h"

#include <string>

namespace clcsim::ptx {
namespace {

constexpr int kDeepest = 64;     // nesting of parentheses and signs
constexpr int kAnyOperator = 1;  // see precedence_of
constexpr int kShiftAndTighter = 8;

// Of a binary operator, as in C; 0 for any other token.
int precedence_of(const Token& token) {
  if (token.kind != Token::Kind::kSymbol) return 0;
  if (token.is('*') || token.is('/') || token.is('%')) return 10;
  if (token.is('+') || token.is('-')) return 9;
  if (token.is_symbol("<<") || token.is_symbol(">>")) return 8;
  if (token.is('<') || token.is('>') || token.is_symbol("<=") || token.is_symbol(">=")) return 7;
  if (token.is_symbol("==") || token.is_symbol("!=")) return 6;
  if (token.is('&')) return 5;
  if (token.is('^')) return 4;
  if (token.is('|')) return 3;
  if (token.is_symbol("&&")) return 2;
  if (token.is_symbol("||")) return 1;
  return 0;
}

std::uint64_t divide(const Token& operation, Number left, Number right, bool is_unsigned) {
  if (right.bits == 0) throw ParseError(operation.position, "the constant is divided by zero");
  const bool quotient = operation.is('/');
  if (is_unsigned) return quotient ? left.bits / right.bits : left.bits % right.bits;
  const auto divisor = static_cast<std::int64_t>(right.bits);
  const auto dividend = static_cast<std::int64_t>(left.bits);
  if (divisor == -1) return quotient ? 0 - left.bits : 0;  // the smallest number / -1 overflows
  return static_cast<std::uint64_t>(quotient ? dividend / divisor : dividend % divisor);
}

std::uint64_t shift_right(Number left, std::uint64_t amount) {
  if (left.is_unsigned) return amount < 64 ? left.bits >> amount : 0;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(left.bits) >>
                                    (amount < 64 ? amount : 63));
}

bool less(Number left, Number right, bool is_unsigned) {
  return is_unsigned ? left.bits < right.bits
                     : static_cast<std::int64_t>(left.bits) < static_cast<std::int64_t>(right.bits);
}

Number apply(const Token& operation, Number left, Number right) {
  if (left.kind != Number::Kind::kInteger || right.kind != Number::Kind::kInteger) {
    throw ParseError(operation.position, "a floating-point constant takes no operator but a sign");
  }
  const bool is_unsigned = left.is_unsigned || right.is_unsigned;
  const auto number = [&](std::uint64_t bits) {
    return Number{Number::Kind::kInteger, is_unsigned, bits};
  };
  const auto truth = [](bool value) {
    return Number{Number::Kind::kInteger, false, static_cast<std::uint64_t>(value)};
  };
  const std::string_view text = operation.text;
  if (text == "*") return number(left.bits * right.bits);
  if (text == "/" || text == "%") return number(divide(operation, left, right, is_unsigned));
  if (text == "+") return number(left.bits + right.bits);
  if (text == "-") return number(left.bits - right.bits);
  if (text == "&") return number(left.bits & right.bits);
  if (text == "|") return number(left.bits | right.bits);
  if (text == "^") return number(left.bits ^ right.bits);
  if (text == "<<") {
    return {left.kind, left.is_unsigned, right.bits < 64 ? left.bits << right.bits : 0};
  }
  if (text == ">>") return {left.kind, left.is_unsigned, shift_right(left, right.bits)};
  if (text == "<") return truth(less(left, right, is_unsigned));
  if (text == ">") return truth(less(right, left, is_unsigned));
  if (text == "<=") return truth(!less(right, left, is_unsigned));
  if (text == ">=") return truth(!less(left, right, is_unsigned));
  if (text == "==") return truth(left.bits == right.bits);
  if (text == "!=") return truth(left.bits != right.bits);
  if (text == "&&") return truth(left.bits != 0 && right.bits != 0);
  return truth(left.bits != 0 || right.bits != 0);
}

Number negate(Number number) {
  if (number.kind == Number::Kind::kFloat32) {
    number.bits ^= std::uint64_t{1} << 31;
  } else if (number.kind == Number::Kind::kFloat64) {
    number.bits ^= std::uint64_t{1} << 63;
  } else {
    number.bits = 0 - number.bits;
  }
  return number;
}

Number parse_unary(TokenStream& tokens, int depth);
Number parse_binary(TokenStream& tokens, int weakest, int depth);
Number parse_choice(TokenStream& tokens, int depth);

// What follows "(": a cast, or an expression in parentheses.
Number parse_in_parentheses(TokenStream& tokens, int depth) {
  const ast::TextPosition position = tokens.peek().position;
  const bool to_unsigned = tokens.accept_directive(".u64");
  if (!to_unsigned && !tokens.accept_directive(".s64")) {
    const Number number = parse_choice(tokens, depth);
    tokens.expect(')', "after the constant expression");
    return number;
  }
  tokens.expect(')', "after the type of a cast");
  Number number = parse_unary(tokens, depth);
  if (number.kind != Number::Kind::kInteger) {
    throw ParseError(position, "a floating-point constant takes no operator but a sign");
  }
  number.is_unsigned = to_unsigned;
  return number;
}

Number parse_unary(TokenStream& tokens, int depth) {
  if (depth > kDeepest) {
    throw ParseError(tokens.peek().position, "the constant expression is nested too deeply");
  }
  if (tokens.accept('-')) return negate(parse_unary(tokens, depth + 1));
  if (tokens.accept('+')) return parse_unary(tokens, depth + 1);
  if (tokens.peek().is('~') || tokens.peek().is('!')) {
    const Token sign = tokens.take();
    Number number = parse_unary(tokens, depth + 1);
    if (number.kind != Number::Kind::kInteger) {
      throw ParseError(sign.position, "a floating-point constant takes no operator but a sign");
    }
    if (sign.is('~')) {
      number.bits = ~number.bits;
    } else {
      number = {Number::Kind::kInteger, false, static_cast<std::uint64_t>(number.bits == 0)};
    }
    return number;
  }
  if (tokens.accept('(')) return parse_in_parentheses(tokens, depth + 1);
  return number_of(tokens.expect_kind(Token::Kind::kNumber, "a number"));
}

Number parse_binary(TokenStream& tokens, int weakest, int depth) {
  Number left = parse_unary(tokens, depth);
  while (true) {
    const int precedence = precedence_of(tokens.peek());
    if (precedence < weakest || precedence == 0) return left;
    const Token operation = tokens.take();
    left = apply(operation, left, parse_binary(tokens, precedence + 1, depth + 1));
  }
}

// condition ? number : number
Number parse_choice(TokenStream& tokens, int depth) {
  const Number condition = parse_binary(tokens, kAnyOperator, depth);
  const Token question = tokens.peek();
  if (!tokens.accept('?')) return condition;
  const Number yes = parse_choice(tokens, depth + 1);
  tokens.expect(':', "after the first choice of a constant expression");
  const Number no = parse_choice(tokens, depth + 1);
  if (condition.kind != Number::Kind::kInteger || yes.kind != Number::Kind::kInteger ||
      no.kind != Number::Kind::kInteger) {
    throw ParseError(question.position, "a floating-point constant takes no operator but a sign");
  }
  Number chosen = condition.bits != 0 ? yes : no;
  chosen.is_unsigned = yes.is_unsigned || no.is_unsigned;
  return chosen;
}

}  // namespace

Number parse_constant(TokenStream& tokens) {
  return parse_choice(tokens, 0);
}

std::uint64_t parse_count(TokenStream& tokens, std::string_view what, std::uint64_t least,
                          std::uint64_t greatest) {
  const ast::TextPosition position = tokens.peek().position;
  const Number number = parse_binary(tokens, kShiftAndTighter, 0);
  if (number.kind != Number::Kind::kInteger) {
    throw ParseError(position, std::string(what) + " is no integer");
  }
  const bool negative = !number.is_unsigned && number.bits >> 63;
  if (negative || number.bits < least || number.bits > greatest) {
    throw ParseError(position, std::string(what) + " lies outside of " + std::to_string(least) +
                                   " to " + std::to_string(greatest));
  }
  return number.bits;
}

}  // namespace clcsim::ptx
