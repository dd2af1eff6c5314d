// Instructions in which the lanes of a warp exchange values: shfl vote match redux elect activemask
// and bar.warp.
//
// The lanes of one path may belong to several groups, each with a member mask of its own (two tiles
// of 16 threads, say). A group goes on when all of its lanes are there.
//
// Source: PTX ISA 9.0, sections 9.7.9.6 (shfl.sync) and 9.7.13 (the others).
#include <functional>
#include <string>
#include <utility>

#include "machine/fault.h"
#include "machine/isa/lanes.h"
#include "machine/isa/rounding.h"
#include "machine/isa/watch.h"

namespace clcsim::machine::isa {
namespace {

[[noreturn]] void fail(std::string rule, int lane) {
  throw DeviceFault{FaultKind::illegal_instruction, Rule::warp_sync_mask, std::move(rule), lane};
}

/// Parks the lanes, each group in a path of its own. The rest of the running path goes on.
void wait_apart(Warp& warp, const uint32_t* masks, LaneMask lanes) {
  while (lanes != 0) {
    const LaneMask members = masks[std::countr_zero(lanes)];
    const LaneMask group = lanes_where(lanes, [=](int i) { return masks[i] == members; });
    lanes &= ~group;
    if (lanes != 0) {
      warp.park_part(group, Wait::lanes, members & warp.live);
    } else {
      warp.park(group, Wait::lanes, members & warp.live);
    }
  }
}

/// Calls f(members, group) for each group of `lanes` that is complete, and returns their lanes. If
/// none is, the lanes were parked and the result is 0. The handler ends with leave().
///
/// Lanes with another mask are another group: they may be ahead, in the next round of a loop, and
/// wait until the lanes that they name come with the same mask. That nobody can come any more shows
/// when nothing else can run: see Gpu::report_deadlock.
template <class F>
LaneMask meet(Warp& warp, const Instruction& in, uint32_t mask_slot, LaneMask lanes, F&& f) {
  const auto* masks = warp.lanes_of<uint32_t>(mask_slot);
  LaneMask here = 0, all = 0;
  for (LaneMask rest = lanes; rest != 0;) {
    const LaneMask members = masks[std::countr_zero(rest)];
    const LaneMask group = lanes_where(lanes, [=](int i) { return masks[i] == members; });
    if ((group & ~members) != 0) {
      fail("a lane that executes a .sync instruction must be in its member mask",
           std::countr_zero(group & ~members));
    }
    all |= members;
    rest &= ~group;
    if ((members & warp.live & ~group) != 0) continue;
    watch_order(warp, in, group, [&](Observer& observer, const Executed& executed) {
      observer.lanes_met(executed, members);
    });
    f(members, group);
    here |= group;
  }
  if (here == 0 && !warp.join_waiting(all)) wait_apart(warp, masks, lanes);
  return here;
}

/// The lanes that have met go on; the others execute the instruction again.
Step leave(Warp& warp, LaneMask lanes, LaneMask met) {
  return met == lanes ? Step::next : warp.isolate(lanes & ~met);
}

void write(Warp& warp, uint32_t slot, LaneMask lanes, const uint32_t* values) {
  if (slot == ptx::kAbsent) return;
  auto* d = warp.lanes_of<uint32_t>(slot);
  for_each_lane(lanes, [=](int i) { d[i] = values[i]; });
}

/// Tells whoever follows values; from(lane): the lanes that the result is made of. `always`: also
/// of a warp in which nobody does.
template <class F>
void watch_exchange(Warp& warp, const Instruction& in, LaneMask lanes, uint32_t value, bool always,
                    F&& from) {
  if (!warp.gpu->watched(kValues) || (!always && !warp.gpu->marked(warp))) return;
  Exchange exchange{.warp = warp, .in = in, .lanes = lanes, .value = value};
  for_each_lane(lanes, [&](int lane) { exchange.from[lane] = from(lane); });
  warp.gpu->notify(kValues, [&](Observer& observer) { observer.lanes_exchanged(exchange); });
}

/// The same for instructions whose results are made of all members' values.
void watch_exchange(Warp& warp, const Instruction& in, LaneMask met, uint32_t value,
                    uint32_t mask_slot) {
  const auto* masks = warp.lanes_of<uint32_t>(mask_slot);
  watch_exchange(warp, in, met, value, false, [=](int lane) { return masks[lane] & met; });
}

// ---- shfl ----

enum class Shuffle { up, down, bfly, idx };

/// d|p, a, b, c, members. A lane whose source lies outside of its segment reads its own value.
template <Shuffle Mode>
Step shfl(Warp& warp, const Instruction& in, LaneMask lanes) {
  const LaneMask met = meet(warp, in, in.operand[5], lanes, [](LaneMask, LaneMask) {});
  if (met == 0) return Step::moved;
  const auto* a = warp.lanes_of<uint32_t>(in.operand[2]);
  const auto* b = warp.lanes_of<uint32_t>(in.operand[3]);
  const auto* c = warp.lanes_of<uint32_t>(in.operand[4]);
  int32_t source[kLanes];
  bool inside[kLanes];
  for_each_lane(met, [&](int lane) {
    const int32_t distance = b[lane] & 31, clamp = c[lane] & 31, segment = c[lane] >> 8 & 31;
    const int32_t limit = (lane & segment) | (clamp & ~segment);
    const int32_t wanted = Mode == Shuffle::up     ? lane - distance
                           : Mode == Shuffle::down ? lane + distance
                           : Mode == Shuffle::bfly ? lane ^ distance
                                                   : (lane & segment) | (distance & ~segment);
    inside[lane] = Mode == Shuffle::up ? wanted >= limit : wanted <= limit;
    source[lane] = inside[lane] ? wanted : lane;
  });
  const auto* masks = warp.lanes_of<uint32_t>(in.operand[5]);
  const auto from = [&](int i) { return LaneMask{1} << source[i] & masks[i] & met; };
  const LaneMask nowhere = lanes_where(met, [&](int i) { return from(i) == 0; });
  watch_exchange(warp, in, met, 2, nowhere != 0, from);
  uint32_t value[kLanes];
  for_each_lane(met, [&](int i) { value[i] = a[source[i]]; });
  write(warp, in.operand[0], met, value);
  set_predicate(warp, in.operand[1], met, lanes_where(met, [&](int i) { return inside[i]; }));
  return leave(warp, lanes, met);
}

// ---- vote ----

enum class Vote { all, any, uni };

/// p, a, members
template <Vote Mode>
Step vote(Warp& warp, const Instruction& in, LaneMask lanes) {
  const LaneMask a = predicate_source(warp, in, 1);
  LaneMask result = 0;
  const LaneMask met = meet(warp, in, in.operand[3], lanes, [&](LaneMask, LaneMask group) {
    const bool any = (a & group) != 0, all = (a & group) == group;
    const bool holds = Mode == Vote::all ? all : Mode == Vote::any ? any : all | !any;
    if (holds) result |= group;
  });
  if (met == 0) return Step::moved;
  watch_exchange(warp, in, met, 1, in.operand[3]);
  set_predicate(warp, in.operand[0], met, result);
  return leave(warp, lanes, met);
}

Step ballot(Warp& warp, const Instruction& in, LaneMask lanes) {
  const LaneMask a = predicate_source(warp, in, 1);
  uint32_t votes[kLanes];
  const LaneMask met = meet(warp, in, in.operand[3], lanes, [&](LaneMask, LaneMask group) {
    for_each_lane(group, [&](int i) { votes[i] = a & group; });
  });
  if (met == 0) return Step::moved;
  watch_exchange(warp, in, met, 1, in.operand[3]);
  write(warp, in.operand[0], met, votes);
  return leave(warp, lanes, met);
}

// ---- match ----

/// d, a, members: d is the mask of the members with the same value.
template <class T>
Step match_any(Warp& warp, const Instruction& in, LaneMask lanes) {
  const auto* a = warp.lanes_of<T>(in.operand[1]);
  uint32_t equal[kLanes];
  const LaneMask met = meet(warp, in, in.operand[2], lanes, [&](LaneMask, LaneMask group) {
    for_each_lane(
        group, [&](int i) { equal[i] = lanes_where(group, [&](int k) { return a[k] == a[i]; }); });
  });
  if (met == 0) return Step::moved;
  watch_exchange(warp, in, met, 1, in.operand[2]);
  write(warp, in.operand[0], met, equal);
  return leave(warp, lanes, met);
}

/// d|p, a, members: d is the whole mask, or 0 where the values differ.
template <class T>
Step match_all(Warp& warp, const Instruction& in, LaneMask lanes) {
  const auto* a = warp.lanes_of<T>(in.operand[2]);
  uint32_t result[kLanes] = {};
  LaneMask equal = 0;
  const LaneMask met = meet(warp, in, in.operand[3], lanes, [&](LaneMask members, LaneMask group) {
    const T first = a[std::countr_zero(group)];
    if (lanes_where(group, [&](int i) { return a[i] == first; }) != group) return;
    equal |= group;
    for_each_lane(group, [&](int i) { result[i] = members & warp.live; });
  });
  if (met == 0) return Step::moved;
  watch_exchange(warp, in, met, 2, in.operand[3]);
  write(warp, in.operand[0], met, result);
  set_predicate(warp, in.operand[1], met, equal);
  return leave(warp, lanes, met);
}

// ---- redux ----

template <bool Abs>
float number(float value) {
  return canonical(Abs ? abs_bits(value) : value);
}

/// d, a, members. Of each lane's value, Value is taken.
template <auto Op, class T, auto Value = std::identity{}>
Step redux(Warp& warp, const Instruction& in, LaneMask lanes) {
  const auto* a = warp.lanes_of<uint32_t>(in.operand[1]);
  uint32_t result[kLanes];
  const LaneMask met = meet(warp, in, in.operand[2], lanes, [&](LaneMask, LaneMask group) {
    T value = Value(from_lane<T>(a[std::countr_zero(group)]));
    for_each_lane(group & (group - 1),
                  [&](int i) { value = Op(value, Value(from_lane<T>(a[i]))); });
    for_each_lane(group, [&](int i) { result[i] = to_lane<T>(value); });
  });
  if (met == 0) return Step::moved;
  watch_exchange(warp, in, met, 1, in.operand[2]);
  write(warp, in.operand[0], met, result);
  return leave(warp, lanes, met);
}

template <class T>
T lower(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T higher(T a, T b) {
  return a < b ? b : a;
}

// ---- elect, activemask, bar.warp ----

/// d|p, members: the lowest lane is elected.
Step elect(Warp& warp, const Instruction& in, LaneMask lanes) {
  uint32_t leader[kLanes];
  LaneMask elected = 0;
  const LaneMask met = meet(warp, in, in.operand[2], lanes, [&](LaneMask, LaneMask group) {
    elected |= group & (0u - group);
    for_each_lane(group, [&](int i) { leader[i] = std::countr_zero(group); });
  });
  if (met == 0) return Step::moved;
  watch_exchange(warp, in, met, 2, false, [](int lane) { return LaneMask{1} << lane; });
  write(warp, in.operand[0], met, leader);
  set_predicate(warp, in.operand[1], met, elected);
  return leave(warp, lanes, met);
}

Step activemask(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<uint32_t>(in.operand[0]);
  for_each_lane(lanes, [=](int i) { d[i] = lanes; });
  return Step::next;
}

Step warp_barrier(Warp& warp, const Instruction& in, LaneMask lanes) {
  const LaneMask met = meet(warp, in, in.operand[0], lanes, [](LaneMask, LaneMask) {});
  return met == 0 ? Step::moved : leave(warp, lanes, met);
}

}  // namespace

void add_warp_wide(FormTable& table) {
  const auto put = [&](const char* name, const char* signature, ptx::Handler handler,
                       Unit unit = Unit::special, Action action = Action::exchange) {
    table.add({name, signature, handler, unit, {action}});
  };
  put("shfl.sync.up.b32", "=r? =p? r r r r", shfl<Shuffle::up>);
  put("shfl.sync.down.b32", "=r? =p? r r r r", shfl<Shuffle::down>);
  put("shfl.sync.bfly.b32", "=r? =p? r r r r", shfl<Shuffle::bfly>);
  put("shfl.sync.idx.b32", "=r? =p? r r r r", shfl<Shuffle::idx>);

  put("vote.sync.all.pred", "=p p r", vote<Vote::all>);
  put("vote.sync.any.pred", "=p p r", vote<Vote::any>);
  put("vote.sync.uni.pred", "=p p r", vote<Vote::uni>);
  put("vote.sync.ballot.b32", "=r p r", ballot);
  put("vote.ballot.sync.b32", "=r p r", ballot);  // so CUB spells it, and ptxas accepts it

  put("match.any.sync.b32", "=r r r", match_any<uint32_t>);
  put("match.any.sync.b64", "=r l r", match_any<uint64_t>);
  put("match.all.sync.b32", "=r? =p? r r", match_all<uint32_t>);
  put("match.all.sync.b64", "=r? =p? l r", match_all<uint64_t>);

  put("redux.sync.add.u32", "=r r r", redux<std::plus<>{}, uint32_t>);
  put("redux.sync.add.s32", "=r r r", redux<std::plus<>{}, uint32_t>);
  put("redux.sync.min.u32", "=r r r", redux<lower<uint32_t>, uint32_t>);
  put("redux.sync.min.s32", "=r r r", redux<lower<int32_t>, int32_t>);
  put("redux.sync.max.u32", "=r r r", redux<higher<uint32_t>, uint32_t>);
  put("redux.sync.max.s32", "=r r r", redux<higher<int32_t>, int32_t>);
  put("redux.sync.and.b32", "=r r r", redux<std::bit_and<>{}, uint32_t>);
  put("redux.sync.or.b32", "=r r r", redux<std::bit_or<>{}, uint32_t>);
  put("redux.sync.xor.b32", "=r r r", redux<std::bit_xor<>{}, uint32_t>);
  put("redux.sync.min.f32", "=f f r", redux<choose<float, false, false>, float, number<false>>);
  put("redux.sync.min.abs.f32", "=f f r", redux<choose<float, false, false>, float, number<true>>);
  put("redux.sync.min.NaN.f32", "=f f r", redux<choose<float, false, true>, float, number<false>>);
  put("redux.sync.min.abs.NaN.f32", "=f f r",
      redux<choose<float, false, true>, float, number<true>>);
  put("redux.sync.max.f32", "=f f r", redux<choose<float, true, false>, float, number<false>>);
  put("redux.sync.max.abs.f32", "=f f r", redux<choose<float, true, false>, float, number<true>>);
  put("redux.sync.max.NaN.f32", "=f f r", redux<choose<float, true, true>, float, number<false>>);
  put("redux.sync.max.abs.NaN.f32", "=f f r",
      redux<choose<float, true, true>, float, number<true>>);

  put("elect.sync", "=r? =p r", elect);
  put("activemask.b32", "=r", activemask, Unit::alu, Action::compute);
  put("bar.warp.sync", "r", warp_barrier, Unit::control, Action::lanes_barrier);
}

}  // namespace clcsim::machine::isa
