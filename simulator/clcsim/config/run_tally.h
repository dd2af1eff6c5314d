// What the processes of one run share: the program, and those that it starts.
//
// The launcher makes it, a file in memory, and names it in the environment. A child inherits both,
// and so does a program that a process becomes.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace clcsim::config {

class RunTally {
 public:
  /// A new one, which nobody else knows.
  RunTally();
  /// The one that the environment names; a new one where it names none.
  static RunTally of_environment();
  ~RunTally();
  RunTally(RunTally&& other) noexcept;
  RunTally& operator=(RunTally&&) = delete;

  /// Names it in the environment, for the program that this process becomes. With `keep`, that
  /// program keeps it open; otherwise the process that made it must live on.
  void publish(bool keep) const;

  void count_finding() { ++counts_->findings; }
  void count_refusal() { ++counts_->refusals; }
  void count_accepted(std::uint64_t findings) { counts_->accepted += findings; }
  std::uint64_t findings() const { return counts_->findings; }
  std::uint64_t accepted() const { return counts_->accepted; }
  std::uint64_t refusals() const { return counts_->refusals; }

  /// Adds one process's findings, the elements of a JSON array; returns those of all processes that
  /// have ended so far.
  std::string add_json(const std::string& elements);

 private:
  struct Counts {
    std::atomic<std::uint64_t> findings, refusals, accepted, text_bytes;
  };
  explicit RunTally(int file);

  std::string path_;          // as other processes see the file
  int file_ = -1;             // -1: none could be had; only forked children share the counts then
  Counts* counts_ = nullptr;  // in shared memory
};

}  // namespace clcsim::config
