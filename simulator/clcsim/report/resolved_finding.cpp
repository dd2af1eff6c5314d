#include "report/resolved_finding.h"

#include <algorithm>
#include <filesystem>

#include "config/profile.h"
#include "ptx/source.h"
#include "ptx/uses.h"
#include "report/rules.h"
#include "report/table.h"

namespace clcsim::report {
namespace {

using machine::Finding;
using machine::Note;
using machine::Place;
using machine::Role;

#define TEXT(name, ...) constexpr std::string_view name = __VA_ARGS__;
#include "machine/findings.def"

struct WhatWords {
  // Whether it is told where what is read at the place is used; and whether it is a note.
  bool used = false, noted = false;
  std::string_view says, fix, rule;
};

constexpr WhatWords kWhats[] = {
#define WHAT(id, ...) {false, false, __VA_ARGS__},
#define WHAT_USED(id, ...) {true, false, __VA_ARGS__},
#define WHAT_NOTED(id, ...) {false, true, __VA_ARGS__},
#include "machine/findings.def"
};

struct NoteWords {
  std::string_view says, fix;
};

constexpr NoteWords kNotes[] = {
#define NOTE(id, ...) {__VA_ARGS__},
#include "machine/findings.def"
};

constexpr bool all_said(const auto& rows) {
  return std::all_of(std::begin(rows), std::end(rows), [](auto& row) { return !row.says.empty(); });
}
static_assert(all_said(kWhats) && all_said(kNotes),
              "a row of findings.def has no sentence behind its id");

constexpr const char* kLabels[] = {
#define ROLE(id) #id,
#include "machine/findings.def"
};

const NoteWords& words_of(Note note) {
  return kNotes[static_cast<std::size_t>(note)];
}

ResolvedPlace resolve(const Place& place) {
  if (place.program == nullptr) return {};
  const ptx::Program& program = *place.program;
  ResolvedPlace resolved{.known = true,
                         .source = source_of(program, place.location),
                         .chain = chain_of(program, place.location),
                         .block = place.block,
                         .thread = place.thread,
                         .has_thread = place.has_thread};
  resolved.has_lines = !program.files.empty();
  if (place.location < program.locations.size()) {
    resolved.ptx_line = program.locations[place.location].ptx_line;
  }
  return resolved;
}

// Where the value that is read at the place is used, if that is another line.
std::optional<SourceLine> use_of(const Place& place) {
  if (place.program == nullptr) return {};
  SourceLine there = source_of(*place.program, ptx::use_of_load(*place.program, place.location));
  const SourceLine here = source_of(*place.program, place.location);
  if (there.line == 0 || (there.line == here.line && there.path == here.path)) return {};
  return there;
}

// "line 44"; "line 44 of queue.h" where that is not the file of `at`; "the kernel" where the
// program was compiled without -lineinfo.
std::string line_of(const SourceLine& source, const std::string& file) {
  if (source.line == 0) return "the kernel";
  std::string text = "line " + std::to_string(source.line);
  if (!file.empty() && file != source.file) {
    text += " of " + std::filesystem::path(source.file).filename().string();
  }
  return text;
}

// " (called from line 20 of ring.h, line 44 of queue.cu)": who called the inlined function that the
// place lies in, innermost first, down to the callers that `at` has, too; empty: nobody else.
std::string callers_of(const ResolvedPlace& place, const ResolvedPlace& at) {
  constexpr std::size_t kMost = 3;
  const auto same = [](const SourceLine& a, const SourceLine& b) {
    return a.line == b.line && a.path == b.path;
  };
  const auto first = std::find_if(place.chain.begin(), place.chain.end(),
                                  [&](const SourceLine& one) { return same(one, place.source); });
  if (first == place.chain.end()) return {};
  std::vector<SourceLine> callers(first + 1, place.chain.end());
  for (auto theirs = at.chain.rbegin();
       theirs != at.chain.rend() && !callers.empty() && same(callers.back(), *theirs); ++theirs) {
    callers.pop_back();
  }
  std::erase_if(callers, [](const SourceLine& caller) { return caller.library; });
  std::string text, file = place.source.file;
  for (std::size_t i = 0; i < callers.size(); ++i) {
    text += i == 0 ? " (called from " : ", ";
    if (i == kMost - 1 && callers.size() > kMost) {
      i = callers.size() - 1;
      text += "..., ";
    }
    text += line_of(callers[i], file);
    file = callers[i].file;
  }
  return text.empty() ? text : text + ")";
}

// "line 44", "line 44 (called from line 60)".
std::string line_of(const ResolvedPlace& place, const ResolvedPlace& at) {
  return line_of(place.source, at.source.file) + callers_of(place, at);
}

// "'response'", "'ring' + 24 bytes": the variable at a shared address, and how far behind its
// start.
std::string shared_name(const ptx::Program* program, std::int64_t address) {
  const std::string unknown = "at shared address " + std::to_string(address);
  if (program == nullptr) return unknown;
  const std::int64_t offset = address - config::kSharedReserved;
  for (const ptx::SharedVariable& variable : program->shared_variables) {
    const std::int64_t within = offset - variable.offset;
    if (within < 0 || (variable.size != 0 && within >= variable.size)) continue;
    const std::string name = ptx::demangle(variable.name);
    const std::size_t scope = name.rfind("::");
    return "'" + name.substr(scope == name.npos ? 0 : scope + 2) + "'" +
           (within == 0 ? "" : " + " + std::to_string(within) + " bytes");
  }
  return unknown;
}

// "thread (3,0,0)", with its block where that is not the one of `at`.
std::string thread_of(const ResolvedPlace& place, const ResolvedPlace& at) {
  std::string text = "thread " + text_of(place.thread);
  if (place.block != at.block) text += " of block " + text_of(place.block);
  return text;
}

struct Filler {
  const std::vector<std::int64_t>& numbers;
  const ResolvedPlace& at;
  const ResolvedPlace& place;
  const ResolvedPlace& second;
  const std::string& text;
  const ptx::Program* program;

