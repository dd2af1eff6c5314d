#include "checks/clock.h"

#include <algorithm>

namespace clcsim::checks {
namespace {

constexpr std::size_t kMostClusters = 64;  // that a clock tells apart, beside its own

void join_warps(Warps& to, const Warps& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i].join(from[i]);
}

}  // namespace

void Known::add(Part part) {
  if (part.lanes == 0 || part.tick <= all) return;
  for (Part& mine : parts) {
    if ((part.lanes & ~mine.lanes) == 0 && part.tick <= mine.tick) return;
    if (mine.tick <= all || ((mine.lanes & ~part.lanes) == 0 && mine.tick <= part.tick)) {
      mine = part;
      return;
    }
  }
  // No third one: a little too much is known of the lanes of the one that is closer in time.
  const auto distance = [&](const Part& mine) {
    return mine.tick < part.tick ? part.tick - mine.tick : mine.tick - part.tick;
  };
  Part& mine = distance(parts[0]) <= distance(parts[1]) ? parts[0] : parts[1];
  mine.lanes |= part.lanes;
  mine.tick = std::max(mine.tick, part.tick);
}

void Known::join(const Known& other) {
  if (other.all > all) all = other.all;
  add(other.parts[0]);
  add(other.parts[1]);
}

Known Known::of(LaneMask lanes) const {
  if (lanes == ptx::kAllLanes) return *this;
  Known known;
  known.add({all, lanes});
  for (const Part& part : parts) known.add({part.tick, part.lanes & lanes});
  return known;
}

Clock::Facts& Clock::own() {
  if (facts_ == nullptr) {
    facts_ = Shared(new Facts);
  } else if (!facts_.alone()) {
    facts_ = Shared(new Facts(*facts_));
  }
  return *facts_;
}

void Clock::learn(std::uint64_t cluster, std::uint32_t warp, const Known& known) {
  if (facts_ != nullptr && facts_->cluster == cluster && warp < facts_->warps.size() &&
      facts_->warps[warp].holds(known)) {
    return;
  }
  Facts& mine = own();
  if (mine.cluster == 0) mine.cluster = cluster;
  if (mine.cluster != cluster) {
    Warps warps(warp + 1);
    warps[warp] = known;
    return join_elsewhere(mine, cluster, warps);
  }
  if (mine.warps.size() <= warp) mine.warps.resize(warp + 1);
  mine.warps[warp].join(known);
}

void Clock::learn_phases(std::uint32_t mbarrier, std::uint64_t count) {
  if (phases(mbarrier) >= count) return;
  Facts& mine = own();
  for (auto& [id, known] : mine.phases) {
    if (id == mbarrier) {
      known = count;
      return;
    }
  }
  mine.phases.emplace_back(mbarrier, count);
}

/// Whether `facts` says all that `other` says; false also where that would take long to tell.
bool Clock::holds(const Facts& facts, const Facts& other) {
  if (facts.cluster != other.cluster || facts.warps.size() < other.warps.size() ||
      (other.elsewhere != nullptr && facts.elsewhere != other.elsewhere)) {
    return false;
  }
  for (std::size_t i = 0; i < other.warps.size(); ++i) {
    if (!facts.warps[i].holds(other.warps[i])) return false;
  }
  return std::all_of(other.phases.begin(), other.phases.end(),
                     [&](const auto& phase) { return phases(facts, phase.first) >= phase.second; });
}

void Clock::join_facts(const Shared<Facts>& other) {
  heard_ = other;
  if (holds(*facts_, *other)) return;
  if (holds(*other, *facts_)) {
    facts_ = other;
    return;
  }
  const Facts& from = *other;
  Facts& mine = own();
  if (mine.cluster == 0) mine.cluster = from.cluster;
  if (from.cluster == mine.cluster) {
    join_warps(mine.warps, from.warps);
  } else if (!from.warps.empty()) {
    join_elsewhere(mine, from.cluster, from.warps);
  }
  for (const auto& [id, count] : from.phases) learn_phases(id, count);
  if (from.elsewhere != nullptr && from.elsewhere != mine.elsewhere) {
    join_elsewhere(mine, *from.elsewhere);
  }
}

void Clock::join_elsewhere(Facts& mine, std::uint64_t cluster, const Warps& warps) {
  join_elsewhere(mine, {.clusters = {{cluster, std::make_shared<Warps>(warps)}}});
}

// Merges two sorted lists. Entries are shared, too: most are the same on both sides.
void Clock::join_elsewhere(Facts& mine, const Elsewhere& other) {
  static const Elsewhere kNothing;
  const Elsewhere& before = mine.elsewhere == nullptr ? kNothing : *mine.elsewhere;
  auto joined = std::make_shared<Elsewhere>();
  joined->forgotten = std::max(before.forgotten, other.forgotten);
  joined->clusters.reserve(before.clusters.size() + other.clusters.size());
  auto a = before.clusters.begin(), b = other.clusters.begin();
  while (a != before.clusters.end() || b != other.clusters.end()) {
    const bool from_a =
        b == other.clusters.end() || (a != before.clusters.end() && a->cluster <= b->cluster);
    const Elsewhere::Entry* entry = from_a ? &*a : &*b;
    const bool both = from_a && b != other.clusters.end() && b->cluster == a->cluster;
    if (entry->cluster == mine.cluster) {
      join_warps(mine.warps, *entry->warps);
      if (both) join_warps(mine.warps, *b->warps);
    } else if (entry->cluster > joined->forgotten) {
      joined->clusters.push_back(*entry);
      if (both && a->warps != b->warps) {
        auto warps = std::make_shared<Warps>(*a->warps);
        join_warps(*warps, *b->warps);
        joined->clusters.back().warps = std::move(warps);
      }
    }
    if (from_a) ++a;
    if (!from_a || both) ++b;
  }
  if (joined->clusters.size() > kMostClusters) {
    const auto surplus = static_cast<std::ptrdiff_t>(joined->clusters.size() - kMostClusters);
    joined->forgotten = joined->clusters[static_cast<std::size_t>(surplus) - 1].cluster;
    joined->clusters.erase(joined->clusters.begin(), joined->clusters.begin() + surplus);
  }
  mine.elsewhere = std::move(joined);
}

const Known* Clock::elsewhere(std::uint64_t cluster, std::uint32_t warp) const {
  const Warps* warps = warps_of(cluster);
  return warps != nullptr && warp < warps->size() ? &(*warps)[warp] : nullptr;
}

/// nullptr: nothing is known of them, or more than can be told apart.
const Warps* Clock::warps_of(std::uint64_t cluster) const {
  if (facts_ == nullptr) return nullptr;
  if (facts_->cluster == cluster) return &facts_->warps;
  if (facts_->elsewhere == nullptr) return nullptr;
  for (const Elsewhere::Entry& entry : facts_->elsewhere->clusters) {
    if (entry.cluster == cluster) return entry.warps.get();
  }
  return nullptr;
}

LaneMask Clock::covered_elsewhere(std::uint64_t cluster, std::uint32_t warp, Tick tick) const {
  if (cluster <= facts_->elsewhere->forgotten) return ptx::kAllLanes;
  const Known* known = elsewhere(cluster, warp);
  return known == nullptr ? 0 : known->covered(tick);
}

bool Clock::covers_all_elsewhere(std::uint64_t cluster, std::uint32_t warp, Tick tick) const {
  if (cluster <= facts_->elsewhere->forgotten) return true;
  const Known* known = elsewhere(cluster, warp);
  return known != nullptr && tick <= known->all;
}

}  // namespace clcsim::checks
