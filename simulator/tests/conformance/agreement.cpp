#include "conformance/agreement.h"

namespace clcsim::conformance {
namespace {

using ptx::Action;

/// The event that an action raises; nullptr: none of those that Agreement notes.
const char* event_of(Action action) {
  switch (action) {
    case Action::load:
    case Action::copy:
      return "a read";
    case Action::store:
      return "a write";
    case Action::atomic:
    case Action::swap:
    case Action::reduce:
      return "an atomic";
    case Action::fence:
    case Action::init_fence:
      return "a fence";
    case Action::lanes_barrier:
    case Action::exchange:
      return "lanes";
    case Action::barrier_sync:
    case Action::barrier_reduce:
      return "a barrier";
    case Action::barrier_arrive:
      return "an arrival";
    case Action::cluster_arrive:
      return "a cluster";
    case Action::cluster_wait:
      return "a wait";
    case Action::mbarrier_init:
      return "init";
    case Action::mbarrier_inval:
      return "inval";
    case Action::mbarrier_expect:
      return "expect";
    case Action::mbarrier_complete:
      return "complete";
    case Action::mbarrier_arrive:
    case Action::copy_track:
      return "arrive";
    case Action::mbarrier_wait:
      return "wait";
    case Action::request:
    case Action::bulk_copy:  // but those to global memory
      return "request";
    case Action::query:
    case Action::decode:
      return "a query";
    default:
      return nullptr;
  }
}

}  // namespace

void Agreement::memory_accessed(const machine::Access& access) {
  using Kind = machine::Access::Kind;
  note(access.in, access.kind == Kind::read    ? "a read"
                  : access.kind == Kind::write ? "a write"
                                               : "an atomic");
}

void Agreement::mbarrier_used(const machine::MbarrierUse& use) {
  constexpr const char* kNames[] = {"init",   "inval", "expect", "complete",
                                    "arrive", "wait",  "request"};
  note(use.in, kNames[static_cast<int>(use.kind)]);
}

std::string Agreement::disagreement() const {
  for (const ptx::Instruction* in : executed_) {
    const auto [action, space, order, scope, proxy] = in->facts;
    const char* promised = event_of(action);
    const auto told = events_.find(in);
    if (told != events_.end()) {
      for (const std::string& event : told->second) {
        const bool copied = action == Action::copy && event == "a write";  // it reads and writes
        // elect.sync: its result depends on which lanes meet, on no value of theirs
        const bool elected = action == Action::compute && event == "lanes";
        if (!copied && !elected && (promised == nullptr || event != promised))
          return "an event tells " + event + ", which its facts don't";
      }
    } else if (promised != nullptr && space != ptx::Space::local && space != ptx::Space::param &&
               action != Action::bulk_copy) {
      return std::string("its facts promise ") + promised + ", which no event tells";
    }
  }
  return {};
}

}  // namespace clcsim::conformance
