#include "process/ending.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <thread>

#include "config/output_file.h"
#include "context/api.h"
#include "player/page.h"
#include "process/host_place.h"
#include "process/process.h"
#include "process/threads.h"
#include "report/finding_text.h"
#include "report/table.h"
#include "report/timeline_svg.h"
#include "report/timeline_text.h"

namespace clcsim::process {
namespace {

constexpr std::chrono::milliseconds kPatienceAtEnd(5000);  // with another thread's call at the end
constexpr std::chrono::milliseconds kLookEvery(20);
constexpr Time kLongestBeside = 1'000'000;  // for kernels that the program hasn't waited for

bool reports_lost = false;  // standard error takes no more

volatile std::sig_atomic_t signal_came = 0;

// What the program has printed comes first. Another thread may hold stdout for ever: it isn't
// waited for.
void flush_output() {
  if (ftrylockfile(stdout) != 0) return;
  fflush_unlocked(stdout);
  funlockfile(stdout);
}

// Empty if all went well.
std::string write_file(const std::string& path, const std::string& text) {
  const config::FileLimitIgnored ignored;
  std::FILE* file = std::fopen(path.c_str(), "w");
  const bool written = file != nullptr && std::fputs(text.c_str(), file) >= 0;
  if (file != nullptr && std::fclose(file) == 0 && written) return {};
  return "clcsim: " + path + " can't be written: " + std::strerror(errno) + "\n";
}

// What repeats the run, but for the variables of the environment that the program reads.
std::string command_of(const config::Options& options) {
  std::string command = "clcsim" + config::to_repeat(options), word;
  for (const char byte : config::text_of_file("/proc/self/cmdline")) {
    if (byte != '\0') {
      word += byte;
      continue;
    }
    const bool plain = word.find_first_of(" \t\n\"'\\$`*?&|;<>()") == word.npos && !word.empty();
    command += plain ? " " + word : " '" + word + "'";
    word.clear();
  }
  return command;
}

// Whether something that the program has printed is lost, and it wanted to be heard.
bool output_lost() {
  if (ftrylockfile(stdout) != 0) return false;
  const bool lost = fflush_unlocked(stdout) != 0 || ferror_unlocked(stdout) != 0;
  funlockfile(stdout);
  return lost && fcntl(STDOUT_FILENO, F_GETFD) != -1;
}

}  // namespace

void write_report(const std::string& text) {
  const config::FileLimitIgnored ignored;
  flush_output();
  const std::string shown = report::harmless(text);
  for (std::size_t done = 0; done < shown.size();) {
    const ssize_t written = write(STDERR_FILENO, shown.data() + done, shown.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      reports_lost = errno != EBADF;  // a closed one was closed on purpose
      return;
    }
    done += static_cast<std::size_t>(written);
  }
}

void leave(int status) {
  std::cout.flush();
  std::clog.flush();
  std::fflush(nullptr);
  end_now(status);
}

void end_now(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

void leave_refused(const std::string& sentence) {
  write_report("clcsim: " + sentence + "\n");
  leave(kRefusedStatus);
}

// ---- the files and the reports at the end ----

std::string Process::timeline_text() {
  const report::TimelineView view{options_.timeline_launch, options_.timeline_cycles};
  if (!context_.has_record()) {
    const report::TimelineRecord& record = context_.timeline();
    return options_.timeline.ends_with(".txt") ? report::timeline_text(record, view)
                                               : report::timeline_svg(record, view);
  }
  return player::page_text(context_.record_json(view, command_of(options_)));
}

bool Process::write_files(const std::string& stopped) {
  std::string problems;
  if (context_.has_timeline() && context_.launched()) {
    problems += write_file(options_.timeline, timeline_text());
  }
  if (!options_.check_json.empty() && owner_ != 0) {
    report::JsonWriter json;
    json.value([&] {
      json.members("version", config::version(), "seed", options_.seed);
      json.key("findings");
      json.raw("[" + tally_.add_json(context_.findings().json_elements()) + "\n]");
      const context::Attached* const attached = context_.attached();
      if (context_.last_result() != cudaSuccess)
        json.members("failed_call", cudaGetErrorName(context_.last_result()));
      if (!stopped.empty()) {
        json.key("stopped");
        json.raw(stopped);
      }
      if (const std::string found = attached == nullptr ? "" : attached->found(); !found.empty()) {
        json.key("check");
        json.raw(found);
      }
    });
    problems += write_file(options_.check_json, json.take() + "\n");
  }
  if (!problems.empty()) write_report(problems);
  return problems.empty();
}

bool Process::is_process_of_run() const {
  return (owner_ != 0 ? owner_.load() : maker_) == getpid();
}

bool Process::write_reports(bool may_run) {
  const bool waited = (!context_.streams().has_kernel() && !context_.expects_functions()) ||
                      context_.lost() != cudaSuccess;
  // What stands beside a copy may be what races with it.
  if (may_run && !waited && context_.copies_beside()) gpu_.advance(gpu_.now() + kLongestBeside);
  context_.findings().write_summary();
  tally_.count_accepted(context_.findings().accepted());
  if (!waited) {
    write_report(
        "clcsim: the program ended without waiting for all that it had launched; what was left "
        "never came to its end, nor was it checked (cudaDeviceSynchronize waits)\n");
  }
  if (context_.statistics() != nullptr) write_report(context_.statistics()->text());
  return write_files() && waited;
}

void Process::at_exit(int status) {
  if (ended_ || !is_process_of_run()) return;
  // A signal ends a call like sleep() early, and the program may be here before the watch looks.
  if (signal_came != 0) stop_by_signal();
  // Another thread may be in a call that doesn't end; this one ends the process now.
  const bool locked = turn_.try_lock_for(kPatienceAtEnd);
  ended_ = true;
  if (status == 0 && options_.check != config::Check::off) {
    for (const machine::Finding& note : context_.unseen_errors().notes(host_place))
      context_.findings().add(note);
  }
  const bool complete = write_reports(locked);
  const bool lost = owner_ != 0 && output_lost();
  if (lost) write_report("clcsim: not all that the program printed could be written\n");
  if (locked) turn_.unlock();
  if (status != 0) return;
  if (tally_.findings() != 0) leave(kFindingStatus);  // in a child of this process, perhaps
  if (tally_.refusals() != 0) leave(kRefusedStatus);
  if (!complete || lost || reports_lost) leave(kRefusedStatus);
}

// ---- signals and limits ----

namespace {

// Only notes that it came: the runtime's thread does the rest. A second one ends the process.
void note_signal(int signal) {
  Process* process = Process::existing();
  if (process == nullptr || process->inherited() || signal_came != 0) {
    std::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  signal_came = signal;
  process->pause();
}

void take_signal(int signal) {
  struct sigaction now = {};
  if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
  struct sigaction action = {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

void Process::start_watch() {
  if (watch_ != 0) return;
  take_signal(SIGINT);
  take_signal(SIGTERM);
  watch_ = start_thread([this] {
    for (;;) {
      look();
      std::this_thread::sleep_for(kLookEvery);
    }
  });
}

void Process::look_for_end() {
  // The last of the program's threads that ends would end the process, were it not for ours.
  const pid_t first = getpid();
  if (has_ended(first) &&
      threads([&](pid_t thread) { return thread != first && !is_own(thread); }) == 0) {
    std::exit(0);
  }
  const bool late = options_.limit_seconds != 0 &&
                    Clock::now() - made_ >= std::chrono::seconds(options_.limit_seconds);
  if (signal_came == 0 && !late) return;
  const bool locked = turn_.try_lock_for(kPatienceAtEnd);
  if (ended_) {  // by the program, at the same time
    if (locked) turn_.unlock();
    return;
  }
  if (late) stop("at its limit of seconds", kLimitStatus, 0);
  stop_by_signal();
}

void Process::stop_by_signal() {
  const int signal = signal_came;
  stop(std::string("by ") + (signal == SIGINT ? "SIGINT" : "SIGTERM"), 0, signal);
}

// Called with the lock. The program's threads are where they are, perhaps in a call that doesn't
// end, with a file locked: nothing here waits for them.
void Process::stop(const std::string& why, int status, int signal) {
  const std::vector<machine::Finding::Detail> places = gpu_.whereabouts();
  std::string text = std::string(report::kMargin) + " clcsim: the program was stopped " + why +
                     ", at cycle " + std::to_string(gpu_.now()) +
                     (places.empty() ? "; no kernel was running\n" : "\n");
  for (const machine::Finding::Detail& place : places) {
    const report::ResolvedFinding::Detail resolved = report::resolve(place, {});
    text += report::labelled(resolved.label, resolved.text);
  }
  write_report(text);
  ended_ = true;
  context_.findings().write_summary();
  if (context_.statistics() != nullptr) write_report(context_.statistics()->text());
  report::JsonWriter stopped;
  stopped.value([&] { stopped.members("at_limit", signal == 0, "in_kernel", !places.empty()); });
  write_files(stopped.take());
  if (signal != 0) {
    std::signal(signal, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal);
    pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    raise(signal);
  }
  end_now(status);
}

// ---- quick_exit and _exit: they call no handler that knows the status ----

namespace {

int quick_status = 0;

void end(int status) {
  Process* const process = Process::existing();
  if (process != nullptr) process->at_exit(status);
}

}  // namespace

void Process::watch_ends() {
  on_exit([](int status, void* self) { static_cast<Process*>(self)->at_exit(status); }, this);
  at_quick_exit([] { end(quick_status); });
}

}  // namespace clcsim::process

// These stand before the C library's of the same names.

CLCSIM_EXPORT void quick_exit(int status) noexcept {
  clcsim::process::quick_status = status;
  reinterpret_cast<void (*)(int)>(dlsym(RTLD_NEXT, "quick_exit"))(status);
  __builtin_unreachable();
}

// With another status the program ends in a hurry, in a handler of a signal perhaps.
CLCSIM_EXPORT void _exit(int status) {
  if (status == 0) clcsim::process::end(status);
  clcsim::process::end_now(status);
}

CLCSIM_EXPORT void _Exit(int status) noexcept {
  _exit(status);
}
