#include "commands/process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <system_error>
#include <thread>

namespace clcsim::commands {
namespace {

constexpr std::chrono::seconds kLastWords(2);  // that clcsim gets to say where the program was
constexpr std::chrono::milliseconds kTick(2);
constexpr off_t kMostPrinted = 8 << 20;

std::string text_of(int file) {
  std::string text;
  lseek(file, 0, SEEK_SET);
  char buffer[1 << 16];
  for (ssize_t size; (size = read(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(size));
  close(file);
  return text;
}

off_t size_of(int file) {
  struct stat about = {};
  return fstat(file, &about) == 0 ? about.st_size : 0;
}

[[noreturn]] void become(const std::vector<std::string>& command, int out, int err) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  execv(words[0], words.data());
  _exit(127);
}

std::chrono::seconds processor_time(pid_t child) {
  clockid_t clock = {};
  timespec used = {};
  if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &used) != 0) return {};
  return std::chrono::seconds(used.tv_sec);
}

}  // namespace

Ended run(const std::vector<std::string>& command, std::chrono::seconds clock,
          std::chrono::seconds processor) {
  const int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC);
  std::chrono::steady_clock::time_point end = std::chrono::steady_clock::now() + clock;
  Ended ended;
  int status = 127 << 8;
  const pid_t child = fork();
  if (child == 0) become(command, out, err);
  if (child < 0)
    throw std::system_error(errno, std::generic_category(), "no process can be started");
  while (child > 0 && waitpid(child, &status, WNOHANG) == 0) {
    if (size_of(out) + size_of(err) > kMostPrinted) {
      ended.too_much = true;
      kill(child, SIGKILL);
    }
    if (!ended.too_late &&
        (std::chrono::steady_clock::now() > end || processor_time(child) >= processor)) {
      ended.too_late = true;
      end = std::chrono::steady_clock::now() + kLastWords;
      kill(child, SIGTERM);
    }
    if (ended.too_late && std::chrono::steady_clock::now() > end) kill(child, SIGKILL);
    std::this_thread::sleep_for(kTick);
  }
  ended.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  ended.out = text_of(out), ended.err = text_of(err);
  return ended;
}

}  // namespace clcsim::commands
