// From how a run has ended, and what was found in it, to the words of its verdict: for whoever has
// made the run, as a process (verdict.cpp) or in a page of the book (playground/engine).
#pragma once

#include <string>

#include "exercises/verdict.h"
#include "report/json_reader.h"

namespace clcsim::exercises {

constexpr int kBadInput = 2;       // as in common/check.h
constexpr int kFindings = 86;      // clcsim's: the program has passed
constexpr int kMostReported = 40;  ///< lines of clcsim's report

/// The lines of clcsim's report, or all others.
std::string lines_of(const std::string& text, bool report, int most);

/// The name of the first finding of `--check-json`; a note, if there is nothing else.
std::string first_finding(const report::Json& findings);

/// What hints tell apart where the finding has one name.
std::string cause_of(const Verdict& verdict, bool half_a_fence);

/// From status, finding and what failed: words, what follows them, and the reason.
void put_into_words(const Exercise& exercise, Verdict& verdict);

}  // namespace clcsim::exercises
