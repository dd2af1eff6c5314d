#include "launcher/input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace clcsim::launcher {
namespace {

bool is_regular(int file) {
  struct stat facts = {};
  return fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
}

}  // namespace

Input::ForRun::~ForRun() {
  close_ours();
  if (child_ >= 0) close(child_);
}

Input::ForRun& Input::ForRun::operator=(ForRun&& other) noexcept {
  std::swap(child_, other.child_);
  std::swap(ours_, other.ours_);
  std::swap(sent_, other.sent_);
  return *this;
}

void Input::ForRun::close_ours() {
  if (ours_ >= 0) close(std::exchange(ours_, -1));
}

Input::Input() : is_file_(is_regular(STDIN_FILENO)) {
  if (is_file_) start_ = lseek(STDIN_FILENO, 0, SEEK_CUR);
}

Input::ForRun Input::open_for_run() const {
  if (is_file_) {  // anew, for a position of its own
    const int file = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
    if (file >= 0) lseek(file, start_, SEEK_SET);
    if (file >= 0) return {file, -1};
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category());
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  return {ends[0], ends[1]};
}

void Input::feed(const std::vector<ForRun*>& runs, int milliseconds) {
  bool somebody_has_all = false;
  for (ForRun* run : runs) {
    while (run->ours_ >= 0 && run->sent_ < seen_.size()) {
      const ssize_t written =
          write(run->ours_, seen_.data() + run->sent_, seen_.size() - run->sent_);
      if (written > 0) {
        run->sent_ += static_cast<std::size_t>(written);
        continue;
      }
      if (errno != EAGAIN) run->close_ours();  // it has ended, or closed its input
      break;
    }
    if (run->sent_ < seen_.size()) continue;
    if (at_end_) run->close_ours();
    somebody_has_all = somebody_has_all || run->ours_ >= 0;
  }
  if (at_end_ || !somebody_has_all) {
    poll(nullptr, 0, milliseconds);
    return;
  }
  pollfd in = {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (poll(&in, 1, milliseconds) <= 0) return;
  char buffer[1 << 14];
  const ssize_t size = read(STDIN_FILENO, buffer, sizeof buffer);
  if (size > 0) seen_.append(buffer, static_cast<std::size_t>(size));
  if (size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN)) at_end_ = true;
}

}  // namespace clcsim::launcher
