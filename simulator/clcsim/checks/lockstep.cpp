#include "checks/lockstep.h"

#include <algorithm>
#include <memory>

#include "checks/roles.h"

namespace clcsim::checks {
namespace {

using ptx::Action;
using ptx::Instruction;

bool passes_on(Action action) {
  return action == Action::compute || action == Action::move || action == Action::select ||
         action == Action::compare;
}

// Whatever the ways through the program are: nvcc hardly uses a register for two values.
bool is_used_unseen(const ptx::Program& program, const ProgramRoles& roles, std::uint32_t load) {
  std::vector<bool> holds(roles.registers);
  for (const std::uint32_t index : roles.code[load].writes) holds[index] = true;
  const auto any = [&](const std::vector<std::uint32_t>& indices) {
    return std::any_of(indices.begin(), indices.end(), [&](auto index) { return holds[index]; });
  };
  bool stored = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
      const Roles& role = roles.code[pc];
      const Action action = program.code[pc].facts.action;
      const bool guards = role.guard != ptx::kAbsent && holds[role.guard];
      if (guards || any(role.addresses)) return false;
      if (!any(role.reads)) continue;
      if (!passes_on(action)) {
        if (action == Action::branch_indexed || action == Action::ret) return false;
        stored = true;
        continue;
      }
      for (const std::uint32_t index : role.writes) {
        changed |= !holds[index];
        holds[index] = true;
      }
    }
  }
  return stored;
}

}  // namespace

const std::vector<bool>& Lockstep::find(const ptx::Program* of) {
  const ptx::Program& program = *of;
  const auto [known, is_new] = programs_.try_emplace(of);
  std::vector<bool>& loads = known->second;
  if (!is_new || !program.return_slots.empty())
    return loads;  // a call may do anything with a value
  std::unique_ptr<ProgramRoles> roles;
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    const Instruction& in = program.code[pc];
    const bool strong =
        in.facts.order == ptx::Order::volatile_ || in.facts.order == ptx::Order::relaxed;
    if (in.facts.action != Action::load || !strong) continue;
    if (roles == nullptr) roles = std::make_unique<ProgramRoles>(program);
    if (!is_used_unseen(program, *roles, pc)) continue;
    loads.resize(program.locations.size());
    loads[in.location] = true;
  }
  return loads;
}

}  // namespace clcsim::checks
