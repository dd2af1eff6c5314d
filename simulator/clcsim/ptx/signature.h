// The signature of a form, parsed. See form.h for the notation.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace clcsim::ptx {

struct OperandSpec {
  char kind = 'r';
  bool destination = false;
  bool optional = false;
  bool vector = false;
  bool inside = false;      ///< stands in the brackets of the address before it
  std::uint32_t count = 1;  ///< elements of a vector
};

using Signature = std::span<const OperandSpec>;

/// Entries in Instruction::operand that an operand takes (form.h).
constexpr std::uint32_t entries_of(const OperandSpec& spec) {
  return spec.kind == 'a' || (spec.kind == 'p' && !spec.destination) ? 2 : 1;
}
/// Whether the first of them is the slot of a register or a constant.
constexpr bool is_slot(const OperandSpec& spec) {
  return spec.kind != 'i' && spec.kind != 'L' && spec.kind != 'B';
}

/// Calls f(spec, entry) for each element of the operands.
template <class F>
void for_each_element(Signature signature, F&& f) {
  std::uint32_t entry = 0;
  for (const OperandSpec& spec : signature) {
    for (std::uint32_t i = 0; i < spec.count; ++i) {
      f(spec, entry);
      entry += entries_of(spec);
    }
  }
}

/// Entries of all operands.
constexpr std::uint32_t entries_of(Signature signature) {
  std::uint32_t entries = 0;
  for (const OperandSpec& spec : signature) entries += spec.count * entries_of(spec);
  return entries;
}

/// The text is one of ours: a mistake in it is a bug, and aborts.
std::vector<OperandSpec> parse_signature(std::string_view text);

}  // namespace clcsim::ptx
