#include "config/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace clcsim::config {

namespace fs = std::filesystem;

std::string why_not_writable(const std::string& path) {
  // Without O_NONBLOCK, a pipe that nobody reads would be waited for.
  int file = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 && errno == ENXIO) return "it is a pipe that nobody reads";
  if (file < 0 && errno == ENOENT) {
    file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) unlink(path.c_str());
  }
  if (file < 0) return std::strerror(errno);
  close(file);
  return {};
}

std::string text_of_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code failed;
  if (fs::equivalent(a, b, failed)) return true;
  const auto whole = [&](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(path, failed), failed);
  };
  return whole(a) == whole(b);
}

FileLimitIgnored::FileLimitIgnored() {
  sigemptyset(&limit_);
  sigaddset(&limit_, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &limit_, &before_);
}

FileLimitIgnored::~FileLimitIgnored() {
  const timespec now = {};
  if (sigismember(&before_, SIGXFSZ) == 0) sigtimedwait(&limit_, nullptr, &now);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace clcsim::config
