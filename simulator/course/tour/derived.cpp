#include "tour/derived.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report/svg.h"

namespace clcsim::tour {

std::vector<std::string> prologues(const Results& results, const std::string& gpu) {
  std::vector<std::string> found;
  for (const Result& result : results.all) {
    if (result.experiment == "overheads" && (gpu.empty() || result.gpu == gpu) &&
        std::find(found.begin(), found.end(), result.variant) == found.end())
      found.push_back(result.variant);
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return std::stoi(a) < std::stoi(b); });
  return found;
}

double over_even(const Results& results, const Result& result) {
  const Result* even = results.find_on(result.gpu, "balance", "even", result.strategy);
  return even == nullptr || even->time == 0 ? 0 : result.time / even->time;
}

double worst_over_even(const Results& results, const std::string& gpu,
                       const std::string& strategy) {
  double worst = 0;
  for (const std::string& shape : kShapes) {
    const Result* result = results.find_on(gpu, "balance", shape, strategy);
    if (result != nullptr) worst = std::max(worst, over_even(results, *result));
  }
  return worst;
}

double wait_over_fixed(const Results& results, const Result& result) {
  const Result* fixed_work = results.find_on(result.gpu, "preemption", "even", "fixed");
  return fixed_work == nullptr || fixed_work->urgent_time == 0
             ? 0
             : result.urgent_time / fixed_work->urgent_time;
}

Property property(const Results& results, const std::string& experiment, const std::string& gpu,
                  const std::string& strategy) {
  if (experiment == "balance") {
    const double worst = worst_over_even(results, gpu, strategy);
    return {worst, worst < 1.5};
  }
  if (experiment == "preemption") {
    const Result* wait = results.find_on(gpu, experiment, "even", strategy);
    const double over = wait == nullptr ? 0 : wait_over_fixed(results, *wait);
    return {over, over <= 2};
  }
  const std::vector<std::string> costs = prologues(results, gpu);
  if (costs.size() != 2) return {};
  const Result* cheap = results.find_on(gpu, experiment, costs[0], strategy);
  const Result* costly = results.find_on(gpu, experiment, costs[1], strategy);
  if (cheap == nullptr || costly == nullptr) return {};
  return {costly->time / cheap->time, cheap->prologues < cheap->tiles};
}

std::vector<std::string> gpus(const Results& results, const std::string& experiment) {
  std::vector<std::string> found;
  for (const Result& result : results.all) {
    if (result.experiment == experiment &&
        std::find(found.begin(), found.end(), result.gpu) == found.end())
      found.push_back(result.gpu);
  }
  return found;
}

bool steals(const Results& results, const std::string& strategy) {
  return std::any_of(results.all.begin(), results.all.end(), [&](const Result& result) {
    return result.strategy == strategy && result.steals > 0;
  });
}

std::string time_text(const Result& result, double time) {
  if (result.simulated) {
    return report::svg::grouped(static_cast<std::uint64_t>(std::llround(time))) + " cycles";
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.3f ms", time);
  return text;
}

}  // namespace clcsim::tour
