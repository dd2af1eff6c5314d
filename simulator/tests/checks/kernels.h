// The kernels of kernels/*.txt; common.txt there says how they are written.
#pragma once

#include <string>
#include <vector>

#include "tests/checks/template.h"
#include "tests/machine/harness.h"

namespace clcsim::test {

/// A change of a kernel, and what the checks must say of it.
struct Change {
  std::string head;  ///< why it breaks no rule, or "finding@line +another ..."
  std::vector<Edit> edits;

  std::string finding() const { return head.substr(0, head.find('@')); }
  /// The name of the line; empty: not looked at.
  std::string at() const;
  /// Whether this finding may come, too.
  bool allows(const std::string& name) const;
};

struct Kernel {
  std::string name, text;
  LaunchShape shape;
  bool each_block_once = false;
  std::vector<Change> found, explored, silent;
};

const std::vector<Kernel>& kernels();

/// "deadlock@wait: arm -> ''; ": for messages of tests.
std::string text_of(const Change& change);

}  // namespace clcsim::test
