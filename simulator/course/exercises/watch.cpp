#include "exercises/watch.h"

#include <poll.h>
#include <unistd.h>

#include <map>
#include <optional>

#include "exercises/terminal.h"

namespace clcsim::exercises {
namespace {

namespace fs = std::filesystem;

// Asking for the time of a file works on every file system; being told doesn't.
constexpr int kMilliseconds = 100;

class Watch {
 public:
  Watch(const Workspace& workspace, const Exercise* first) : workspace_(workspace) {
    for (const Exercise& exercise : workspace.exercises) saved_[exercise.id] = time_of(exercise);
    open(first);
  }

  // False: it is over.
  bool step() {
    if (current_ == nullptr) return false;
    pollfd input = {STDIN_FILENO, POLLIN, 0};
    if (poll(&input, input_ends_ ? 0 : 1, kMilliseconds) > 0 && !obey()) return false;
    for (const Exercise& exercise : workspace_.exercises) {
      const auto now = time_of(exercise);
      if (now == saved_[exercise.id]) continue;
      saved_[exercise.id] = now;
      if (now) check(exercise);
    }
    return true;
  }

 private:
  using Time = std::optional<fs::file_time_type>;

  Time time_of(const Exercise& exercise) const {
    std::error_code failed;
    const fs::file_time_type time = fs::last_write_time(workspace_.file(exercise), failed);
    return failed ? Time() : time;
  }

  // A line of the input; its end stops a watch that somebody watches.
  bool obey() {
    char letter = 0;
    if (read(STDIN_FILENO, &letter, 1) <= 0) {
      input_ends_ = true;
      return isatty(STDIN_FILENO) == 0;
    }
    if (letter == 'q') return false;
    if (letter == 'n') open(after(current_));
    if (letter == 'c') check(*current_);
    return current_ != nullptr;
  }

  void check(const Exercise& exercise) {
    print("\nchecking " + workspace_.shown(exercise) + " ...\n");
    const bool passed = check_and_print(workspace_, exercise);
    print_score();
    if (passed && current_ != nullptr && workspace_.passed(*current_)) open(after(current_));
  }

  // The next that has not passed, from the first again after the last.
  const Exercise* after(const Exercise* exercise) const {
    const auto& all = workspace_.exercises;
    const std::size_t begin = exercise == nullptr ? 0 : exercise - all.data() + 1;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (const Exercise& next = all[(begin + i) % all.size()]; !workspace_.passed(next))
        return &next;
    return nullptr;
  }

  void open(const Exercise* exercise) {
    current_ = exercise == nullptr ? after(nullptr) : exercise;
    if (current_ == nullptr) {
      print("All exercises have passed.\n");
      return;
    }
    if (workspace_.put(*current_)) saved_[current_->id] = time_of(*current_);
    print("\n" + std::string(60, '-') + "\n" + task_of(*current_) +
          "\nfile: " + workspace_.shown(*current_) +
          "\nread: " + (current_->folder().parent_path().parent_path() / "README.md").string() +
          "\nIt is checked when you save it. c and Enter: check now; n: next; q: quit\n");
    print_score();
  }

  void print_score() const {
    const std::size_t all = workspace_.exercises.size(), done = workspace_.score();
    print("[" + std::string(done, '#') + std::string(all - done, '.') + "] " +
          std::to_string(done) + " of " + std::to_string(all) + " passed\n");
  }

  const Workspace& workspace_;
  const Exercise* current_ = nullptr;
  std::map<std::string, Time> saved_;
  bool input_ends_ = false;
};

}  // namespace

void watch(const Workspace& workspace, const Exercise* first) {
  Watch watching(workspace, first);
  while (watching.step()) {
  }
}

}  // namespace clcsim::exercises
