// Asynchronous copies, stores and reductions: cp.async, the one-dimensional cp.async.bulk and
// cp.reduce.async.bulk, st.async, red.async. PTX ISA 9.0, 9.7.9.25, 9.7.9.12 and 9.7.13.8.
//
// A copy is done as late as PTX allows: a thread's own copies when it waits for them, those that an
// mbarrier counts when somebody looks at the mbarrier. Reading too early finds the old bytes.
#include <algorithm>
#include <bit>
#include <string>

#include "machine/isa/bulk.h"
#include "machine/isa/watch.h"

namespace clcsim::machine::isa {
namespace {

constexpr Time kPeerLatency = 200;        // cycles to another block's shared memory: a guess
constexpr std::uint32_t kCopies = ~0u;    // a form's constant: no reduction,
constexpr std::uint32_t kStores = 0x100;  // or so many bytes more than this are stored

void perform(Warp& warp, const PendingCopy& copy) {
  if (copy.box != nullptr) return store_box(warp, copy);
  std::byte* to = copy.to_shared ? shared_bytes(warp, copy.to, copy.bytes, copy.lane)
                                 : global_bytes(warp, copy.to, copy.bytes, copy.lane);
  const std::uint32_t read = copy.read;
  if (read != 0) {
    const std::byte* from = copy.to_shared ? global_bytes(warp, copy.from, read, copy.lane)
                                           : shared_bytes(warp, copy.from, read, copy.lane);
    if (copy.combine != nullptr) return copy.combine(to, from, read);
    std::memcpy(to, from, read);
  }
  std::fill(to + read, to + copy.bytes, std::byte{0});
}

/// Does the lanes' copies that `wanted` accepts, in the order in which they were issued.
template <class F>
void perform_copies(Warp& warp, LaneMask lanes, F&& wanted) {
  for (const PendingCopy& copy : warp.copies) {
    if ((lanes >> copy.lane & 1) != 0 && wanted(copy)) perform(warp, copy);
  }
  std::erase_if(warp.copies, [&](const PendingCopy& copy) {
    return (lanes >> copy.lane & 1) != 0 && wanted(copy);
  });
  warp.gpu->progress(warp.now);
}

/// What the lanes of cp.async read: a lane that reads nothing may have any address.
void watch_sources(Warp& warp, const Instruction& in, LaneMask lanes, const Addresses& from,
                   std::uint32_t bytes) {
  if (!warp.gpu->watched(kMemory)) return;
  if (in.operand[5] == ptx::kAbsent) {
    return watch_access<Space::global>(warp, in, lanes, from, Access::Kind::read, bytes, 0, 0);
  }
  const auto* sizes = warp.lanes_of<std::uint32_t>(in.operand[5]);
  while (lanes != 0) {
    const std::uint32_t size = sizes[std::countr_zero(lanes)];
    const LaneMask same = lanes_where(lanes, [=](int i) { return sizes[i] == size; });
    lanes &= ~same;
    if (size == 0) continue;
    watch_access<Space::global>(warp, in, same, from, Access::Kind::read, std::min(size, bytes), 0,
                                0);
  }
}

/// cp.async [shared], [global], bytes {, bytes to read}
Step copy_async(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses to(warp, in, 0);
  const Addresses from(warp, in, 2);
  const std::uint32_t bytes = in.operand[4];
  if (bytes != 4 && bytes != 8 && bytes != 16) {
    throw DeviceFault{FaultKind::illegal_instruction, Rule::illegal_instruction,
                      "cp.async of " + std::to_string(bytes) +
                          " bytes, not 4, 8 or 16 (PTX ISA 9.0, 9.7.9.25.3.1)",
                      -1};
  }
  watch_sources(warp, in, lanes, from, bytes);
  watch_access<Space::shared>(warp, in, lanes, to, Access::Kind::write, bytes, 0, 0);
  for_each_lane(lanes, [&](int lane) {
    PendingCopy copy{.to = to[lane],
                     .from = from[lane],
                     .bytes = bytes,
                     .read = bytes,
                     .lane = lane,
                     .to_shared = true};
    if (in.operand[5] != ptx::kAbsent) {
      copy.read = std::min(bytes, warp.lanes_of<std::uint32_t>(in.operand[5])[lane]);
    }
    check_alignment(warp, copy.to, bytes, "shared", lane);
    check_alignment(warp, copy.from, bytes, "global", lane);
    shared_bytes(warp, copy.to, bytes, lane);
    if (copy.read != 0) global_bytes(warp, copy.from, copy.read, lane);
    warp.copies.push_back(copy);
  });
  end_prologue(warp);
  const Time done = cross_bus(warp, std::uint64_t{bytes} * std::popcount(lanes));
  warp.copies_ready = std::max(warp.copies_ready, done);
  return Step::next;
}

template <bool kBulk>
constexpr CopyGroups::Of kGroupsOf = kBulk ? CopyGroups::Of::bulk_copies : CopyGroups::Of::copies;

template <bool kBulk>
Step commit(Warp& warp, const Instruction& in, LaneMask lanes) {
  if (warp.gpu->watched(kOrder)) {
    const CopyGroups groups{.warp = warp, .in = in, .lanes = lanes, .of = kGroupsOf<kBulk>};
    warp.gpu->notify(kOrder, [&](Observer& observer) { observer.copies_committed(groups); });
  }
  for (PendingCopy& copy : warp.copies) {
    if (copy.bulk == kBulk && (lanes >> copy.lane & 1) != 0) ++copy.groups_since;
  }
  return Step::next;
}

/// Waits until at most N of the lanes' most recent groups are pending.
template <bool kBulk, bool kAll, bool kRead = false>
Step wait_group(Warp& warp, const Instruction& in, LaneMask lanes) {
  const std::uint32_t allowed = kAll ? 0 : in.operand[0];
  if (warp.gpu->watched(kOrder)) {
    const CopyGroups groups{.warp = warp,
                            .in = in,
                            .lanes = lanes,
                            .of = kGroupsOf<kBulk>,
                            .read_only = kRead,
                            .left = allowed,
                            .all = kAll};
    warp.gpu->notify(kOrder, [&](Observer& observer) { observer.copies_waited(groups); });
  }
  perform_copies(warp, lanes, [&](const PendingCopy& copy) {
    return copy.bulk == kBulk && (kAll || copy.groups_since > allowed);
  });
  return warp.sleep_until(lanes, std::max(warp.now, warp.copies_ready));
}

/// Makes the mbarrier track the thread's copies. They are done here, which is early but allowed:
/// nobody may look before the phase is over. Without .noinc the arrival is one that the phase did
/// not count on: it changes nothing.
template <bool kGeneric, bool kCounts>
Step arrive_on(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses addresses(warp, in, 0);
  perform_copies(warp, lanes, [](const PendingCopy& copy) { return !copy.bulk; });
  for_each_lane(lanes, [&](int lane) {
    const MbarrierPlace place = mbarrier_at(warp, addresses[lane], kGeneric, lane);
    watch_mbarrier(warp, in, lane, MbarrierUse::Kind::arrive, place, kCounts);
    if (!kCounts) return;
    const std::string error = initialised(place, lane).arrive(1);
    if (!error.empty()) throw DeviceFault{FaultKind::barrier, Rule::barrier_phase, error, lane};
    warp.gpu->settle(*place.block, initialised(place, lane), warp.now);
  });
  return Step::next;
}

void check_bulk(const Warp& warp, std::uint64_t shared, std::uint64_t other, std::uint32_t bytes,
                int lane) {
  check_alignment(warp, shared, 16, "shared", lane);
  check_alignment(warp, other, 16, "global", lane);
  check_alignment(warp, bytes, 16, "size", lane);
}

/// cp.async.bulk [shared], [global], bytes, [mbarrier] {, mask}
template <bool kMulticast>
Step bulk_to_shared(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses to(warp, in, 0);
  const Addresses from(warp, in, 2);
  const auto* sizes = warp.lanes_of<std::uint32_t>(in.operand[4]);
  const Addresses mbarriers(warp, in, 5);
  for_each_lane(lanes, [&](int lane) {
    const std::uint32_t bytes = sizes[lane];
    check_bulk(warp, to[lane], from[lane], bytes, lane);
    const std::byte* source = global_bytes(warp, from[lane], bytes, lane);
    end_prologue(warp);
    const Time done = cross_bus(warp, bytes);
    Destination where{to[lane], mbarriers[lane]};
    if (kMulticast) where.multicast = warp.lanes_of<std::uint32_t>(in.operand[7])[lane];
    const Box range{.address = from[lane], .bytes = bytes};
    send(warp, in, lane, where, {.box = &range}, std::vector<std::byte>(source, source + bytes),
         done);
  });
  return Step::next;
}

/// The reduction that a form names; nullptr: it has none.
const Reduction* reduction_of(const Instruction& in, int entry) {
  return in.operand[entry] == kCopies ? nullptr : &reductions()[in.operand[entry]];
}

/// cp{.reduce}.async.bulk [shared], [own shared], bytes, [mbarrier]
Step bulk_to_peer(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses to(warp, in, 0), from(warp, in, 2), mbarriers(warp, in, 5);
  const auto* sizes = warp.lanes_of<std::uint32_t>(in.operand[4]);
  const Reduction* const reduction = reduction_of(in, 7);
  for_each_lane(lanes, [&](int lane) {
    const std::uint32_t bytes = sizes[lane];
    check_bulk(warp, to[lane], from[lane], bytes, lane);
    const std::byte* source = shared_bytes(warp, from[lane], bytes, lane);
    const AsyncRange range{
        .block = &shared_owner(warp, static_cast<std::uint32_t>(from[lane]), bytes, lane),
        .offset = static_cast<std::uint32_t>(from[lane]) & kOffsetMask,
        .bytes = bytes};
    send(warp, in, lane, {to[lane], mbarriers[lane]}, range,
         std::vector<std::byte>(source, source + bytes), warp.now + kPeerLatency,
         reduction == nullptr ? nullptr : reduction->combine);
  });
  return Step::next;
}

/// st.async and red.async [shared], value, [mbarrier]: kCount values of each thread.
template <int kCount>
Step to_peer(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses to(warp, in, 0), mbarriers(warp, in, 2 + kCount);
  const std::uint32_t extra = in.operand[4 + kCount];
  const Reduction* const reduction = extra < kStores ? &reductions()[extra] : nullptr;
  const std::uint32_t size = reduction != nullptr ? reduction->bytes : extra - kStores;
  for_each_lane(lanes, [&](int lane) {
    check_alignment(warp, to[lane], size * kCount, "shared", lane);
    std::vector<std::byte> data(std::size_t{size} * kCount);
    for (int element = 0; element < kCount; ++element) {
      const std::uint32_t slot = in.operand[2 + element];
      const std::uint64_t value = in.wide >> (2 + element) & 1
                                      ? warp.lanes_of<std::uint64_t>(slot)[lane]
                                      : warp.lanes_of<std::uint32_t>(slot)[lane];
      std::memcpy(data.data() + std::size_t{size} * static_cast<std::size_t>(element), &value,
                  size);
    }
    send(warp, in, lane, {to[lane], mbarriers[lane]}, {}, data, warp.now + kPeerLatency,
         reduction == nullptr ? nullptr : reduction->combine);
  });
  return Step::next;
}

void issue_bulk_store(Warp& warp, const Instruction& in, int lane, const PendingCopy& copy) {
  shared_bytes(warp, copy.from, copy.bytes, lane);
  global_bytes(warp, copy.to, copy.bytes, lane);
  announce_store(warp, in, copy, {.address = copy.to, .bytes = copy.bytes});
  warp.copies.push_back(copy);
}

/// Calls f(first, count) for each run of bytes that a mask for every 16 of them lets through.
template <class F>
void for_each_run(std::uint32_t mask, std::uint32_t bytes, F&& f) {
  const auto passes = [=](std::uint32_t byte) { return mask >> byte % 16 & 1; };
  for (std::uint32_t begin = 0, end = 0; begin < bytes; begin = end) {
    for (end = begin + 1; end < bytes && passes(end) == passes(begin);) ++end;
    if (passes(begin)) f(begin, end - begin);
  }
}

/// cp{.reduce}.async.bulk [global], [shared], bytes {, mask}: bytes outside the mask are neither
/// read nor written, and needn't be anybody's.
template <bool kMasked>
Step bulk_to_global(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses to(warp, in, 0);
  const Addresses from(warp, in, 2);
  const auto* sizes = warp.lanes_of<std::uint32_t>(in.operand[4]);
  const Reduction* const reduction = kMasked ? nullptr : reduction_of(in, 5);
  for_each_lane(lanes, [&](int lane) {
    const std::uint32_t bytes = sizes[lane];
    check_bulk(warp, from[lane], to[lane], bytes, lane);
    const auto issue = [&](std::uint32_t first, std::uint32_t count) {
      issue_bulk_store(warp, in, lane,
                       {.to = to[lane] + first,
                        .from = from[lane] + first,
                        .bytes = count,
                        .read = count,
                        .lane = lane,
                        .to_shared = false,
                        .bulk = true,
                        .combine = reduction == nullptr ? nullptr : reduction->combine});
    };
    if constexpr (kMasked) {
      for_each_run(warp.lanes_of<std::uint32_t>(in.operand[5])[lane], bytes, issue);
    } else {
      issue(0, bytes);
    }
    end_prologue(warp);
    warp.copies_ready = std::max(warp.copies_ready, cross_bus(warp, bytes));
  });
  return Step::next;
}

}  // namespace

// ---- what bulk copies of ranges and of boxes share: bulk.h ----

void finish_stores(Warp& warp, LaneMask lanes) {
  if (warp.copies.empty()) return;
  perform_copies(warp, lanes, [](const PendingCopy& copy) { return copy.bulk; });
}

void send(Warp& warp, const Instruction& in, int lane, const Destination& where,
          const AsyncRange& from, const std::vector<std::byte>& data, Time ready, Combine combine) {
  const std::uint64_t serial = warp.gpu->new_async();
  const auto bytes = static_cast<std::uint32_t>(data.size());
  const auto send_to = [&](std::uint64_t to, std::uint64_t mbarrier) {
    shared_bytes(warp, to, bytes, lane);
    Block& owner = shared_owner(warp, static_cast<std::uint32_t>(to), bytes, lane);
    const MbarrierPlace place = mbarrier_at(warp, mbarrier, false, lane);
    initialised(place, lane);
    const bool near =
        place.block == &owner || (where.pair && (place.block->rank ^ 1) == owner.rank);
    if (!near) {
      throw DeviceFault{FaultKind::illegal_address, Rule::bad_address,
                        "the mbarrier and the destination of an asynchronous operation lie in "
                        "different blocks",
                        lane};
    }
    const std::uint32_t offset = static_cast<std::uint32_t>(to) & kOffsetMask;
    watch_mbarrier(warp, in, lane, MbarrierUse::Kind::request, place);
    if (warp.gpu->watched(kOrder)) {
      const AsyncIssue issue{.warp = warp,
                             .in = in,
                             .lane = lane,
                             .reads = from,
                             .writes = {.block = &owner, .offset = offset, .bytes = bytes},
                             .map = where.map,
                             .elements = where.elements,
                             .serial = serial,
                             .owner = place.block,
                             .mbarrier = place.offset,
                             .reduces = combine != nullptr};
      warp.gpu->notify(kOrder, [&](Observer& observer) { observer.async_issued(issue); });
    }
    warp.gpu->schedule_landing(*place.block, {.ready = ready,
                                              .offset = offset,
                                              .data = data,
                                              .combine = combine,
                                              .mbarrier = place.offset,
                                              .bytes = bytes,
                                              .copy = serial,
                                              .to = Handle(owner)});
  };
  if (!where.multicast) return send_to(where.to, where.mbarrier);
  for_each_set(*where.multicast & 0xffff, [&](int rank) {
    const auto in_block = [&](std::uint64_t address, std::uint32_t block) {
      return shared_address(block, static_cast<std::uint32_t>(address) & kOffsetMask);
    };
    const auto receiver = static_cast<std::uint32_t>(rank);
    // Of a pair's blocks, that which lies in its pair as the named one does in its own.
    const std::uint32_t counts =
        where.pair ? (receiver & ~1u) | (where.mbarrier >> kRankShift & 1) : receiver;
    send_to(in_block(where.to, receiver), in_block(where.mbarrier, counts));
  });
}

void announce_store(Warp& warp, const Instruction& in, const PendingCopy& copy, const Box& to,
                    std::uint64_t map) {
  if (!warp.gpu->watched(kOrder)) return;
  const auto source = static_cast<std::uint32_t>(copy.from);
  const AsyncIssue issue{.warp = warp,
                         .in = in,
                         .lane = copy.lane,
                         .reads = {.block = &shared_owner(warp, source, copy.bytes, copy.lane),
                                   .offset = source & kOffsetMask,
                                   .bytes = copy.bytes},
                         .writes = {.box = &to},
                         .map = map,
                         .reduces = copy.combine != nullptr};
  warp.gpu->notify(kOrder, [&](Observer& observer) { observer.async_issued(issue); });
}

namespace {

/// What has a reduction's name in it, or none.
void add_asynchronous(FormTable& table) {
  const std::string counted = ".mbarrier::complete_tx::bytes", peer = "shared::cluster";
  const auto add = [&](const std::string& name, const std::string& signature, ptx::Handler execute,
                       std::uint32_t extra) {
    table.add({name, signature, execute, Unit::memory, {Action::bulk_copy}, extra});
  };
  add("cp.async.bulk." + peer + ".shared" + counted, "a a r a", bulk_to_peer, kCopies);
  add("cp.async.bulk.global.shared.bulk_group", "a a r", bulk_to_global<false>, kCopies);
  for (const char* type : {"b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"}) {
    const std::string store = "st.async." + peer + counted;
    const bool wide = type[1] == '6';
    const std::uint32_t extra = kStores + (wide ? 8 : 4);
    const std::string kind = wide ? "l" : "r";
    add(store + "." + type, "a " + kind + " a", to_peer<1>, extra);
    add(store + ".v2." + type, "a " + kind + "2 a", to_peer<2>, extra);
    if (!wide) add(store + ".v4." + type, "a r4 a", to_peer<4>, extra);
  }
  for (std::uint32_t i = 0; i < reductions().size(); ++i) {
    const Reduction& reduction = reductions()[i];
    const std::string bulk = "cp.reduce.async.bulk.", kind = reduction.bytes == 8 ? "l" : "r";
    if (reduction.in_global)
      add(bulk + "global.shared.bulk_group." + reduction.name, "a a r", bulk_to_global<false>, i);
    if (reduction.in_shared)
      add(bulk + peer + ".shared" + counted + "." + reduction.name, "a a r a", bulk_to_peer, i);
    if (reduction.for_threads)
      add("red.async." + peer + counted + "." + reduction.name, "a " + kind + " a", to_peer<1>, i);
  }
}

}  // namespace

void add_async(FormTable& table) {
  const auto add = [&](Action action, const std::string& name, const char* signature,
                       ptx::Handler execute) {
    table.add({"cp.async." + name, signature, execute, Unit::memory, {action}});
  };
  add(Action::copy, "shared.global", "a a i r?", copy_async);
  add(Action::copy_commit, "commit_group", "", commit<false>);
  add(Action::copy_wait, "wait_group", "i", wait_group<false, false>);
  add(Action::copy_wait, "wait_all", "", wait_group<false, true>);
  add(Action::copy_track, "mbarrier.arrive.b64", "a", arrive_on<true, false>);
  add(Action::copy_track, "mbarrier.arrive.shared.b64", "a", arrive_on<false, false>);
  add(Action::copy_track, "mbarrier.arrive.noinc.b64", "a", arrive_on<true, true>);
  add(Action::copy_track, "mbarrier.arrive.noinc.shared.b64", "a", arrive_on<false, true>);
  for (const char* space : {"shared", "shared::cluster"}) {
    add(Action::bulk_copy, std::string("bulk.") + space + ".global.mbarrier::complete_tx::bytes",
        "a a r a", bulk_to_shared<false>);
  }
  add(Action::bulk_copy,
      "bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster", "a a r a r",
      bulk_to_shared<true>);
  add_asynchronous(table);
  add(Action::bulk_copy, "bulk.global.shared.bulk_group.cp_mask", "a a r r", bulk_to_global<true>);
  add(Action::copy_commit, "bulk.commit_group", "", commit<true>);
  add(Action::copy_wait, "bulk.wait_group", "i", wait_group<true, false>);
  add(Action::copy_wait, "bulk.wait_group.read", "i", wait_group<true, false, true>);
}

}  // namespace clcsim::machine::isa
