#include "exercises/process.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <random>
#include <thread>

namespace clcsim::exercises {
namespace {

constexpr std::chrono::seconds kLastWords(2);  // that clcsim gets to say where the program was
constexpr std::chrono::milliseconds kTick(2);
constexpr off_t kMostPrinted = 8 << 20;
constexpr int kAccount = 100;  // the descriptor's number in the command

std::string text_of(int file) {
  std::string text;
  lseek(file, 0, SEEK_SET);
  char buffer[1 << 16];
  for (ssize_t size; (size = read(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(size));
  return text;
}

off_t size_of(int file) {
  struct stat about = {};
  return fstat(file, &about) == 0 ? about.st_size : 0;
}

[[noreturn]] void become(const std::vector<std::string>& command, int out, int err, int account,
                         const std::array<std::uint64_t, 2>& key) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  dup2(account, kAccount);
  setenv("CLCSIM_ACCOUNT",
         (std::to_string(kAccount) + ' ' + std::to_string(key[0]) + ' ' + std::to_string(key[1]))
             .c_str(),
         1);
  execv(words[0], words.data());
  _exit(127);
}

std::array<std::uint64_t, 2> draw_key() {
  std::random_device random;
  const auto word = [&] { return std::uint64_t{random()} << 32 | random(); };
  return {word(), word()};
}

// What it runs may be a student's program: it must neither trace this process nor open its files.
// For root, another process is open to whoever has all that it may do: so its programs may less.
pid_t fork_closed() {
  prctl(PR_SET_DUMPABLE, 0);
  const pid_t child = fork();
  if (child == 0) prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE);
  return child;
}

}  // namespace

Process::Process(const std::vector<std::string>& command, std::chrono::seconds processor,
                 std::chrono::seconds clock)
    : out_(memfd_create("out", MFD_CLOEXEC)),
      err_(memfd_create("err", MFD_CLOEXEC)),
      account_(memfd_create("account", MFD_CLOEXEC)),
      key_(draw_key()),
      child_(fork_closed()),
      processor_(processor),
      end_(Clock::now() + clock) {
  if (child_ == 0) become(command, out_, err_, account_, key_);
  if (child_ < 0) gone_ = true, status_ = 127 << 8;
}

Process::~Process() {
  if (!gone_) {
    kill(child_, SIGKILL);
    waitpid(child_, &status_, 0);
  }
  for (const int file : {out_, err_, account_}) close(file);
}

bool Process::over_limit() const {
  if (Clock::now() > end_) return true;
  clockid_t clock = {};
  timespec used = {};
  return clock_getcpuclockid(child_, &clock) == 0 && clock_gettime(clock, &used) == 0 &&
         std::chrono::seconds(used.tv_sec) >= processor_;
}

bool Process::ended() {
  if (gone_) return true;
  if (waitpid(child_, &status_, WNOHANG) != 0) return gone_ = true;
  if (size_of(out_) + size_of(err_) > kMostPrinted) {
    too_much_ = true;
    kill(child_, SIGKILL);
  }
  if (!too_late_ && over_limit()) {
    too_late_ = true;
    end_ = Clock::now() + kLastWords;
    kill(child_, SIGTERM);
  }
  if (too_late_ && Clock::now() > end_) kill(child_, SIGKILL);
  return false;
}

Ended Process::wait() {
  while (!ended()) std::this_thread::sleep_for(kTick);
  return {WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_),
          too_late_,
          too_much_,
          text_of(out_),
          text_of(err_),
          text_of(account_),
          key_};
}

Ended run(const std::vector<std::string>& command, std::chrono::seconds limit) {
  return Process(command, std::chrono::seconds::max(), limit).wait();
}

}  // namespace clcsim::exercises
