// The state behind the runtime's functions: a session whose host is a program.
//
// The GPU runs only while a call waits for it or asks about it. Until then what the host issued is
// queued, each operation with the host's time of its issue. Two exceptions: functions of the host
// run on a thread of the runtime's own (host_functions.h), and where a host makes no call for long
// although the GPU has work, that thread runs the GPU.
#pragma once

#include <driver_types.h>

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "config/options.h"
#include "config/run_tally.h"
#include "cudart/allocations.h"
#include "cudart/device.h"
#include "cudart/failure.h"
#include "cudart/graph.h"
#include "cudart/host_functions.h"
#include "cudart/libraries.h"
#include "cudart/registry.h"
#include "cudart/session.h"
#include "cudart/threads.h"
#include "cudart/turn.h"
#include "cudart/unseen_errors.h"

namespace clcsim::cudart {

class Runtime : public Session {
 public:
  /// Made at the first call, from the options in the environment; never destroyed.
  static Runtime& get();
  /// The same if it has been made; else nullptr.
  static Runtime* existing();

  /// Held during each call.
  Turn turn;

  /// To be told of each call that uses the GPU.
  void note_call();
  /// True in a child (fork) of a process that has used the GPU: there it can't be used.
  bool inherited() const;
  /// Starts what watches over a run: the runtime's thread, and handlers of signals that end it.
  void start_watch();
  /// The program is about to end with this status: reports.
  void at_exit(int status);

  const config::Options& options() const { return options_; }
  Registry& registry() { return registry_; }
  Libraries& libraries() { return libraries_; }
  Allocations& allocations() { return allocations_; }
  Graphs& graphs() { return graphs_; }
  DeviceLimits& limits() { return limits_; }
  UnseenErrors& unseen_errors() { return unseen_errors_; }

  // ---- waiting; all throw Failure if a kernel has failed by then ----

  /// Lets the GPU come as far as the host is.
  void catch_up();
  /// Runs the GPU until the operation (nullptr: none) has finished.
  void wait_for(OperationPtr operation);
  void wait_for_all();
  /// For questions: catches up; throws Failure{cudaErrorNotReady} unless `done()` holds then.
  void ask(const std::function<bool()>& done);

  /// To be told of each launch of a kernel.
  void note_launch() {
    launched_ = true;
    start_watch();
  }

  /// Puts a function of the program into a stream.
  OperationPtr enqueue_host_function(Stream& stream, std::function<void()> function);

  // ---- errors ----

  /// Throws Failure if a kernel has failed: nothing works after that.
  void demand_context() const { demand(lost_ == cudaSuccess, lost_); }
  /// What a failed kernel left; cudaSuccess: none failed.
  cudaError_t lost() const { return lost_; }
  /// cudaDeviceReset().
  void reset();

  /// For --check-json: what an exercise's check has found.
  void keep_verdict(std::string json) { verdict_ = std::move(json); }

  /// Prints, once for each sentence, that something isn't modelled; the program won't exit with 0.
  /// Throws Failure.
  [[noreturn]] void refuse(const std::string& sentence, cudaError_t error = cudaErrorNotSupported);

 private:
  Runtime(const config::Options& options, const config::Profile& profile);
  using Ran = machine::Gpu::Ran;
  using Clock = std::chrono::steady_clock;

  // runtime.cpp
  void look_for_fault();

  // waiting.cpp
  void run_until(const std::function<bool()>& condition);
  bool drive(const std::function<bool()>& condition);
  Ran advance(Time when, const std::function<bool()>& condition);
  void make_way();
  void look_again();
  bool is_own(pid_t thread) const;
  void start_due_functions();
  void finish_host_functions();
  bool host_may_act();
  void look();
  void drive_alone();

  // ending.cpp
  void watch_ends();
  void look_for_end();
  bool is_process_of_run() const;
  bool write_reports();
  bool write_files();
  std::string timeline_text();
  [[noreturn]] void stop_by_signal();
  [[noreturn]] void stop(const std::string& why, int status, int signal);

  const config::Options options_;
  config::RunTally tally_ = config::RunTally::of_environment();
  Registry registry_;
  Libraries libraries_;
  Allocations allocations_;
  Graphs graphs_;
  DeviceLimits limits_ = kFirstLimits;
  UnseenErrors unseen_errors_;
  std::string verdict_;  // JSON; empty: there is none
  std::set<std::string> refused_;
  cudaError_t lost_ = cudaSuccess;
  std::uint32_t asked_in_vain_ = 0;  // questions in a row
  std::atomic<std::uint64_t> calls_ = 0;
  const pid_t maker_;             // the process that made this
  std::atomic<pid_t> owner_ = 0;  // the process that uses the GPU; 0: none yet
  const Clock::time_point made_ = Clock::now();

  HostFunctions host_functions_;
  struct Due {
    std::function<void()> function;
    OperationPtr operation;
  };
  std::vector<Due> due_;
  std::uint32_t unfinished_host_functions_ = 0;
  OtherThreads other_threads_;

  // The runtime's thread, and what it saw when it last looked.
  std::atomic<pid_t> watch_ = 0;
  std::uint64_t seen_calls_ = 0;
  Clock::time_point called_ = made_, quiet_since_ = made_;
  bool drove_ = false;
  bool launched_ = false;
  bool ended_ = false;
};

}  // namespace clcsim::cudart
