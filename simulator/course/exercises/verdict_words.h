// From how a run has ended, and what was found in it, to the words of its verdict: for whoever has
// made the run, as a process (verdict.cpp) or in a page of the book (playground/engine).
#pragma once

#include <string>

#include "exercises/verdict.h"
#include "report/json_reader.h"

namespace clcsim::exercises {

/// The report in what clcsim has printed: the first finding in full, the others by name.
std::string findings_of(const std::string& text);
/// The lines of clcsim's report, or all others.
std::string lines_of(const std::string& text, bool report, int most);

/// The name of the first finding of `--check-json`; a note, if there is nothing else.
std::string first_finding(const report::Json& findings);

/// What hints tell apart where the finding has one name.
std::string cause_of(const std::string& finding, const std::string& report);

/// Much slower than a solution.
bool is_slow(const Verdict& verdict);

/// From status, finding and what failed: words, what follows them, and the reason.
void put_into_words(const Exercise& exercise, Verdict& verdict);

}  // namespace clcsim::exercises
