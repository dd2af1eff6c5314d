// Instructions that change how fast a kernel is and not what it computes (PTX ISA 9.0): registers
// that warps give back (setmaxnreg), cache policies (createpolicy).
#include <limits>
#include <string>
#include <type_traits>

#include "machine/isa/access.h"

namespace clcsim::machine::isa {
namespace {

constexpr const char* kPolicies[] = {"evict_unchanged", "evict_first", "evict_last",
                                     "evict_normal"};

/// createpolicy.fractional: there are no caches, but programs compare the values, and CUTLASS has
/// some as constants. They are encoded as libcu++ says (cuda/__annotated_ptr/, __l2_interleave).
template <int kPrimary, int kSecondary>
Step policy(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<std::uint64_t>(in.operand[0]);
  const bool whole = in.operand[1] == ptx::kAbsent;
  const auto* fraction = whole ? nullptr : warp.lanes_of<float>(in.operand[1]);
  for_each_lane(lanes, [&](int lane) {
    const float part = whole ? 1.0f : fraction[lane];
    const float sixteenths = (part - std::numeric_limits<float>::epsilon()) * 16.0f;
    d[lane] = std::uint64_t{2} << 59 | std::uint64_t{kPrimary} << 57 |
              std::uint64_t{kSecondary} << 56 | static_cast<std::uint64_t>(sixteenths) << 52;
  });
  return Step::next;
}

}  // namespace

void add_hints(FormTable& table) {
  // Registers never limit a block here.
  for (const char* change : {"inc", "dec"}) {
    table.add({std::string("setmaxnreg.") + change + ".sync.aligned.u32",
               "i",
               nothing,
               Unit::control,
               {Action::other}});
  }
  const auto add_policies = [&]<int kPrimary>(std::integral_constant<int, kPrimary>) {
    const std::string name = std::string("createpolicy.fractional.L2::") + kPolicies[kPrimary];
    table.add({name + ".b64", "=l f?", policy<kPrimary, 0>});
    table.add({name + ".L2::evict_unchanged.b64", "=l f?", policy<kPrimary, 0>});
    table.add({name + ".L2::evict_first.b64", "=l f?", policy<kPrimary, 1>});
  };
  add_policies(std::integral_constant<int, 0>{});
  add_policies(std::integral_constant<int, 1>{});
  add_policies(std::integral_constant<int, 2>{});
  add_policies(std::integral_constant<int, 3>{});
}

}  // namespace clcsim::machine::isa
