// Fences and prefetches: nothing to execute, since every store is seen at once. The checks watch
// them. PTX ISA 9.0, 9.7.13.4 and 9.7.9.15.
#include <string>

#include "machine/isa/watch.h"

namespace clcsim::machine::isa {
namespace {

Step nothing(Warp&, const Instruction&, LaneMask) {
  return Step::next;
}

Step fence(Warp& warp, const Instruction& in, LaneMask lanes) {
  watch_order(warp, in, lanes,
              [](Observer& observer, const Executed& executed) { observer.fenced(executed); });
  return Step::next;
}

}  // namespace

void add_fence(FormTable& table) {
  const auto add = [&](std::string name) {
    table.add({.name = std::move(name), .signature = "", .execute = fence, .unit = Unit::memory});
  };
  for (const char* scope : {"cta", "cluster", "gpu", "sys"}) {
    for (const char* order : {"sc", "acq_rel", "acquire", "release"}) {
      add(std::string("fence.") + order + "." + scope);
    }
  }
  for (const char* level : {"cta", "gl", "sys"}) add(std::string("membar.") + level);
  add("fence.mbarrier_init.release.cluster");
  add("fence.proxy.alias");
  add("fence.proxy.async");
  for (const char* space : {"global", "shared::cta", "shared::cluster"}) {
    add(std::string("fence.proxy.async.") + space);
  }
  add("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster");
  add("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster");
  const auto add_prefetch = [&](std::string name) {
    table.add(
        {.name = std::move(name), .signature = "a", .execute = nothing, .unit = Unit::memory});
  };
  for (const char* level : {"L1", "L2"}) {
    add_prefetch(std::string("prefetch.") + level);
    add_prefetch(std::string("prefetch.global.") + level);
    add_prefetch(std::string("prefetch.local.") + level);
  }
  add_prefetch("prefetchu.L1");
}

}  // namespace clcsim::machine::isa
