// Cluster Launch Control. PTX ISA 9.0, 9.7.13.17 (try_cancel) and 9.7.13.18 (query_cancel). What a
// request does is in machine/clc.cpp.
#include "machine/response.h"

#include <bit>
#include <string>

#include "machine/isa/mbarrier_access.h"
#include "machine/isa/watch.h"

namespace clcsim::machine::isa {
namespace {

/// Both addresses must lie in the block's own shared memory.
std::uint32_t own_shared(Warp& warp, std::uint64_t address, bool generic, std::uint32_t size,
                         const char* what, int lane) {
  const std::uint64_t shared = to_shared(address, generic, lane);
  if (shared % size != 0) {
    throw DeviceFault{FaultKind::misaligned_address, Rule::bad_address,
                      std::string(what) + " at shared address " + hex(shared) +
                          " is not aligned to " + std::to_string(size) + " bytes",
                      lane};
  }
  shared_bytes(warp, shared, size, lane);  // checks the bounds
  if (shared >> kRankShift != warp.block->rank) {
    throw DeviceFault{FaultKind::illegal_address, Rule::bad_address,
                      std::string(what) + " lies in the shared memory of another block", lane};
  }
  return static_cast<std::uint32_t>(shared) & kOffsetMask;
}

template <bool kGeneric, bool kMulticast>
Step try_cancel(Warp& warp, const Instruction& in, LaneMask lanes) {
  const Addresses responses(warp, in, 0);
  const Addresses mbarriers(warp, in, 2);
  for_each_lane(lanes, [&](int lane) {
    Request request{.block = Handle(*warp.block),
                    .location = in.location,
                    .thread = warp.thread(lane),
                    .multicast = kMulticast,
                    .issued = warp.now};
    request.response = own_shared(warp, responses[lane], kGeneric, 16, "the response", lane);
    request.mbarrier = own_shared(warp, mbarriers[lane], kGeneric, 8, "the mbarrier", lane);
    const MbarrierPlace place{warp.block, request.mbarrier};
    initialised(place, lane);
    watch_mbarrier(warp, in, lane, MbarrierUse::Kind::request, place);
    warp.gpu->request(request);
  });
  return Step::next;
}

/// The lanes whose 128-bit register holds the response to a request that was granted.
LaneMask granted_lanes(const std::uint64_t* words, LaneMask lanes) {
  return lanes_where(lanes, [=](int i) { return Response::grants(words[i]); });
}

void watch_query(Warp& warp, const Instruction& in, LaneMask lanes, std::uint32_t slot) {
  if (!warp.gpu->watched(kOrder)) [[likely]]
    return;
  Query query{.warp = warp, .in = in, .lanes = lanes, .slot = slot};
  const auto* words = warp.lanes_of<std::uint64_t>(slot);
  query.recognised = lanes_where(lanes, [=](int i) { return Response::recognise(words[i]); });
  query.granted = granted_lanes(words, lanes);
  warp.gpu->notify(kOrder, [&](Observer& observer) { observer.queried(query); });
}

Step is_canceled(Warp& warp, const Instruction& in, LaneMask lanes) {
  watch_query(warp, in, lanes, in.operand[1]);
  const LaneMask granted = granted_lanes(warp.lanes_of<std::uint64_t>(in.operand[1]), lanes);
  set_predicate(warp, in.operand[0], lanes, granted);
  return Step::next;
}

/// The index in a failed response is undefined: these bits name no block of any grid.
constexpr Dim3 kPoison{0xffff'ffff, 0xffff'ffff, 0xffff'ffff};

Dim3 first_block(const std::uint64_t* words, int lane) {
  const Dim3 first = Response::decode(words[lane], words[kLanes + lane]).first;
  return Response::grants(words[lane]) ? first : kPoison;
}

void note_steal(Warp& warp, std::uint32_t slot, LaneMask lanes) {
  const auto* words = warp.lanes_of<std::uint64_t>(slot);
  const int lane = std::countr_zero(lanes);
  if (!Response::grants(words[lane])) return;
  warp.gpu->notify([&](Observer& observer) {
    observer.steal_decoded(*warp.block, first_block(words, lane), warp.now);
  });
}

template <std::uint32_t Dim3::*kAxis>
Step get_first_ctaid(Warp& warp, const Instruction& in, LaneMask lanes) {
  watch_query(warp, in, lanes, in.operand[1]);
  auto* d = warp.lanes_of<std::uint32_t>(in.operand[0]);
  const auto* words = warp.lanes_of<std::uint64_t>(in.operand[1]);
  for_each_lane(lanes, [=](int lane) { d[lane] = first_block(words, lane).*kAxis; });
  note_steal(warp, in.operand[1], lanes);
  return Step::next;
}

Step get_first_ctaid_v4(Warp& warp, const Instruction& in, LaneMask lanes) {
  watch_query(warp, in, lanes, in.operand[4]);
  const auto* words = warp.lanes_of<std::uint64_t>(in.operand[4]);
  for_each_lane(lanes, [&](int lane) {
    const Dim3 first = first_block(words, lane);
    const std::uint32_t values[] = {first.x, first.y, first.z, 0};
    for (int i = 0; i < 4; ++i) {
      if (in.operand[i] != ptx::kAbsent) {
        warp.lanes_of<std::uint32_t>(in.operand[i])[lane] = values[i];
      }
    }
  });
  note_steal(warp, in.operand[4], lanes);
  return Step::next;
}

}  // namespace

void add_clc(FormTable& table) {
  const auto add_request = [&](const std::string& modifiers, ptx::Handler execute) {
    table.add({"clusterlaunchcontrol.try_cancel.async" + modifiers + ".b128",
               "a a",
               execute,
               Unit::memory,
               {Action::request}});
  };
  const std::string bytes = ".mbarrier::complete_tx::bytes";
  const std::string everywhere = bytes + ".multicast::cluster::all";
  add_request(bytes, try_cancel<true, false>);
  add_request(everywhere, try_cancel<true, true>);
  add_request(".shared::cta" + bytes, try_cancel<false, false>);
  add_request(".shared::cta" + everywhere, try_cancel<false, true>);
  const auto add_query = [&](const char* name, const char* signature, ptx::Handler execute,
                             Action action) {
    table.add({std::string("clusterlaunchcontrol.query_cancel.") + name,
               signature,
               execute,
               Unit::alu,
               {action}});
  };
  add_query("is_canceled.pred.b128", "=p q", is_canceled, Action::query);
  add_query("get_first_ctaid.v4.b32.b128", "=r4 q", get_first_ctaid_v4, Action::decode);
  add_query("get_first_ctaid::x.b32.b128", "=r q", get_first_ctaid<&Dim3::x>, Action::decode);
  add_query("get_first_ctaid::y.b32.b128", "=r q", get_first_ctaid<&Dim3::y>, Action::decode);
  add_query("get_first_ctaid::z.b32.b128", "=r q", get_first_ctaid<&Dim3::z>, Action::decode);
}

}  // namespace clcsim::machine::isa
