// mbarrier instructions. PTX ISA 9.0, 9.7.13.15. The object itself is in machine/mbarrier.h.
#include <bit>
#include <string>

#include "machine/isa/mbarrier_access.h"
#include "machine/isa/watch.h"

namespace clcsim::machine::isa {

MbarrierPlace mbarrier_at(Warp& warp, std::uint64_t address, bool generic, int lane) {
  const std::uint64_t shared = to_shared(address, generic, lane);
  if (shared % 8 != 0) {
    throw DeviceFault{FaultKind::misaligned_address, Rule::bad_address,
                      "the mbarrier's address " + hex(shared) + " is not a multiple of 8", lane};
  }
  shared_bytes(warp, shared, 8, lane);  // checks the bounds
  Block& block = shared_owner(warp, static_cast<std::uint32_t>(shared), 8, lane);
  return {&block, static_cast<std::uint32_t>(shared) & kOffsetMask};
}

Mbarrier& initialised(const MbarrierPlace& place, int lane) {
  Mbarrier* mbarrier = place.block->find_mbarrier(place.offset);
  if (mbarrier == nullptr) {
    throw DeviceFault{FaultKind::barrier, Rule::barrier_not_initialised,
                      "no mbarrier has been initialised at shared address " + hex(place.offset),
                      lane};
  }
  return *mbarrier;
}

void watch_mbarrier(MbarrierUse use) {
  Gpu& gpu = *use.warp.gpu;
  if (!gpu.watched(kOrder)) [[likely]]
    return;
  if (const Mbarrier* mbarrier = use.block.find_mbarrier(use.offset)) {
    use.phase = mbarrier->phase;
    use.live = true;
  }
  gpu.notify(kOrder, [&](Observer& observer) { observer.mbarrier_used(use); });
}

namespace {

void watch_change(Gpu& gpu, const MbarrierPlace& place) {
  if (!gpu.watched(kOrder)) [[likely]]
    return;
  gpu.notify(kOrder, [&](Observer& o) { o.mbarrier_changed(*place.block, place.offset); });
}

constexpr Time kTimeLimit = 100;        // cycles until a try_wait for a late response gives up
constexpr std::uint64_t kSpurious = 4;  // a hostile try_wait fails once in so many without cause

void check(const std::string& error, int lane) {
  if (!error.empty()) throw DeviceFault{FaultKind::barrier, Rule::barrier_phase, error, lane};
}

template <bool kGeneric>
Step init(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses addresses(warp, in, 0);
  const auto* count = warp.lanes_of<std::uint32_t>(in.operand[2]);
  for_each_lane(lanes, [&](int lane) {
    const MbarrierPlace place = mbarrier_at(warp, addresses[lane], kGeneric, lane);
    if (count[lane] < 1 || count[lane] > kMaxArrivals) {
      throw DeviceFault{
          FaultKind::barrier, Rule::barrier_phase,
          "mbarrier.init with count " + std::to_string(count[lane]) + " (allowed: 1 to 1048575)",
          lane};
    }
    watch_mbarrier(warp, in, lane, MbarrierUse::Kind::init, place, count[lane]);
    Mbarrier* mbarrier = place.block->find_mbarrier(place.offset);
    if (mbarrier == nullptr) {
      mbarrier = &place.block->mbarriers.emplace_back();
      mbarrier->offset = place.offset;
    }
    mbarrier->phase = 0;
    mbarrier->init(count[lane]);
    watch_change(*warp.gpu, place);
  });
  warp.gpu->progress(warp.now);
  return Step::next;
}

template <bool kGeneric>
Step invalidate(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses addresses(warp, in, 0);
  for_each_lane(lanes, [&](int lane) {
    const MbarrierPlace place = mbarrier_at(warp, addresses[lane], kGeneric, lane);
    initialised(place, lane);
    watch_mbarrier(warp, in, lane, MbarrierUse::Kind::inval, place);
    std::erase_if(place.block->mbarriers,
                  [&](const Mbarrier& candidate) { return candidate.offset == place.offset; });
    watch_change(*warp.gpu, place);
  });
  return Step::next;
}

/// Runs `operation` on each lane's object and settles what it completed. kAddress: its entry.
/// `describe(use, lane)` fills in what observers are told.
template <bool kGeneric, int kAddress, class G, class F>
void for_each_mbarrier(Warp& warp, const Instruction& in, LaneMask lanes, G&& describe,
                       F&& operation) {
  const Addresses addresses(warp, in, kAddress);
  for_each_lane(lanes, [&](int lane) {
    const MbarrierPlace place = mbarrier_at(warp, addresses[lane], kGeneric, lane);
    Mbarrier& mbarrier = initialised(place, lane);
    if (warp.gpu->watched(kOrder)) {
      MbarrierUse use{.warp = warp,
                      .in = in,
                      .lanes = LaneMask{1} << lane,
                      .block = *place.block,
                      .offset = place.offset};
      describe(use, lane);
      watch_mbarrier(use);
    }
    check(operation(mbarrier, lane), lane);
    watch_change(*warp.gpu, place);
    warp.gpu->settle(*place.block, mbarrier, warp.now);
  });
}

template <bool kGeneric, bool kComplete>
Step transactions(Warp& warp, const Instruction& in, LaneMask lanes) {
  const auto* bytes = warp.lanes_of<std::uint32_t>(in.operand[2]);
  const auto describe = [&](MbarrierUse& use, int lane) {
    use.kind = kComplete ? MbarrierUse::Kind::complete : MbarrierUse::Kind::expect;
    use.bytes = bytes[lane];
  };
  for_each_mbarrier<kGeneric, 0>(warp, in, lanes, describe, [&](Mbarrier& mbarrier, int lane) {
    return kComplete ? mbarrier.complete_transactions(bytes[lane])
                     : mbarrier.expect_transactions(bytes[lane]);
  });
  return Step::next;
}

enum class Arrival : std::uint8_t {
  plain,
  drop,
  expect,
  drop_expect,
  no_complete,
  drop_no_complete
};

/// Entries: state or absent, address, displacement, count or bytes (absent: 1).
template <bool kGeneric, Arrival kArrival>
Step arrive(Warp& warp, const Instruction& in, LaneMask lanes) {
  const bool expects = kArrival == Arrival::expect || kArrival == Arrival::drop_expect;
  const bool drops = kArrival == Arrival::drop || kArrival == Arrival::drop_expect ||
                     kArrival == Arrival::drop_no_complete;
  const bool completes = kArrival != Arrival::no_complete && kArrival != Arrival::drop_no_complete;
  const std::uint32_t* number =
      in.operand[3] == ptx::kAbsent ? nullptr : warp.lanes_of<std::uint32_t>(in.operand[3]);
  const auto describe = [&](MbarrierUse& use, int lane) {
    use.kind = MbarrierUse::Kind::arrive;
    use.count = expects || number == nullptr ? 1 : number[lane];
    use.bytes = expects ? number[lane] : 0;
  };
  for_each_mbarrier<kGeneric, 1>(warp, in, lanes, describe, [&](Mbarrier& mbarrier, int lane) {
    if (in.operand[0] != ptx::kAbsent) {
      warp.lanes_of<std::uint64_t>(in.operand[0])[lane] = mbarrier.state();
    }
    if (expects) {
      std::string error = mbarrier.expect_transactions(number[lane]);
      if (!error.empty()) return error;
    }
    const std::int64_t count = expects || number == nullptr ? 1 : number[lane];
    if (!completes && count >= mbarrier.pending && mbarrier.transactions == 0) {
      return std::string("an arrival with .noComplete completes the phase of its mbarrier");
    }
    return drops ? mbarrier.arrive_drop(count) : mbarrier.arrive(count);
  });
  return Step::next;
}

Step pending_count(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<std::uint32_t>(in.operand[0]);
  const auto* state = warp.lanes_of<std::uint64_t>(in.operand[1]);
  for_each_lane(lanes, [&](int lane) {
    d[lane] = static_cast<std::uint32_t>(Mbarrier::pending_of(state[lane]));
  });
  return Step::next;
}

/// What the lanes of a wait saw of one object: for observers.
struct Look {
  MbarrierPlace place;
  std::uint64_t waited;
  LaneMask lanes, passed;
  std::uint32_t parity;
};

/// Entries: predicate, address, displacement, parity or state, [time limit].
/// A try_wait whose phase is not over suspends the thread until it is; test_wait returns at once.
template <bool kGeneric, bool kParity, bool kSuspends>
Step wait(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses addresses(warp, in, 1);
  LaneMask over = 0;
  MbarrierPlace first{};  // what the first lane waits for whose phase is not over,
  LaneMask together = 0;  // and the lanes that wait for the same
  std::vector<Look> looks;
  const auto operand = [&](int lane) -> std::uint64_t {
    if constexpr (kParity) return warp.lanes_of<std::uint32_t>(in.operand[3])[lane];
    return warp.lanes_of<std::uint64_t>(in.operand[3])[lane];
  };
  // Lanes that wait for the same, mostly all, look once.
  for (LaneMask left = lanes; left != 0;) {
    const int lane = std::countr_zero(left);
    const std::uint64_t address = addresses[lane], wanted = operand(lane);
    const LaneMask same =
        lanes_where(left, [&](int i) { return addresses[i] == address && operand(i) == wanted; });
    left &= ~same;
    const MbarrierPlace place = mbarrier_at(warp, address, kGeneric, lane);
    initialised(place, lane);
    warp.gpu->land(*place.block, place.offset, warp.now);
    const Mbarrier& mbarrier = initialised(place, lane);
    bool done;
    std::uint64_t waited;
    if constexpr (kParity) {
      done = mbarrier.parity_done(static_cast<std::uint32_t>(wanted));
      waited = mbarrier.phase - done;
    } else {
      waited = Mbarrier::phase_of(wanted);
      done = waited != mbarrier.phase;
    }
    if (warp.gpu->watched(kOrder))
      looks.push_back(
          {place, waited, same, done ? same : 0, kParity ? static_cast<std::uint32_t>(wanted) : 0});
    if (done) {
      over |= same;
    } else if (together == 0 || first == place) {
      first = place;
      together |= same;
    }
  }
  for (const Look& look : looks) {
    watch_mbarrier({.warp = warp,
                    .in = in,
                    .lanes = look.lanes,
                    .kind = MbarrierUse::Kind::wait,
                    .block = *look.place.block,
                    .offset = look.place.offset,
                    .waited = look.waited,
                    .passed = look.passed,
                    .count = look.parity});
  }
  if (over == lanes || !kSuspends || warp.gpu->chaos().once_in(kSpurious)) {
    set_predicate(warp, in.operand[0], lanes, over);
    return Step::next;
  }
  if (together == lanes && first.block->async.late(first.offset)) {
    set_predicate(warp, in.operand[0], lanes, 0);
    return warp.sleep_until(lanes, warp.now + kTimeLimit);
  }
  if (over != 0) {  // these go on; the others try again on a path of their own
    set_predicate(warp, in.operand[0], over, over);
    return warp.isolate(warp.path().lanes & lanes & ~over);
  }
  if (lanes != warp.path().lanes) return warp.isolate(lanes);
  first.block->find_mbarrier(first.offset)->waiters.push_back(&warp);
  const std::uint64_t key = shared_address(first.block->rank, first.offset);
  return together == lanes ? warp.park(lanes, Wait::mbarrier, key)
                           : warp.park_part(together, Wait::mbarrier, key);
}

template <bool kGeneric>
void add_forms(FormTable& table, const std::string& space) {
  const auto add = [&](Action action, const std::string& name, const char* signature,
                       ptx::Handler execute) {
    table.add({"mbarrier." + name + space + ".b64",
               signature,
               execute,
               Unit::memory,
               {action, kGeneric ? Space::generic : Space::shared}});
  };
  add(Action::mbarrier_expect, "expect_tx", "a r", transactions<kGeneric, false>);
  add(Action::mbarrier_complete, "complete_tx", "a r", transactions<kGeneric, true>);
  const auto arrives = Action::mbarrier_arrive;
  add(arrives, "arrive", "=l? a r?", arrive<kGeneric, Arrival::plain>);
  add(arrives, "arrive.expect_tx", "=l? a r", arrive<kGeneric, Arrival::expect>);
  add(arrives, "arrive_drop", "=l? a r?", arrive<kGeneric, Arrival::drop>);
  add(arrives, "arrive_drop.expect_tx", "=l? a r", arrive<kGeneric, Arrival::drop_expect>);
  if (space == ".shared::cluster") return;  // what follows works on the block's own memory only
  add(Action::mbarrier_init, "init", "a r", init<kGeneric>);
  add(Action::mbarrier_inval, "inval", "a", invalidate<kGeneric>);
  add(arrives, "arrive.noComplete", "=l a r", arrive<kGeneric, Arrival::no_complete>);
  add(arrives, "arrive_drop.noComplete", "=l a r", arrive<kGeneric, Arrival::drop_no_complete>);
  const auto waits = Action::mbarrier_wait;
  add(waits, "test_wait", "=p a l", wait<kGeneric, false, false>);
  add(waits, "test_wait.parity", "=p a r", wait<kGeneric, true, false>);
  add(waits, "try_wait", "=p a l r?", wait<kGeneric, false, true>);
  add(waits, "try_wait.parity", "=p a r r?", wait<kGeneric, true, true>);
}

}  // namespace

void add_mbarrier(FormTable& table) {
  add_forms<true>(table, "");
  add_forms<false>(table, ".shared");
  add_forms<false>(table, ".shared::cluster");
  table.add({"mbarrier.pending_count.b64", "=r l", pending_count});
}

}  // namespace clcsim::machine::isa
