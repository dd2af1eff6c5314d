// Standard input for several runs: each gets all of it. Nothing is read before a run could want it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace clcsim::launcher {

class Input {
 public:
  /// One run's end of it.
  class ForRun {
   public:
    ForRun() = default;
    ForRun(int child, int ours) : child_(child), ours_(ours) {}
    ~ForRun();
    ForRun(ForRun&& other) noexcept { *this = std::move(other); }
    ForRun& operator=(ForRun&& other) noexcept;

    /// What becomes the run's standard input.
    int child() const { return child_; }

   private:
    friend class Input;
    void close_ours();
    int child_ = -1, ours_ = -1;
    std::size_t sent_ = 0;
  };

  Input();

  ForRun open_for_run() const;

  /// Passes on what there is, or waits for more for so many milliseconds.
  void feed(const std::vector<ForRun*>& runs, int milliseconds);

 private:
  const bool is_file_;  // which each run opens for itself
  off_t start_ = 0;     // where it stood
  std::string seen_;    // otherwise: what has been read
  bool at_end_ = false;
};

}  // namespace clcsim::launcher
