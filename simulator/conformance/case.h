// One conformance case: a small kernel that exercises one instruction form, and its operands.
//
// Every kernel has the parameters (.param .u64 in, .param .u64 out). Thread i of N reads its k-th
// operand from in[k * N + i] and writes its k-th result to out[k * N + i], in slots of 8 bytes. So
// a failure can be shown as operands, expected and computed, whatever the kernel is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/form.h"

namespace clcsim::conformance {

struct Operand {
  std::string name;
  std::vector<std::uint64_t> values;  ///< one for each thread
};

struct Result {
  std::string name;
  int bits = 32;  ///< 1: a predicate
};

struct Case {
  std::string form;     ///< as FormTable names it
  std::string variant;  ///< signature, and what else tells cases of one form apart
  std::string family;   ///< cases of one family are one test
  std::string ptx;      ///< a whole module with the kernel `k`
  std::uint32_t blocks = 2, threads = 128, cluster = 1;
  std::vector<Operand> operands;
  std::vector<Result> results;

  std::uint32_t count() const { return blocks * threads; }
  std::string name() const { return form + " (" + variant + ")"; }
};

/// A form that can't be recorded on the recording GPU, and why.
struct Exemption {
  std::string form;  ///< or the beginning of it, with a `*`
  std::string reason;
};

/// Cases for every form of the table but the exempt ones.
std::vector<Case> all_cases(const ptx::FormTable& table);

/// Why `form` needs no recording; nullptr if it does.
const Exemption* exemption(const ptx::Form& form);

// Each file adds the cases of its families.
void add_arithmetic_cases(std::vector<Case>&, const ptx::Form&);

}  // namespace clcsim::conformance
