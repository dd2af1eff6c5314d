// Files that a run reads, and those that it will write at its end.
#pragma once

#include <csignal>
#include <string>

namespace clcsim::config {

/// Why `path` can't be written; empty: it can. Changes nothing, and waits for nobody.
std::string why_not_writable(const std::string& path);

/// Empty if it can't be read.
std::string text_of_file(const std::string& path);

/// Whether two paths lead to one file, which need not exist.
bool same_file(const std::string& a, const std::string& b);

/// While this lives, a write beyond the limit of file sizes (ulimit -f) is an error of this thread,
/// and no signal that ends the process.
class FileLimitIgnored {
 public:
  FileLimitIgnored();
  ~FileLimitIgnored();
  FileLimitIgnored(const FileLimitIgnored&) = delete;
  FileLimitIgnored& operator=(const FileLimitIgnored&) = delete;

 private:
  sigset_t limit_, before_;
};

}  // namespace clcsim::config
