#include "checks/tensor_memory.h"

#include <algorithm>
#include <bit>
#include <set>

#include "checks/states.h"
#include "ptx/form.h"

namespace clcsim::checks {

using machine::TensorUse;
using Kind = TensorUse::Kind;

namespace {

constexpr std::uint32_t kTogether = 16;  // lanes of a column that are followed as one
constexpr std::uint32_t kParts = machine::kTensorLanes / kTogether;

bool by_product(Kind kind) {
  return kind == Kind::product || kind == Kind::product_reads;
}

}  // namespace

struct TensorMemory::Toucher {
  const BlockState& own;  ///< of the threads that touch
  const WarpState& warp;
  Touch touch;
  bool reported = false;
};

/// Whether what is loaded is used before the thread tells others anything: then the load is over by
/// then, without tcgen05.wait::ld (9.7.16.6.4.5). As the program's text has it, whatever way
/// threads take.
bool TensorMemory::uses_at_once(const ptx::Program& program, const ptx::Instruction& load) {
  const auto [known, is_new] = used_at_once_.try_emplace(&load, false);
  if (!is_new) return known->second;
  std::set<std::uint32_t> loaded;
  const auto for_each_slot = [&](const ptx::Instruction& in, auto&& f) {
    const std::uint32_t* const entries = ptx::entries_of(program, in);
    ptx::for_each_element(program.forms[in.form]->operands,
                          [&](const ptx::OperandSpec& spec, std::uint32_t entry) {
                            if (ptx::is_slot(spec)) f(entries[entry], spec.destination);
                          });
  };
  for_each_slot(load, [&](std::uint32_t slot, bool destination) {
    if (destination && slot != ptx::kAbsent) loaded.insert(slot);
  });
  for (auto pc = static_cast<std::size_t>(&load - program.code.data()) + 1;
       pc < program.code.size() && !loaded.empty(); ++pc) {
    const ptx::Instruction& in = program.code[pc];
    switch (in.facts.action) {
      case ptx::Action::barrier_sync:
      case ptx::Action::barrier_arrive:
      case ptx::Action::cluster_arrive:
      case ptx::Action::mbarrier_arrive:
        return false;
      default:
        for_each_slot(in, [&](std::uint32_t slot, bool destination) {
          if (!destination) loaded.erase(slot);
        });
    }
  }
  return known->second = loaded.empty();
}

/// Whether the toucher comes after the touch's end (`over`), or after its issue.
bool TensorMemory::knows(const Toucher& toucher, const Touch& touch, bool over) const {
  const ClusterState& cluster = *toucher.own.cluster;
  const bool itself = touch.number == touch.issue.warp || !over;
  if (itself && touch.issue.warp == toucher.warp.id) return true;
  const std::uint32_t number = over ? touch.number : touch.issue.warp;
  // A warp loads, stores and waits with all of its lanes.
  const Lanes& any = toucher.warp.groups.front();
  if ((touch.lanes & ~waited(cluster, toucher.warp, any, number, touch.issue.tick)) == 0) {
    return true;
  }
  return std::any_of(
      toucher.warp.groups.begin(), toucher.warp.groups.end(), [&](const auto& group) {
        const LaneMask here = group.lanes & toucher.touch.lanes;
        if (here == 0) return false;
        const LaneMask known = known_lanes(cluster, toucher.warp, group, std::countr_zero(here),
                                           number, touch.issue.tick) |
                               group.now.tensor.covered(cluster.id, number, touch.issue.tick);
        return (touch.lanes & ~known) == 0;
      });
}

void TensorMemory::report(Toucher& toucher, const Touch& before, bool first) {
  if (toucher.reported) return;
  toucher.reported = true;
  const Touch& now = toucher.touch;
  Touch one_lane = before;  // which may tell of its warp
  one_lane.lanes &= 0u - one_lane.lanes;
  const bool ordered = knows(toucher, one_lane, false);
  const auto role = [](Kind kind) {
    return by_product(kind) ? Role::product : kind == Kind::load ? Role::read : Role::write;
  };
  if (first && before.kind == Kind::load && now.kind != Kind::free && !ordered) {
    // There was nothing to load yet: that one is early, not late.
    return reporter_.report(toucher.own, Rule::data_race, What::tensor_loaded_early, before.issue,
                            {role(now.kind), now.issue});
  }
  const What what = by_product(before.kind)     ? What::tensor_before_product
                    : before.kind != Kind::load ? What::tensor_before_store
                    : ordered                   ? What::tensor_before_load
                                                : What::tensor_beside_load;
  reporter_.report(toucher.own, Rule::data_race, what, now.issue,
                   {role(before.kind), before.issue});
}

void TensorMemory::touch(Toucher& toucher, Cells& cells) {
  const Touch& now = toucher.touch;
  const auto same_thread = [&](const Touch& other) {
    return other.issue.warp == now.issue.warp && other.lanes == now.lanes;
  };
  // The products of a thread follow one another; so do those of threads that are ordered.
  const auto follows = [&](const Touch& other) {
    return by_product(now.kind) && by_product(other.kind) &&
           (same_thread(other) || knows(toucher, other, false));
  };
  const auto check = [&](const Touch& other) {
    if (follows(other) || knows(toucher, other, true)) return;
    if (other.used_at_once && knows(toucher, other, false)) return;
    report(toucher, other, cells.write.lanes == 0);
  };
  const bool restores = now.kind == Kind::store && cells.write.kind == Kind::store;
  if (cells.write.lanes != 0 && !(restores && same_thread(cells.write))) check(cells.write);
  if (now.kind == Kind::load || now.kind == Kind::product_reads) {
    const auto again = [&](const Touch& other) {
      return other.number == now.number && other.lanes == now.lanes &&
             other.used_at_once == now.used_at_once;
    };
    std::erase_if(cells.reads, again);
    cells.reads.push_back(now);
    return;
  }
  for (const Touch& read : cells.reads) {
    if (now.kind == Kind::store && same_thread(read)) continue;  // what is stored was loaded
    check(read);
  }
  cells.reads.clear();
  cells.write = now.kind == Kind::free ? Touch{} : now;
}

// 9.7.16.5: all instructions of a kernel name the same .cta_group.
void TensorMemory::check_group(Memory& memory, const TensorUse& use, const Stamp& stamp) {
  if (use.group == 0) return;
  if (memory.group == 0) {
    memory.group = use.group;
    memory.first = stamp;
  } else if (memory.group != use.group) {
    reporter_.report(states_.of(*use.warp.block), Rule::illegal_instruction, What::tensor_groups,
                     stamp, {Role::other, memory.first});
  }
}

// Both blocks of a pair free the columns together, so the other one's allocation must be over. On a
// B300 the kernel fails otherwise: https://github.com/NVIDIA/cutlass/issues/3435
void TensorMemory::check_peer(Toucher& toucher, const TensorUse& use) {
  const std::vector<Block*>& blocks = use.warp.block->cluster->blocks;
  const Block* const peer = use.group == 2 ? blocks[use.warp.block->rank ^ 1] : nullptr;
  const auto memory = memories_.find(peer);
  if (memory == memories_.end()) return;
  const auto allocated = memory->second.allocated.find(use.cells.column);
  if (allocated == memory->second.allocated.end()) return;
  const Stamp& there = allocated->second.issue;
  if (knows(toucher, {.issue = there, .number = there.warp, .lanes = 1u << there.lane}, false))
    return;
  reporter_.report(toucher.own, Rule::data_race, What::tensor_freed_early, toucher.touch.issue,
                   {Role::other, there, Note::unordered});
}

void TensorMemory::tensor_used(const TensorUse& use) {
  if (use.kind == Kind::wait_loads || use.kind == Kind::wait_stores) return;
  const BlockState& own = states_.of(*use.warp.block);
  const WarpState& warp = own.warps[use.warp.index];
  const Stamp stamp = states_.stamp(use.warp, use.in, std::countr_zero(use.lanes));
  Memory& memory = memories_[&use.block];
  memory.cells.resize(std::size_t{machine::kTensorColumns} * kParts);
  check_group(memory, use, stamp);
  const Beside beside = use.kind == Kind::store  ? Beside::tensor_store
                        : use.kind == Kind::load ? Beside::tensor_load
                                                 : Beside::product;
  Toucher toucher{
      .own = own,
      .warp = warp,
      .touch = {.issue = stamp,
                .number = own.cluster->number(warp.id, beside),
                .lanes = use.lanes,
                .kind = use.kind,
                .used_at_once = use.kind == Kind::load &&
                                uses_at_once(*own.cluster->grid->launch.program, use.in)}};
  if (use.kind == Kind::alloc) memory.allocated[use.cells.column] = {.issue = stamp};
  if (use.kind == Kind::free) {
    check_peer(toucher, use);
    memory.allocated[use.cells.column].freed = true;
  }
  for (std::uint32_t column = 0; column < use.cells.columns; ++column) {
    for (std::uint32_t part = 0; part < kParts; ++part) {
      const LaneMask lanes = use.cells.lanes[part / 2] >> part % 2 * kTogether & 0xffff;
      if (lanes == 0) continue;
      Cells& cells = memory.cells[(use.cells.column + column) * kParts + part];
      if (use.kind == Kind::alloc) {
        cells = {};
      } else {
        touch(toucher, cells);
      }
    }
  }
}

void TensorMemory::block_finished(const Block& block) {
  const auto memory = memories_.find(&block);
  if (memory == memories_.end()) return;
  for (const auto& [column, run] : memory->second.allocated) {
    if (run.freed) continue;
    reporter_.report({.rule = Rule::illegal_instruction,
                      .what = What::tensor_left,
                      .at = place_of(states_.of(block), run.issue)});
  }
  memories_.erase(memory);
}

}  // namespace clcsim::checks
