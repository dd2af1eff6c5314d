// Variants of a source file, written as what is different: wrong answers of the exercises, chapters
// with a mistake in them.
//
// A file of variants is prose, and for each variant
//
//     == name: what its test expects
//     Why somebody would write it.
//     @@
//      a line that stays
//     -a line that goes
//     +a line that comes instead
//
// with a "@@" before each place that is edited. The lines that stay and go must stand in the
// source, in this order, exactly once: so a variant can't silently become another one, or none.
// "-..." are all lines up to the first that is the next one here.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace clcsim::edits {

/// One place: `from`, then all up to the first `until`, and that: whole lines, become `to`.
struct Edit {
  std::string from, until, to;
  bool reaches = false;  ///< there is a "-..."
  unsigned line = 0;     ///< of its "@@"
};

struct Variant {
  std::string name, expected;
  std::vector<Edit> edits;
};

/// What is wrong with a file of variants, or with the source that it edits; begins with the line.
struct BadEdit : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws BadEdit on a variant without a name or an edit, two of one name, and lines that are none
/// of those above.
std::vector<Variant> read_variants(const std::string& text);

/// The source after the edits. Throws BadEdit where an edit's lines don't stand in it exactly once.
std::string edited(const Variant& variant, const std::string& source);

}  // namespace clcsim::edits
