// The state behind the runtime's functions: one GPU, and a host whose time passes with its calls.
//
// The GPU runs only while a call waits for it or asks about it. Until then what the host issued is
// queued, each operation with the host's time of its issue.
#pragma once

#include <driver_types.h>

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "checks/checks.h"
#include "cudart/allocations.h"
#include "cudart/copy_engine.h"
#include "cudart/event.h"
#include "cudart/failure.h"
#include "cudart/registry.h"
#include "cudart/stream.h"
#include "launcher/options.h"
#include "machine/gpu.h"
#include "report/finding_report.h"
#include "report/statistics.h"
#include "report/timeline.h"

namespace clcsim::cudart {

class Runtime {
 public:
  /// Made at the first call, from the options in the environment; never destroyed.
  static Runtime& get();

  /// Held during each call.
  std::mutex mutex;

  const machine::Profile& profile() const { return gpu_.profile(); }
  machine::Gpu& gpu() { return gpu_; }
  Registry& registry() { return registry_; }
  Streams& streams() { return streams_; }
  Events& events() { return events_; }
  Allocations& allocations() { return allocations_; }
  CopyEngine& copies() { return copies_; }

  // ---- time ----

  Time cycles(double microseconds) const;
  double milliseconds(Time cycles) const;
  /// The host is busy for a while.
  void spend(double microseconds) { host_now_ += cycles(microseconds); }
  /// When what the host issues now reaches the GPU.
  Time issue_time() const;

  // ---- waiting; all throw Failure if a kernel has failed by then ----

  /// Lets the GPU come as far as the host is.
  void catch_up();
  /// Runs the GPU until the operation (nullptr: none) has finished.
  void wait_for(const OperationPtr& operation);
  void wait_for_all();
  /// For questions: catches up; throws Failure{cudaErrorNotReady} unless `done()` holds then.
  void ask(const std::function<bool()>& done);

  // ---- errors ----

  /// Throws Failure if a kernel has failed: nothing works after that.
  void demand_context() const { demand(lost_ == cudaSuccess, lost_); }
  /// What a failed kernel left; cudaSuccess: none failed.
  cudaError_t lost() const { return lost_; }
  /// cudaDeviceReset().
  void reset();

  /// Prints, once for each sentence, that something isn't modelled; the program won't exit with 0.
  void refuse(const std::string& sentence);

  // ---- modules ----

  machine::Module& load(FatBinary& binary);
  /// Throws Failure: cudaErrorInvalidDeviceFunction for nullptr, cudaErrorInvalidResourceHandle for
  /// what is no kernel.
  Kernel& kernel(const void* stub);
  const ptx::Program& program(const Kernel& kernel);
  /// The memory of a device variable. Throws Failure where there is none.
  const machine::Allocation& variable(const void* symbol);

 private:
  Runtime(const launcher::Options& options, const machine::Profile& profile);
  void run_until(const std::function<bool()>& condition);
  void look_for_fault();
  void at_exit(int status);
  void write_timeline();

  const launcher::Options options_;
  machine::Gpu gpu_;
  Registry registry_;
  Streams streams_;
  Events events_;
  Allocations allocations_;
  CopyEngine copies_;
  report::FindingReport findings_;
  checks::Checker checker_;
  std::unique_ptr<report::Statistics> statistics_;
  std::unique_ptr<report::Timeline> timeline_;
  std::set<std::string> refused_;
  bool refused_instruction_ = false;
  cudaError_t lost_ = cudaSuccess;
  Time host_now_ = 0;
  std::uint32_t asked_in_vain_ = 0;  // questions in a row
};

}  // namespace clcsim::cudart
