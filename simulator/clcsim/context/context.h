// What a program's calls do to one GPU: streams, events, graphs, copies, memory, kernels and their
// launches, errors, and what each call costs the host. What is not the GPU's, it asks of its caller
// (caller.h).
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "checks/checks.h"
#include "context/allocations.h"
#include "context/attached.h"
#include "context/caller.h"
#include "context/copy_engine.h"
#include "context/device.h"
#include "context/graph.h"
#include "context/libraries.h"
#include "context/registry.h"
#include "context/stream.h"
#include "context/unseen_errors.h"
#include "machine/gpu.h"
#include "player/recorder.h"
#include "report/finding_report.h"
#include "report/statistics.h"
#include "report/timeline.h"
#include "report/timeline_layout.h"

namespace clcsim::context {

/// Who watches a run, and who gets what is said.
struct Watch {
  config::Check check = config::Check::all;
  report::Accepted accepted = {};
  bool statistics = false, timeline = false;
  bool record = false;                                 ///< for the player; needs the timeline
  std::function<void(const std::string&)> report;      ///< gets the findings' text, in whole lines
  std::function<void(const std::string&)> print;       ///< gets what kernels print
  std::function<void(const machine::Finding&)> found;  ///< gets each new finding; may be empty
};

class Context {
 public:
  Context(const config::Profile& profile, std::uint64_t seed,
          const machine::BlockLauncher::Answers& answers, const Watch& watch, Caller& caller);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// The one that this thread has set, or else the process's.
  static Context& current();
  /// The same if it has been made; else nullptr.
  static Context* existing();
  static void set_current(Context* context);
  /// `make` makes the process's, or gives the one that it has made.
  static bool of_process(Context& (*make)());

  Caller& caller() { return caller_; }
  const config::Profile& profile() const { return gpu_.profile(); }
  std::uint64_t seed() const { return seed_; }
  machine::Gpu& gpu() { return gpu_; }
  const machine::Gpu& gpu() const { return gpu_; }
  Streams& streams() { return streams_; }
  const Streams& streams() const { return streams_; }
  Events& events() { return events_; }
  CopyEngine& copies() { return copies_; }
  Registry& registry() { return registry_; }
  Libraries& libraries() { return libraries_; }
  Allocations& allocations() { return allocations_; }
  Graphs& graphs() { return graphs_; }
  DeviceLimits& limits() { return limits_; }

  // ---- time ----

  Time cycles(double microseconds) const;
  double milliseconds(Time cycles) const;
  /// The host is busy for a while.
  void spend(double microseconds) { host_now_ += cycles(microseconds); }
  /// When what the host issues now reaches the GPU.
  Time issue_time() const;
  /// The GPU has run on while the host made no call.
  void keep_up() { host_now_ = std::max(host_now_, gpu_.now()); }

  // ---- waiting; all throw Failure if a kernel has failed by then ----

  /// Lets the GPU come as far as the host is.
  void catch_up();
  /// Runs the GPU until the operation (nullptr: none) has finished.
  void wait_for(OperationPtr operation);
  void wait_for_all();
  /// For questions: catches up; throws Failure{cudaErrorNotReady} unless `done()` holds then.
  void ask(const std::function<bool()>& done);

  // ---- work for the GPU ----

  /// Whether a kernel that runs has copies beside it that the host hasn't ordered with it.
  bool copies_beside() const { return checker_.copies_beside(); }
  /// To be told of each launch of a kernel.
  void note_launch();
  bool launched() const { return launched_; }
  /// Puts a kernel into a stream. `ended` (may be empty) is called when it has run. `early`: it may
  /// start before the kernel before it has ended.
  void submit(Stream& stream, machine::Launch launch, std::function<void()> ended,
              bool early = false);
  /// Puts a function of the program into a stream.
  OperationPtr enqueue_host_function(Stream& stream, std::function<void()> function);
  void function_returned(const OperationPtr& operation);
  /// Whether the program has put functions into streams that have not returned.
  bool expects_functions() const { return unfinished_functions_ != 0; }

  // ---- errors ----

  /// Throws Failure if a kernel has failed: nothing works after that.
  void demand_context() const { demand(lost_ == cudaSuccess, lost_); }
  /// What a failed kernel left; cudaSuccess: none failed.
  cudaError_t lost() const { return lost_; }
  /// What the last call has returned.
  cudaError_t last_result() const { return last_result_; }
  void note_result(cudaError_t error) { last_result_ = error; }
  /// cudaDeviceReset().
  void reset();
  UnseenErrors& unseen_errors() { return unseen_errors_; }
  /// Says, once for each sentence, that something isn't modelled. Throws Failure.
  [[noreturn]] void refuse(const std::string& sentence, cudaError_t error = cudaErrorNotSupported);

  // ---- what came of it ----

  report::FindingReport& findings() { return findings_; }
  const report::FindingReport& findings() const { return findings_; }
  const report::Statistics* statistics() const { return statistics_.get(); }  ///< nullptr: none
  bool has_timeline() const { return timeline_ != nullptr; }
  bool has_record() const { return recorder_ != nullptr; }
  const report::TimelineRecord& timeline() { return timeline_->finish(gpu_.now()); }
  /// What the player plays of the run, which `command` repeats.
  std::string record_json(const report::TimelineView& view, const std::string& command);

  // ---- what a program attaches (attached.h) ----

  void attach(Attached& attached);
  const Attached* attached() const { return attached_; }  ///< nullptr: nothing

 private:
  void run_until(const std::function<bool()>& condition);
  void look_for_fault();

  Caller& caller_;
  const std::uint64_t seed_;
  machine::Gpu gpu_;
  Streams streams_;
  Events events_;
  CopyEngine copies_;
  Registry registry_;
  Libraries libraries_;
  Allocations allocations_;
  Graphs graphs_;
  DeviceLimits limits_ = kFirstLimits;
  report::FindingReport findings_;
  checks::Checker checker_;
  std::unique_ptr<report::Statistics> statistics_;
  std::unique_ptr<report::Timeline> timeline_;
  std::unique_ptr<player::Recorder> recorder_;
  Attached* attached_ = nullptr;
  UnseenErrors unseen_errors_;
  std::set<std::string> refused_;
  cudaError_t lost_ = cudaSuccess, last_result_ = cudaSuccess;
  Time host_now_ = 0;
  std::uint32_t asked_in_vain_ = 0;  // questions in a row
  std::uint32_t unfinished_functions_ = 0;
  bool launched_ = false;
};

}  // namespace clcsim::context
