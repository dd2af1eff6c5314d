// Whether what a form states as facts (ptx/facts.h) is what its handler tells the observers.
#pragma once

#include <map>
#include <set>
#include <string>

#include "machine/events.h"

namespace clcsim::conformance {

/// Watches a run, and notes for each instruction that was executed which events named it.
class Agreement : public machine::Observer {
 public:
  unsigned watches() const override { return ~0u; }
  const machine::WarpMarks* marks() const override { return &marks_; }
  void instruction_starts(machine::Warp&, const ptx::Instruction& in, machine::LaneMask) override {
    executed_.insert(&in);
  }
  void memory_accessed(const machine::Access& access) override;
  void fenced(const machine::Executed& at) override { note(at.in, "a fence"); }
  void lanes_met(const machine::Executed& at, machine::LaneMask) override { note(at.in, "lanes"); }
  void block_barrier_arrived(const machine::Executed& at, std::uint32_t, std::uint32_t,
                             bool waits) override {
    note(at.in, waits ? "a barrier" : "an arrival");
  }
  void cluster_barrier_arrived(const machine::Executed& at) override { note(at.in, "a cluster"); }
  void cluster_barrier_passed(const machine::Executed& at) override { note(at.in, "a wait"); }
  void mbarrier_used(const machine::MbarrierUse& use) override;
  void queried(const machine::Query& query) override { note(query.in, "a query"); }

  /// What an instruction's facts promise and no event told, or the other way round; empty: nothing.
  std::string disagreement() const;

 private:
  void note(const ptx::Instruction& in, const char* event) { events_[&in].insert(event); }

  const machine::WarpMarks marks_ = machine::WarpMarks(1024, 1);
  std::set<const ptx::Instruction*> executed_;
  std::map<const ptx::Instruction*, std::set<std::string>> events_;
};

}  // namespace clcsim::conformance
