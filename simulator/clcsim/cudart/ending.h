// How a run ends, whoever ends it: the program, a signal, a limit.
#pragma once

#include <string>

namespace clcsim::cudart {

/// Writes a report to standard error, after what the program has printed so far. Control characters
/// in it, which may come from a file's name, are shown and not obeyed.
void write_report(const std::string& text);

}  // namespace clcsim::cudart
