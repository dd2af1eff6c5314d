// Writes the PTX of a case: reads the operands, lets the form work on them, writes the results. The
// case is complete, and one of `cases`, when the Kernel goes out of scope.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/case.h"
#include "conformance/values.h"

namespace clcsim::conformance {

/// Bits of a PTX type; 1 for "pred".
int bits_of_type(const std::string& type);

class Kernel {
 public:
  // Registers that every kernel has: %index (of the thread in the grid), %thread (in the block),
  // %lane, %block, %threads (in a block), %zero (0, but the compiler doesn't know): b32. %active:
  // pred. %inputs, %outputs: global addresses of all operands and results, b64; %in, %out: of those
  // of the thread.

  Kernel(std::vector<Case>& cases, const ptx::Form& form, std::string family,
         std::string variant = {});
  Kernel(const Kernel&) = delete;
  ~Kernel();

  /// For the shape of the launch; before anything else.
  Case& details() { return case_; }
  std::uint32_t count() const { return case_.count(); }

  /// A register of the type that holds the thread's operand.
  std::string operand(const std::string& type, std::vector<std::uint64_t> values);
  /// The same with values that fit the type; a b128 is made of two operands.
  std::string operand(const std::string& type, Role role = Role::any);
  /// Operands that the kernel reads from memory itself, or results that it writes there: 8 bytes a
  /// thread in each of `rows` rows, one after the other. Returns their offset from %inputs,
  /// %outputs.
  std::uint64_t memory_operands(std::uint32_t rows);
  std::uint64_t memory_results(std::uint32_t rows);

  /// A new register; one that starts with a pattern, to see what inactive lanes keep.
  std::string fresh(const std::string& type);
  std::string preset(const std::string& type);

  /// One line of the body, without its semicolon.
  void line(const std::string& text);
  void label(const std::string& name) { body_ += name + ":\n"; }
  void brace(char open_or_close) { body_ += std::string("  ") + open_or_close + "\n"; }
  /// Something before the kernel: a variable, a function.
  void outside(const std::string& text) { outside_ += text + "\n"; }
  /// A declaration at the start of the kernel.
  void declare(const std::string& text) { declarations_ += "  " + text + ";\n"; }

  /// The register's value is a result; of a b128 its halves are.
  void result(const std::string& type, const std::string& reg);

  /// What comes between is executed by the active threads only: all of most warps, a part of some.
  void begin_active();
  void end_active();
  /// The address of the same place in the other block of a cluster of two.
  std::string in_other_block(const std::string& type, const std::string& address);

  /// Other threads than usual are active.
  void set_active(std::vector<std::uint64_t> active) { active_ = std::move(active); }

 private:
  std::uint64_t row_bytes() const { return std::uint64_t{count()} * 8; }

  std::vector<Case>& cases_;
  Case case_;
  std::string outside_, declarations_, loads_, body_, stores_;
  std::vector<std::uint64_t> active_;
  std::uint32_t registers_ = 0, seed_ = 1;
};

}  // namespace clcsim::conformance
