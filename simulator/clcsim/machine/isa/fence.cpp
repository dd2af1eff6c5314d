// Fences and prefetches: nothing to execute, since every store is seen at once. The checks watch
// them. PTX ISA 9.0, 9.7.13.4 and 9.7.9.15.
#include <string>
#include <utility>

#include "machine/isa/watch.h"

namespace clcsim::machine::isa {
namespace {

using ptx::Order;
using ptx::Proxy;
using ptx::Scope;

Step fence(Warp& warp, const Instruction& in, LaneMask lanes) {
  watch_order(warp, in, lanes,
              [](Observer& observer, const Executed& executed) { observer.fenced(executed); });
  return Step::next;
}

void add_generic_fences(FormTable& table) {
  const auto add = [&](const std::string& name, Order order, Scope scope) {
    table.add({name, "", fence, Unit::memory, {Action::fence, Space::generic, order, scope}});
  };
  for (const auto& [scope_name, scope] : {std::pair{"cta", Scope::cta},
                                          {"cluster", Scope::cluster},
                                          {"gpu", Scope::gpu},
                                          {"sys", Scope::sys}}) {
    for (const auto& [order_name, order] : {std::pair{"sc", Order::sc},
                                            {"acq_rel", Order::acq_rel},
                                            {"acquire", Order::acquire},
                                            {"release", Order::release}}) {
      add(std::string("fence.") + order_name + "." + scope_name, order, scope);
    }
  }
  // PTX restricts what these order to the mbarriers of the space that they name. They count as
  // whole fences here: that is too much rather than too little.
  add("fence.acquire.sync_restrict::shared::cluster.cluster", Order::acquire, Scope::cluster);
  add("fence.release.sync_restrict::shared::cta.cluster", Order::release, Scope::cluster);
  add("membar.cta", Order::sc, Scope::cta);
  add("membar.gl", Order::sc, Scope::gpu);
  add("membar.sys", Order::sc, Scope::sys);
  table.add({"fence.mbarrier_init.release.cluster",
             "",
             fence,
             Unit::memory,
             {Action::init_fence, Space::generic, Order::release, Scope::cluster}});
}

void add_proxy_fences(FormTable& table) {
  const auto add = [&](const std::string& name, Proxy proxy, Space space, Order order,
                       Scope whose = Scope::none) {
    table.add({"fence.proxy." + name,
               "",
               fence,
               Unit::memory,
               {Action::fence, space, order, whose, proxy}});
  };
  add("alias", Proxy::alias, Space::generic, Order::acq_rel);
  add("async", Proxy::async, Space::generic, Order::acq_rel);
  add("async.global", Proxy::async, Space::global, Order::acq_rel);
  add("async.shared::cta", Proxy::async, Space::shared, Order::acq_rel, Scope::cta);
  add("async.shared::cluster", Proxy::async, Space::shared, Order::acq_rel, Scope::cluster);
  add("async::generic.acquire.sync_restrict::shared::cluster.cluster", Proxy::async, Space::shared,
      Order::acquire, Scope::cluster);
  for (const auto& [name, scope] : {std::pair{"cta", Scope::cta},
                                    {"cluster", Scope::cluster},
                                    {"gpu", Scope::gpu},
                                    {"sys", Scope::sys}}) {
    const std::string map = "fence.proxy.tensormap::generic.";
    table.add({map + "release." + name,
               "",
               fence,
               Unit::memory,
               {Action::fence, Space::global, Order::release, scope, Proxy::tensormap}});
    table.add({map + "acquire." + name,
               "a i",
               fence,
               Unit::memory,
               {Action::fence, Space::global, Order::acquire, scope, Proxy::tensormap}});
  }
  add("async::generic.release.sync_restrict::shared::cta.cluster", Proxy::async, Space::shared,
      Order::release, Scope::cta);
}

}  // namespace

void add_fence(FormTable& table) {
  add_generic_fences(table);
  add_proxy_fences(table);
  const auto add_prefetch = [&](std::string name) {
    table.add({std::move(name), "a", nothing, Unit::memory, {Action::prefetch}});
  };
  for (const char* level : {"L1", "L2"}) {
    add_prefetch(std::string("prefetch.") + level);
    add_prefetch(std::string("prefetch.global.") + level);
    add_prefetch(std::string("prefetch.local.") + level);
  }
  add_prefetch("prefetchu.L1");
  for (const char* priority : {"evict_last", "evict_normal"}) {
    add_prefetch(std::string("prefetch.global.L2::") + priority);
  }
}

}  // namespace clcsim::machine::isa
