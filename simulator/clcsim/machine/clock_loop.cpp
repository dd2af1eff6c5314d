#include "machine/clock_loop.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "machine/gpu.h"
#include "machine/issue.h"
#include "ptx/form.h"

namespace clcsim::machine {
namespace {

using ptx::Action;
using ptx::Growth;
using ptx::Instruction;
using ptx::Program;

constexpr std::size_t kLongestLoop = 64;  // instructions
constexpr std::uint64_t kLongestRound = 1 << 15;

bool may_stand_in_loop(const Instruction& in) {
  switch (in.facts.action) {
    case Action::compute:
    case Action::move:
    case Action::select:
    case Action::compare:
      return in.guard == 0;
    case Action::branch:
      return true;
    default:
      return false;
  }
}

// Whether the instructions around the pc may be such a loop: all of them, up to the jump back.
bool looks_like_loop(const Program& program, std::uint32_t pc) {
  for (std::uint32_t end = pc; end < program.code.size() && end - pc < kLongestLoop; ++end) {
    const Instruction& in = program.code[end];
    if (!may_stand_in_loop(in)) return false;
    if (in.facts.action != Action::branch || in.operand[0] > pc) continue;
    const auto begin = program.code.begin() + in.operand[0], last = program.code.begin() + end;
    return std::all_of(begin, last, may_stand_in_loop) &&
           std::any_of(begin, last,
                       [](const Instruction& other) { return other.facts.growth == Growth::time; });
  }
  return false;
}

struct Operand {
  std::uint32_t slot;
  char kind;
  bool wide;
};

struct Operands {
  std::vector<Operand> sources, results;
};

Operands operands_of(const Program& program, const Instruction& in) {
  Operands found;
  const std::uint32_t* entries = ptx::entries_of(program, in);
  ptx::for_each_element(program.forms[in.form]->operands, [&](const ptx::OperandSpec& spec,
                                                              std::uint32_t entry) {
    if (!ptx::is_slot(spec) || entries[entry] == ptx::kAbsent) return;
    const bool wide =
        spec.kind == 'l' || spec.kind == 'd' || (spec.kind == 'x' && (in.wide >> entry & 1) != 0);
    (spec.destination ? found.results : found.sources).push_back({entries[entry], spec.kind, wide});
  });
  if (in.guard != 0) found.sources.push_back({in.guard, 'p', false});
  return found;
}

// A copy of the warp that runs on alone; nobody sees what it does.
class Probe {
 public:
  explicit Probe(const Warp& warp) : warp_(warp), program_(*warp.block->grid->launch.program) {
    warp_.registers = warp_.file.front().bytes;
    warp_.now = warp_.earliest_ready();
    ready_ = warp_.select_path();
    begin_ = warp_.now;
    paths_ = warp_.paths.size();
  }

  Time begin() const { return begin_; }
  Time now() const { return warp_.now; }
  const Program& program() const { return program_; }

  /// Runs once through the loop; false: there is none. `look(in, operands)` sees each instruction
  /// before it is executed.
  template <class F>
  bool run(std::vector<std::uint32_t>& pcs, F&& look) {
    pcs.clear();
    const std::uint32_t start = warp_.path().pc;
    const config::Profile& profile = warp_.gpu->profile();
    do {
      Path& path = warp_.path();
      const Instruction& in = program_.code[path.pc];
      // Where a slice ends makes no difference to such instructions.
      const bool loads = in.waits_for_loads && path.loads > warp_.now;
      if (!ready_ || loads || pcs.size() == kLongestLoop || !may_stand_in_loop(in) ||
          issue_cost(in.unit, profile) > latency(in)) {
        return false;
      }
      look(in);
      pcs.push_back(path.pc);
      warp_.now += latency(in);
      const LaneMask lanes = path.lanes & (warp_.predicate(in.guard) ^ in.guard_flip);
      const ptx::Step step = lanes == 0 ? ptx::Step::next : in.execute(warp_, in, lanes);
      if (step != ptx::Step::next || ++path.pc == warp_.meeting_pc) ready_ = warp_.select_path();
      if (warp_.paths.size() != paths_) return false;
    } while (warp_.path().pc != start);
    return true;
  }

