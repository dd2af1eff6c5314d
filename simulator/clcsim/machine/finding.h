// What is found in a program, as facts: which rule, what happened, where, who, how many. The table
// of what there is, with the sentences, is findings.def.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/grid.h"
#include "machine/rule.h"

namespace clcsim::machine {

/// So often one finding is counted: after that, the program's speed counts more than the number.
inline constexpr std::uint32_t kMostCounted = 200;

/// A place in a program and who was there.
struct Place {
  const ptx::Program* program = nullptr;  ///< nullptr: nowhere
  std::uint32_t location = ptx::kNoLocation;
  Dim3 block;
  Dim3 thread;
  bool has_thread = false;
};

/// What a detail is about.
enum class Role : std::uint8_t {
#define ROLE(id) id,
#include "machine/findings.def"
};

/// What is said of it.
enum class Note : std::uint8_t {
#define NOTE(id, ...) id,
#include "machine/findings.def"
};

struct Finding {
  Rule rule = Rule::none;
  What what = What::as_told;
  Place at;
  std::vector<std::int64_t> numbers;
  /// The finding's own words. One of a host's call has no place in a program: give
  /// FindingReport::add() a rule, a what (WHAT_NOTED for a note), `text`, by which two of them are
  /// told apart, and `host`.
  std::string text;
  std::string host;  ///< the host's place, as it is told: "main.cu:12 in main"; only without `at`
  const void* call = nullptr;  ///< the host's call, for whoever can tell its place
  struct Detail {
    Role role = Role::other;
    Note note = Note::line;
    Place place;
    Place second;
    std::vector<std::int64_t> numbers;
  };
  std::vector<Detail> details;
};

}  // namespace clcsim::machine
