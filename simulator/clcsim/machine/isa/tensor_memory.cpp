// Tensor memory: its columns, and what moves between its cells and registers. PTX ISA 9.1,
// 9.7.16.7, 9.7.16.8 and 9.7.16.11.
//
// Which cell belongs to which register of which lane stands in figures there; it is taken from
// CuTe's Copy_Traits<SM100_TMEM_LOAD_*>
// (https://github.com/NVIDIA/cutlass/blob/main/include/cute/atom/copy_traits_sm100.hpp).
#include "machine/tensor_memory.h"

#include <array>
#include <bit>
#include <string>

#include "machine/isa/tensor_access.h"
#include "machine/isa/transfer.h"
#include "machine/isa/watch.h"
#include "machine/isa/whole_warp.h"

namespace clcsim::machine::isa {
namespace {

using tensor_core::column_of;
using tensor_core::lane_of;

constexpr Time kLoadLatency = 16;  // cycles of a load of one register: a guess

[[noreturn]] void refuse(const std::string& what, Rule rule = Rule::illegal_instruction,
                         int lane = 0) {
  throw DeviceFault{FaultKind::illegal_instruction, rule, what, lane};
}

std::uint32_t uniform(Warp& warp, std::uint32_t slot, const char* what) {
  const auto* values = warp.lanes_of<std::uint32_t>(slot);
  for (int lane = 1; lane < kLanes; ++lane) {
    if (values[lane] != values[0]) {
      refuse(std::string("the lanes of the warp name different ") + what);
    }
  }
  return values[0];
}

// ---- columns ----

std::uint32_t columns_named(Warp& warp, std::uint32_t slot) {
  const std::uint32_t count = uniform(warp, slot, "numbers of columns");
  if (count < kTensorUnit || count > kTensorColumns || !std::has_single_bit(count)) {
    refuse(std::to_string(count) +
           " columns of tensor memory: the number must be a power of two from 32 to 512");
  }
  return count;
}

/// Where the block's columns begin; none: the warp has to wait.
std::optional<std::uint32_t> take(Warp& warp, std::uint32_t count, int group) {
  Block& own = *warp.block;
  if (group == 1) return warp.gpu->take_columns(std::array{&own}, count);
  Block& peer = peer_of(warp, 0);
  if (own.tensor.granted) {
    own.tensor.asked = 0;
    return std::exchange(own.tensor.granted, std::nullopt);
  }
  own.tensor.asked = count;
  if (peer.tensor.asked == 0 || peer.tensor.granted) return std::nullopt;
  if (peer.tensor.asked != count) {
    refuse("one block of the pair allocates " + std::to_string(count) +
           " columns of tensor memory, the other " + std::to_string(peer.tensor.asked));
  }
  const std::optional<std::uint32_t> first = warp.gpu->take_columns(std::array{&own, &peer}, count);
  if (!first) return std::nullopt;
  peer.tensor.granted = first;
  own.tensor.asked = 0;
  warp.gpu->wake_for_columns(peer.sm, warp.now);
  return first;
}

/// tcgen05.alloc [address], columns
template <int kGroup, bool kGeneric>
Step allocate(Warp& warp, const Instruction& in, LaneMask lanes) {
  if (!all_here(warp, lanes, "tcgen05.alloc")) return Step::moved;
  const std::uint32_t count = columns_named(warp, in.operand[2]);
  const Addresses to(warp, in, 0);
  // Of an address in shared memory an H200 takes the lower half, so that a generic one does, too
  // (CUDA 13.0, 2026-11-28, ld and st). ThunderKittens passes one to .shared::cta.
  const bool generic = kGeneric || space_of(to[0]) == Space::shared;
  const std::uint64_t address = to_shared(to[0], generic, 0);
  std::byte* const place = bytes_at<Space::shared>(warp, address, 4, 0);
  if (address >> kRankShift != warp.block->rank) {
    refuse("tcgen05.alloc writes to the block's own shared memory, and " + hex(address) +
               " lies in that of another one",
           Rule::bad_address);
  }
  if (warp.block->tensor.relinquished) {
    refuse(
        "a block that has given up its right by tcgen05.relinquish_alloc_permit allocates "
        "tensor memory");
  }
  const std::optional<std::uint32_t> first = take(warp, count, kGroup);
  if (!first) return warp.park(lanes, Wait::columns, count);
  watch_tensor({warp, in, lanes, TensorUse::Kind::alloc, *warp.block,
                tensor_core::Region::of_all_lanes(*first, count), kGroup});
  if (warp.gpu->watched(kMemory)) {
    announce_access(warp, in, 1, generic ? Space::generic : Space::shared, to, Access::Kind::write,
                    4, 2, 1);
  }
  watch_order(warp, in, lanes, [&](Observer& observer, const Executed& executed) {
    observer.lanes_met(executed, kAllLanes);
  });
  std::memcpy(place, &*first, sizeof *first);
  warp.gpu->progress(warp.now);
  ++warp.path().pc;
  return Step::moved;  // others have been woken
}

/// tcgen05.dealloc address, columns. Of a pair, both blocks have to: one that may wait, waits.
template <int kGroup>
Step free_columns(Warp& warp, const Instruction& in, LaneMask lanes) {
  if (!all_here(warp, lanes, "tcgen05.dealloc")) return Step::moved;
  const std::uint32_t address = uniform(warp, in.operand[0], "addresses");
  const TensorColumns run{address, columns_named(warp, in.operand[1])};
  Block& own = *warp.block;
  TensorMemory& memory = own.tensor;
  const TensorUse use{warp,  in,
                      lanes, TensorUse::Kind::free,
                      own,   tensor_core::Region::of_all_lanes(address, run.count),
                      kGroup};
  if (memory.freed && memory.freeing == run) {
    watch_tensor(use);
    memory.freeing.reset();
    memory.freed = false;
    return Step::next;
  }
  if (std::find(memory.runs.begin(), memory.runs.end(), run) == memory.runs.end()) {
    refuse("tcgen05.dealloc of " + std::to_string(run.count) + " columns of tensor memory at " +
           hex(address) + ": nothing was allocated so, or it has been freed");
  }
  if constexpr (kGroup == 2) {
    Block& peer = peer_of(warp, 0);
    if (peer.tensor.freeing != run) {
      memory.freeing = run;
      return warp.park(lanes, Wait::columns, 0);
    }
    peer.tensor.freed = true;
    warp.gpu->give_columns(peer, run, warp.now);
  }
  watch_tensor(use);
  warp.gpu->give_columns(own, run, warp.now);
  ++warp.path().pc;
  return Step::moved;
}

Step relinquish(Warp& warp, const Instruction&, LaneMask lanes) {
  if (!all_here(warp, lanes, "tcgen05.relinquish_alloc_permit")) return Step::moved;
  warp.block->tensor.relinquished = true;
  return Step::next;
}

// ---- loads and stores ----

struct Shape {
  const char* name;
  std::uint32_t lanes, columns, registers;  ///< of .x1
  bool split;                               ///< the upper half lies elsewhere: immHalfSplitoff
  std::uint32_t most;                       ///< .x so many
};
constexpr Shape kShapes[] = {{"32x32b", 32, 1, 1, false, 128},
                             {"16x64b", 16, 2, 1, false, 128},
                             {"16x128b", 16, 4, 2, false, 64},
                             {"16x256b", 16, 8, 4, false, 32},
                             {"16x32bx2", 16, 1, 1, true, 128}};

using Cell = TensorMove::Cell;
/// From the address on, the cell of a lane's register; `split` as the shape has it.
template <int kShape>
constexpr Cell cell_of(std::uint32_t reg, std::uint32_t lane, std::uint32_t split) {
  if constexpr (kShape == 0) return {lane, reg};
  if constexpr (kShape == 1) return {lane / 4 + 8 * (lane % 2), 2 * reg + lane / 2 % 2};
  if constexpr (kShape == 2) return {lane / 4 + 8 * (reg % 2), 4 * (reg / 2) + lane % 4};
  if constexpr (kShape == 3) {
    return {lane / 4 + 8 * (reg / 2 % 2), 8 * (reg / 4) + 2 * (lane % 4) + reg % 2};
  }
  return {lane % 16, reg + lane / 16 * split};
}

void check_reach(Warp& warp, const Shape& shape, std::uint32_t address) {
  const std::uint32_t lane = lane_of(address), quarter = warp.index % 4 * kLanes;
  const std::string named =
      "the address " + hex(address) + " names lane " + std::to_string(lane) + " of tensor memory, ";
  if (lane % shape.lanes != 0) {
    refuse(named + "no multiple of " + std::to_string(shape.lanes));
  }
  if (lane / kLanes * kLanes != quarter) {
    refuse(named + "and warp " + std::to_string(warp.index) + " of the block can reach lanes " +
           std::to_string(quarter) + " to " + std::to_string(quarter + kLanes - 1));
  }
}

/// tcgen05.ld registers, [address] {, half}; tcgen05.st [address] {, half}, registers
template <int kShape, bool kStores>
Step move_cells(Warp& warp, const Instruction& in, LaneMask lanes) {
  if (!all_here(warp, lanes, "tcgen05.ld and tcgen05.st")) return Step::moved;
  constexpr const Shape& shape = kShapes[kShape];
  const ptx::Program& program = *warp.block->grid->launch.program;
  const std::uint32_t* const entries = ptx::entries_of(program, in);
  const ptx::Signature operands = program.forms[in.form]->operands;
  const std::uint32_t count = (kStores ? operands.back() : operands.front()).count;
  const std::uint32_t* const named = kStores ? entries : entries + count;
  const std::uint32_t* const registers = kStores ? entries + 2 + shape.split : entries;
  // A GPU ignores the lane's upper bits, as programs that run on a B200 show: DeepGEMM leaves the
  // quarter out, and says so (deep_gemm/include/deep_gemm/impls/sm100_bf16_gemm.cuh, 54e2261);
  // learn-cuda (02e_matmul_sm100) counts lanes on in a pair's odd block. A quarter that is named
  // must be the warp's own.
  std::uint32_t address = (uniform(warp, named[0], "addresses") + named[1]) & 0x7fffffu;
  if (lane_of(address) < kLanes) address += warp.index % 4 * kLanes << 16;
  const std::uint32_t split = shape.split ? named[2] : 0;
  check_reach(warp, shape, address);
  const std::uint32_t width = count / shape.registers * shape.columns, first = column_of(address);
  check_columns(*warp.block, first, width, 0);
  if (shape.split) check_columns(*warp.block, std::uint64_t{first} + split, width, 0);
  tensor_core::Region cells{.column = first, .columns = width};
  cells.lanes[warp.index % 4] =
      shape.lanes == kLanes ? kAllLanes : 0xffffu << lane_of(address) % 32;
  const TensorMove move{registers, count, lane_of(address), first, split, cell_of<kShape>};
  for (int half = 0; half <= shape.split; ++half, cells.column += split) {
    watch_tensor({.warp = warp,
                  .in = in,
                  .lanes = lanes,
                  .kind = kStores ? TensorUse::Kind::store : TensorUse::Kind::load,
                  .block = *warp.block,
                  .cells = cells,
                  .move = half == 0 ? &move : nullptr});
  }
  TensorMemory& memory = warp.block->tensor;
  for (std::uint32_t reg = 0; reg < count; ++reg) {
    if (registers[reg] == ptx::kAbsent) continue;
    auto* const here = warp.lanes_of<std::uint32_t>(registers[reg]);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const Cell at = cell_of<kShape>(reg, lane, split);
      std::uint32_t& there = memory.cell(lane_of(address) + at.lane, first + at.column);
      if constexpr (kStores) {
        there = here[lane];
      } else {
        here[lane] = there;
      }
    }
  }
  warp.issued += count - 1;  // each moves 128 bytes
  if constexpr (kStores) {
    warp.gpu->progress(warp.now);
  } else {
    warp.path().loads = std::max(warp.path().loads, warp.now + kLoadLatency + count);
  }
  return Step::next;
}

template <bool kStores>
Step wait(Warp& warp, const Instruction& in, LaneMask lanes) {
  if (!all_here(warp, lanes, "tcgen05.wait")) return Step::moved;
  watch_tensor({warp, in, lanes,
                kStores ? TensorUse::Kind::wait_stores : TensorUse::Kind::wait_loads, *warp.block});
  return Step::next;
}

Step fence(Warp& warp, const Instruction& in, LaneMask lanes) {
  watch_order(warp, in, lanes,
              [](Observer& observer, const Executed& executed) { observer.fenced(executed); });
  return Step::next;
}

// ---- the table ----

template <int kShape>
void add_shape(FormTable& table) {
  constexpr const Shape& shape = kShapes[kShape];
  for (std::uint32_t times = 1; times <= shape.most; times *= 2) {
    const std::string registers = "r" + std::to_string(times * shape.registers);
    const std::string half = shape.split ? " i" : "";
    const std::string rest =
        std::string(".sync.aligned.") + shape.name + ".x" + std::to_string(times) + ".b32";
    table.add({.name = "tcgen05.ld" + rest,
               .signature = "=" + registers + " a" + half,
               .execute = move_cells<kShape, false>,
               .unit = Unit::memory,
               .facts = {Action::tensor_load},
               .loads = true});
    table.add({.name = "tcgen05.st" + rest,
               .signature = "a" + half + " " + registers,
               .execute = move_cells<kShape, true>,
               .unit = Unit::memory,
               .facts = {Action::tensor_store}});
  }
}

template <int kGroup>
void add_group(FormTable& table) {
  const std::string group = ".cta_group::" + std::to_string(kGroup) + ".sync.aligned";
  const auto add = [&](Action action, const std::string& name, const std::string& rest,
                       const char* signature, ptx::Handler execute) {
    const ptx::Facts facts{.action = action,
                           .scope = kGroup == 2 ? ptx::Scope::cluster : ptx::Scope::cta};
    table.add({"tcgen05." + name + group + rest, signature, execute, Unit::memory, facts});
  };
  add(Action::tensor_alloc, "alloc", ".b32", "a r", allocate<kGroup, true>);
  add(Action::tensor_alloc, "alloc", ".shared.b32", "a r", allocate<kGroup, false>);
  add(Action::tensor_free, "dealloc", ".b32", "r r", free_columns<kGroup>);
  add(Action::other, "relinquish_alloc_permit", "", "", relinquish);
}

}  // namespace

