#include "ptx/schedule.h"

#include <algorithm>

namespace clcsim::ptx {

void Dependences::forget() {
  *this = {};
}

void Dependences::note(Instruction& instruction, const Form& form,
                       const std::vector<std::uint32_t>& reads,
                       const std::vector<std::uint32_t>& writes) {
  const auto uses = [&](const std::vector<std::uint32_t>& slots) {
    const auto in = [&](std::uint32_t slot) {
      return std::find(slots.begin(), slots.end(), slot) != slots.end();
    };
    return std::any_of(reads.begin(), reads.end(), in) ||
           std::any_of(writes.begin(), writes.end(), in);
  };
  instruction.follows = after_join_ || uses(previous_);
  const bool parts = form.unit == Unit::control;
  if (!loading_.empty() && (join_ || parts || uses(loading_))) {
    instruction.waits_for_loads = true;
    loading_.clear();
  }
  join_ = false;
  if (instruction.unit != Unit::folded) previous_ = writes;
  if (instruction.unit != Unit::folded && instruction.unit != Unit::control) after_join_ = false;
  if (form.loads) loading_.insert(loading_.end(), writes.begin(), writes.end());
}

void join_at_loop_ends(std::vector<Instruction>& code) {
  const auto branches = [&](std::size_t pc) { return code[pc].facts.action == Action::branch; };
  for (std::size_t pc = 0; pc < code.size(); ++pc) {
    Instruction& back = code[pc];
    if (!branches(pc) || back.guard == 0 || back.operand[0] > pc) continue;
    std::size_t end = pc + 1;
    while (end < code.size() && code[end].unit != Unit::control) ++end;
    if (end == code.size() || !branches(end)) continue;
    if (code[end].guard == 0 && code[end].operand[0] == back.operand[0]) {
      back.operand[0] = static_cast<std::uint32_t>(end);
    }
  }
}

}  // namespace clcsim::ptx
