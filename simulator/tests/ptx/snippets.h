// Short PTX modules for the tests of the parser.
#pragma once

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <string_view>

#include "ptx/parser.h"

namespace clcsim::ptx {

inline ast::Module parse_module(const std::string& declarations) {
  return parse(".version 9.0\n.target sm_100a\n.address_size 64\n" + declarations);
}

// The body of a kernel `k` starts on line 7 of the text.
inline ast::Module parse_body(const std::string& body) {
  return parse_module(".visible .entry k(.param .u64 p, .param .u32 n)\n{\n\n" + body + "\n}\n");
}

// The message for a text that must not be parsed; empty if it was.
inline std::string error_of(const std::string& declarations) {
  try {
    parse_module(declarations);
    return "";
  } catch (const ParseError& error) {
    return error.what();
  }
}
inline std::string body_error(const std::string& body) {
  return error_of(".visible .entry k(.param .u64 p, .param .u32 n)\n{\n\n" + body + "\n}\n");
}

// Rows of `text => line:column: message`: what `error` says of each text, whose line breaks are
// written \n.
inline void check_errors(std::string (*error)(const std::string&), const std::string& rows) {
  std::istringstream lines(rows.substr(1));
  for (std::string row; std::getline(lines, row);) {
    const std::size_t arrow = row.find(" => "), colon = row.find(':', arrow);
    std::string text = row.substr(0, row.find_last_not_of(' ', arrow) + 1);
    for (std::size_t at; (at = text.find("\\n")) != text.npos;) text.replace(at, 2, "\n");
    CHECK(error(text) == "PTX line " + row.substr(arrow + 4, colon - arrow - 4) + ", column " +
                             row.substr(colon + 1));
  }
}

// One operand as text, to compare whole instructions at a glance.
inline std::string show(const ast::Module& module, const ast::Function& function,
                        const ast::Operand& operand) {
  using Kind = ast::Operand::Kind;
  const auto plus = [&] {
    std::string text;
    if (operand.value != 0) text.append("+").append(std::to_string(operand.value));
    return text;
  };
  const auto parts = [&](std::string_view separator) {
    std::string result;
    for (const ast::Operand& part : function.parts_of(operand)) {
      result += (result.empty() ? "" : std::string(separator)) + show(module, function, part);
    }
    return result;
  };
  const std::string sign = operand.negated ? "!" : "";
  switch (operand.kind) {
    case Kind::kNone:
      return "none";
    case Kind::kRegister:
      return sign + std::string(function.registers[operand.index].name);
    case Kind::kSink:
      return "_";
    case Kind::kInteger:
      return std::to_string(operand.value);
    case Kind::kFloat32:
      return "f32:" + std::to_string(operand.value);
    case Kind::kFloat64:
      return "f64:" + std::to_string(operand.value);
    case Kind::kSpecial:
      return "special " + std::string(module.special_registers[operand.index]);
    case Kind::kModuleVariable:
      return "global " + std::string(module.variables[operand.index].name) + plus();
    case Kind::kLocalVariable:
      return "local " + std::string(function.variables[operand.index].name) + plus();
    case Kind::kFunction:
      return "function " + std::string(module.functions[operand.index].name);
    case Kind::kLabel:
      return "to " + std::to_string(operand.index);
    case Kind::kBranchTargets:
      return "targets " + std::to_string(operand.index);
    case Kind::kPrototype:
      return "prototype";
    case Kind::kVector:
      return "{" + parts(",") + "}";
    case Kind::kAddress:
      return "[" + parts(",") + plus() + "]";
    case Kind::kPair:
      return parts("|");
    case Kind::kList:
      return "(" + parts(",") + ")";
  }
  return "?";
}

// "@!p add.s32 %r1, %r2, 3"
inline std::string show(const ast::Module& module, const ast::Function& function,
                        std::size_t index) {
  const ast::Instruction& instruction = function.instructions.at(index);
  std::string result;
  if (instruction.guard != ast::kNone) {
    result += instruction.guard_negated ? "@!" : "@";
    result += std::string(function.registers[instruction.guard].name) + " ";
  }
  result += module.opcode_of(instruction).text;
  std::string separator = " ";
  for (const ast::Operand& operand : function.operands_of(instruction)) {
    result += separator + show(module, function, operand);
    separator = ", ";
  }
  return result;
}

// Instruction `index` of the kernel in parse_body.
inline std::string show(const ast::Module& module, std::size_t index) {
  return show(module, module.functions.at(module.find_function("k")), index);
}

}  // namespace clcsim::ptx
