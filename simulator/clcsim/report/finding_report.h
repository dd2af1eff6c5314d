// Collects the findings of a run, prints each when it first appears, and sums up at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "machine/finding.h"

namespace clcsim::report {

class FindingReport {
 public:
  /// `write` gets the text, in whole lines.
  explicit FindingReport(std::function<void(const std::string&)> write)
      : write_(std::move(write)) {}

  void add(const machine::Finding& finding);

  /// Findings told apart by rule and source lines; refusals are not findings.
  std::size_t findings() const { return findings_; }
  std::size_t refusals() const { return entries_.size() - findings_; }

  /// Writes "N findings", and which of them appeared more than once; nothing if there are none.
  void write_summary() const;

  /// The run's seed and all findings and refusals with their counts, as one JSON object.
  std::string json(std::uint64_t seed) const;

 private:
  struct Entry {
    // Its program is not to be looked at later: texts are kept instead. `json`: without its end.
    std::string name, where, json;
    std::uint64_t count = 0;
  };

  std::function<void(const std::string&)> write_;
  std::vector<Entry> entries_;                 // in the order of their first appearance
  std::map<std::string, std::size_t> by_key_;  // index into entries_
  std::size_t findings_ = 0;
};

}  // namespace clcsim::report