Block& peer_of(Warp& warp, int lane) {
  const std::string what = "an instruction with .cta_group::2";
  Cluster& cluster = *warp.block->cluster;
  const std::uint32_t rank = warp.block->rank ^ 1;
  if (rank >= cluster.blocks.size()) {
    refuse(what + " in a cluster of " + std::to_string(cluster.blocks.size()) +
               ": the block is in no pair",
           Rule::illegal_instruction, lane);
  }
  if (cluster.blocks[rank] == nullptr) {
    refuse(what + ", and the other block of the pair has exited", Rule::illegal_instruction, lane);
  }
  return *cluster.blocks[rank];
}

void check_columns(const Block& block, std::uint64_t first, std::uint32_t count, int lane) {
  const TensorMemory& memory = block.tensor;
  if (memory.has(first, count)) return;
  std::string text = "an access to columns " + std::to_string(first) + " to " +
                     std::to_string(first + count - 1) + " of tensor memory; the block has ";
  for (const TensorColumns& run : memory.runs) {
    text += (&run == &memory.runs.front() ? "" : ", ") + std::to_string(run.first) + " to " +
            std::to_string(run.first + run.count - 1);
  }
  throw DeviceFault{FaultKind::illegal_address, Rule::out_of_bounds,
                    text + (memory.runs.empty() ? "none" : ""), lane};
}

void add_tensor_memory(FormTable& table) {
  add_group<1>(table);
  add_group<2>(table);
  add_shape<0>(table);
  add_shape<1>(table);
  add_shape<2>(table);
  add_shape<3>(table);
  add_shape<4>(table);
  const auto add_wait = [&](const char* name, ptx::Handler execute) {
    table.add({name, "", execute, Unit::control, {Action::tensor_wait}});  // after earlier loads
  };
  add_wait("tcgen05.wait::ld.sync.aligned", wait<false>);
  add_wait("tcgen05.wait::st.sync.aligned", wait<true>);
  const auto add_fence = [&](const char* name, ptx::Order order) {  // of tcgen05 operations alone
    table.add({name, "", fence, Unit::folded, {.action = Action::tensor_wait, .order = order}});
  };
  add_fence("tcgen05.fence::before_thread_sync", ptx::Order::release);
  add_fence("tcgen05.fence::after_thread_sync", ptx::Order::acquire);
}

}  // namespace clcsim::machine::isa
