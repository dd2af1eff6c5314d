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
    for_each_lane(lanes, [&](int lane) { d[lane] = Value(warp, lane); });
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

using Member = std::uint32_t Dim3::*;

template <Member kAxis>
std::uint64_t tid(const Warp& warp, int lane) {
  return launch_of(warp).block.at(warp.thread(lane)).*kAxis;
}
template <Member kAxis>
std::uint64_t ntid(const Warp& warp, int) {
  return launch_of(warp).block.*kAxis;
}
template <Member kAxis>
std::uint64_t ctaid(const Warp& warp, int) {
  return warp.block->index.*kAxis;
}
template <Member kAxis>
std::uint64_t nctaid(const Warp& warp, int) {
  return launch_of(warp).grid.*kAxis;
}
template <Member kAxis>
std::uint64_t cluster_ctaid(const Warp& warp, int) {
  return warp.block->index.*kAxis % (launch_of(warp).cluster.*kAxis);
}
template <Member kAxis>
std::uint64_t cluster_nctaid(const Warp& warp, int) {
  return launch_of(warp).cluster.*kAxis;
}
template <Member kAxis>
std::uint64_t clusterid(const Warp& warp, int) {
  return warp.block->index.*kAxis / (launch_of(warp).cluster.*kAxis);
}
template <Member kAxis>
std::uint64_t nclusterid(const Warp& warp, int) {
  return launch_of(warp).grid.*kAxis / (launch_of(warp).cluster.*kAxis);
}

std::uint64_t laneid(const Warp&, int lane) {
  return static_cast<std::uint64_t>(lane);
}
std::uint64_t warpid(const Warp& warp, int) {
  return warp.index;
}
std::uint64_t nwarpid(const Warp& warp, int) {
  return static_cast<std::uint64_t>(warp.gpu->profile().threads_per_sm / kLanes);
}
std::uint64_t smid(const Warp& warp, int) {
  return warp.block->sm;
}
std::uint64_t nsmid(const Warp& warp, int) {
  return warp.gpu->sms().size();
}
std::uint64_t gridid(const Warp& warp, int) {
  return grid_of(warp).serial;
}
std::uint64_t clock64(const Warp& warp, int) {
  return warp.now;
}
std::uint64_t clock_hi(const Warp& warp, int) {
  return warp.now >> 32;
}
std::uint64_t globaltimer(const Warp& warp, int) {
  return warp.now * 1'000'000 / static_cast<std::uint64_t>(warp.gpu->profile().clock_khz);
}
std::uint64_t globaltimer_hi(const Warp& warp, int lane) {
  return globaltimer(warp, lane) >> 32;
}
std::uint64_t mask_eq(const Warp&, int lane) {
  return LaneMask{1} << lane;
}
std::uint64_t mask_lt(const Warp&, int lane) {
  return (LaneMask{1} << lane) - 1;
}
std::uint64_t mask_le(const Warp&, int lane) {
  return (LaneMask{2} << lane) - 1;
}
std::uint64_t mask_ge(const Warp&, int lane) {
  return ~((LaneMask{1} << lane) - 1);
}
std::uint64_t mask_gt(const Warp&, int lane) {
  return ~((LaneMask{2} << lane) - 1);
}
std::uint64_t cluster_ctarank(const Warp& warp, int) {
  return warp.block->rank;
}
std::uint64_t cluster_nctarank(const Warp& warp, int) {
  return grid_of(warp).cluster_blocks();
}
std::uint64_t dynamic_smem_size(const Warp& warp, int) {
  return launch_of(warp).dynamic_shared;
}
/// What the block asked for, in the units that shared memory is handed out in.
std::uint64_t total_smem_size(const Warp& warp, int) {
  constexpr std::uint64_t kUnit = 128;
  return (warp.block->shared.size() - config::kSharedReserved + kUnit - 1) / kUnit * kUnit;
}
std::uint64_t workspace(const Warp& warp, int) {
  return launch_of(warp).workspace;
}
std::uint64_t workspace_hi(const Warp& warp, int) {
  return launch_of(warp).workspace >> 32;
}
std::uint64_t zero(const Warp&, int) {
  return 0;
}

/// What the system keeps for itself at the start of a block's shared memory. Cooperative groups put
/// their scratch space at %reserved_smem_offset_1; the places are those of an H200.
std::uint64_t reserved_smem_offset_cap(const Warp&, int) {
  return config::kSharedReserved;
}

/// A predicate: whether the launch asked for clusters.
Step is_explicit_cluster(Warp& warp, const Instruction& in, LaneMask lanes) {
  LaneMask& d = warp.predicate(in.operand[0]);
  d = grid_of(warp).cluster_blocks() > 1 ? d | lanes : d & ~lanes;
  return Step::next;
}

}  // namespace

void add_special(FormTable& table) {
  const auto add = [&](const std::string& name, ptx::Handler execute) {
    table.add({.name = "%" + name, .signature = "=x", .execute = execute});
  };
#define CLCSIM_AXES(name)                \
  add(#name ".x", read<name<&Dim3::x>>); \
  add(#name ".y", read<name<&Dim3::y>>); \
  add(#name ".z", read<name<&Dim3::z>>);
  CLCSIM_AXES(tid)
  CLCSIM_AXES(ntid)
  CLCSIM_AXES(ctaid)
  CLCSIM_AXES(nctaid)
  CLCSIM_AXES(cluster_ctaid)
  CLCSIM_AXES(cluster_nctaid)
  CLCSIM_AXES(clusterid)
  CLCSIM_AXES(nclusterid)
#undef CLCSIM_AXES
  add("laneid", read<laneid>);
  add("warpid", read<warpid>);
  add("nwarpid", read<nwarpid>);
  add("smid", read<smid>);
  add("nsmid", read<nsmid>);
  add("gridid", read<gridid>);
  add("clock", read<clock64>);
  add("clock64", read<clock64>);
  add("clock_hi", read<clock_hi>);
  add("globaltimer", read<globaltimer>);
  add("globaltimer_lo", read<globaltimer>);
  add("globaltimer_hi", read<globaltimer_hi>);
  add("lanemask_eq", read<mask_eq>);
  add("lanemask_lt", read<mask_lt>);
  add("lanemask_le", read<mask_le>);
  add("lanemask_ge", read<mask_ge>);
  add("lanemask_gt", read<mask_gt>);
  add("cluster_ctarank", read<cluster_ctarank>);
  add("cluster_nctarank", read<cluster_nctarank>);
  table.add({.name = "%is_explicit_cluster", .signature = "=p", .execute = is_explicit_cluster});
  add("dynamic_smem_size", read<dynamic_smem_size>);
  add("total_smem_size", read<total_smem_size>);
  add("reserved_smem_offset_begin", read<zero>);
  add("reserved_smem_offset_cap", read<reserved_smem_offset_cap>);
  add("reserved_smem_offset_0", read<zero>);
  add("reserved_smem_offset_1", read<zero>);
  // cooperative_groups reads the address of a cooperative launch's workspace from these.
  add("envreg1", read<workspace_hi>);
  add("envreg2", read<workspace>);
}

}  // namespace clcsim::machine::isa
