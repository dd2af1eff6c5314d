// Kernels written as PTX, and copies of them with one thing changed; kernels/common.txt says how
// the files there are written.
//
// A line of a template may have a name in front, `name| instruction`. Every line becomes a source
// line of its own by a .loc directive, so a test can say where a finding must point by a name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/machine/harness.h"

namespace clcsim::test {

/// What is done to a line. Empty text removes it; "same" keeps it: for insertions.
struct Edit {
  std::string line;  ///< its name
  std::string text;  ///< what stands there instead; several instructions are allowed
};

/// A change of a kernel, and what is said of it.
struct Change {
  std::string head;  ///< why it breaks no rule, or "finding@line +another ..."
  std::vector<Edit> edits;

  std::string finding() const { return head.substr(0, head.find('@')); }
  /// The name of the line; empty: not looked at.
  std::string at() const;
  /// Whether this finding may come, too.
  bool allows(const std::string& name) const;
};

/// "deadlock@wait: arm -> ''; ": for messages of tests.
std::string text_of(const Change& change);

class Template {
 public:
  explicit Template(const std::string& text);

  /// A PTX module with one kernel, after the edits.
  std::string module(const std::vector<Edit>& edits = {}) const;

  /// The source line of a name.
  unsigned line(const std::string& name) const;
  /// The name of a source line; its number where it has none.
  std::string name(unsigned line) const;

 private:
  struct Line {
    std::string name, text;
  };
  std::vector<Line> lines_;
  std::map<std::string, unsigned> numbers_;
};

struct Kernel {
  std::string name, text;
  LaunchShape shape;
  bool each_block_once = false;
  std::vector<Change> found, explored, silent;
};

/// Those of kernels/*.txt.
const std::vector<Kernel>& kernels();

}  // namespace clcsim::test
