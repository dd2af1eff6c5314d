#include "ptx/ast.h"

#include <array>

namespace clcsim::ptx::ast {
namespace {

struct TypeInfo {
  std::string_view name;
  unsigned size;
};

// In the order of ScalarType.
constexpr std::array<TypeInfo, 24> kTypes = {{
    {".pred", 0}, {".b8", 1},  {".b16", 2}, {".b32", 4},    {".b64", 8},        {".b128", 16},
    {".u8", 1},   {".u16", 2}, {".u32", 4}, {".u64", 8},    {".s8", 1},         {".s16", 2},
    {".s32", 4},  {".s64", 8}, {".f16", 2}, {".f16x2", 4},  {".bf16", 2},       {".bf16x2", 4},
    {".tf32", 4}, {".f32", 4}, {".f64", 8}, {".texref", 0}, {".samplerref", 0}, {".surfref", 0},
}};
static_assert(static_cast<std::size_t>(ScalarType::kSurfref) + 1 == kTypes.size());

}  // namespace

unsigned size_of(ScalarType type) {
  return kTypes[static_cast<std::size_t>(type)].size;
}

std::string_view to_string(ScalarType type) {
  return kTypes[static_cast<std::size_t>(type)].name;
}

std::string_view to_string(StateSpace space) {
  constexpr std::array<std::string_view, 5> kNames = {".global", ".const", ".shared", ".local",
                                                      ".param"};
  return kNames[static_cast<std::size_t>(space)];
}

const Directive* Function::find_directive(std::string_view directive) const {
  for (const Directive& candidate : directives) {
    if (candidate.name == directive) return &candidate;
  }
  return nullptr;
}

std::uint32_t Module::find_function(std::string_view wanted) const {
  const auto found = function_index.find(wanted);
  return found == function_index.end() ? kNone : found->second;
}

std::uint32_t Module::find_variable(std::string_view wanted) const {
  const auto found = variable_index.find(wanted);
  return found == variable_index.end() ? kNone : found->second;
}

}  // namespace clcsim::ptx::ast
