// Who watches the machine: events.h says what there is to see.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/events.h"

namespace clcsim::machine {

class Observers {
 public:
  void attach(Observer& observer) {
    all_.push_back(&observer);
    watched_ |= observer.watches();
    if (observer.marks() != nullptr) {
      marks_ = observer.marks();
    } else if ((observer.watches() & kValues) != 0) {
      every_warp_ = true;
    }
  }

  /// Whether anybody watches this family of events: to be asked before an event is made.
  bool watched(Family family) const { return (watched_ & family) != 0; }

  /// Not 0: the instructions of this warp are watched. It may change with any event.
  const std::uint8_t& mark_of(const Warp& warp) const {
    static constexpr std::uint8_t kUnmarked = 0, kMarked = 1;
    if (every_warp_) return kMarked;
    return marks_ != nullptr && warp.slot < marks_->size() ? (*marks_)[warp.slot] : kUnmarked;
  }

  template <class F>
  void notify(Family family, F&& f) const {
    for (Observer* observer : all_) {
      if ((observer->watches() & family) != 0) f(*observer);
    }
  }
  /// Of an instruction of `warp`: not those who have a list that the warp is not on.
  template <class F>
  void notify_marked(const Warp& warp, F&& f) const {
    notify(kValues, [&](Observer& observer) {
      const WarpMarks* marks = observer.marks();
      if (marks == nullptr || (warp.slot < marks->size() && (*marks)[warp.slot] != 0)) f(observer);
    });
  }
  template <class F>
  void notify(F&& f) const {
    for (Observer* observer : all_) f(*observer);
  }

 private:
  std::vector<Observer*> all_;
  unsigned watched_ = 0;  // families that some observer watches
  const WarpMarks* marks_ = nullptr;
  bool every_warp_ = false;  // somebody watches the instructions of all warps
};

}  // namespace clcsim::machine
