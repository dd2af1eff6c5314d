// One state of the walk is a place in the program and the registers that depend on the value; both
// ways of a branch are followed where the predicate isn't known. Whatever isn't understood here
// counts as a use.
#include "checks/fate.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "ptx/form.h"

namespace clcsim::checks {

using ptx::Action;
using ptx::Instruction;
using ptx::kAbsent;

namespace {

constexpr std::uint32_t kSeveral = kAbsent - 1;                // writers of a register
constexpr std::size_t kMostSteps = 20000, kMostStates = 1000;  // of a walk; then the value is used

// The register that an address is made of, or the variable, and what is added to that.
using Address = std::tuple<std::uint32_t, std::string, std::int64_t>;

Address address_of(const ptx::Program& program, const Instruction& in) {
  std::uint32_t slot = kAbsent;
  std::int64_t displacement = 0;
  ptx::for_each_element(program.forms[in.form]->operands,
                        [&](const ptx::OperandSpec& spec, std::uint32_t entry) {
                          if (spec.kind != 'a') return;
                          slot = in.operand[entry];
                          displacement = static_cast<std::int32_t>(in.operand[entry + 1]);
                        });
  for (const ptx::SharedConstant& each : program.shared_constants) {
    if (each.slot == slot) return {kAbsent, "", each.offset + displacement};
  }
  for (const ptx::SymbolConstant& each : program.symbol_constants) {
    if (each.slot == slot) return {kAbsent, each.symbol, each.addend + displacement};
  }
  return {slot, "", displacement};
}

std::vector<std::uint32_t> next_of(const ptx::Program& program, std::uint32_t pc) {
  const Instruction& in = program.code[pc];
  const Action action = in.facts.action;
  if (action == Action::branch_indexed) return program.branch_lists[in.operand[1]];
  std::vector<std::uint32_t> next;
  const bool goes_on = action != Action::branch && action != Action::exit;
  if (goes_on || in.guard != 0) next.push_back(pc + 1);
  if (action == Action::branch) next.push_back(in.operand[0]);
  return next;
}

bool is_in_loop(const ptx::Program& program, std::uint32_t pc) {
  std::vector<bool> seen(program.code.size() + 1);
  std::vector<std::uint32_t> left = next_of(program, pc);
  while (!left.empty()) {
    const std::uint32_t at = left.back();
    left.pop_back();
    if (at == pc) return true;
    if (at >= program.code.size() || seen[at]) continue;
    seen[at] = true;
    for (const std::uint32_t next : next_of(program, at)) left.push_back(next);
  }
  return false;
}

}  // namespace

class Fates::Walk {
 public:
  Walk(const ptx::Program& program, Known& known, machine::Warp* warp, int lane)
      : program_(program), known_(known), warp_(warp), lane_(lane) {}

  Fate from(std::uint32_t location) {
    for (std::uint32_t pc = 0; pc < program_.code.size(); ++pc) {
      const Instruction& in = program_.code[pc];
      if (in.location != location || in.facts.action != Action::load) continue;
      load_ = &in;
      State state{.pc = pc + 1};
      const Roles& roles = known_.roles->code[pc];
      for (const std::uint32_t index : roles.writes) state.add(index, true);
      state.same_address = !state.holds_any(roles.addresses);
      follow(std::move(state));
      while (!left_.empty() && !used_) {
        State next = std::move(left_.back());
        left_.pop_back();
        walk(std::move(next));
      }
    }
    if (used_) return Fate::used;
    if (warp_ != nullptr) return Fate::skipped;
    return skips_ ? Fate::skipped : verifies_ ? Fate::verified : Fate::used;
  }
  Seen seen() && { return std::move(seen_); }

 private:
  struct State {
    std::uint32_t pc = 0;
    /// Registers that depend on the value, in order; and whether one is the value itself.
    std::vector<std::pair<std::uint32_t, bool>> holds;
    bool same_address = true;         ///< the load's address register hasn't been written since
    bool conditional = false;         ///< it has passed a branch that the thread may skip
    std::uint32_t answer = kAbsent;   ///< result of a compare-and-swap with the value
    std::uint32_t verdict = kAbsent;  ///< predicate: whether the answer and the value are equal,
    bool if_equal = false;            ///< or differ
    auto all() const {
      return std::tie(pc, holds, same_address, conditional, answer, verdict, if_equal);
    }
    bool operator<(const State& other) const { return all() < other.all(); }

