// Products by tensor memory: tcgen05.mma of kind::f16, tcgen05.cp and tcgen05.commit. PTX ISA 9.1,
// 9.7.16.9, 9.7.16.10 and 9.7.16.12.
//
// They are done as late as PTX allows: in the order in which their thread has issued them, when
// somebody looks at the mbarrier of a later commit. They read shared memory then, and not before.
#include <array>
#include <string>
#include <vector>

#include "machine/isa/mbarrier_access.h"
#include "machine/isa/tensor_access.h"
#include "machine/isa/transfer.h"

namespace clcsim::machine::isa {
namespace {

using tensor_core::Footprint;
using tensor_core::Operand;
using tensor_core::Product;
using tensor_core::Refusal;
using tensor_core::Region;

// 4,096 dense multiply-adds of f16 a cycle and SM: NVIDIA's 2.25 PFLOPS of a B200
// (https://www.nvidia.com/en-us/data-center/hgx/) by 148 SMs and some 1.85 GHz. A column of 128
// lanes takes 128 * 16 of them.
constexpr Time kColumnsInTwoCycles = 4;

/// The even one first.
std::vector<Block*> blocks_of(Warp& warp, int group, int lane) {
  Block* const own = warp.block;
  if (group == 1) return {own};
  Block* const peer = &peer_of(warp, lane);
  return own->rank % 2 == 0 ? std::vector{own, peer} : std::vector{peer, own};
}

void announce_cells(Warp& warp, const Instruction& in, int lane, Block& block, const Region& cells,
                    TensorUse::Kind kind, int group, bool adds = false) {
  check_columns(block, cells.column, cells.columns, lane);
  watch_tensor({warp, in, LaneMask{1} << lane, kind, block, cells, group, adds});
}

void queue(Warp& warp, int lane, const Product& product, bool copies) {
  warp.block->tensor.work.push_back({.serial = warp.gpu->new_async(),
                                     .thread = warp.thread(lane),
                                     .copies = copies,
                                     .product = product});
}

/// tcgen05.mma [d], a, b, instruction {, {lanes that stay as they are}}, input {, scale}
template <int kGroup, bool kTensorA>
Step multiply(Warp& warp, const Instruction& in, LaneMask lanes) {
  constexpr int kMasks = 4 * kGroup;
  const std::uint32_t* const d = ptx::entries_of(*warp.block->grid->launch.program, in);
  const std::uint32_t *const a = d + 2, *const b = a + (kTensorA ? 2 : 1), *const masks = b + 2,
                             *const input = masks + kMasks;
  const auto word = [&](std::uint32_t slot, int lane) {
    return warp.lanes_of<std::uint32_t>(slot)[lane];
  };
  for_each_set(lanes, [&](int lane) {
    Product product{.instruction = word(b[1], lane),
                    .b = warp.lanes_of<std::uint64_t>(b[0])[lane],
                    .a_in_tensor = kTensorA,
                    .d_address = word(d[0], lane) + d[1],
                    .group = kGroup,
                    .input = ((warp.predicate(input[0]) ^ input[1]) >> lane & 1) != 0};
    if (kTensorA) {
      product.a_address = word(a[0], lane) + a[1];
    } else {
      product.a = warp.lanes_of<std::uint64_t>(a[0])[lane];
    }
    for (int i = 0; i < kMasks && masks[0] != ptx::kAbsent; ++i) {
      product.disabled[static_cast<std::size_t>(i)] = word(masks[i], lane);
    }
    if (input[2] != ptx::kAbsent) product.scale = input[2];
    Footprint touched;
    const auto shared = static_cast<std::uint32_t>(warp.block->shared.size());
    if (const std::optional<Refusal> refusal = inspect(product, shared, touched)) {
      refuse(*refusal, lane);
    }
    int side = 0;
    for (Block* block : blocks_of(warp, kGroup, lane)) {
      if (touched.a) announce_operand(warp, in, lane, *block, *touched.a);
      announce_operand(warp, in, lane, *block, touched.b);
      if (touched.a_cells) {
        announce_cells(warp, in, lane, *block, *touched.a_cells, TensorUse::Kind::product_reads,
                       kGroup);
      }
      announce_cells(
          warp, in, lane, *block,
          touched.d_cells.without(&product.disabled[static_cast<std::size_t>(4 * side++)]),
          TensorUse::Kind::product, kGroup, product.input);
      warp.gpu->use_tensor_core(block->sm, touched.d_cells.columns * 2 / kColumnsInTwoCycles,
                                warp.now);
    }
    queue(warp, lane, product, false);
  });
  return Step::next;
}

/// tcgen05.cp [address], descriptor
template <int kGroup>
Step copy(Warp& warp, const Instruction& in, LaneMask lanes) {
  constexpr std::uint32_t kColumns = 8;  // of 256 bits
  for_each_set(lanes, [&](int lane) {
    const Product copy{
        .a = warp.lanes_of<std::uint64_t>(in.operand[2])[lane],
        .d_address = warp.lanes_of<std::uint32_t>(in.operand[0])[lane] + in.operand[1],
        .group = kGroup};
    Operand rows{.rows = kTensorLanes};
    if (const std::optional<Refusal> refusal = decode(copy.a, 's', rows.at)) {
      refuse(*refusal, lane);
    }
    if (tensor_core::lane_of(copy.d_address) != 0) {
      refuse(tensor_core::wrong("tcgen05.cp.128x256b writes to all lanes of tensor memory, and its "
                                "address names lane " +
                                std::to_string(tensor_core::lane_of(copy.d_address))),
             lane);
    }
    const Region cells = Region::of_all_lanes(tensor_core::column_of(copy.d_address), kColumns);
    for (Block* block : blocks_of(warp, kGroup, lane)) {
      if (rows.end() > block->shared.size()) {
        refuse({FaultKind::illegal_address, "tcgen05.cp reads up to shared address " +
                                                hex(rows.end()) + ", and the block has " +
                                                hex(block->shared.size())},
               lane);
      }
      announce_operand(warp, in, lane, *block, rows);
      announce_cells(warp, in, lane, *block, cells, TensorUse::Kind::product, kGroup);
    }
    queue(warp, lane, copy, true);
  });
  return Step::next;
}

/// tcgen05.commit [mbarrier] {, mask}
template <int kGroup, bool kGeneric, bool kMulticast>
Step commit(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses addresses(warp, in, 0);
  for_each_set(lanes, [&](int lane) {
    const TensorCommit commit{.issuer = Handle(*warp.block),
                              .thread = warp.thread(lane),
                              .group = kGroup,
                              .last = warp.gpu->new_async()};
    const Time ready = warp.gpu->use_tensor_core(warp.block->sm, 0, warp.now) +
                       warp.gpu->chaos().below(kHostileDelay);
    const auto arrive_at = [&](std::uint64_t address) {
      const MbarrierPlace place = mbarrier_at(warp, address, kGeneric && !kMulticast, lane);
      initialised(place, lane);
      watch_mbarrier(warp, in, lane, MbarrierUse::Kind::arrive, place, 1);
      warp.gpu->schedule_landing(*place.block,
                                 {.ready = ready, .mbarrier = place.offset, .commit = commit});
    };
    const std::uint64_t named = addresses[lane];
    if (!kMulticast) return arrive_at(named);
    const auto offset = static_cast<std::uint32_t>(to_shared(named, kGeneric, lane)) & kOffsetMask;
    for_each_set(warp.lanes_of<std::uint32_t>(in.operand[2])[lane] & 0xffff, [&](int rank) {
      arrive_at(shared_address(static_cast<std::uint32_t>(rank), offset));
    });
  });
  return Step::next;
}

template <int kGroup>
void add_group(FormTable& table) {
  const std::string group = ".cta_group::" + std::to_string(kGroup);
  const std::string masks = " r" + std::to_string(4 * kGroup) + "? p i?";
  const auto add = [&](ptx::Facts facts, const std::string& name, const std::string& signature,
                       ptx::Handler execute) {
    table.add({"tcgen05." + name, signature, execute, Unit::memory, facts});
  };
  const ptx::Facts product{.action = Action::tensor_product};
  add(product, "mma" + group + ".kind::f16", "a l l r" + masks, multiply<kGroup, false>);
  add(product, "mma" + group + ".kind::f16", "a a l r" + masks, multiply<kGroup, true>);
  add(product, "cp" + group + ".128x256b", "a l", copy<kGroup>);
  const ptx::Facts commits{
      .action = Action::tensor_commit, .order = ptx::Order::release, .scope = ptx::Scope::cluster};
  const std::string name = "commit" + group + ".mbarrier::arrive::one";
  const std::string many = ".multicast::cluster";
  add(commits, name + ".b64", "a", commit<kGroup, true, false>);
  add(commits, name + ".shared::cluster.b64", "a", commit<kGroup, false, false>);
  add(commits, name + ".b64" + many, "a r", commit<kGroup, true, true>);
  add(commits, name + ".shared::cluster.b64" + many, "a r", commit<kGroup, false, true>);
}

}  // namespace

void add_tensor_product(FormTable& table) {
  add_group<1>(table);
  add_group<2>(table);
}

}  // namespace clcsim::machine::isa
