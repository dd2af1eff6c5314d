// Writes the PTX of a case: reads the operands, lets the form work on them, writes the results.
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
  Kernel(const ptx::Form& form, std::string family, std::string variant = {});

  Case& details() { return case_; }
  std::uint32_t count() const { return case_.count(); }

  // Registers that every kernel has: %index (of the thread in the grid), %thread (of the block),
  // %lane (u32), %active (pred), %zero (u32, 0, but the compiler doesn't know).

  /// A register of the type that holds the thread's operand.
  std::string operand(const std::string& type, std::vector<std::uint64_t> values);
  /// The same with values that fit the type.
  std::string operand(const std::string& type, Role role = Role::any);

  /// A new register. Results that not every thread computes start with a pattern.
  std::string fresh(const std::string& type);
  std::string preset(const std::string& type);

  /// One line of the body, without its semicolon.
  void line(const std::string& text);
  void label(const std::string& name) { body_ += name + ":\n"; }
  /// Something before the kernel: a variable, a function.
  void outside(const std::string& text) { outside_ += text + "\n"; }
  /// A declaration at the start of the kernel.
  void declare(const std::string& text) { declarations_ += "  " + text + ";\n"; }

  /// The register's value is a result.
  void result(const std::string& type, const std::string& reg);

  /// What comes between is executed by the active threads only: all of most warps, a part of some.
  void begin_active();
  void end_active();

  Case finish();

 private:
  std::string slot(std::uint32_t index) const;

  Case case_;
  std::string outside_, declarations_, loads_, body_, stores_;
  std::uint32_t registers_ = 0, seed_ = 1;
};

}  // namespace clcsim::conformance
