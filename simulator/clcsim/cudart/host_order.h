// What the host knows to have ended, and the numbers of the operations that it issues.
//
// It is one for all threads of the host: how these wait for each other is not followed.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "machine/past.h"

namespace clcsim::cudart {

class HostOrder {
 public:
  /// A number for an operation that is put into a stream.
  std::uint64_t issue(std::uint64_t stream) { return unknown_[stream] = ++issued_; }
  /// What comes before anything that the host issues now.
  const machine::Past& past() const { return past_; }

  /// The host has waited for an operation, or seen that it has ended.
  void heard_of(const machine::Standing& standing) {
    if (standing.past != nullptr) heard_of(*standing.past);
  }
  void heard_of(const machine::Past& past) {
    past_.join(past);
    std::erase_if(unknown_,
                  [&](const auto& entry) { return past_.holds(entry.first, entry.second); });
    if (unknown_.empty()) heard_of_all();
  }
  /// Of everything; or it made a call that keeps what comes later apart from it: memory allocated,
  /// a fill or a copy on the device (not ...Async). CUDA Programming Guide 13, 3.1.3.3, "Implicit
  /// Synchronization".
  void heard_of_all() {
    past_ = {.all = issued_, .streams = {}};
    unknown_.clear();
  }

 private:
  std::uint64_t issued_ = 0;
  machine::Past past_;
  std::unordered_map<std::uint64_t, std::uint64_t> unknown_;  // by stream: its last operation
};

}  // namespace clcsim::cudart
