// Collects the findings of a run, prints each when it first appears, and sums up at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "report/accepted.h"
#include "report/json.h"
#include "report/resolved_finding.h"

namespace clcsim::report {

class FindingReport {
 public:
  /// `write` gets the text, in whole lines.
  explicit FindingReport(std::function<void(const std::string&)> write, Accepted accepted = {})
      : write_(std::move(write)), accepted_(std::move(accepted)) {}

  struct Entry {
    ResolvedFinding finding;
    std::uint64_t count = 0;
    std::string accepted = {};  ///< the user's words that accept it; empty: none does
  };

  /// Writes what is new and not accepted. Returns its place in entries(), where its count is 1 if
  /// there was none like it before.
  std::size_t add(const machine::Finding& finding);

  /// Findings and refusals in the order of their first appearance.
  const std::vector<Entry>& entries() const { return entries_; }

  /// Findings told apart by rule and source lines; refusals and notes are not findings.
  /// Nor are those that the user accepts.
  std::size_t findings() const { return findings_; }
  std::size_t refusals() const { return entries_.size() - findings_ - notes_ - ignored_; }
  std::size_t accepted() const { return ignored_; }
  std::vector<std::string> not_needed() const { return accepted_.not_needed(); }

  /// Writes "N findings, M notes; K findings accepted", which of them appeared more than once, and
  /// what was to be accepted and never appeared; nothing if there is none of these.
  void write_summary() const;

  /// All findings and refusals with their counts, as one JSON array.
  std::string json() const { return "[" + json_elements() + "\n]"; }
  /// Only its elements.
  std::string json_elements() const;

 private:
  std::function<void(const std::string&)> write_;
  Accepted accepted_;
  std::vector<Entry> entries_;
  std::map<std::string, std::size_t> by_key_;  // index into entries_
  std::size_t findings_ = 0, notes_ = 0, ignored_ = 0;
};

/// The members of the JSON object that a finding is, wherever it is written.
void write(JsonWriter& json, const FindingReport::Entry& entry);

}  // namespace clcsim::report
