// Special registers. PTX ISA 9.0, chapter 10.
#include <string>

#include "machine/isa/access.h"

namespace clcsim::machine::isa {
namespace {

/// Writes value(warp, lane) to the destination, which may hold 32 or 64 bits.
template <auto Value>
Step read(Warp& warp, const Instruction& in, LaneMask lanes) {
  if (in.wide & 1) {
    auto* d = warp.lanes_of<std::uint64_t>(in.operand[0]);
    for_each_lane(lanes,
                  [&](int lane) { d[lane] = static_cast<std::uint64_t>(Value(warp, lane)); });
  } else {
    auto* d = warp.lanes_of<std::uint32_t>(in.operand[0]);
    for_each_lane(lanes,
                  [&](int lane) { d[lane] = static_cast<std::uint32_t>(Value(warp, lane)); });
  }
  return Step::next;
}

const Grid& grid_of(const Warp& warp) {
  return *warp.block->grid;
}
const Launch& launch_of(const Warp& warp) {
  return grid_of(warp).launch;
}

std::uint64_t nanoseconds(const Warp& warp) {
  return warp.now * 1'000'000 / static_cast<std::uint64_t>(warp.gpu->profile().clock_khz);
}

/// A predicate: whether the launch asked for clusters.
Step is_explicit_cluster(Warp& warp, const Instruction& in, LaneMask lanes) {
  LaneMask& d = warp.predicate(in.operand[0]);
  d = grid_of(warp).cluster_blocks() > 1 ? d | lanes : d & ~lanes;
  return Step::next;
}

}  // namespace

void add_special(FormTable& table) {
  const auto add = [&]<class F>(const std::string& name, F) {
    table.add({"%" + name, "=x", read<F{}>});
  };
  const auto add_time = [&]<class F>(const std::string& name, F, ptx::Growth growth) {
    table.add({"%" + name, "=x", read<F{}>, Unit::alu, {.growth = growth}});
  };
  using Axis = std::uint32_t Dim3::*;
  const auto add_axes = [&]<class F>(const std::string& name, F) {
    add(name + ".x", [](const Warp& warp, int lane) { return F{}(warp, lane, &Dim3::x); });
    add(name + ".y", [](const Warp& warp, int lane) { return F{}(warp, lane, &Dim3::y); });
    add(name + ".z", [](const Warp& warp, int lane) { return F{}(warp, lane, &Dim3::z); });
  };
  add_axes("tid", [](const Warp& warp, int lane, Axis axis) {
    return launch_of(warp).block.at(warp.thread(lane)).*axis;
  });
  add_axes("ntid", [](const Warp& warp, int, Axis axis) { return launch_of(warp).block.*axis; });
  add_axes("ctaid", [](const Warp& warp, int, Axis axis) { return warp.block->index.*axis; });
  add_axes("nctaid", [](const Warp& warp, int, Axis axis) { return launch_of(warp).grid.*axis; });
  add_axes("cluster_ctaid", [](const Warp& warp, int, Axis axis) {
    return warp.block->index.*axis % (launch_of(warp).cluster.*axis);
  });
  add_axes("cluster_nctaid",
           [](const Warp& warp, int, Axis axis) { return launch_of(warp).cluster.*axis; });
  add_axes("clusterid", [](const Warp& warp, int, Axis axis) {
    return warp.block->index.*axis / (launch_of(warp).cluster.*axis);
  });
  add_axes("nclusterid", [](const Warp& warp, int, Axis axis) {
    return launch_of(warp).grid.*axis / (launch_of(warp).cluster.*axis);
  });

  add("laneid", [](const Warp&, int lane) { return lane; });
  add("warpid", [](const Warp& warp, int) { return warp.index; });
  add("nwarpid", [](const Warp& warp, int) { return warp.gpu->profile().threads_per_sm / kLanes; });
  add("smid", [](const Warp& warp, int) { return warp.block->sm; });
  add("nsmid", [](const Warp& warp, int) { return warp.gpu->sms().size(); });
  add("gridid", [](const Warp& warp, int) { return grid_of(warp).serial; });
  const auto clock = [](const Warp& warp, int) { return warp.now; };
  using ptx::Growth;
  add_time("clock", clock, Growth::time);
  add_time("clock64", clock, Growth::time);
  add_time(
      "clock_hi", [](const Warp& warp, int) { return warp.now >> 32; }, Growth::steps);
  const auto timer = [](const Warp& warp, int) { return nanoseconds(warp); };
  add_time("globaltimer", timer, Growth::time);
  add_time("globaltimer_lo", timer, Growth::time);
  add_time(
      "globaltimer_hi", [](const Warp& warp, int) { return nanoseconds(warp) >> 32; },
      Growth::steps);
  add("lanemask_eq", [](const Warp&, int lane) { return LaneMask{1} << lane; });
  add("lanemask_lt", [](const Warp&, int lane) { return (LaneMask{1} << lane) - 1; });
  add("lanemask_le", [](const Warp&, int lane) { return (LaneMask{2} << lane) - 1; });
  add("lanemask_ge", [](const Warp&, int lane) { return ~((LaneMask{1} << lane) - 1); });
  add("lanemask_gt", [](const Warp&, int lane) { return ~((LaneMask{2} << lane) - 1); });
  add("cluster_ctarank", [](const Warp& warp, int) { return warp.block->rank; });
  add("cluster_nctarank", [](const Warp& warp, int) { return grid_of(warp).cluster_blocks(); });
  table.add({"%is_explicit_cluster", "=p", is_explicit_cluster});

  add("dynamic_smem_size", [](const Warp& warp, int) { return launch_of(warp).dynamic_shared; });
  // What the block asked for, in the units that shared memory is handed out in.
  add("total_smem_size", [](const Warp& warp, int) {
    constexpr std::uint64_t kUnit = 128;
    return (warp.block->shared.size() - config::kSharedReserved + kUnit - 1) / kUnit * kUnit;
  });
  // What the system keeps for itself at the start of a block's shared memory. Cooperative groups
  // put their scratch space at %reserved_smem_offset_1; the places are those of an H200.
  for (const char* name : {"begin", "0", "1"}) {
    add(std::string("reserved_smem_offset_") + name, [](const Warp&, int) { return 0; });
  }
  add("reserved_smem_offset_cap", [](const Warp&, int) { return config::kSharedReserved; });
  // cooperative_groups reads the address of a cooperative launch's workspace from these.
  add("envreg1", [](const Warp& warp, int) { return launch_of(warp).workspace >> 32; });
  add("envreg2", [](const Warp& warp, int) { return launch_of(warp).workspace; });
}

}  // namespace clcsim::machine::isa
