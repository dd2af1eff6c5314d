// Barriers of a block and of a cluster. PTX ISA 9.0, 9.7.13.1 and 9.7.13.3.
//
// A thread that has arrived holds a ticket: the generation that must be over before it goes on. Its
// path is parked and executes the instruction again when it is woken.
#include <bit>
#include <string>

#include "machine/isa/watch.h"

namespace clcsim::machine::isa {
namespace {

using ptx::Order;
using ptx::Scope;

enum class Reduce : std::uint8_t { none, popc, all, any };

std::uint32_t uniform(Warp& warp, std::uint32_t slot, LaneMask lanes) {
  return warp.lanes_of<std::uint32_t>(slot)[std::countr_zero(lanes)];
}

Rendezvous& barrier_of(Warp& warp, std::uint32_t id) {
  if (id >= warp.block->barriers.size()) {
    throw DeviceFault{FaultKind::illegal_instruction, Rule::illegal_instruction,
                      "barrier " + std::to_string(id) + " does not exist: a block has 16", -1};
  }
  return warp.block->barriers[id];
}

/// Counts the lanes in. Where the instruction names a number of threads, a warp counts as 32.
void arrive_at(Warp& warp, const Instruction& in, std::uint32_t id, std::uint32_t count_slot,
               LaneMask lanes, LaneMask predicate, bool waits) {
  Rendezvous& barrier = barrier_of(warp, id);
  const bool counted = count_slot != ptx::kAbsent;
  const std::uint32_t threads = counted ? uniform(warp, count_slot, lanes) : 0;
  if (counted && threads % kLanes != 0) {
    throw DeviceFault{FaultKind::illegal_instruction, Rule::illegal_instruction,
                      "a barrier for " + std::to_string(threads) +
                          " threads: the number must be a multiple of the warp's 32",
                      -1};
  }
  watch_order(warp, in, lanes, [&](Observer& observer, const Executed& executed) {
    observer.block_barrier_arrived(executed, id, threads, waits);
  });
  if (counted) barrier.expected = threads;
  barrier.arrived += counted && lanes == warp.live ? kLanes : std::popcount(lanes);
  barrier.predicate_count += std::popcount(predicate & lanes);
  warp.gpu->progress(warp.now);
  warp.gpu->check_block_barrier(*warp.block, id, warp.now);
}

/// Entries: [destination], barrier, count or absent, [predicate, flip].
template <Reduce kReduce>
Step sync(Warp& warp, const Instruction& in, LaneMask lanes) {
  constexpr int kFirst = kReduce == Reduce::none ? 0 : 1;
  if (lanes != warp.path().lanes) return warp.isolate(lanes);
  const std::uint32_t id = uniform(warp, in.operand[kFirst], lanes);
  Path& path = warp.path();
  if (path.ticket == 0) {
    LaneMask predicate = 0;
    if constexpr (kReduce != Reduce::none) {
      predicate = warp.predicate(in.operand[kFirst + 2]) ^ in.operand[kFirst + 3];
    }
    path.ticket = barrier_of(warp, id).generation + 1;
    arrive_at(warp, in, id, in.operand[kFirst + 1], lanes, predicate, true);
  }
  const Rendezvous& barrier = barrier_of(warp, id);
  if (barrier.generation < path.ticket) return warp.park(lanes, Wait::block_barrier, id);
  path.ticket = 0;
  if constexpr (kReduce == Reduce::popc) {
    auto* d = warp.lanes_of<std::uint32_t>(in.operand[0]);
    for_each_lane(lanes, [&](int lane) { d[lane] = barrier.last_predicate_count; });
  } else if constexpr (kReduce != Reduce::none) {
    const bool result = kReduce == Reduce::all
                            ? barrier.last_predicate_count == barrier.last_arrived
                            : barrier.last_predicate_count != 0;
    set_predicate(warp, in.operand[0], lanes, result ? kAllLanes : 0);
  }
  ++path.pc;
  return Step::moved;  // other paths may have been woken, too
}

Step arrive_only(Warp& warp, const Instruction& in, LaneMask lanes) {
  arrive_at(warp, in, uniform(warp, in.operand[0], lanes), in.operand[1], lanes, 0, false);
  ++warp.path().pc;
  return Step::moved;
}

Step cluster_arrive(Warp& warp, const Instruction& in, LaneMask lanes) {
  if (lanes != warp.path().lanes) return warp.isolate(lanes);
  Cluster& cluster = *warp.block->cluster;
  for_each_lane(lanes, [&](int lane) {
    if (warp.cluster_ticket[lane] > cluster.barrier.generation) {
      throw DeviceFault{FaultKind::barrier, Rule::barrier_phase,
                        "a thread arrived twice at the cluster's barrier without waiting", lane};
    }
    warp.cluster_ticket[lane] = cluster.barrier.generation + 1;
  });
  watch_order(warp, in, lanes, [](Observer& observer, const Executed& executed) {
    observer.cluster_barrier_arrived(executed);
  });
  cluster.barrier.arrived += std::popcount(lanes);
  ++warp.path().pc;
  warp.gpu->progress(warp.now);
  warp.gpu->check_cluster_barrier(cluster, warp.now);
  return Step::moved;
}

/// A thread that has not arrived waits for its own arrival, too: for ever.
Step cluster_wait(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Cluster& cluster = *warp.block->cluster;
  bool waits = false;
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t ticket = warp.cluster_ticket[lane];
    waits |= ticket == 0 || ticket > cluster.barrier.generation;
  });
  if (waits) return warp.park(lanes, Wait::cluster_barrier, 0);
  watch_order(warp, in, lanes, [](Observer& observer, const Executed& executed) {
    observer.cluster_barrier_passed(executed);
  });
  for_each_lane(lanes, [&](int lane) { warp.cluster_ticket[lane] = 0; });
  return Step::next;
}

}  // namespace