  std::uint64_t value(const Operand& operand, int lane) {
    return operand.wide ? warp_.lanes_of<std::uint64_t>(operand.slot)[lane]
                        : warp_.lanes_of<std::uint32_t>(operand.slot)[lane];
  }
  LaneMask predicate(std::uint32_t slot) { return warp_.predicate(slot); }
  LaneMask lanes() { return warp_.path().lanes; }

 private:
  Warp warp_;
  const Program& program_;
  Time begin_ = 0;
  std::size_t paths_ = 0;
  bool ready_ = false;
};

enum class Kind : std::uint8_t { unknown, constant, growing };
using Kinds = std::map<std::uint32_t, Kind>;  // of the slots that the loop writes

// What becomes of the instruction's results.
Kind result_of(const Instruction& in, const Operands& operands, const Kinds& kinds) {
  if (in.facts.growth == Growth::time) return Kind::growing;
  if (in.facts.growth == Growth::steps) return Kind::unknown;
  bool grows = false;
  for (const Operand& source : operands.sources) {
    const auto kind = kinds.find(source.slot);
    if (kind == kinds.end() || kind->second == Kind::constant) continue;
    const bool number = source.kind == 'r' || source.kind == 'l';
    if (kind->second == Kind::unknown || !number) return Kind::unknown;
    grows = true;
  }
  if (!grows) return Kind::constant;
  if (in.facts.action == Action::compare) return Kind::constant;  // as long as bound() says
  const bool sum = in.facts.growth == Growth::sum || in.facts.action == Action::select;
  return sum ? Kind::growing : Kind::unknown;
}

// Each kind at the loop's end, from what is written in it alone.
Kinds kinds_of(const Program& program, const std::vector<std::uint32_t>& pcs) {
  Kinds kinds;
  for (const std::uint32_t pc : pcs) {
    for (const Operand& result : operands_of(program, program.code[pc]).results) {
      kinds[result.slot] = Kind::unknown;
    }
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (const std::uint32_t pc : pcs) {
      const Operands operands = operands_of(program, program.code[pc]);
      const Kind kind = result_of(program.code[pc], operands, kinds);
      for (const Operand& result : operands.results) kinds[result.slot] = kind;
    }
  }
  return kinds;
}

// How often `value` can grow so, modulo 2^bits, before it compares with `other` in another way,
// whatever the comparison: it reaches `other`, the number behind it, 0, or the least signed number.
std::uint64_t bound(std::uint64_t value, std::uint64_t growth, std::uint64_t other, int bits) {
  const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const std::uint64_t least = std::uint64_t{1} << (bits - 1);
  const bool down = (growth & least) != 0;
  const std::uint64_t pace = down ? (0 - growth) & all : growth;
  std::uint64_t way = all;
  for (const std::uint64_t border : {other, other + 1, std::uint64_t{0}, least}) {
    // Downwards a border is passed one step later than it is reached.
    const std::uint64_t to = (down ? value - border : border - value - 1) & all;
    way = std::min(way, to);
  }
  return way / pace;
}

}  // namespace

std::uint64_t ClockLoop::skippable(std::uint64_t most) const {
  // After a multiple of 16 rounds the warp's paths are where they were in their turns (warp.cpp).
  constexpr std::uint64_t kTurns = 16;
  const std::uint64_t count = std::min(most, rounds);
  return count <= 1 ? 0 : (count - 1) / kTurns * kTurns;
}

void ClockLoop::skip(Warp& warp, std::uint64_t count) const {
  for (const Register& entry : written) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t value = entry.value[lane] + (count - 1) * entry.growth[lane];
      if (entry.wide) {
        warp.lanes_of<std::uint64_t>(entry.slot)[lane] = value;
      } else {
        warp.lanes_of<std::uint32_t>(entry.slot)[lane] = static_cast<std::uint32_t>(value);
      }
    }
  }
  for (const auto& [slot, lanes] : predicates) warp.predicate(slot) = lanes;
  for (Path& path : warp.paths) {
    if (warp.runnable(path)) path.ready += count * time;
  }
}

