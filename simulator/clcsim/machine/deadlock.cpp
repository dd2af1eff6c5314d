// Who is where, and waits for what: for a deadlock (nothing can run and nothing is on its way), and
// for a run that is stopped.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "machine/address.h"
#include "machine/gpu.h"
#include "ptx/source.h"

namespace clcsim::machine {
namespace {

constexpr std::size_t kMaxGroups = 20;  // waiting places, and open mbarriers, that are listed

Note note_of(Wait wait) {
  switch (wait) {
    case Wait::lanes:
      return Note::for_lanes;
    case Wait::block_barrier:
      return Note::for_block_barrier;
    case Wait::cluster_barrier:
      return Note::for_cluster_barrier;
    case Wait::mbarrier:
      return Note::for_mbarrier;
    case Wait::launches:
      return Note::for_launches;
    case Wait::columns:
      return Note::for_columns;
    case Wait::change:
      return Note::for_change;
    case Wait::nothing:
      break;
  }
  return Note::running;
}

// File, line and function of the user's line, then of its inlined callers; the reason; which
// barrier or mbarrier, 0 where that says nothing.
using Line = std::tuple<std::string, std::uint32_t, std::string>;
using Key = std::tuple<std::vector<Line>, Wait, std::uint64_t>;

Key key_of(const ptx::Program& program, std::uint32_t location, const Path& path) {
  const bool named = path.wait == Wait::block_barrier || path.wait == Wait::columns;
  const std::uint64_t which = named                         ? path.wait_key
                              : path.wait == Wait::mbarrier ? path.wait_key & kOffsetMask
                                                            : 0;
  if (location >= program.locations.size()) return {{{"", 0, program.name}}, path.wait, which};
  std::vector<Line> lines;
  for (const ptx::Location* place = &ptx::users_location(program, location);;
       place = &program.locations[place->parent]) {
    lines.push_back({place->file < program.files.size() ? program.files[place->file] : "",
                     place->line, place->function.empty() ? program.name : place->function});
    if (place->parent == ptx::kNoLocation) return {lines, path.wait, which};
  }
}

// Whether the path is parked in a loop that reads nothing, and whose wait for an mbarrier has
// returned true: the loop goes on until it returns false, and it never will.
bool waits_for_what_is_over(const ptx::Program& program, Warp& warp, const Path& path) {
  if (path.wait != Wait::change) return false;
  std::uint32_t first = 0, last = ptx::kAbsent;  // of the innermost loop around the path
  for (std::uint32_t pc = path.pc; pc < program.code.size(); ++pc) {
    const ptx::Instruction& in = program.code[pc];
    const bool back = in.facts.action == ptx::Action::branch && in.operand[0] <= path.pc;
    if (!back || (last != ptx::kAbsent && in.operand[0] <= first)) continue;
    first = in.operand[0];
    last = pc;
  }
  bool over = false;
  for (std::uint32_t pc = first; last != ptx::kAbsent && pc <= last; ++pc) {
    const ptx::Instruction& in = program.code[pc];
    const ptx::Action action = in.facts.action;
    const bool looks =
        action == ptx::Action::load || action == ptx::Action::atomic || action == ptx::Action::swap;
    if (looks) return false;
    if (action == ptx::Action::mbarrier_wait)
      over |= (path.lanes & ~warp.predicate(in.operand[0])) == 0;
  }
  return over;
}

// Of lanes that wait at a .sync instruction for others of their warp, and of those: who stands at
// the place further up, which the others have passed or have not come to. Its wait is the cause.
const Path* first_in_warp(const Warp& warp) {
  for (const Path& path : warp.paths) {
    if (path.wait != Wait::lanes) continue;
    const LaneMask missing = static_cast<LaneMask>(path.wait_key) & ~path.lanes;
    for (const Path& other : warp.paths) {
      if ((other.lanes & missing) == 0) continue;
      if (other.wait == Wait::mbarrier || other.wait == Wait::change) {
        return other.pc < path.pc ? &other : &path;
      }
    }
  }
  return nullptr;
}

// Warps at one place of a program, for one reason.
struct Group {
  std::int64_t warps = 0;
  bool over = false;   // they wait for a phase to begin again
  bool cause = false;  // of the others' wait: see first_in_warp()
  Place first;
  std::uint32_t first_warp = 0;
};

using State = std::array<std::int64_t, 5>;  // of an mbarrier, as Note::open_mbarrier has it

/// The first of the lanes that wait at a .sync instruction for others that wait there, too: with
/// another mask, so they never meet. Nullptr: there are none.
const Path* with_another_mask(const Warp& warp) {
  for (const Path& path : warp.paths) {
    if (path.wait != Wait::lanes) continue;
    const LaneMask missing = static_cast<LaneMask>(path.wait_key) & ~path.lanes;
    for (const Path& other : warp.paths) {
      const bool here = other.wait == Wait::lanes && other.pc == path.pc;
      if (here && (other.lanes & missing) != 0) return &path;
    }
  }
  return nullptr;
}

// Who waits at a barrier mostly waits for those that wait for something else.
bool waits_at_barrier(const Path& path) {
  return path.wait == Wait::block_barrier || path.wait == Wait::cluster_barrier;
}

State state_of(const Mbarrier& mbarrier) {
  return {mbarrier.offset, static_cast<std::int64_t>(mbarrier.phase), mbarrier.pending,
          mbarrier.expected, mbarrier.transactions};
}

}  // namespace

std::vector<Finding::Detail> Gpu::whereabouts() const {
  std::map<Key, Group> groups;
  for (const Block* block : residents_.blocks()) {
    const ptx::Program& program = *block->grid->launch.program;
    for (Warp* warp : block->warps) {
      for (const Path& path : warp->paths) {
        const std::uint32_t location = program.code[path.pc].location;
        Group& group = groups[key_of(program, location, path)];
        group.cause |= first_in_warp(*warp) == &path;
        if (group.warps++ != 0) continue;
        group.first = {.program = &program, .location = location, .block = block->index};
        group.first_warp = warp->index;
        group.over = waits_for_what_is_over(program, *warp, path);
      }
    }
  }
  std::vector<Finding::Detail> details, causes;
  for (const auto& [key, group] : groups) {
    const Wait wait = std::get<Wait>(key);
    (group.cause ? causes : details)
        .push_back({.role = wait == Wait::nothing ? Role::runs : Role::waits,
                    .note = group.over ? Note::for_over_phase : note_of(wait),
                    .place = group.first,
                    .numbers = {group.warps, group.first_warp,
                                static_cast<std::int64_t>(std::get<std::uint64_t>(key))}});
  }
  std::stable_partition(details.begin(), details.end(), [](const Finding::Detail& detail) {
    return detail.note != Note::for_block_barrier && detail.note != Note::for_cluster_barrier;
  });
  details.insert(details.begin(), causes.begin(), causes.end());
  if (details.size() > kMaxGroups) {
    const auto more = static_cast<std::int64_t>(details.size() - kMaxGroups);
    details.resize(kMaxGroups);
    details.push_back({.role = Role::waits, .note = Note::more_places, .numbers = {more}});
  }
  return details;
}

// Where threads wait in grid.sync(), and blocks of the grid have exited.
void Gpu::add_blocks_gone(Finding& finding) const {
  const auto waits = std::find_if(
      finding.details.begin(), finding.details.end(), [](const Finding::Detail& detail) {
        return detail.note == Note::for_change &&
               ptx::in_grid_sync(*detail.place.program, detail.place.location);
      });
  if (waits == finding.details.end()) return;
  for (const Block* block : residents_.blocks()) {
    const Grid& grid = *block->grid;
    if (grid.launch.program != waits->place.program || grid.pending()) continue;
    std::vector<bool> here(grid.launch.grid.count());
    for (const Block* other : residents_.blocks()) {
      if (other->grid == block->grid) here[grid.launch.grid.linear(other->index)] = true;
    }
    const auto gone = std::count(here.begin(), here.end(), false);
    if (gone == 0) return;
    const Dim3 first = grid.launch.grid.at(
        static_cast<std::uint64_t>(std::find(here.begin(), here.end(), false) - here.begin()));
    finding.details.insert(finding.details.begin(), {.role = Role::left,
                                                     .note = Note::blocks_gone,
                                                     .numbers = {gone, first.x, first.y, first.z}});
    return;
  }
}

void Gpu::report_deadlock() {
  if (launcher_.grids().empty()) return;
  Finding finding{.rule = Rule::deadlock, .what = What::deadlock};
  struct OpenMbarrier {
    State state;
    Place first;
    std::int64_t more = 0;  // blocks with the same one in the same state
  };
  std::vector<OpenMbarrier> open;
  bool at_barrier = true;  // so far
  for (const Block* block : residents_.blocks()) {
    const ptx::Program& program = *block->grid->launch.program;
    const auto happens_at = [&](const Warp& warp, const Path& path) {
      finding.at = place(warp, std::countr_zero(path.lanes));
      finding.at.location = program.code[path.pc].location;
    };
    for (const Warp* warp : block->warps) {
      for (const Path& path : warp->paths) {
        if (finding.at.program != nullptr && (!at_barrier || waits_at_barrier(path))) continue;
        at_barrier = waits_at_barrier(path);
        happens_at(*warp, path);
      }
    }
    for (const Warp* warp : block->warps) {
      const Path* const path = with_another_mask(*warp);
      if (path == nullptr || finding.rule != Rule::deadlock) continue;
      finding.rule = Rule::warp_sync_mask;
      finding.what = What::masks_differ;
      at_barrier = false;
      happens_at(*warp, *path);
    }
    for (const Warp* warp : block->warps) {
      const Path* const path = first_in_warp(*warp);
      if (path == nullptr || finding.what != What::deadlock) continue;
      finding.what = What::deadlock_in_warp;
      at_barrier = false;
      happens_at(*warp, *path);
    }
    for (const Mbarrier& mbarrier : block->mbarriers) {
      const bool idle = mbarrier.pending == mbarrier.expected && mbarrier.transactions == 0;
      if (idle && mbarrier.waiters.empty()) continue;
      const State state = state_of(mbarrier);
      const auto known = std::find_if(open.begin(), open.end(),
                                      [&](const OpenMbarrier& one) { return one.state == state; });
      if (known == open.end()) {
        open.push_back({.state = state, .first = {.program = &program, .block = block->index}});
      } else {
        ++known->more;
      }
    }
  }
  finding.details = whereabouts();
  add_blocks_gone(finding);
  for (std::size_t i = 0; i < std::min(open.size(), kMaxGroups); ++i) {
    const auto& [state, first, more] = open[i];
    finding.details.push_back({.role = Role::mbarrier,
                               .note = more == 0 ? Note::open_mbarrier : Note::open_mbarriers,
                               .place = first,
                               .numbers = {state.begin(), state.end()}});
    if (more != 0) finding.details.back().numbers.push_back(more);
  }
  notify([&](Observer& observer) { observer.stopped(finding); });
  fault_ = std::make_unique<DeviceFault>(DeviceFault{
      FaultKind::deadlock, finding.rule, "every thread that is left waits for another", -1});
  drop_everything();
}

}  // namespace clcsim::machine
