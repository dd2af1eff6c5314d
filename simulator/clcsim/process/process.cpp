#include "process/process.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "config/output_file.h"
#include "process/ending.h"
#include "process/host_pages.h"
#include "report/resolved_finding.h"

namespace clcsim::process {
namespace {

std::atomic<Process*> the_process = nullptr;

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

// The functions of the runtime reach it.
const bool known = Context::of_process([]() -> Context& { return Process::get().context(); });

}  // namespace

Process& Process::get() {
  static Process* const process = [] {
    const config::Options options = read_options();
    return the_process = new Process(options, *config::find_profile(options.gpu));
  }();
  return *process;
}

Process* Process::existing() {
  return the_process;
}

Process::Process(const config::Options& options, const config::Profile& profile)
    : options_(options),
      turn_([this] { gpu_.pause(); }),
      context_(
          profile, options.seed,
          {.refuse = options.refuse, .grants_increase = options.grants_increase},
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
               }},
          *this),
      maker_(getpid()),
      host_functions_([this] { gpu_.pause(); }),
      other_threads_([this](pid_t thread) { return is_own(thread); }) {
  watch_ends();
}

// ---- around each call ----

cudaError_t Process::begin_call(bool uses_gpu) {
  if (uses_gpu && in_host_function()) return cudaErrorNotPermitted;
  if (inherited()) return cudaErrorInitializationError;
  turn_.lock();
  if (!uses_gpu) return cudaSuccess;
  calls_.fetch_add(1, std::memory_order_relaxed);
  if (owner_ != 0) return cudaSuccess;
  owner_ = getpid();
  if (options_.limit_seconds != 0) start_watch();
  return cudaSuccess;
}

bool Process::inherited() const {
  const pid_t owner = owner_.load(std::memory_order_relaxed);
  return owner != 0 && owner != getpid();
}

// ---- its memory, and what can't be run ----

bool Process::is_mapped(std::uint64_t address, std::uint64_t size) const {
  return process::is_mapped(address, size);
}

std::size_t Process::readable_bytes(const void* address) const {
  return process::readable_bytes(address);
}

bool Process::in_main_program(const void* address) const {
  return process::in_main_program(address);
}

void Process::refuse(const std::string& sentence) {
  tally_.count_refusal();
  write_report("clcsim: refused: " + sentence + "\n");
}

context::Failure Process::give_up(const std::string& sentence) {
  leave_refused(sentence);
}

std::string Process::program() const {
  return program_invocation_name;
}

}  // namespace clcsim::process
