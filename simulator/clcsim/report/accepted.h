// The findings that a user accepts: RULE, RULE@FILE or RULE@FILE:LINE, given one by one (--ignore)
// or as the lines of a file, each with a reason (--ignore-file).
#pragma once

#include <string>
#include <vector>

#include "config/options.h"
#include "report/resolved_finding.h"

namespace clcsim::report {

class Accepted {
 public:
  struct Entry {
    std::string text;              ///< as it was given
    std::string from;              ///< "file:line" of the list; empty: --ignore
    std::string rule, file, line;  ///< what is empty may be anything
    bool used = false;             ///< it has covered a finding
  };

  Accepted() = default;
  /// Throws config::OptionError, with one sentence.
  explicit Accepted(const config::Options& options);

  /// The first entry that covers the finding, and marks each that does; nullptr: none. FILE is
  /// the end of a path, whole names, in which * and ? stand for others; it may also be that of
  /// an inlined function that leads to the place.
  const Entry* find(const ResolvedFinding& finding);

  /// "--ignore RULE" or "file:line: RULE" of each that has covered nothing so far.
  std::vector<std::string> not_needed() const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace clcsim::report
