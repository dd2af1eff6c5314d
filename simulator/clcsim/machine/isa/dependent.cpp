// Launches that begin before the one that they depend on has ended. PTX ISA 9.0, 9.7.13.13,
// griddepcontrol; who starts when is in context/stream.cpp.
#include "machine/isa/watch.h"

namespace clcsim::machine::isa {
namespace {

Step launch_dependents(Warp& warp, const Instruction&, LaneMask) {
  warp.gpu->trigger(*warp.block);
  return Step::next;
}

Step wait_for_launches(Warp& warp, const Instruction& in, LaneMask lanes) {
  if (lanes != warp.path().lanes) return warp.isolate(lanes);
  const std::uint64_t awaited = warp.block->grid->launch.awaits;
  if (awaited != 0) return warp.park(lanes, Wait::launches, awaited);
  watch_order(warp, in, lanes, [](Observer& observer, const Executed& executed) {
    observer.launches_awaited(executed);
  });
  return Step::next;
}

}  // namespace

void add_dependent(FormTable& table) {
  table.add({"griddepcontrol.wait", "", wait_for_launches, Unit::control, {Action::other}});
  table.add(
      {"griddepcontrol.launch_dependents", "", launch_dependents, Unit::control, {Action::other}});
}

}  // namespace clcsim::machine::isa
