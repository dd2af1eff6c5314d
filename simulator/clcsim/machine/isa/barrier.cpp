// Barriers of a block and of a cluster. PTX ISA 9.0, 9.7.13.1 and 9.7.13.3.
//
// A thread that has arrived holds a ticket: the generation that must be over before it goes on. Its
// path is parked and executes the instruction again when it is woken. A path that is parked at a
// block barrier without a ticket waits for other lanes of its warp.
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
    throw DeviceFault{
        FaultKind::illegal_instruction, Rule::illegal_instruction,
        "barrier " + std::to_string(id) + " does not exist: a block has 16 (PTX ISA 9.0, 9.7.13.1)",
        -1};
  }
  return warp.block->barriers[id];
}

struct Operands {
  std::uint32_t id = 0;
  bool counted = false;  ///< names a number of threads
  std::uint32_t threads = 0;
  LaneMask predicate = 0;
};

/// Entries: [destination of a reduction], barrier, count or absent, [predicate, flip].
Operands operands_of(Warp& warp, const Instruction& in, LaneMask lanes) {
  const bool reduces = in.facts.action == Action::barrier_reduce;
  const std::uint32_t* entry = in.operand.data() + (reduces ? 1 : 0);
  Operands operands{.id = uniform(warp, entry[0], lanes), .counted = entry[1] != ptx::kAbsent};
  if (operands.counted) operands.threads = uniform(warp, entry[1], lanes);
  if (reduces) operands.predicate = (warp.predicate(entry[2]) ^ entry[3]) & lanes;
  if (operands.threads % kLanes != 0) {
    throw DeviceFault{
        FaultKind::illegal_instruction, Rule::illegal_instruction,
        "a barrier for " + std::to_string(operands.threads) +
            " threads: the number must be a multiple of the warp's 32 (PTX ISA 9.0, 9.7.13.1)",
        -1};
  }
  return operands;
}

void count_in(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Operands operands = operands_of(warp, in, lanes);
  watch_order(warp, in, lanes, [&](Observer& observer, const Executed& executed) {
    observer.block_barrier_arrived(executed, operands.id, operands.threads,
                                   in.facts.action != Action::barrier_arrive);
  });
  Rendezvous& barrier = barrier_of(warp, operands.id);
  if (operands.counted) barrier.expected = operands.threads;
  barrier.arrived += std::popcount(lanes);
  barrier.predicate_count += std::popcount(operands.predicate);
}

/// The running path arrives. Where a number of threads is named, a warp counts as 32, when the last
/// of its lanes has come that have not exited: until then false, and the path must wait.
bool arrives(Warp& warp, const Instruction& in, LaneMask lanes, const Operands& operands) {
  Rendezvous& barrier = barrier_of(warp, operands.id);
  if (operands.counted) {
    const auto early = [&](const Path& path) {
      return path.wait == Wait::block_barrier && path.wait_key == operands.id && path.ticket == 0;
    };
    LaneMask missing = warp.live & ~lanes;
    for (const Path& path : warp.paths) {
      if (early(path)) missing &= ~path.lanes;
    }
    if (missing != 0) return false;
    for (Path& path : warp.paths) {
      if (!early(path)) continue;
      const Instruction& its = warp.block->grid->launch.program->code[path.pc];
      count_in(warp, its, path.lanes);
      if (its.facts.action == Action::barrier_arrive) {
        path.wait = Wait::nothing;
        ++path.pc;
      } else {
        path.ticket = barrier.generation + 1;
      }
    }
    barrier.arrived += kLanes - std::popcount(warp.live);
  }
  count_in(warp, in, lanes);
  warp.gpu->progress(warp.now);
  warp.gpu->check_block_barrier(*warp.block, operands.id, warp.now);
  return true;
}

template <Reduce kReduce>
Step sync(Warp& warp, const Instruction& in, LaneMask lanes) {
  if (lanes != warp.path().lanes) return warp.isolate(lanes);
  const Operands operands = operands_of(warp, in, lanes);
  const Rendezvous& barrier = barrier_of(warp, operands.id);
  Path& path = warp.path();
  if (path.ticket == 0) {
    const std::uint64_t ticket = barrier.generation + 1;
    if (arrives(warp, in, lanes, operands)) path.ticket = ticket;
  }
  if (path.ticket == 0 || barrier.generation < path.ticket) {
    return warp.park(lanes, Wait::block_barrier, operands.id);
  }
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
  if (lanes != warp.path().lanes) return warp.isolate(lanes);
  const Operands operands = operands_of(warp, in, lanes);
  if (!arrives(warp, in, lanes, operands)) {
    return warp.park(lanes, Wait::block_barrier, operands.id);
  }
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
    table.add({name, signature, execute, Unit::control, facts});
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
