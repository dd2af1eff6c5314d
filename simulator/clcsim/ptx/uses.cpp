#include "ptx/uses.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "ptx/form.h"

namespace clcsim::ptx {
namespace {

using Slots = std::set<std::uint32_t>;

// Calls f(slot, is destination) for each register or constant that the instruction names.
template <class F>
void for_each_slot(const Program& program, const Instruction& in, F&& f) {
  if (in.guard != 0) f(in.guard, false);
  const std::uint32_t* entries = entries_of(program, in);
  for_each_element(program.forms[in.form]->operands,
                   [&](const OperandSpec& spec, std::uint32_t entry) {
                     if (!is_slot(spec) || entries[entry] == kAbsent) return;
                     f(entries[entry], spec.destination);
                   });
}

bool reads(const Program& program, const Instruction& in, const Slots& slots) {
  bool found = false;
  for_each_slot(program, in, [&](std::uint32_t slot, bool destination) {
    found |= !destination && slots.contains(slot);
  });
  return found;
}

void add_results(const Program& program, const Instruction& in, Slots& slots) {
  for_each_slot(program, in, [&](std::uint32_t slot, bool destination) {
    if (destination) slots.insert(slot);
  });
}

bool only_computes(const Instruction& in) {
  const Action action = in.facts.action;
  return action == Action::compute || action == Action::move || action == Action::select;
}

// Whether anything but more such results depends on the results of `in`.
bool decides(const Program& program, const Instruction& in) {
  Slots slots;
  add_results(program, in, slots);
  for (std::size_t before = 0; before != slots.size();) {
    before = slots.size();
    for (const Instruction& other : program.code) {
      if (!reads(program, other, slots)) continue;
      if (!only_computes(other)) return true;
      add_results(program, other, slots);
    }
  }
  return false;
}

}  // namespace

std::uint32_t use_of_load(const Program& program, std::uint32_t location) {
  Slots slots;
  for (const Instruction& in : program.code) {
    if (reads(program, in, slots)) {
      if (in.facts.action != Action::move) return in.location;
      add_results(program, in, slots);
    } else if (in.location == location && in.facts.action == Action::load) {
      add_results(program, in, slots);
    }
  }
  return kNoLocation;
}

bool waits_for_mbarriers(const Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const Instruction& in) {
    return in.facts.action == Action::mbarrier_wait;
  });
}

std::uint32_t ignored_wait(const Program& program) {
  for (const Instruction& in : program.code) {
    if (in.facts.action == Action::mbarrier_wait && !decides(program, in)) return in.location;
  }
  return kNoLocation;
}

char foreign_axis(const Program& program, const Instruction& decode) {
  constexpr std::string_view kName = "get_first_ctaid::";
  const std::string& name = program.forms[decode.form]->name;
  const std::size_t at = name.find(kName);
  if (at == std::string::npos) return 0;  // all of them at once
  const char axis = name[at + kName.size()];
  const auto reads_own = [&](const Instruction& in) {
    const std::string& special = program.forms[in.form]->name;
    return special == std::string("%ctaid.") + axis || special == std::string("%clusterid.") + axis;
  };
  const bool own = std::any_of(program.code.begin(), program.code.end(), reads_own);
  return !own && decides(program, decode) ? axis : 0;
}

}  // namespace clcsim::ptx
