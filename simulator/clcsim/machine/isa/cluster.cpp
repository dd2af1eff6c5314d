// Address spaces and the blocks of a cluster: cvta, isspacep, mapa, getctarank.
// PTX ISA 9.0, 9.7.9.20 to 9.7.9.24.
#include <algorithm>
#include <string>

#include "machine/gpu.h"
#include "machine/isa/access.h"

namespace clcsim::machine::isa {
namespace {

/// The form's constant is the number of the window.
template <bool kToGeneric>
Step convert_address(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<std::uint64_t>(in.operand[0]);
  const auto* a = warp.lanes_of<std::uint64_t>(in.operand[1]);
  const std::uint64_t window = in.operand[2] * kWindowSize;
  for_each_lane(lanes, [=](int i) { d[i] = kToGeneric ? a[i] + window : a[i] - window; });
  return Step::next;
}

template <Space kSpace, bool kOwnOnly = false>
Step is_in_space(Warp& warp, const Instruction& in, LaneMask lanes) {
  const auto* a = warp.lanes_of<std::uint64_t>(in.operand[1]);
  LaneMask inside = 0;
  for_each_lane(lanes, [&](int lane) {
    bool in_space = space_of(a[lane]) == kSpace;
    if (kOwnOnly) in_space &= (a[lane] % kWindowSize) >> kRankShift == warp.block->rank;
    if (in_space) inside |= LaneMask{1} << lane;
  });
  set_predicate(warp, in.operand[0], lanes, inside);
  return Step::next;
}

/// Constant variables lie in global memory, but only isspacep.const says yes to them.
template <bool kConstant>
Step is_in_global(Warp& warp, const Instruction& in, LaneMask lanes) {
  const auto* a = warp.lanes_of<std::uint64_t>(in.operand[1]);
  LaneMask inside = 0;
  for_each_lane(lanes, [&](int lane) {
    if (space_of(a[lane]) != Space::global) return;
    const Allocation* allocation = warp.gpu->memory().find(a[lane]);
    const bool constant = allocation != nullptr && allocation->read_only;
    if (constant == kConstant) inside |= LaneMask{1} << lane;
  });
  set_predicate(warp, in.operand[0], lanes, inside);
  return Step::next;
}

/// The address of the same variable in the block with the given rank. A rank that the cluster
/// doesn't have gives an address, too, as on an H200: whoever uses it is at fault.
template <class Address>
Step map_address(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<Address>(in.operand[0]);
  const auto* a = warp.lanes_of<Address>(in.operand[1]);
  const auto* rank = warp.lanes_of<std::uint32_t>(in.operand[2]);
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t block = std::min(rank[lane], kLastRank);
    d[lane] = static_cast<Address>((a[lane] & ~(std::uint64_t{kLastRank} << kRankShift)) |
                                   block << kRankShift);
  });
  return Step::next;
}

template <class Address>
Step get_rank(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<std::uint32_t>(in.operand[0]);
  const auto* a = warp.lanes_of<Address>(in.operand[1]);
  for_each_lane(lanes, [&](int lane) {
    d[lane] = static_cast<std::uint32_t>(a[lane] >> kRankShift & kLastRank);
  });
  return Step::next;
}

}  // namespace

void add_cluster(FormTable& table) {
  const auto add = [&](const std::string& name, const char* signature, ptx::Handler execute) {
    table.add({name, signature, execute});
  };
  const auto add_space = [&](const std::string& space, std::uint64_t window) {
    const auto number = static_cast<std::uint32_t>(window / kWindowSize);
    table.add({"cvta." + space + ".u64", "=l l", convert_address<true>, Unit::alu, {}, number});
    table.add({"cvta.to." + space + ".u64", "=l l", convert_address<false>, Unit::alu, {}, number});
  };
  for (const char* space : {"global", "const"}) add_space(space, 0);
  add_space("local", kLocalWindow);
  add_space("param", kParamWindow);
  for (const char* space : {"shared", "shared::cta", "shared::cluster"}) {
    add_space(space, kSharedWindow);
  }
  add("isspacep.global", "=p l", is_in_global<false>);
  add("isspacep.const", "=p l", is_in_global<true>);
  add("isspacep.local", "=p l", is_in_space<Space::local>);
  add("isspacep.param", "=p l", is_in_space<Space::param>);
  add("isspacep.shared", "=p l", is_in_space<Space::shared, true>);
  add("isspacep.shared::cta", "=p l", is_in_space<Space::shared, true>);
  add("isspacep.shared::cluster", "=p l", is_in_space<Space::shared>);
  add("mapa.u64", "=l l r", map_address<std::uint64_t>);
  add("mapa.shared::cluster.u32", "=r r r", map_address<std::uint32_t>);
  add("mapa.shared::cluster.u64", "=l l r", map_address<std::uint64_t>);
  add("getctarank.u64", "=r l", get_rank<std::uint64_t>);
  add("getctarank.shared::cluster.u32", "=r r", get_rank<std::uint32_t>);
  add("getctarank.shared::cluster.u64", "=r l", get_rank<std::uint64_t>);
}

}  // namespace clcsim::machine::isa
