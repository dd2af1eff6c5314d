#include "cudart/runtime.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "config/output_file.h"
#include "cudart/ending.h"
#include "cudart/host_pages.h"
#include "report/resolved_finding.h"

namespace clcsim::cudart {
namespace {

std::atomic<Runtime*> the_runtime = nullptr;

config::Options read_options() {
  try {
    const config::Options options = config::read_environment(std::getenv);
    config::check_writable(options);
    report::Accepted{options};  // refuses what it doesn't understand
    return config::with_absolute_paths(options);
  } catch (const config::OptionError& error) {
    leave_refused(error.what());
  }
}

}  // namespace

Runtime& Runtime::get() {
  static Runtime* const runtime = [] {
    const config::Options options = read_options();
    return the_runtime = new Runtime(options, *config::find_profile(options.gpu));
  }();
  return *runtime;
}

Runtime* Runtime::existing() {
  return the_runtime;
}

void Runtime::note_call() {
  calls_.fetch_add(1, std::memory_order_relaxed);
  if (owner_ != 0) return;
  owner_ = getpid();
  if (options_.limit_seconds != 0) start_watch();
}

bool Runtime::inherited() const {
  const pid_t owner = owner_.load(std::memory_order_relaxed);
  return owner != 0 && owner != getpid();
}

Runtime::Runtime(const config::Options& options, const config::Profile& profile)
    : Session(
          profile, options.seed,
          {.check = options.check,
           .accepted = report::Accepted(options),
           .statistics = options.stats,
           .timeline = !options.timeline.empty(),
           .record = options.timeline.ends_with(".html"),
           .report = write_report,
           .print =
               [](const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); },
           .found =
               [this](const machine::Finding& finding) {
                 if (report::is_note(finding)) return;
                 finding.rule == machine::Rule::none ? tally_.count_refusal()
                                                     : tally_.count_finding();
               },
           .is_mapped = [](std::uint64_t address) { return cudart::is_mapped(address); }}),
      turn([this] { gpu_.pause(); }),
      options_(options),
      registry_(gpu_.memory(), gpu_.profile()),
      allocations_(gpu_.memory()),
      graphs_(streams_),
      maker_(getpid()),
      host_functions_([this] { gpu_.pause(); }),
      other_threads_([this](pid_t thread) { return is_own(thread); }) {
  gpu_.set_answers({.refuse = options.refuse, .grants_increase = options.grants_increase});
  watch_ends();
}

// ---- errors ----

void Runtime::look_for_fault() {
  const machine::DeviceFault* fault = gpu_.fault();
  if (fault == nullptr) return demand_context();
  if (lost_ == cudaSuccess) lost_ = error_of(fault->kind);
  demand_context();
}

void Runtime::reset() {
  if (lost_ != cudaSuccess) {
    lost_ = cudaErrorDevicesUnavailable;  // so on a GPU: the process can't use it any more
    return;
  }
  wait_for_all();
  registry_.unload();
  allocations_.clear();
  gpu_.memory().empty_heap();
  streams_.clear();
  events_.clear();
  graphs_.clear();
  limits_ = kFirstLimits;
  gpu_.memory().set_heap_capacity(limits_[cudaLimitMallocHeapSize]);
}

void Runtime::refuse(const std::string& sentence, cudaError_t error) {
  if (refused_.insert(sentence).second) {
    tally_.count_refusal();
    write_report("clcsim: refused: " + sentence + "\n");
  }
  throw Failure{.error = error, .told = true};
}

}  // namespace clcsim::cudart