    std::optional<bool> find(std::uint32_t index) const {
      for (const auto& [held, exact] : holds) {
        if (held == index) return exact;
      }
      return {};
    }
    bool holds_any(const std::vector<std::uint32_t>& indices) const {
      return std::any_of(indices.begin(), indices.end(),
                         [&](std::uint32_t index) { return find(index).has_value(); });
    }
    void add(std::uint32_t index, bool exact) {
      drop(index);
      holds.insert(std::lower_bound(holds.begin(), holds.end(), std::pair(index, false)),
                   {index, exact});
    }
    void drop(std::uint32_t index) {
      std::erase_if(holds, [&](const auto& held) { return held.first == index; });
    }
  };

  void follow(State state) {
    if (state.holds.empty() || !states_.insert(state).second) return;
    used_ |= states_.size() > kMostStates;
    left_.push_back(std::move(state));
  }

  /// The thread's value of a predicate that it sets at most once, or that is false each time.
  /// While the thread runs: true, if there will be one.
  std::optional<bool> value_of(std::uint32_t slot) {
    const std::uint32_t index = known_.roles->register_at(slot);
    const std::uint32_t writer = index == kAbsent ? kAbsent : known_.writers[index];
    if (writer >= kSeveral) return {};
    const Instruction& in = program_.code[writer];
    const auto [loop, is_new] = known_.in_loop.try_emplace(writer);
    if (is_new) loop->second = is_in_loop(program_, writer);
    if (!loop->second) {
      if (warp_ == nullptr) return true;
      const bool value = (warp_->predicate(slot) >> lane_ & 1) != 0;
      seen_.emplace_back(slot, value);
      return value;
    }
    if (program_.forms[in.form]->name != "and.pred" || in.guard != 0) return {};
    for (const std::uint32_t entry : {1u, 3u}) {
      const std::optional<bool> one = value_of(in.operand[entry]);
      if (one && (warp_ == nullptr || *one == (in.operand[entry + 1] != 0)))
        return warp_ == nullptr;
    }
    return {};
  }

  /// Something is done with the value that others may see.
  void use(const State& state, std::optional<bool> runs, bool may_skip) {
    if (runs == false || state.conditional || may_skip) {
      skips_ = true;
    } else {
      used_ = true;
    }
  }

  void walk(State state) {
    while (!used_ && !state.holds.empty() && state.pc < program_.code.size()) {
      used_ |= ++steps_ > kMostSteps;
      if (!step(state)) return;
    }
  }

  bool step(State& state) {
    const Instruction& in = program_.code[state.pc];
    const Roles& roles = known_.roles->code[state.pc];
    const Action action = in.facts.action;
    const bool guarded = roles.guard != kAbsent, of_value = guarded && state.find(roles.guard);
    std::optional<bool> runs = true;
    bool may_skip = false;
    if (guarded) {
      runs = of_value ? std::nullopt : value_of(in.guard);
      if (runs && in.guard == load_->guard) {  // what it was when the thread has read
        runs = in.guard_flip == load_->guard_flip;
      } else if (runs && warp_ == nullptr) {
        may_skip = true;
        runs.reset();
      } else if (runs) {
        runs = *runs != (in.guard_flip != 0);
      }
    }
    const bool reads = state.holds_any(roles.reads);
    const bool touches = reads || of_value || state.holds_any(roles.addresses);
    switch (action) {
      case Action::branch:
        if (of_value) break;
        state.conditional |= may_skip;
        if (runs != false) jump(state, in);
        if (runs == true) return false;
        ++state.pc;
        if (guarded && roles.guard == state.verdict && state.if_equal == (in.guard_flip != 0)) {
          return false;
        }
        return true;
      case Action::exit:
        if (of_value) break;
        state.conditional |= may_skip;
        ++state.pc;
        return runs != true;
      case Action::branch_indexed:
      case Action::call:
      case Action::call_pointer:
      case Action::ret:
        used_ = true;
        return false;
      case Action::compute:
      case Action::move:
      case Action::select:
      case Action::compare:
        write(state, in, roles, reads || of_value, runs);
        ++state.pc;
        return true;
      default:
        if (touches && verifies(state, in, roles, runs)) {
          verifies_ = true;
          write(state, in, roles, false, runs);
          state.answer = roles.writes.empty() ? kAbsent : roles.writes[0];
        } else {
          if (touches) use(state, of_value ? std::nullopt : runs, may_skip);
          write(state, in, roles, false, runs);
        }
        ++state.pc;
        return true;
    }
    used_ = true;  // the value decides where to go
    return false;
  }