std::optional<ClockLoop> find_clock_loop(const Warp& warp) {
  const auto runs = [&](const Path& path) { return warp.runnable(path); };
  if (std::count_if(warp.paths.begin(), warp.paths.end(), runs) != 1) return {};
  const Program& program = *warp.block->grid->launch.program;
  if (!looks_like_loop(program, std::find_if(warp.paths.begin(), warp.paths.end(), runs)->pc)) {
    return {};
  }
  Probe probe(warp);
  std::vector<std::uint32_t> pcs, again;
  const auto nothing = [](const Instruction&) {};
  if (!probe.run(pcs, nothing)) return {};
  const Kinds kinds = kinds_of(program, pcs);
  const bool known = std::none_of(kinds.begin(), kinds.end(),
                                  [](const auto& entry) { return entry.second == Kind::unknown; });
  if (!known) return {};

  // So many times are a round: whole slices, and whole nanoseconds.
  ClockLoop loop{.begin = probe.begin()};
  const Time once = probe.now() - probe.begin();
  std::uint64_t times = kSlice / std::gcd<std::uint64_t>(kSlice, pcs.size());
  const auto khz = static_cast<std::uint64_t>(warp.gpu->profile().clock_khz);
  times *= khz / std::gcd(khz, times * once * 1'000'000);
  loop.time = times * once;
  loop.instructions = times * pcs.size();
  if (once == 0 || loop.instructions > kLongestRound) return {};

  const auto run_round = [&](std::uint64_t count, auto&& look) {
    for (; count != 0; --count) {
      if (!probe.run(again, look) || again != pcs) return false;
    }
    return true;
  };
  std::map<std::uint32_t, Operand> numbers;
  for (const std::uint32_t pc : pcs) {
    for (const Operand& result : operands_of(program, program.code[pc]).results) {
      if (result.kind == 'q') return {};
      if (result.kind != 'p') numbers[result.slot] = result;
    }
  }
  if (!run_round(times - 1, nothing)) return {};
  for (const auto& [slot, number] : numbers) {
    ClockLoop::Register entry{.slot = slot, .wide = number.wide, .value = {}, .growth = {}};
    for (int lane = 0; lane < kLanes; ++lane) entry.value[lane] = probe.value(number, lane);
    loop.written.push_back(entry);
  }
  if (!run_round(times, nothing)) return {};
  std::map<std::uint32_t, const ClockLoop::Register*> growth;
  for (ClockLoop::Register& entry : loop.written) {
    const Operand& number = numbers[entry.slot];
    for (int lane = 0; lane < kLanes; ++lane) {
      entry.growth[lane] = probe.value(number, lane) - entry.value[lane];
      if (!entry.wide) entry.growth[lane] &= 0xffffffff;
    }
    growth[entry.slot] = &entry;
  }

  std::uint64_t rounds = ~std::uint64_t{0};
  const auto look = [&](const Instruction& in) {
    if (in.facts.action != Action::compare) return;
    const std::vector<Operand> sources = operands_of(program, in).sources;
    for (std::size_t k = 0; k < 2; ++k) {
      const auto found = growth.find(sources[k].slot);
      if (found == growth.end() || kinds.at(sources[k].slot) != Kind::growing) continue;
      const Operand &value = sources[k], &other = sources[1 - k];
      const auto other_kind = kinds.find(other.slot);
      if (other_kind != kinds.end() && other_kind->second == Kind::growing) rounds = 0;
      for (int lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t pace = found->second->growth[lane];
        if ((probe.lanes() >> lane & 1) == 0 || pace == 0) continue;
        rounds = std::min(rounds, bound(probe.value(value, lane), pace, probe.value(other, lane),
                                        value.wide ? 64 : 32));
      }
    }
  };
  if (!run_round(times, look)) return {};
  if (rounds == ~std::uint64_t{0}) return {};  // it never ends by itself
  loop.rounds = rounds + 2;
  for (const auto& [slot, kind] : kinds) {
    if (!numbers.contains(slot)) loop.predicates.emplace_back(slot, probe.predicate(slot));
  }
  return loop;
}

}  // namespace clcsim::machine
