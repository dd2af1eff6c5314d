// A process as the caller of the runtime's functions: its threads, its signals, its end.
//
// The GPU runs only while a call waits for it or asks about it. Until then what the host issued is
// queued, each operation with the host's time of its issue. Two exceptions: functions of the host
// run on a thread of the runtime's own (host_functions.h), and where a host makes no call for long
// although the GPU has work, that thread runs the GPU.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "config/options.h"
#include "config/run_tally.h"
#include "context/context.h"
#include "process/host_functions.h"
#include "process/host_place.h"
#include "process/threads.h"
#include "process/turn.h"

namespace clcsim::process {

using context::Context;
using machine::Time;

class Process : private context::Caller {
 public:
  /// Made at the first call, from the options in the environment; never destroyed.
  static Process& get();
  /// The same if it has been made; else nullptr.
  static Process* existing();

  Context& context() { return context_; }

  /// True in a child (fork) of a process that has used the GPU: there it can't be used.
  bool inherited() const;
  /// The program is about to end with this status: reports.
  void at_exit(int status);
  /// A signal has come: whoever runs the GPU looks what to do.
  void pause() { gpu_.pause(); }

 private:
  Process(const config::Options& options, const config::Profile& profile);
  using Ran = machine::Gpu::Ran;
  using Clock = std::chrono::steady_clock;

  // process.cpp
  cudaError_t begin_call(bool uses_gpu) override;
  void end_call() override { turn_.unlock(); }
  bool is_mapped(std::uint64_t address, std::uint64_t size) const override;
  std::size_t readable_bytes(const void* address) const override;
  bool in_main_program(const void* address) const override;
  const void* place_of_call() const override { return host_caller(); }
  std::string text_of_place(const void* address) const override { return host_place(address); }
  void refuse(const std::string& sentence) override;
  [[noreturn]] context::Failure give_up(const std::string& sentence) override;
  std::string program() const override;

  // waiting.cpp
  void run_to(Time when) override;
  bool run_until(const std::function<bool()>& condition) override;
  void asked_in_vain() override;
  void launched() override { start_watch(); }
  void function_expected() override { start_watch(); }
  void call_function(std::function<void()> function, OperationPtr operation) override;
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
  void start_watch();  // the runtime's thread, and handlers of signals that end the run
  void watch_ends();
  void look_for_end();
  bool is_process_of_run() const;
  bool write_reports(bool may_run);
  bool write_files(const std::string& stopped = {});  // JSON: where the program was stopped
  std::string timeline_text();
  [[noreturn]] void stop_by_signal();
  [[noreturn]] void stop(const std::string& why, int status, int signal);

  const config::Options options_;
  config::RunTally tally_ = config::RunTally::of_environment();
  Turn turn_;  // held during each call
  Context context_;
  machine::Gpu& gpu_ = context_.gpu();
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
  OtherThreads other_threads_;

  // The runtime's thread, and what it saw when it last looked.
  std::atomic<pid_t> watch_ = 0;
  std::uint64_t seen_calls_ = 0;
  Clock::time_point called_ = made_, quiet_since_ = made_;
  bool drove_ = false;
  bool ended_ = false;
};

}  // namespace clcsim::process
