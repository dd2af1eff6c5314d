// Instructions that change how fast a kernel is and not what it computes (PTX ISA 9.0): registers
// that warps give back (setmaxnreg), cache policies (createpolicy).
#include <string>

#include "machine/isa/access.h"

namespace clcsim::machine::isa {
namespace {

/// createpolicy: there are no caches, so all policies are one.
Step policy(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<std::uint64_t>(in.operand[0]);
  for_each_lane(lanes, [&](int lane) { d[lane] = 0; });
  return Step::next;
}

}  // namespace

void add_hints(FormTable& table) {
  const auto add = [&](const std::string& name, const char* signature, ptx::Handler execute,
                       Action action) {
    table.add({.name = name,
               .signature = signature,
               .execute = execute,
               .unit = action == Action::compute ? Unit::alu : Unit::control,
               .facts = {.action = action}});
  };
  // Registers never limit a block here.
  add("setmaxnreg.inc.sync.aligned.u32", "i", nothing, Action::other);
  add("setmaxnreg.dec.sync.aligned.u32", "i", nothing, Action::other);
  for (const std::string primary :
       {"evict_last", "evict_normal", "evict_first", "evict_unchanged"}) {
    for (const std::string secondary : {"", ".L2::evict_first", ".L2::evict_unchanged"}) {
      const std::string end = ".L2::" + primary + secondary + ".b64";
      add("createpolicy.fractional" + end, "=l f?", policy, Action::compute);
      add("createpolicy.range" + end, "=l a r r", policy, Action::other);
      add("createpolicy.range.global" + end, "=l a r r", policy, Action::other);
    }
  }
  add("createpolicy.cvt.L2.b64", "=l l", policy, Action::compute);
}

}  // namespace clcsim::machine::isa
