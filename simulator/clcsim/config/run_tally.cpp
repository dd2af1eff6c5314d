#include "config/run_tally.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <new>
#include <utility>

#include "config/output_file.h"

namespace clcsim::config {
namespace {

constexpr const char* kVariable = "CLCSIM_RUN";
constexpr const char* kName = "clcsim-run";
constexpr std::size_t kTextAt = 4096;  // behind the counts
// Programs expect that the first file which they open gets the number 3.
constexpr int kLowestNumber = 200;

int with_high_number(int low) {
  const int high = fcntl(low, F_DUPFD_CLOEXEC, kLowestNumber);
  if (high < 0) return low;  // beyond the limit of open files
  close(low);
  return high;
}

int make_file() {
  const FileLimitIgnored ignored;
  const int low = memfd_create(kName, MFD_CLOEXEC);
  if (low < 0) return -1;
  const int file = with_high_number(low);
  if (ftruncate(file, kTextAt) == 0) return file;
  close(file);
  return -1;
}

int open_published() {
  const char* const path = std::getenv(kVariable);
  if (path == nullptr) return -1;
  std::error_code none;
  const std::string target = std::filesystem::read_symlink(path, none).string();
  if (target != std::string("/memfd:") + kName + " (deleted)") return -1;
  const int low = open(path, O_RDWR | O_CLOEXEC);
  return low < 0 ? -1 : with_high_number(low);
}

}  // namespace

RunTally::RunTally() : RunTally(make_file()) {}

RunTally::RunTally(int file) : file_(file) {
  const int flags = MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0);
  void* const memory = mmap(nullptr, kTextAt, PROT_READ | PROT_WRITE, flags, file, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  counts_ = static_cast<Counts*>(memory);  // zeros, or what others have counted
  if (file >= 0) path_ = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file);
}

RunTally RunTally::of_environment() {
  const int file = open_published();
  return file < 0 ? RunTally() : RunTally(file);
}

RunTally::RunTally(RunTally&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      counts_(std::exchange(other.counts_, nullptr)) {}

RunTally::~RunTally() {
  if (counts_ != nullptr) munmap(counts_, kTextAt);
  if (file_ >= 0) close(file_);
}

void RunTally::publish(bool keep) const {
  if (file_ < 0) {
    unsetenv(kVariable);
    return;
  }
  setenv(kVariable, path_.c_str(), 1);
  if (keep) fcntl(file_, F_SETFD, 0);
}

std::string RunTally::add_json(const std::string& elements) {
  if (file_ < 0) return elements;
  const FileLimitIgnored ignored;
  // Held by the process, so that its end gives it back in any case.
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  fcntl(file_, F_SETLKW, &lock);
  std::string all(counts_->text_bytes, '\0');
  if (pread(file_, all.data(), all.size(), kTextAt) != static_cast<ssize_t>(all.size()))
    all.clear();
  if (!elements.empty()) {
    const std::string text = (all.empty() ? "" : ",") + elements;
    const auto size = static_cast<ssize_t>(text.size());
    const auto at = static_cast<off_t>(kTextAt + all.size());
    if (pwrite(file_, text.data(), text.size(), at) == size) counts_->text_bytes += text.size();
    all += text;
  }
  lock.l_type = F_UNLCK;
  fcntl(file_, F_SETLK, &lock);
  return all;
}

}  // namespace clcsim::config
