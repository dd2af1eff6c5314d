#include "tour/charts.h"

#include <cstdio>

#include "report/svg.h"

namespace clcsim::tour {
namespace {

// Its times are those of float after float, the others' of four at once: no bar beside theirs.
constexpr const char* kReadsFloats = "for-each";

Bar time_bar(const Result& result, double time, bool other = false) {
  return {time, time_text(result, time), other};
}

// "1.2 times", "31 times".
std::string times(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, ratio < 9.95 ? "%.1f times" : "%.0f times", ratio);
  return text;
}

// What a chart's sentence sets against the older strategies: CLC, or the tile queue of a GPU
// without it.
struct Newest {
  const char *name, *words;
};
Newest newest_on(const Results& results, const std::string& gpu) {
  if (results.find_on(gpu, "balance", "even", "clc") != nullptr) return {"clc", "CLC"};
  return {"queue", "the tile queue"};
}

std::vector<BarChart> overhead_charts(const Results& results, const std::string& gpu) {
  const std::vector<std::string> costs = prologues(results);
  if (costs.size() != 2) return {};
  BarChart runs{.title = "prologues run, on " + gpu};
  BarChart times_chart{.title = "time with a cheap and with an expensive prologue, on " + gpu,
                       .kind = "prologue of " + costs[0] + " FMAs",
                       .other = "prologue of " + costs[1] + " FMAs"};
  const auto of = [&](const std::string& cost, const char* strategy) {
    return results.find_on(gpu, "overheads", cost, strategy);
  };
  const Newest newest = newest_on(results, gpu);
  const Result *fixed = of(costs[0], "fixed"), *other = of(costs[0], newest.name);
  const Result *dear_fixed = of(costs[1], "fixed"), *dear_other = of(costs[1], newest.name);
  if (fixed != nullptr && other != nullptr && dear_fixed != nullptr && dear_other != nullptr) {
    runs.says = "Fixed work runs " +
                report::svg::grouped(static_cast<std::uint64_t>(fixed->prologues)) +
                " prologues, " + newest.words + " " +
                report::svg::grouped(static_cast<std::uint64_t>(other->prologues)) + ".";
    times_chart.says = "With the expensive prologue, fixed work takes " +
                       times(dear_fixed->time / fixed->time) +
                       " as long as with the cheap one, and " + newest.words + " " +
                       times(dear_other->time / other->time) + " as long.";
  }
  for (const Strategy& strategy : strategies()) {
    const Result* cheap = results.find_on(gpu, "overheads", costs[0], strategy.name);
    const Result* costly = results.find_on(gpu, "overheads", costs[1], strategy.name);
    if (cheap == nullptr || costly == nullptr) continue;
    const auto count = static_cast<std::uint64_t>(cheap->prologues);
    runs.rows.push_back(
        {strategy.title, {{static_cast<double>(count), report::svg::grouped(count)}}});
    if (strategy.name == kReadsFloats) continue;
    times_chart.rows.push_back(
        {strategy.title, {time_bar(*cheap, cheap->time), time_bar(*costly, costly->time, true)}});
    if (times_chart.limit == 0 && cheap->copy_bandwidth > 0) {
      times_chart.limit = cheap->time * cheap->bandwidth / cheap->copy_bandwidth;
      times_chart.limit_says = "a copy of the same bytes";
    }
  }
  return {runs, times_chart};
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
  const Newest newest = newest_on(results, gpu);
  const double stride = worst_over_even(results, gpu, "stride"),
               other = worst_over_even(results, gpu, newest.name);
  if (stride > 0 && other > 0) {
    chart.says = "With uneven tiles, the grid stride takes up to " + times(stride) +
                 " as long as with even ones, and " + newest.words + " up to " + times(other) +
                 " as long.";
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
  const Newest newest = newest_on(results, gpu);
  const Result *stride = results.find_on(gpu, "preemption", "even", "stride"),
               *other = results.find_on(gpu, "preemption", "even", newest.name);
  if (stride != nullptr && other != nullptr && chart.limit > 0) {
    chart.says = "Behind a grid stride, an urgent kernel waits " +
                 times(wait_over_fixed(results, *stride)) +
                 " as long as behind fixed work; behind " + newest.words + ", " +
                 times(wait_over_fixed(results, *other)) + " as long.";
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
