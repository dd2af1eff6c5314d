// What a run needs, whoever its host is: one GPU, those that watch it, its streams, and a host
// whose time passes with its calls. The runtime is a session of a program; the playground has its
// own.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "checks/checks.h"
#include "cudart/copy_engine.h"
#include "cudart/stream.h"
#include "machine/gpu.h"
#include "player/recorder.h"
#include "report/finding_report.h"
#include "report/statistics.h"
#include "report/timeline.h"
#include "report/timeline_layout.h"

namespace clcsim::cudart {

/// Who watches a run, and who gets what is said.
struct Watch {
  config::Check check = config::Check::all;
  report::Accepted accepted = {};
  bool statistics = false, timeline = false;
  bool record = false;                                 ///< for the player; needs the timeline
  std::function<void(const std::string&)> report;      ///< gets the findings' text, in whole lines
  std::function<void(const std::string&)> print;       ///< gets what kernels print
  std::function<void(const machine::Finding&)> found;  ///< gets each new finding; may be empty
  /// Whether the host has memory at an address that isn't the GPU's: asked before it is touched.
  std::function<bool(std::uint64_t)> is_mapped;
};

class Session {
 public:
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const config::Profile& profile() const { return gpu_.profile(); }
  machine::Gpu& gpu() { return gpu_; }
  const machine::Gpu& gpu() const { return gpu_; }
  Streams& streams() { return streams_; }
  Events& events() { return events_; }
  CopyEngine& copies() { return copies_; }
  const report::FindingReport& findings() const { return findings_; }

  // ---- time ----

  Time cycles(double microseconds) const;
  double milliseconds(Time cycles) const;
  /// The host is busy for a while.
  void spend(double microseconds) { host_now_ += cycles(microseconds); }
  /// When what the host issues now reaches the GPU.
  Time issue_time() const;

  /// Puts a kernel into a stream. `ended` (may be empty) is called when it has run. `early`: it may
  /// start before the kernel before it has ended.
  void submit(Stream& stream, machine::Launch launch, std::function<void()> ended,
              bool early = false);

 protected:
  Session(const config::Profile& profile, std::uint64_t seed, const Watch& watch);
  ~Session() = default;

  /// The host has waited, and notices that the GPU has come so far.
  void notice();
  /// What the player plays of the run, which `command` repeats.
  std::string record_json(const report::TimelineView& view, const std::string& command);

  machine::Gpu gpu_;
  Streams streams_;
  Events events_;
  CopyEngine copies_;
  report::FindingReport findings_;
  checks::Checker checker_;
  std::unique_ptr<report::Statistics> statistics_;
  std::unique_ptr<report::Timeline> timeline_;
  std::unique_ptr<player::Recorder> recorder_;
  Time host_now_ = 0;
};

}  // namespace clcsim::cudart
