#include "launcher/launcher.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

#include "config/output_file.h"
#include "config/run_tally.h"

namespace clcsim::launcher {
namespace {

constexpr int kFindingStatus = 86, kRefusedStatus = 2;  // where a program's own is 0
constexpr int kTick = 2;           // milliseconds; a run of an exercise takes some ten
constexpr time_t kProgress = 5;    // seconds between two lines on a terminal
constexpr time_t kLastWords = 10;  // seconds that runs get to say where they were

volatile std::sig_atomic_t signal_came = 0;

// Takes what a run writes to one of its outputs.
class Captured {
 public:
  Captured() {
    if (pipe2(ends_, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category());
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  }
  ~Captured() {
    close(ends_[0]);
    close(ends_[1]);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  int file() const { return ends_[1]; }

  // Takes what has come by now.
  void take() {
    char buffer[1 << 16];
    for (ssize_t size; (size = read(ends_[0], buffer, sizeof buffer)) > 0;) {
      text_.append(buffer, static_cast<std::size_t>(size));
    }
  }

  // False: not all of it could be written.
  bool show(int output) const {
    const config::FileLimitIgnored ignored;
    for (std::size_t done = 0; done < text_.size();) {
      const ssize_t written = write(output, text_.data() + done, text_.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      done += static_cast<std::size_t>(written);
    }
    return true;
  }

 private:
  int ends_[2];
  std::string text_;
};

// The program under one seed. Standard input comes once, so the run under seed 0 gets it; the
// others find it empty.
class Run {
 public:
  Run(std::uint64_t seed, const std::string& path, char* const* arguments,
      const config::Options& options)
      : seed_(seed), timeline_(own(options.timeline)), findings_(own(options.check_json)) {
    const pid_t parent = getpid();
    child_ = fork();
    if (child_ < 0) throw std::system_error(errno, std::generic_category());
    if (child_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    setenv("CLCSIM_SEED", std::to_string(seed).c_str(), 1);
    if (!timeline_.empty()) setenv("CLCSIM_TIMELINE", timeline_.c_str(), 1);
    if (!findings_.empty()) setenv("CLCSIM_CHECK_JSON", findings_.c_str(), 1);
    tally_.publish(false);
    if (seed != 0) dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    dup2(out_.file(), STDOUT_FILENO);
    dup2(error_.file(), STDERR_FILENO);
    execv(path.c_str(), arguments);
    _exit(127);
  }
  ~Run() {
    end(SIGKILL);
    wait(0);
    for (const std::string& file : {timeline_, findings_}) {
      if (!file.empty()) unlink(file.c_str());
    }
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  std::uint64_t seed() const { return seed_; }

  // Whether it has ended by now.
  bool ended() {
    const bool has_ended = wait(WNOHANG);
    out_.take();
    error_.take();
    return has_ended;
  }
  void end(int signal) const {
    if (child_ > 0) kill(child_, signal);
  }
  bool show() const {
    const bool out = out_.show(STDOUT_FILENO), error = error_.show(STDERR_FILENO);
    return out && error;
  }

  int exit_status() const {
    if (WIFSIGNALED(status_)) return 128 + WTERMSIG(status_);
    if (WEXITSTATUS(status_) != 0) return WEXITSTATUS(status_);
    return tally_.findings() != 0 ? kFindingStatus : tally_.refusals() != 0 ? kRefusedStatus : 0;
  }
  std::uint64_t accepted() const { return tally_.accepted(); }
  std::string how_it_ended() const {
    if (WIFEXITED(status_) && WEXITSTATUS(status_) != exit_status()) {
      return "ended with exit status 0, although clcsim reported what is shown above";
    }
    if (!WIFSIGNALED(status_)) return "ended with exit status " + std::to_string(exit_status());
    return std::string("was ended by a signal (") + strsignal(WTERMSIG(status_)) + ")";
  }

  // The files that it has written become those of clcsim's options.
  void keep_files(const config::Options& options) const {
    if (!timeline_.empty()) rename(timeline_.c_str(), options.timeline.c_str());
    if (findings_.empty()) return;
    if (rename(findings_.c_str(), options.check_json.c_str()) != 0 && WIFSIGNALED(status_))
      std::ofstream(options.check_json)  // the run was killed before it could write its own
          << "{\"seed\":" << seed_ << ",\"findings\":[\n]}\n";
  }

 private:
  // dir/name.svg -> dir/seed-7-name.svg, so that runs at the same time don't share a file.
  std::string own(const std::string& file) const {
    if (file.empty()) return {};
    const std::filesystem::path path(file);
    return path.parent_path() / ("seed-" + std::to_string(seed_) + "-" + path.filename().string());
  }
  bool wait(int how) {
    if (child_ <= 0) return true;
    if (waitpid(child_, &status_, how) != child_) return false;
    child_ = 0;
    return true;
  }

  const std::uint64_t seed_;
  const std::string timeline_, findings_;
  const config::RunTally tally_;
  Captured out_, error_;
  pid_t child_ = 0;  // 0: it has ended
  int status_ = 0;   // as waitpid tells it
};

std::size_t cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<std::size_t>(CPU_COUNT(&set))
                                                     : 1;
}

void note_signal(int signal) {
  signal_came = signal;
}

void take_signals() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action = {};
    action.sa_handler = note_signal;
    sigaction(signal, &action, nullptr);
  }
}

// Shows what the first of the runs has said so far, and ends as the signal wants it.
[[noreturn]] void leave_by_signal(const std::deque<std::unique_ptr<Run>>& runs,
                                  const config::Options& options) {
  if (!runs.empty()) {
    Run& first = *runs.front();
    first.end(signal_came);
    const time_t end = std::time(nullptr) + kLastWords;
    while (!first.ended() && std::time(nullptr) < end) poll(nullptr, 0, kTick);
    first.show();
    first.keep_files(options);
    std::fprintf(stderr, "clcsim: stopped under seed %llu\n",
                 static_cast<unsigned long long>(first.seed()));
    for (const auto& run : runs) run->end(SIGKILL);
  }
  std::signal(signal_came, SIG_DFL);
  std::raise(signal_came);
  _exit(128 + signal_came);
}

// What is opened next would get the numbers of standard files that are closed.
void fill_standard_files() {
  int file = -1;
  do {
    file = open("/dev/null", O_RDWR | O_CLOEXEC);
  } while (file >= 0 && file <= STDERR_FILENO);
  close(file);
}

int lost_output() {
  std::fprintf(stderr, "clcsim: the program's output can't be written: %s\n", std::strerror(errno));
  return 2;
}

}  // namespace

int explore(const config::Options& options, const std::string& path,
            const std::vector<std::string>& arguments) {
  std::vector<char*> words;
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::fflush(nullptr);
  fill_standard_files();
  take_signals();

  std::deque<std::unique_ptr<Run>> runs;  // in the order of their seeds
  std::uint64_t next = 0;
  time_t told = std::time(nullptr);
  std::size_t most = cores();
  std::uint64_t accepted = 0;
  for (std::uint64_t done = 0; done < options.explore;) {
    // A seed that ends early doesn't go far ahead of the first: what it has printed is kept.
    const auto at_work = static_cast<std::size_t>(
        std::count_if(runs.begin(), runs.end(), [](const auto& run) { return !run->ended(); }));
    for (std::size_t free = most - std::min(most, at_work);
         free > 0 && next < options.explore && runs.size() < 4 * most; --free) {
      try {
        runs.push_back(std::make_unique<Run>(next, path, words.data(), options));
      } catch (const std::system_error&) {  // a limit of open files or of processes
        if (runs.empty()) throw;
        most = runs.size();
        break;
      }
      ++next;
    }
    if (!runs.front()->ended()) {
      poll(nullptr, 0, kTick);
      if (signal_came != 0) leave_by_signal(runs, options);
      if (std::time(nullptr) - told >= kProgress && isatty(STDERR_FILENO) != 0) {
        std::fprintf(stderr, "clcsim: %llu of %llu seeds, nothing found yet\n",
                     static_cast<unsigned long long>(done),
                     static_cast<unsigned long long>(options.explore));
        told = std::time(nullptr);
      }
      continue;
    }
    const Run& run = *runs.front();
    const bool failed = run.exit_status() != 0;
    if (failed || done + 1 == options.explore) run.keep_files(options);
    if ((run.seed() == 0 || failed) && !run.show()) return lost_output();
    if (failed) {
      const std::string seed = std::to_string(run.seed());
      std::fprintf(
          stderr,
          "clcsim: seed %s: the program %s; clcsim --seed %s with the same program repeats "
          "this run\n",
          seed.c_str(), run.how_it_ended().c_str(), seed.c_str());
      return run.exit_status();
    }
    accepted += run.accepted();
    runs.pop_front();
    ++done;
  }
  std::fprintf(stderr, "clcsim: %llu seed%s, nothing found%s (above: the output under seed 0)\n",
               static_cast<unsigned long long>(options.explore), options.explore == 1 ? "" : "s",
               accepted == 0 ? "" : " but what is accepted");
  return 0;
}

}  // namespace clcsim::launcher