  void jump(const State& state, const Instruction& in) {
    if (in.guard != 0 && known_.roles->register_at(in.guard) == state.verdict &&
        state.if_equal == (in.guard_flip == 0)) {
      return;  // what was read is what the atomic operation has read
    }
    State there = state;
    there.pc = in.operand[0];
    follow(std::move(there));
  }

  /// An atom.cas on the word that was read, which stores what was made of the value only where the
  /// word still holds it.
  bool verifies(const State& state, const Instruction& in, const Roles& roles,
                std::optional<bool> runs) const {
    const std::string& name = program_.forms[in.form]->name;
    const std::string& load = program_.forms[load_->form]->name;
    if (in.facts.action != Action::atomic || name.find(".cas.") == name.npos) return false;
    if (runs != true || !state.same_address || state.holds_any(roles.addresses)) return false;
    if (name.substr(name.size() - 2) != load.substr(load.size() - 2)) return false;  // bits
    if (load.find(".v") != load.npos) return false;
    if (address_of(program_, in) != address_of(program_, *load_)) return false;
    return state.find(known_.roles->register_at(in.operand[3])) == true;
  }

  void write(State& state, const Instruction& in, const Roles& roles, bool of_value,
             std::optional<bool> runs) {
    if (runs == false) return;
    const std::string& name = program_.forms[in.form]->name;
    bool is_verdict = false;
    if (in.facts.action == Action::compare && of_value && roles.writes.size() == 1 &&
        roles.reads.size() == 2 && runs == true &&
        (name.starts_with("setp.eq.") || name.starts_with("setp.ne.")) && name[8] != 'f' &&
        name.find(".bf") == name.npos) {
      for (const std::size_t i : {0, 1}) {
        is_verdict |= roles.reads[i] == state.answer && state.find(roles.reads[1 - i]) == true;
      }
    }
    const bool exact = in.facts.action == Action::move && roles.reads.size() == 1 &&
                       roles.writes.size() == 1 && state.find(roles.reads[0]) == true;
    const std::vector<std::uint32_t>& base =
        known_.roles->code[load_ - program_.code.data()].addresses;
    for (const std::uint32_t index : roles.writes) {
      if (of_value && !is_verdict) {
        state.add(index, exact && runs == true);
      } else if (runs == true) {
        state.drop(index);
      }
      if (std::find(base.begin(), base.end(), index) != base.end()) state.same_address = false;
      if (index == state.answer) state.answer = kAbsent;
      if (index == state.verdict) state.verdict = kAbsent;
      if (is_verdict) {
        state.verdict = index;
        state.if_equal = name.starts_with("setp.eq.");
      }
    }
  }

  const ptx::Program& program_;
  Known& known_;
  machine::Warp* const warp_;
  const int lane_;
  const Instruction* load_ = nullptr;
  std::set<State> states_;
  std::vector<State> left_;
  Seen seen_;
  std::size_t steps_ = 0;
  bool used_ = false, skips_ = false, verifies_ = false;
};

Fates::Known& Fates::known_of(const ptx::Program& program) {
  if (latest_ == &program) return *of_latest_;
  Known& known = programs_[&program];
  latest_ = &program;
  of_latest_ = &known;
  if (known.roles != nullptr) return known;
  known.roles = std::make_unique<ProgramRoles>(program);
  known.best.resize(program.locations.size());
  known.writers.assign(known.roles->registers, kAbsent);
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    for (const std::uint32_t index : known.roles->code[pc].writes) {
      known.writers[index] = known.writers[index] == kAbsent ? pc : kSeveral;
    }
  }
  return known;
}

Fate Fates::best(const ptx::Program& program, std::uint32_t location) {
  Known& known = known_of(program);
  if (location >= known.best.size() || !program.return_slots.empty()) return Fate::used;
  std::optional<Fate>& best = known.best[location];
  if (!best) best = Walk(program, known, nullptr, 0).from(location);
  return *best;
}

Fate Fates::of(const ptx::Program& program, std::uint32_t location, machine::Warp& warp, int lane) {
  Known& known = known_of(program);
  std::vector<std::pair<Seen, Fate>>& before = known.fates[location];
  for (const auto& [seen, fate] : before) {
    const bool same = std::all_of(seen.begin(), seen.end(), [&](const auto& each) {
      return (warp.predicate(each.first) >> lane & 1) == each.second;
    });
    if (same) return fate;
  }
  Walk walk(program, known, &warp, lane);
  const Fate fate = walk.from(location);
  before.emplace_back(std::move(walk).seen(), fate);
  return fate;
}

}  // namespace clcsim::checks
