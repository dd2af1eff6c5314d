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
    if (observer.marks() != nullptr) marks_ = observer.marks();
  }

  /// Whether anybody watches this family of events: to be asked before an event is made.
  bool watched(Family family) const { return (watched_ & family) != 0; }

  /// Not 0: the instructions of this warp are watched. It may change with any event.
  const std::uint8_t& mark_of(const Warp& warp) const {
    static constexpr std::uint8_t kUnmarked = 0;
    return marks_ != nullptr && warp.slot < marks_->size() ? (*marks_)[warp.slot] : kUnmarked;
  }

  template <class F>
  void notify(Family family, F&& f) const {
    for (Observer* observer : all_) {
      if ((observer->watches() & family) != 0) f(*observer);
    }
  }
  template <class F>
  void notify(F&& f) const {
    for (Observer* observer : all_) f(*observer);
  }

 private:
  std::vector<Observer*> all_;
  unsigned watched_ = 0;  // families that some observer watches
  const WarpMarks* marks_ = nullptr;
};

}  // namespace clcsim::machine
