#include "tour/charts.h"

#include "report/svg.h"

namespace clcsim::tour {
namespace {

Bar time_bar(const Result& result, double time, bool other = false) {
  return {time, time_text(result, time), other};
}

std::vector<BarChart> overhead_charts(const Results& results, const std::string& gpu) {
  const std::vector<std::string> costs = prologues(results);
  if (costs.size() != 2) return {};
  BarChart runs{.title = "prologues run, on " + gpu};
  BarChart times{.title = "time with a cheap and with an expensive prologue, on " + gpu,
                 .kind = "prologue of " + costs[0] + " FMAs",
                 .other = "prologue of " + costs[1] + " FMAs"};
  for (const Strategy& strategy : strategies()) {
    const Result* cheap = results.find_on(gpu, "overheads", costs[0], strategy.name);
    const Result* costly = results.find_on(gpu, "overheads", costs[1], strategy.name);
    if (cheap == nullptr || costly == nullptr) continue;
    const auto count = static_cast<std::uint64_t>(cheap->prologues);
    runs.rows.push_back(
        {strategy.title, {{static_cast<double>(count), report::svg::grouped(count)}}});
    times.rows.push_back(
        {strategy.title, {time_bar(*cheap, cheap->time), time_bar(*costly, costly->time, true)}});
  }
  return {runs, times};
}

std::vector<BarChart> balance_charts(const Results& results, const std::string& gpu) {
  BarChart chart{.title = "time with even and with uneven tiles, on " + gpu,
                 .kind = "even tiles",
                 .other = "the shape that takes longest, of four uneven ones"};
  for (const Strategy& strategy : strategies()) {
    const Result* even = results.find_on(gpu, "balance", "even", strategy.name);
    const Result* worst = worst_shape(results, gpu, strategy.name);
    if (even == nullptr || worst == nullptr) continue;
    Bar uneven = time_bar(*worst, worst->time, true);
    uneven.says += worst->variant == "heavy-tail" ? ", heavy tail" : ", " + worst->variant;
    chart.rows.push_back({strategy.title, {time_bar(*even, even->time), uneven}});
  }
  return {chart};
}

std::vector<BarChart> preemption_charts(const Results& results, const std::string& gpu) {
  BarChart chart{.title = "how long the urgent kernel waits, on " + gpu};
  for (const Strategy& strategy : strategies()) {
    const Result* result = results.find_on(gpu, "preemption", "even", strategy.name);
    if (result == nullptr) continue;
    chart.rows.push_back({strategy.title, {time_bar(*result, result->urgent_time)}});
    if (strategy.name == "fixed") {
      chart.limit = 2 * result->urgent_time;
      chart.limit_says = "twice as long as with fixed work";
    }
  }
  return {chart};
}

}  // namespace

std::vector<BarChart> charts_of(const Results& results, const std::string& experiment) {
  std::vector<BarChart> charts;
  for (const std::string& gpu : gpus(results, experiment)) {
    std::vector<BarChart> more;
    if (experiment == "overheads") more = overhead_charts(results, gpu);
    if (experiment == "balance") more = balance_charts(results, gpu);
    if (experiment == "preemption") more = preemption_charts(results, gpu);
    for (BarChart& chart : more)
      if (!chart.rows.empty()) charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace clcsim::tour
