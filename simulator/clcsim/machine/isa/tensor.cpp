// Copies of boxes of a tensor, tiled: cp.async.bulk.tensor and its prefetches. PTX ISA 9.1, 5.5 and
// 9.7.9.27.1. What PTX leaves open is as on an H200 (CUDA 13.0): a coordinate or a place that the
// copy engine can't take is an illegal instruction, and the swizzle goes by the address.
#include <bit>
#include <string>

#include "machine/isa/bulk.h"
#include "machine/tensor_map.h"

namespace clcsim::machine::isa {
namespace {

constexpr std::uint32_t kMapAlignment = 64, kPlaceAlignment = 128, kCoordinateAlignment = 16;

[[noreturn]] void fault(FaultKind kind, Rule rule, const std::string& what, int lane) {
  throw DeviceFault{kind, rule, what, lane};
}

TensorMap map_at(Warp& warp, std::uint64_t address, std::uint32_t rank, int lane) {
  const Space space = space_of(address);
  if (space == Space::local || space == Space::shared) {
    fault(FaultKind::illegal_address, Rule::illegal_instruction,
          std::string("the tensor map lies in ") +
              (space == Space::local ? "the thread's local memory, where a parameter is copied to "
                                       "that isn't const __grid_constant__"
                                     : "shared memory") +
              "; it must be such a parameter, or in constant or global memory",
          lane);
  }
  if (address % kMapAlignment != 0) {
    fault(FaultKind::illegal_instruction, Rule::illegal_instruction,
          "the tensor map at " + hex(address) + " is not at a multiple of 64 bytes", lane);
  }
  const std::byte* bytes =
      space == Space::param ? parameter_bytes(warp, address % kWindowSize, sizeof(TensorMap), lane)
                            : global_bytes(warp, address, sizeof(TensorMap), lane);
  TensorMap map;
  std::memcpy(&map, bytes, sizeof map);
  if (!map.is_whole()) {
    fault(FaultKind::illegal_instruction, Rule::illegal_instruction,
          "the 128 bytes at " + hex(address) + " are no tensor map of cuTensorMapEncodeTiled",
          lane);
  }
  if (map.rank != rank) {
    fault(FaultKind::illegal_instruction, Rule::illegal_instruction,
          "the tensor has " + std::to_string(map.rank) + " dimensions, and the copy names " +
              std::to_string(rank) + " coordinates",
          lane);
  }
  const auto refuse = [&](const std::string& what) {
    fault(FaultKind::unsupported, Rule::none, "a tensor map with " + what + " is not modelled",
          lane);
  };
  if (map.refused != 0) refuse(kRefusedMaps[(map.refused - 1u) % std::size(kRefusedMaps)]);
  if (map.box_bytes() % ((map.flipped() + 1) << map.atom_bits()) != 0)
    refuse("a box narrower than its swizzle");
  return map;
}

/// What a box at these coordinates has in common with the tensor; the other side is shared memory.
Box clip(const TensorMap& map, const std::int32_t* at) {
  Box box{.address = map.address, .bytes = map.element};
  box.swizzle = map.flipped();
  box.atom_bits = map.atom_bits();
  std::uint32_t pitch = map.element;
  for (std::uint32_t k = 0; k < map.rank; ++k) {
    const std::int64_t step = k == 0 ? 1 : map.steps[k], count = map.count(k), start = at[k];
    const std::int64_t first = start >= 0 ? 0 : (-start + step - 1) / step;
    const std::int64_t inside = map.last[k] - start;  // the last one's distance from the start
    const std::int64_t end = inside < 0 ? 0 : std::min(count, inside / step + 1);
    const auto lines = static_cast<std::uint32_t>(std::max<std::int64_t>(end - first, 0));
    const std::uint64_t stride = k == 0 ? map.element : map.strides[k - 1];
    if (lines != 0) {
      box.address += static_cast<std::uint64_t>(start + first * step) * stride;
      box.offset += static_cast<std::uint32_t>(first) * pitch;
    }
    if (k == 0) {
      box.bytes *= lines;
    } else {
      box.counts[k - 1] = lines;
      box.strides[k - 1] = stride * static_cast<std::uint64_t>(step);
      box.pitches[k - 1] = pitch;
    }
    pitch *= static_cast<std::uint32_t>(count);
  }
  if (box.bytes == 0) box.counts[0] = 0;
  return box;
}

/// The operands that loads and stores share, of one lane, checked.
struct BoxOperands {
  Box box;
  std::uint32_t bytes = 0;                  ///< in shared memory
  std::uint64_t map = 0;                    ///< its address in global memory; 0: it lies elsewhere
  std::array<std::uint32_t, 2> elements{};  ///< in a line, and lines
};
template <std::uint32_t kRank, bool kStores>
BoxOperands operands_at(Warp& warp, const Instruction& in, int entry, std::uint64_t place,
                        int lane) {
  const std::uint64_t address = Addresses(warp, in, entry)[lane];
  const TensorMap map = map_at(warp, address, kRank, lane);
  std::int32_t at[kRank];
  for (std::uint32_t k = 0; k < kRank; ++k) {
    at[k] =
        warp.lanes_of<std::int32_t>(in.operand[static_cast<std::uint32_t>(entry) + 2 + k])[lane];
    if (kStores && at[k] < 0) {
      fault(FaultKind::illegal_instruction, Rule::illegal_instruction,
            "coordinate " + std::to_string(k) + " of the box is " + std::to_string(at[k]) +
                ": a store takes none below 0 (a load does)",
            lane);
    }
  }
  if (at[0] * std::int64_t{map.element} % kCoordinateAlignment != 0) {
    fault(FaultKind::illegal_instruction, Rule::illegal_instruction,
          "coordinate 0 of the box is " + std::to_string(at[0]) + ", and " + std::to_string(at[0]) +
              " elements of " + std::to_string(map.element) + " bytes are no multiple of 16 bytes",
          lane);
  }
  if (place % kPlaceAlignment != 0) {
    fault(FaultKind::illegal_instruction, Rule::illegal_instruction,
          "the box's place in shared memory, " + hex(place) + ", is no multiple of 128 bytes",
          lane);
  }
  BoxOperands found{
      clip(map, at),
      static_cast<std::uint32_t>(map.box_bytes()),
      space_of(address) == Space::global ? address : 0,
      {map.count(0), static_cast<std::uint32_t>(map.box_bytes() / map.element / map.count(0))}};
  if (kStores) {  // which write whole 16 bytes, so past the end of rows that are no multiple of
                  // them
    found.box.bytes = (found.box.bytes + 15) / 16 * 16;
  }
  return found;
}

/// A box costs what its lines touch.
Time cross_bus_with(Warp& warp, const Box& box) {
  end_prologue(warp);
  return cross_bus(warp, box.lines() * ((box.bytes + kSector - 1) / kSector * kSector));
}

/// cp.async.bulk.tensor [shared], [map, {coordinates}], [mbarrier] {, mask}
template <std::uint32_t kRank, bool kMulticast, bool kPair = false>
Step load_box(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses to(warp, in, 0), mbarriers(warp, in, 4 + kRank);
  for_each_set(lanes, [&](int lane) {
    const auto [box, bytes, map, elements] = operands_at<kRank, false>(warp, in, 2, to[lane], lane);
    const std::uint32_t place = static_cast<std::uint32_t>(to[lane]) & kOffsetMask;
    std::vector<std::byte> data(bytes);  // zeros where the box is outside
    box.for_each_line([&, &box = box](std::uint64_t address, std::uint32_t offset) {
      const std::byte* line = global_bytes(warp, address, box.bytes, lane);
      box.for_each_part(place + offset, [&](std::uint32_t at, std::uint32_t i, std::uint32_t n) {
        std::byte* to = data.data() + (at - place);
        n == 16 ? std::memcpy(to, line + i, 16) : std::memcpy(to, line + i, n);
      });
    });
    Destination where{.to = to[lane],
                      .mbarrier = mbarriers[lane],
                      .pair = kPair,
                      .map = map,
                      .elements = elements};
    if (kMulticast) where.multicast = warp.lanes_of<std::uint32_t>(in.operand[6 + kRank])[lane];
    send(warp, in, lane, where, {.box = &box}, data, cross_bus_with(warp, box));
  });
  return Step::next;
}

/// cp.async.bulk.tensor [map, {coordinates}], [shared]. If all lanes store one box, as the
/// epilogues of CUTLASS let a warp do, it is stored once.
template <std::uint32_t kRank>
Step issue_box(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses from(warp, in, 2 + kRank), maps(warp, in, 0);
  const int first = std::countr_zero(lanes);
  const auto again = [&](int lane) {
    if (maps[lane] != maps[first] || from[lane] != from[first]) return false;
    for (std::uint32_t k = 0; k < kRank; ++k) {
      const auto* const at = warp.lanes_of<std::int32_t>(in.operand[2 + k]);
      if (at[lane] != at[first]) return false;
    }
    return true;
  };
  for_each_set(lanes, [&](int lane) {
    if (lane != first && again(lane)) return;
    const auto [box, bytes, map, elements] =
        operands_at<kRank, true>(warp, in, 0, from[lane], lane);
    shared_bytes(warp, from[lane], bytes, lane);
    box.for_each_line([&, &box = box](std::uint64_t address, std::uint32_t) {
      global_bytes(warp, address, box.bytes, lane);
    });
    const PendingCopy copy{.from = from[lane],
                           .bytes = bytes,
                           .lane = lane,
                           .bulk = true,
                           .box = std::make_shared<const Box>(box)};
    announce_store(warp, in, copy, box, map);
    warp.copies.push_back(copy);
    warp.copies_ready = std::max(warp.copies_ready, cross_bus_with(warp, box));
  });
  return Step::next;
}

template <std::uint32_t kRank>
void add_rank(FormTable& table) {
  const std::string rank = std::to_string(kRank), coordinates = "a,r" + rank;
  const std::string name = "cp.async.bulk.tensor." + rank + "d.";
  const auto add = [&](Action action, const std::string& form, const std::string& signature,
                       ptx::Handler execute) {
    table.add({form, signature, execute, Unit::memory, {action}});
  };
  for (const char* space : {"shared", "shared::cluster"}) {
    add(Action::bulk_copy, name + space + ".global.mbarrier::complete_tx::bytes",
        "a " + coordinates + " a", load_box<kRank, false>);
  }
  const std::string cluster = name + "shared::cluster.global.mbarrier::complete_tx::bytes";
  const std::string many = ".multicast::cluster", pair = ".cta_group::2";
  add(Action::bulk_copy, cluster + many, "a " + coordinates + " a r", load_box<kRank, true>);
  add(Action::bulk_copy, cluster + pair, "a " + coordinates + " a", load_box<kRank, false, true>);
  add(Action::bulk_copy, cluster + many + pair, "a " + coordinates + " a r",
      load_box<kRank, true, true>);
  add(Action::bulk_copy, name + "global.shared.bulk_group", coordinates + " a", issue_box<kRank>);
  add(Action::prefetch, "cp.async.bulk.prefetch.tensor." + rank + "d.L2.global", coordinates,
      nothing);
}

}  // namespace

void store_box(Warp& warp, const PendingCopy& copy) {
  const Box& box = *copy.box;
  const std::byte* shared = shared_bytes(warp, copy.from, copy.bytes, copy.lane);
  const std::uint32_t place = static_cast<std::uint32_t>(copy.from) & kOffsetMask;
  box.for_each_line([&](std::uint64_t address, std::uint32_t offset) {
    std::byte* line = global_bytes(warp, address, box.bytes, copy.lane);
    box.for_each_part(place + offset, [&](std::uint32_t at, std::uint32_t i, std::uint32_t n) {
      std::memcpy(line + i, shared + (at - place), n);
    });
  });
}

void add_tensor(FormTable& table) {
  add_rank<1>(table);
  add_rank<2>(table);
  add_rank<3>(table);
  add_rank<4>(table);
  add_rank<5>(table);
  for (const char* space : {"", ".param"}) {
    table.add({std::string("prefetch") + space + ".tensormap",
               "a",
               nothing,
               Unit::memory,
               {Action::prefetch}});
  }
}

}  // namespace clcsim::machine::isa
