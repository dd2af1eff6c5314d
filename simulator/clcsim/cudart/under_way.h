// What the threads of a block have sent, and may not be done yet: its requests, or the bulk copies
// to it, or those from it. How many are under way at a time is counted as the threads know it: for
// a thread, an operation is over when it has waited for it, or when another thread has, and has
// told it: by an arrival at an mbarrier that it has waited for, or by a barrier of the block. So it
// doesn't depend on which warp is faster.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "ptx/program.h"

namespace clcsim::cudart {

class UnderWay {
 public:
  static constexpr std::uint32_t kNoMbarrier = ~std::uint32_t{0};

  /// Of all operations: the fewest that were under way together with it at some time, itself
  /// included, and the fewest warps that had sent those.
  struct Fewest {
    std::uint32_t operations = 0, warps = 0;
  };
  Fewest fewest() {
    for (Operation& operation : operations_) count(operation);
    operations_.clear();
    return fewest_;
  }
  /// The fewest that were under way when one began, of all since the most were.
  std::uint32_t kept_up() const { return kept_up_; }

  /// The end of the mbarrier's phase tells that it is over; else groups do.
  void begins(std::uint32_t thread, std::uint32_t mbarrier, std::uint64_t phase) {
    operations_.push_back({.thread = thread, .told = {{mbarrier, phase}}});
    Fewest now;
    std::set<std::uint32_t> warps;
    const auto each = [&](auto&& visit) {
      for (Operation& operation : operations_)
        if (!operation.is_over_for(thread)) visit(operation);
    };
    each([&](Operation& operation) {
      ++now.operations, warps.insert(operation.thread / ptx::kLanes);
    });
    now.warps = static_cast<std::uint32_t>(warps.size());
    kept_up_ = now.operations > most_ ? now.operations : std::min(kept_up_, now.operations);
    most_ = std::max(most_, now.operations);
    each([&](Operation& operation) {
      operation.most.operations = std::max(operation.most.operations, now.operations);
      operation.most.warps = std::max(operation.most.warps, now.warps);
    });
  }
  /// Lanes of the warp arrive at the mbarrier: its phase's end tells what they know.
  void arrived(std::uint32_t warp, ptx::LaneMask lanes, std::uint32_t mbarrier,
               std::uint64_t phase) {
    for (Operation& operation : operations_)
      if ((at(operation.over, warp) & lanes) != 0) operation.told.try_emplace(mbarrier, phase);
  }
  /// The lanes of the warp have seen the end of so many phases of the mbarrier.
  void waited(std::uint32_t warp, ptx::LaneMask lanes, std::uint32_t mbarrier,
              std::uint64_t phases) {
    for (Operation& operation : operations_) {
      const auto told = operation.told.find(mbarrier);
      if (told != operation.told.end() && told->second < phases)
        add(operation.over, warp, lanes), add(knows_of_one_, warp, lanes);
    }
  }
  void committed(std::uint32_t warp, ptx::LaneMask lanes) {
    for (Operation& operation : operations_)
      if (operation.is_of(warp, lanes)) ++operation.groups;
  }
  /// For all groups but the last `left`.
  void waited_for_groups(std::uint32_t warp, ptx::LaneMask lanes, std::uint32_t left) {
    for (Operation& operation : operations_)
      if (operation.is_of(warp, lanes) && operation.groups > left)
        add(operation.over, warp, lanes), add(knows_of_one_, warp, lanes);
  }
  void all_met() {
    std::erase_if(operations_, [&](const Operation& operation) {
      if (operation.over.empty()) return false;
      count(operation), all_know_of_one_ = true;
      return true;
    });
  }

  /// Lanes that know that an operation is over.
  ptx::LaneMask know_of_one(std::uint32_t warp, ptx::LaneMask lanes) const {
    return all_know_of_one_ ? lanes : lanes & at(knows_of_one_, warp);
  }
  /// The same, and of none that is under way.
  ptx::LaneMask know_of_none_under_way(std::uint32_t warp, ptx::LaneMask lanes) const {
    for (const Operation& operation : operations_) lanes &= at(operation.over, warp);
    return know_of_one(warp, lanes);
  }

 private:
  using Masks = std::vector<ptx::LaneMask>;  // by warp
  static ptx::LaneMask at(const Masks& masks, std::uint32_t warp) {
    return warp < masks.size() ? masks[warp] : 0;
  }
  struct Operation {
    std::uint32_t thread;
    std::map<std::uint32_t, std::uint64_t>
        told;                  // mbarriers whose phase's end tells that it is over
    std::uint32_t groups = 0;  // that the thread has committed since
    Masks over = {};           // for those who know that it is
    Fewest most = {};

    bool is_over_for(std::uint32_t of) const {
      return (at(over, of / ptx::kLanes) >> of % ptx::kLanes & 1) != 0;
    }
    bool is_of(std::uint32_t warp, ptx::LaneMask lanes) const {
      return thread / ptx::kLanes == warp && (lanes >> thread % ptx::kLanes & 1) != 0;
    }
  };

  static void add(Masks& masks, std::uint32_t warp, ptx::LaneMask lanes) {
    if (masks.size() <= warp) masks.resize(warp + 1);
    masks[warp] |= lanes;
  }
  void count(const Operation& operation) {
    const auto less = [](std::uint32_t& fewest, std::uint32_t number) {
      if (fewest == 0 || number < fewest) fewest = number;
    };
    less(fewest_.operations, operation.most.operations);
    less(fewest_.warps, operation.most.warps);
  }

  std::vector<Operation> operations_;
  Masks knows_of_one_;
  bool all_know_of_one_ = false;
  Fewest fewest_;
  std::uint32_t most_ = 0, kept_up_ = 0;
};

}  // namespace clcsim::cudart
