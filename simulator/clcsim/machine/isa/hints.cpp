// Instructions that change how fast a kernel is and not what it computes (PTX ISA 9.0): registers
// that warps give back (setmaxnreg), cache policies (createpolicy).
#include <iterator>
#include <limits>
#include <string>

#include "machine/isa/access.h"

namespace clcsim::machine::isa {
namespace {

constexpr const char* kPolicies[] = {"evict_unchanged", "evict_first", "evict_last",
                                     "evict_normal"};

/// createpolicy.fractional: there are no caches, but programs compare the values, and CUTLASS has
/// some as constants. They are encoded as libcu++ says (cuda/__annotated_ptr/, __l2_interleave).
/// The form's constant is what they say but for the fraction.
Step policy(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* d = warp.lanes_of<std::uint64_t>(in.operand[0]);
  const bool whole = in.operand[1] == ptx::kAbsent;
  const auto* fraction = whole ? nullptr : warp.lanes_of<float>(in.operand[1]);
  for_each_lane(lanes, [&](int lane) {
    const float part = whole ? 1.0f : fraction[lane];
    const float sixteenths = (part - std::numeric_limits<float>::epsilon()) * 16.0f;
    d[lane] = std::uint64_t{in.operand[2]} << 56 | static_cast<std::uint64_t>(sixteenths) << 52;
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
  for (std::uint32_t primary = 0; primary < std::size(kPolicies); ++primary) {
    const std::string name = std::string("createpolicy.fractional.L2::") + kPolicies[primary];
    const std::uint32_t policies = 0x10 | primary << 1;
    table.add({name + ".b64", "=l f?", policy, Unit::alu, {}, policies});
    table.add({name + ".L2::evict_unchanged.b64", "=l f?", policy, Unit::alu, {}, policies});
    table.add({name + ".L2::evict_first.b64", "=l f?", policy, Unit::alu, {}, policies | 1});
  }
}

}  // namespace clcsim::machine::isa
