// What the parsers of a module's parts share: the module so far and its tables by name.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/ast.h"
#include "ptx/declarations.h"
#include "ptx/source_locations.h"
#include "ptx/token_stream.h"

namespace clcsim::ptx {

// Operands of these are written in a way of their own.
enum class OperandSyntax : std::uint8_t { kPlain, kCall, kBranch, kIndexedBranch };

struct ModuleBuilder {
  explicit ModuleBuilder(std::string_view text);

  // The index of an opcode in Module::opcodes, a new one if it is met for the first time.
  std::uint32_t opcode_index(std::string_view text);
  // Of a special register; kNone if PTX has no such.
  std::uint32_t special_register_index(std::string_view name);

  // What follows `.loc`. Returns a location for Instruction::location.
  std::uint32_t parse_loc();
  // What follows `.pragma`, semicolon included.
  void skip_pragma();

  ast::Module module;
  TokenStream tokens;
  DeclarationParser declarations;
  SourceLocations locations;
  std::vector<OperandSyntax> syntaxes;  // by opcode

 private:
  std::unordered_map<std::string_view, std::uint32_t> opcode_indices_;
  std::unordered_map<std::string_view, std::uint32_t> special_indices_;
};

}  // namespace clcsim::ptx
