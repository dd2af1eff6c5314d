// What the instructions of the tensor core share: tcgen05 and wgmma.
#pragma once

#include <string>

#include "machine/events.h"
#include "machine/gpu.h"
#include "machine/isa/lanes.h"

namespace clcsim::machine::isa {

inline constexpr std::uint32_t kHostileDelay =
    2000;  ///< cycles that a hostile schedule adds at most

[[noreturn]] inline void refuse(const tensor_core::Refusal& refusal, int lane) {
  const Rule rule = refusal.kind == FaultKind::illegal_address ? Rule::out_of_bounds
                    : refusal.kind == FaultKind::unsupported   ? Rule::none
                                                               : Rule::illegal_instruction;
  throw DeviceFault{refusal.kind, rule, refusal.what, lane};
}

/// Tells that a product reads an operand in the block's shared memory.
inline void announce_operand(Warp& warp, const Instruction& in, int lane, Block& block,
                             const tensor_core::Operand& operand) {
  if (!warp.gpu->watched(kOrder)) return;
  operand.for_each_range([&](std::uint32_t offset, std::uint32_t bytes) {
    const AsyncIssue issue{.warp = warp,
                           .in = in,
                           .lane = lane,
                           .reads = {.block = &block, .offset = offset, .bytes = bytes}};
    warp.gpu->notify(kOrder, [&](Observer& observer) { observer.async_issued(issue); });
  });
}

/// The other block of the pair, for .cta_group::2; a fault if there is none.
Block& peer_of(Warp& warp, int lane);

/// Faults unless the block has all these columns.
void check_columns(const Block& block, std::uint64_t first, std::uint32_t count, int lane);

/// Tells observers.
inline void watch_tensor(const TensorUse& use) {
  use.warp.gpu->notify(kOrder, [&](Observer& observer) { observer.tensor_used(use); });
}

}  // namespace clcsim::machine::isa
