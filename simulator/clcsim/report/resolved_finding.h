// A finding with its words and its source lines: what a report, a file or a page prints as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/finding.h"
#include "report/source.h"

namespace clcsim::report {

struct ResolvedPlace {
  bool known = false;  ///< false: nowhere in a program
  SourceLine source;   ///< the user's own; its line is 0 where it isn't known
  std::optional<std::uint32_t> ptx_line;
  bool has_lines = false;         ///< the program was compiled with -lineinfo or -G
  std::vector<SourceLine> chain;  ///< of inlined calls, the innermost first
  machine::Dim3 block, thread;
  bool has_thread = false;
};

struct ResolvedFinding {
  std::string name;      ///< "request-after-failure"; empty: a refusal
  bool is_note = false;  ///< nothing is broken: it is told, and changes no exit status
  std::string what;      ///< one sentence without a full stop
  ResolvedPlace at;
  std::string host;               ///< the host's place, where `at` is nowhere
  std::optional<SourceLine> use;  ///< of what is read at the place, if that is another line
  struct Detail {
    std::string label, text;
    ResolvedPlace place;
  };
  std::vector<Detail> details;
  std::string rule, fix;
  /// What explains it; "a or b" where the facts fit two. Whoever builds clcsim may say so, by rows
  /// of MORE in a file CLCSIM_MORE, and where that is by one of MORE_IN.
  std::string more;
};

ResolvedFinding resolve(const machine::Finding& finding);
bool is_note(const machine::Finding& finding);
/// `at`: the place of the finding that it belongs to; what is elsewhere is named.
ResolvedFinding::Detail resolve(const machine::Finding::Detail& detail, const machine::Place& at);

/// Equal for findings that break the same rule at the same source lines, and for no others.
std::string key_of(const machine::Finding& finding);

}  // namespace clcsim::report
