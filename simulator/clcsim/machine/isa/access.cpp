#include "machine/isa/access.h"

#include <cstdio>

namespace clcsim::machine::isa {

std::string hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

namespace {

std::string kind_of_access(ptx::Action action) {
  switch (action) {
    case ptx::Action::load:
      return "a read";
    case ptx::Action::store:
      return "a write";
    case ptx::Action::atomic:
    case ptx::Action::swap:
    case ptx::Action::reduce:
      return "an atomic operation";
    default:
      return "an access";
  }
}

/// "a read of 4 bytes at global address 0x10", after the running instruction.
std::string access_text(const Warp& warp, std::uint64_t size, const char* space,
                        std::uint64_t address) {
  const std::uint32_t pc = warp.paths[warp.current].pc;
  return kind_of_access(warp.block->grid->launch.program->code[pc].facts.action) + " of " +
         std::to_string(size) + " bytes at " + space + " address " + hex(address);
}

}  // namespace

void fault_out_of_bounds(const Warp& warp, std::uint64_t size, const char* space,
                         std::uint64_t address, const std::string& why, int lane, What happened) {
  throw DeviceFault{FaultKind::illegal_address, Rule::out_of_bounds,
                    access_text(warp, size, space, address) + ": " + why, lane, happened};
}

void fault_misaligned(const Warp& warp, std::uint64_t size, const char* space,
                      std::uint64_t address, int lane) {
  throw DeviceFault{FaultKind::misaligned_address, Rule::misaligned,
                    access_text(warp, size, space, address) + ", which is not a multiple of " +
                        std::to_string(size),
                    lane};
}

void fault_global(const Warp& warp, std::uint64_t address, std::uint64_t size, int lane) {
  const DeviceMemory& memory = warp.gpu->memory();
  const Allocation* allocation = memory.find(address);
  const DeviceMemory::Explanation why = memory.explain(address);
  const bool freed = allocation != nullptr && allocation->freed;
  throw DeviceFault{FaultKind::illegal_address, freed ? Rule::use_after_free : Rule::out_of_bounds,
                    access_text(warp, size, "global", address) + ": " + why.text, lane,
                    why.happened};
}

void check_reserved_shared(const Warp& warp, const Block& owner, std::uint64_t address,
                           std::uint64_t size, int lane) {
  const std::uint64_t offset = address & kOffsetMask;
  const bool scratch = address <= 0xffff'ffff && offset + size <= config::kScratchOfGroups;
  if (scratch && owner.grid->launch.program->uses_reserved_shared) return;
  if (space_of(address) == Space::shared) {
    throw DeviceFault{FaultKind::illegal_address, Rule::out_of_bounds,
                      access_text(warp, size, "shared", address) +
                          ": this is a generic address, and the instruction takes an address of "
                          "shared memory (here " +
                          hex(address % kWindowSize) + ")",
                      lane, What::generic_pointer};
  }
  fault_out_of_bounds(warp, size, "shared", address,
                      "the block has " +
                          std::to_string(owner.shared.size() - config::kSharedReserved) +
                          " bytes of shared memory, from address " +
                          hex(shared_address(owner.rank, config::kSharedReserved)),
                      lane);
}

void fault_local(const Warp& warp, std::uint64_t address, std::uint64_t size, int lane) {
  fault_out_of_bounds(
      warp, size, "local", address,
      "the thread has " + std::to_string(warp.local_stride) + " bytes of local memory", lane);
}

void fault_parameter(const Warp& warp, std::uint64_t address, std::uint64_t size, int lane) {
  fault_out_of_bounds(warp, size, "parameter", address,
                      "the kernel has " +
                          std::to_string(warp.block->grid->launch.parameters.size()) +
                          " bytes of parameters",
                      lane);
}

Block& other_shared_owner(Warp& warp, std::uint32_t address, std::uint64_t size, int lane) {
  Cluster& cluster = *warp.block->cluster;
  const std::uint32_t rank = address >> kRankShift;
  if (rank >= cluster.blocks.size()) {
    throw DeviceFault{FaultKind::illegal_address, Rule::out_of_bounds,
                      access_text(warp, size, "shared", address) + ": a cluster of " +
                          std::to_string(cluster.blocks.size()) + " has no block of rank " +
                          std::to_string(rank) + (rank == kLastRank ? " or more" : ""),
                      lane, What::no_such_rank};
  }
  if (cluster.blocks[rank] == nullptr) {
    fault_out_of_bounds(warp, size, "shared", address,
                        "it belongs to the block of rank " + std::to_string(rank) +
                            " of the cluster, which has exited",
                        lane, What::peer_has_exited);
  }
  return *cluster.blocks[rank];
}

std::uint64_t to_shared(std::uint64_t address, bool generic, int lane) {
  if (!generic) return address;
  if (space_of(address) != Space::shared) {
    throw DeviceFault{FaultKind::illegal_address, Rule::bad_address,
                      "the address " + hex(address) + " is not in shared memory", lane};
  }
  return address % kWindowSize;
}

}  // namespace clcsim::machine::isa
