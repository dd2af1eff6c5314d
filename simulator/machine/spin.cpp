// Warps that spin. A warp that comes back to the same pc with the same registers, while nothing has
// changed in memory, will do so for ever: it is parked until something changes. So waiting loops
// cost nothing, and a deadlock of such loops is recognised like any other.
//
// The state is compared with a snapshot that is renewed after 1, 2, 4, ... slices (Brent's
// algorithm), so that a loop of any length is found.
#include "machine/gpu.h"

namespace clcsim::machine {
namespace {

constexpr std::uint32_t kPatience = 32;  // slices without a change before the first look
constexpr Time kWakeInterval = 500;      // cycles; a spinning warp looks at most this often

std::uint64_t hash_state(const Warp& warp) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3 + (hash >> 29); };
  for (const Path& path : warp.paths) {
    add(path.pc);
    add(path.lanes | static_cast<std::uint64_t>(path.wait) << 32);
  }
  const auto* words = reinterpret_cast<const std::uint64_t*>(warp.registers);
  const std::size_t count = warp.file.size() * sizeof(RegisterLine) / 8;
  for (std::size_t i = 0; i < count; ++i) add(words[i]);
  return hash;
}

}  // namespace

void Gpu::note_spin(Warp& warp) {
  if (warp.spin_progress != progress_) {
    warp.spin_progress = progress_;
    warp.spin_slices = 0;
    warp.spin_limit = kPatience;
    warp.spin_hash = 0;
    return;
  }
  if (++warp.spin_slices < kPatience) return;
  const std::uint64_t hash = hash_state(warp);
  if (hash == warp.spin_hash) {
    for (Path& path : warp.paths) {
      if (warp.runnable(path)) path.wait = Wait::change;
    }
    spinning_.push_back(&warp);
  } else if (warp.spin_slices >= warp.spin_limit) {
    warp.spin_hash = hash;
    warp.spin_limit *= 2;
  }
}

void Gpu::wake_spinning(Time now) {
  if (spin_wake_pending_) return;
  spin_wake_pending_ = true;
  at(now + kWakeInterval, [this] {
    spin_wake_pending_ = false;
    std::vector<Warp*> warps;
    warps.swap(spinning_);
    for (Warp* warp : warps) {
      for (Path& path : warp->paths) {
        if (path.wait != Wait::change) continue;
        path.wait = Wait::nothing;
        path.ready = now_;
      }
      schedule(*warp);
    }
  });
}

}  // namespace clcsim::machine