  std::string fill(std::string_view words) const {
    std::string result;
    while (!words.empty()) {
      const std::size_t open = words.find('{');
      result += words.substr(0, open);
      if (open == words.npos) break;
      const std::size_t close = words.find('}', open);
      result += value(words.substr(open + 1, close - open - 1));
      words.remove_prefix(close + 1);
    }
    return result;
  }

 private:
  std::int64_t number(std::size_t index) const {
    return index < numbers.size() ? numbers[index] : 0;
  }

  std::string value(std::string_view name) const {
    if (name == "{") return "{}";
    if (name == "text") return text;
    if (name == "line") return line_of(place, at);
    if (name == "line2") return line_of(second, at);
    if (name == "thread") return thread_of(place, at);
    if (name == "thread2") return thread_of(second, at);
    if (name == "block") return text_of(place.block);
    if (name == "index") {
      const auto part = [&](std::size_t i) { return static_cast<std::uint32_t>(number(i)); };
      return text_of(machine::Dim3{part(0), part(1), part(2)});
    }
    if (name == "function") return describe(place.source) + callers_of(place, at);
    if (name == "warps") {
      return describe(place.source) + callers_of(place, at) +
             fill(": {0} {0=warp (|warps (the first: }block {block}, warp {1}) ");
    }
    if (name[0] == '@')
      return shared_name(program, number(static_cast<std::size_t>(name[1] - '0')));
    const std::int64_t n = number(static_cast<std::size_t>(name[0] - '0'));
    if (name.size() == 1) return std::to_string(n);
    const bool first = n == (name[1] == '=' ? 1 : 0);
    const std::size_t bar = name.find('|');
    return std::string(first ? name.substr(2, bar - 2) : name.substr(bar + 1));
  }
};

// A rule, what happened or a detail's note, as one number.
constexpr int id_of(machine::Rule rule) {
  return static_cast<int>(rule);
}
constexpr int id_of(machine::What what) {
  return 1000 + static_cast<int>(what);
}
constexpr int id_of(Note note) {
  return 2000 + static_cast<int>(note);
}

std::string_view more_of(int id) {
  switch (id) {
#define MORE_IN(place)  // finding_text.cpp
#define MORE(more, ids) ids return more;
#define RULE(id) case id_of(machine::Rule::id):
#define WHAT(id) case id_of(machine::What::id):
#define NOTE(id) case id_of(Note::id):
#ifdef CLCSIM_MORE
#include CLCSIM_MORE
#endif
  }
  return {};
}

std::string_view more_of(const Finding& finding) {
  for (const Finding::Detail& detail : finding.details) {
    if (const auto more = more_of(id_of(detail.note)); !more.empty()) return more;
  }
  const auto more = more_of(id_of(finding.what));
  return more.empty() ? more_of(id_of(finding.rule)) : more;
}

std::string_view fix_of(const Finding& finding) {
  for (const Finding::Detail& detail : finding.details) {
    if (const NoteWords& words = words_of(detail.note); !words.fix.empty()) return words.fix;
  }
  const std::string_view fix = kWhats[static_cast<std::size_t>(finding.what)].fix;
  return fix.empty() ? text_of(finding.rule).fix : fix;
}

std::string rule_of(const WhatWords& words, const RuleText& rule) {
  if (!words.rule.empty()) return std::string(words.rule);
  const std::string source = source_of(rule), says(rule.says);
  return source + (source.empty() || says.empty() ? "" : ": ") + says;
}

ResolvedFinding::Detail resolve(const Finding::Detail& detail, const ResolvedPlace& at) {
  static const std::string kNoText;
  const ResolvedPlace place = resolve(detail.place), second = resolve(detail.second);
  const Filler filler{detail.numbers, at, place, second, kNoText, detail.place.program};
  std::string text = filler.fill(words_of(detail.note).says);
  if (detail.role == Role::read) {
    if (const auto use = use_of(detail.place))
      text += " (used at " + line_of(*use, at.source.file) + ")";
  }
  return {kLabels[static_cast<std::size_t>(detail.role)], text, place};
}

// "|file:line"; nothing where the program was compiled without line information.
std::string key_of(const Place& place) {
  if (place.program == nullptr) return {};
  const SourceLine source = source_of(*place.program, place.location);
  return source.file.empty() ? "" : "|" + source.file + ":" + std::to_string(source.line);
}

}  // namespace

bool is_note(const Finding& finding) {
  return kWhats[static_cast<std::size_t>(finding.what)].noted;
}

ResolvedFinding resolve(const Finding& finding) {
  const WhatWords& words = kWhats[static_cast<std::size_t>(finding.what)];
  const RuleText& rule = text_of(finding.rule);
  const ResolvedPlace at = resolve(finding.at);
  const Filler filler{finding.numbers, at, at, at, finding.text, finding.at.program};
  ResolvedFinding resolved{.name = std::string(rule.name),
                           .is_note = is_note(finding),
                           .what = filler.fill(words.says),
                           .at = at,
                           .host = finding.host,
                           .rule = rule_of(words, rule),
                           .fix = filler.fill(fix_of(finding)),
                           .more = std::string(more_of(finding))};
  const bool reads = finding.numbers.empty() || finding.numbers[0] == 0;
  if (words.used && reads) resolved.use = use_of(finding.at);
  for (const Finding::Detail& detail : finding.details) {
    resolved.details.push_back(resolve(detail, at));
  }
  return resolved;
}

ResolvedFinding::Detail resolve(const Finding::Detail& detail, const Place& at) {
  return resolve(detail, resolve(at));
}

std::string key_of(const Finding& finding) {
  const std::string_view name = text_of(finding.rule).name;
  const bool by_text = name.empty() || finding.at.program == nullptr;
  std::string key =
      std::string(name) + (by_text ? finding.text + "|" + finding.host : "") + key_of(finding.at);
  if (is_note(finding)) key += "|note";
  // Without line information, instructions are told apart by their place in the program.
  if (finding.at.program != nullptr &&
      source_of(*finding.at.program, finding.at.location).file.empty()) {
    key += "|" + finding.at.program->name + "@" + std::to_string(finding.at.location);
  }
  // Who of the two lines wrote is no matter of its own.
  const bool race = finding.rule == machine::Rule::data_race;
  for (const Finding::Detail& detail : finding.details) {
    key += "|" + std::string(race ? "" : kLabels[static_cast<std::size_t>(detail.role)]) +
           key_of(detail.place) + key_of(detail.second);
  }
  return key;
}

}  // namespace clcsim::report
