#include "launcher/explore.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace clcsim::launcher {
namespace {

// Takes what a run writes to one of its outputs. It lives in memory.
class Captured {
 public:
  Captured() : file_(memfd_create("clcsim", MFD_CLOEXEC)) {}
  ~Captured() { close(file_); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  int file() const { return file_; }

  void show(int output) const {
    lseek(file_, 0, SEEK_SET);
    char buffer[1 << 16];
    for (ssize_t size; (size = read(file_, buffer, sizeof buffer)) > 0;) {
      for (ssize_t done = 0; done < size;) {
        const ssize_t written = write(output, buffer + done, static_cast<std::size_t>(size - done));
        if (written <= 0) return;
        done += written;
      }
    }
  }

 private:
  int file_;
};

struct Outcome {
  int status;
  std::string text;  // how it ended
};

Outcome run(const std::string& path, char* const* arguments, const Captured& out,
            const Captured& error) {
  const pid_t child = fork();
  if (child < 0) return {2, "could not be started"};
  if (child == 0) {
    dup2(out.file(), STDOUT_FILENO);
    dup2(error.file(), STDERR_FILENO);
    execv(path.c_str(), arguments);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return {128 + signal, std::string("was ended by a signal (") + strsignal(signal) + ")"};
  }
  const int code = WEXITSTATUS(status);
  return {code, "ended with exit status " + std::to_string(code)};
}

}  // namespace

int explore(std::uint64_t seeds, const std::string& path,
            const std::vector<std::string>& arguments) {
  std::vector<char*> words;
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::fflush(nullptr);

  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const std::string text = std::to_string(seed);
    setenv("CLCSIM_SEED", text.c_str(), 1);
    const Captured out, error;
    const Outcome outcome = run(path, words.data(), out, error);
    if (seed == 0 || outcome.status != 0) {
      out.show(STDOUT_FILENO);
      error.show(STDERR_FILENO);
    }
    if (outcome.status != 0) {
      std::fprintf(
          stderr,
          "clcsim: seed %s: the program %s; clcsim --seed %s with the same program repeats "
          "this run\n",
          text.c_str(), outcome.text.c_str(), text.c_str());
      return outcome.status;
    }
  }
  std::fprintf(stderr, "clcsim: %llu seeds, nothing found (above: the output under seed 0)\n",
               static_cast<unsigned long long>(seeds));
  return 0;
}

}  // namespace clcsim::launcher
