// What the checks have in common when they report: places, and how often.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "checks/states.h"

namespace clcsim::checks {

using machine::Finding;
using machine::Note;
using machine::Place;
using machine::Role;
using machine::Rule;
using machine::What;

/// Whether `a` is a later line of the file than `b`.
bool stands_behind(const ptx::Program& program, std::uint32_t a, std::uint32_t b);
/// True also where neither is known.
bool same_line(const ptx::Program& program, std::uint32_t a, std::uint32_t b);

/// `block` is any block of the cluster.
Place place_of(const BlockState& block, const Stamp& stamp);
/// Without a thread.
Place place_of(const BlockState& block, std::uint32_t location);

/// Whether the location was inlined from libcu++'s for_each_canceled_block.
bool in_for_each_canceled(const ptx::Program& program, std::uint32_t location);

/// A place that a finding names beside its own.
struct Other {
  Role role;
  Stamp stamp;
  Note note = Note::who;
};

/// Where findings go.
using Sink = std::function<void(const Finding&)>;

class Reporter {
 public:
  explicit Reporter(Sink sink) : sink_(std::move(sink)) {}

  /// False once this pair of places has been reported so often that it would only cost time, or
  /// where it is the consequence of what was reported of the block already. To be asked by itself
  /// before a finding that takes long to make, or that is told later.
  bool wanted(const BlockState& block, Rule rule, std::uint32_t at, std::uint32_t other,
              bool note = false);
  /// The same of places in two programs.
  bool wanted(Rule rule, const Place& at, const Place& other, bool note = false);

  void report(const Finding& finding) {
    if (finding.rule != Rule::data_race) release();
    sink_(finding);
  }
  /// Reported before the next finding that isn't a race.
  void hold(Finding finding) { held_.push_back(std::move(finding)); }
  void release() {
    for (const Finding& finding : std::exchange(held_, {})) sink_(finding);
  }
  /// Reports it where wanted() says so.
  void report(const BlockState& block, std::uint32_t other, const Finding& finding) {
    if (wanted(block, finding.rule, finding.at.location, other)) report(finding);
  }
  /// Likewise, of two places of the block's cluster.
  void report(const BlockState& block, Rule rule, What what, const Stamp& at, const Other& other,
              std::vector<std::int64_t> numbers = {}) {
    report(block, other.stamp.location,
           {.rule = rule,
            .what = what,
            .at = place_of(block, at),
            .numbers = std::move(numbers),
            .details = {{other.role, other.note, place_of(block, other.stamp)}}});
  }

 private:
  struct Pair {
    Rule rule = Rule::none;
    const ptx::Program* program = nullptr;
    std::uint32_t at = 0;
    const ptx::Program* other_program = nullptr;
    std::uint32_t other = 0;
    bool note = false;  ///< counted apart: it must not hide an error
    auto operator<=>(const Pair&) const = default;
  };

  const Sink sink_;
  std::vector<Finding> held_;
  std::map<Pair, std::uint32_t> said_;
};

}  // namespace clcsim::checks