void add_barrier(FormTable& table) {
  const auto add = [&](ptx::Facts facts, const std::string& name, const char* signature,
                       ptx::Handler execute) {
    table.add({.name = name,
               .signature = signature,
               .execute = execute,
               .unit = Unit::control,
               .facts = facts});
  };
  const auto add_block = [&](const std::string& name, const std::string& aligned) {
    constexpr ptx::Facts kReduces{.action = Action::barrier_reduce};
    add({.action = Action::barrier_sync}, name + ".sync" + aligned, "r r?", sync<Reduce::none>);
    add({.action = Action::barrier_arrive}, name + ".arrive" + aligned, "r r", arrive_only);
    add(kReduces, name + ".red.popc" + aligned + ".u32", "=r r r? p", sync<Reduce::popc>);
    add(kReduces, name + ".red.and" + aligned + ".pred", "=p r r? p", sync<Reduce::all>);
    add(kReduces, name + ".red.or" + aligned + ".pred", "=p r r? p", sync<Reduce::any>);
  };
  for (const char* name : {"bar", "bar.cta", "barrier", "barrier.cta"}) add_block(name, "");
  for (const char* name : {"barrier", "barrier.cta"}) add_block(name, ".aligned");
  const auto add_cluster = [&](Action action, Order order, const std::string& name,
                               ptx::Handler execute) {
    for (const char* aligned : {"", ".aligned"}) {
      add({.action = action, .order = order, .scope = Scope::cluster},
          "barrier.cluster." + name + aligned, "", execute);
    }
  };
  add_cluster(Action::cluster_arrive, Order::release, "arrive", cluster_arrive);
  add_cluster(Action::cluster_arrive, Order::release, "arrive.release", cluster_arrive);
  add_cluster(Action::cluster_arrive, Order::relaxed, "arrive.relaxed", cluster_arrive);
  add_cluster(Action::cluster_wait, Order::acquire, "wait", cluster_wait);
  add_cluster(Action::cluster_wait, Order::acquire, "wait.acquire", cluster_wait);
}

}  // namespace clcsim::machine::isa
