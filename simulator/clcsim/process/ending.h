// How a run ends, whoever ends it: the program, a signal, a limit.
#pragma once

#include <string>

namespace clcsim::process {

/// Writes a report to standard error, after what the program has printed so far. Control characters
/// in it, which may come from a file's name, are shown and not obeyed.
void write_report(const std::string& text);

/// The exit status of a program that was refused.
inline constexpr int kRefusedStatus = 2;
/// The exit status of a program that would have ended with 0 but broke a rule.
inline constexpr int kFindingStatus = 86;
/// The exit status of a program that was stopped at a limit; timeout(1) has the same.
inline constexpr int kLimitStatus = 124;

/// Writes out what the program has printed, and ends it: no destructor runs after this.
[[noreturn]] void leave(int status);

/// The same without writing anything out.
[[noreturn]] void end_now(int status);

/// Prints "clcsim: <sentence>" and ends the program with kRefusedStatus.
[[noreturn]] void leave_refused(const std::string& sentence);

}  // namespace clcsim::process
