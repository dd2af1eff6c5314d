#include "checks/clock.h"

#include <algorithm>

namespace clcsim::checks {
namespace {

constexpr std::size_t kMostClusters = 64;  // that a clock tells apart, beside its own

void join_warps(std::vector<Known>& to, const std::vector<Known>& from) {
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

void Clock::learn(std::uint64_t cluster, std::uint32_t warp, const Known& known) {
  if (cluster_ == 0) cluster_ = cluster;
  if (cluster_ != cluster) {
    std::vector<Known> warps(warp + 1);
    warps[warp] = known;
    return join_elsewhere(cluster, warps);
  }
  if (warps_.size() <= warp) warps_.resize(warp + 1);
  warps_[warp].join(known);
}

void Clock::learn_phases(std::uint32_t mbarrier, std::uint64_t count) {
  for (auto& [id, known] : phases_) {
    if (id == mbarrier) {
      known = std::max(known, count);
      return;
    }
  }
  phases_.emplace_back(mbarrier, count);
}

void Clock::join(const Clock& other) {
  if (other.cluster_ != 0 && cluster_ == 0) cluster_ = other.cluster_;
  if (other.cluster_ == cluster_) {
    join_warps(warps_, other.warps_);
  } else if (!other.warps_.empty()) {
    join_elsewhere(other.cluster_, other.warps_);
  }
  for (const auto& [id, count] : other.phases_) learn_phases(id, count);
  if (other.elsewhere_ == nullptr || other.elsewhere_ == elsewhere_) return;
  if (elsewhere_ == nullptr &&
      std::none_of(other.elsewhere_->clusters.begin(), other.elsewhere_->clusters.end(),
                   [&](const auto& e) { return e.first == cluster_; })) {
    elsewhere_ = other.elsewhere_;
    return;
  }
  const std::shared_ptr<const Elsewhere> from = other.elsewhere_;
  for (const auto& [cluster, warps] : from->clusters) {
    if (cluster == cluster_) {
      join_warps(warps_, warps);
    } else {
      join_elsewhere(cluster, warps);
    }
  }
  if (elsewhere_ == nullptr || from->forgotten > elsewhere_->forgotten) {
    own_elsewhere().forgotten = from->forgotten;
  }
}

Elsewhere& Clock::own_elsewhere() {
  auto copy = elsewhere_ == nullptr ? std::make_shared<Elsewhere>()
                                    : std::make_shared<Elsewhere>(*elsewhere_);
  Elsewhere& result = *copy;
  elsewhere_ = std::move(copy);
  return result;
}

void Clock::join_elsewhere(std::uint64_t cluster, const std::vector<Known>& warps) {
  if (elsewhere_ != nullptr && cluster <= elsewhere_->forgotten) return;
  Elsewhere& mine = own_elsewhere();
  const auto place =
      std::lower_bound(mine.clusters.begin(), mine.clusters.end(), cluster,
                       [](const auto& entry, std::uint64_t id) { return entry.first < id; });
  if (place != mine.clusters.end() && place->first == cluster) {
    join_warps(place->second, warps);
    return;
  }
  mine.clusters.insert(place, {cluster, warps});
  if (mine.clusters.size() > kMostClusters) {
    mine.forgotten = mine.clusters.front().first;
    mine.clusters.erase(mine.clusters.begin());
  }
}

bool Clock::covers_elsewhere(std::uint64_t cluster, std::uint32_t warp, int lane, Tick tick) const {
  if (cluster <= elsewhere_->forgotten) return true;
  for (const auto& [id, warps] : elsewhere_->clusters) {
    if (id == cluster) return warp < warps.size() && warps[warp].covers(lane, tick);
  }
  return false;
}

bool Clock::covers_all_elsewhere(std::uint64_t cluster, std::uint32_t warp, Tick tick) const {
  if (cluster <= elsewhere_->forgotten) return true;
  for (const auto& [id, warps] : elsewhere_->clusters) {
    if (id == cluster) return warp < warps.size() && tick <= warps[warp].all;
  }
  return false;
}

}  // namespace clcsim::checks
