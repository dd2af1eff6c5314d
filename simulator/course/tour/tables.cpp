#include "tour/tables.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "report/svg.h"

namespace clcsim::tour {
namespace {

constexpr const char* kNone = "-";

std::string fixed(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

// Times are compared within one GPU: all strategies on one, then all that the next one has run.
template <class F>
void for_each_row(const Results& results, const std::string& experiment, F&& f) {
  for (const std::string& gpu : gpus(results, experiment)) {
    for (const Strategy& strategy : strategies()) f(gpu, strategy);
  }
}

Table overheads(const Results& results) {
  const std::vector<std::string> costs = prologues(results);
  Table table{.title = "Overheads",
              .experiment = "overheads",
              .what =
                  "y = ax with a cheap prologue and with an expensive one. The copy of the same "
                  "run is the ceiling of the bandwidth.",
              .reading =
                  "A prologue for each tile is what fixed work pays; all others pay one for each "
                  "block that starts (of a cluster, for each cluster). Chapter 06 reads one float "
                  "at a time, the others four: that is its bandwidth, not libcu++'s."};
  if (costs.size() != 2) return table;
  table.rows.push_back({"strategy", "on", "tiles", "prologues", costs[0] + " FMAs", "of the copy",
                        costs[1] + " FMAs", "of the copy"});
  for_each_row(results, "overheads", [&](const std::string& gpu, const Strategy& strategy) {
    const Result* cheap = results.find_on(gpu, "overheads", costs[0], strategy.name);
    const Result* costly = results.find_on(gpu, "overheads", costs[1], strategy.name);
    if (cheap == nullptr || costly == nullptr) return;
    const auto share = [](const Result& result) {
      return fixed(100 * result.bandwidth / result.copy_bandwidth, 1) + " %";
    };
    table.rows.push_back({strategy.title, cheap->gpu, report::svg::grouped(cheap->tiles),
                          report::svg::grouped(cheap->prologues), time_text(*cheap, cheap->time),
                          share(*cheap), time_text(*costly, costly->time), share(*costly)});
  });
  return table;
}

Table balance(const Results& results) {
  Table table{.title = "Load balance",
              .experiment = "balance",
              .what =
                  "The same amount of work, spread over the tiles in five ways, with a cheap "
                  "prologue. Compare a row's times with its even tiles, and rows of one GPU.",
              .reading =
                  "Idle, at worst: the share of the GPU's time that the worst of these shapes "
                  "loses against the same strategy's even tiles."};
  table.rows.push_back(
      {"strategy", "on", "even", "heavy tail", "random", "growing", "periodic", "idle, at worst"});
  for_each_row(results, "balance", [&](const std::string& gpu, const Strategy& strategy) {
    const Result* even = results.find_on(gpu, "balance", "even", strategy.name);
    if (even == nullptr) return;
    std::vector<std::string> row = {strategy.title, gpu, time_text(*even, even->time)};
    for (const std::string& shape : kShapes) {
      const Result* result = results.find_on(gpu, "balance", shape, strategy.name);
      row.push_back(result == nullptr ? kNone : time_text(*result, result->time));
    }
    const double worst = worst_over_even(results, gpu, strategy.name);
    row.push_back(worst == 0 ? kNone : fixed(100 * (1 - 1 / worst), 0) + " %");
    table.rows.push_back(row);
  });
  return table;
}

Table preemption(const Results& results) {
  Table table{
      .title = "Preemption",
      .experiment = "preemption",
      .what = "While the kernel runs, an urgent kernel of one warp and high priority is launched.",
      .reading =
          "It waits for one block to leave. A resident wave never leaves before the "
          "end; a block of CLC leaves when its next request is refused."};
  table.rows.push_back({"strategy", "on", "the kernel alone", "the urgent kernel waits",
                        "times fixed work's wait", "the kernel beside it"});
  for_each_row(results, "preemption", [&](const std::string& gpu, const Strategy& strategy) {
    const Result* result = results.find_on(gpu, "preemption", "even", strategy.name);
    if (result == nullptr) return;
    const double permille = std::round(1000 * (result->beside_urgent / result->time - 1)),
                 loss = permille / 10 + 0.0;  // not -0
    table.rows.push_back({strategy.title, gpu, time_text(*result, result->time),
                          time_text(*result, result->urgent_time),
                          fixed(wait_over_fixed(results, *result), 1),
                          (loss > 0 ? "+" : "") + fixed(loss, 1) + " %"});
  });
  return table;
}

Table ticks(const Results& results) {
  Table table{.title = "Which one to take",
              .experiment = "ticks",
              .what =
                  "The three properties that the programming guide ticks. Low overheads: fewer "
                  "prologues than tiles. Load balance: no shape takes 1.5 "
                  "times as long as the same strategy's even tiles. Preemption: the urgent kernel "
                  "waits no longer than twice as long as with fixed work.",
              .reading = ""};
  table.rows.push_back({"strategy", "on", "low overheads", "load balance", "preemption"});
  for (const std::string& gpu : gpus(results, "preemption")) {
    std::vector<std::vector<std::string>> forms;  // of CLC, which are one row if they are alike
    for (const Strategy& strategy : strategies()) {
      std::vector<std::string> row = {strategy.title, gpu};
      for (const char* experiment : {"overheads", "balance", "preemption"}) {
        const Property column = property(results, experiment, gpu, strategy.name);
        if (column.times != 0) row.push_back(column.ticked ? "yes" : "no");
      }
      if (row.size() != table.rows[0].size()) continue;
      (steals(results, strategy.name) ? forms : table.rows).push_back(row);
    }
    const bool alike = std::all_of(forms.begin(), forms.end(), [&](const auto& row) {
      return std::equal(row.begin() + 1, row.end(), forms[0].begin() + 1);
    });
    if (alike && forms.size() >= 2 && forms.size() <= 4) {
      static constexpr const char* kNumbers[] = {"two", "three", "four"};
      forms[0][0] += std::string(", in all ") + kNumbers[forms.size() - 2] + " forms";
      forms.resize(1);
    }
    table.rows.insert(table.rows.end(), forms.begin(), forms.end());
  }
  return table;
}

}  // namespace

Table scale_table(const Results& results) {
  Table table{
      .title = "How the cost grows",
      .experiment = "scale",
      .what =
          "Tiles of 32 elements, blocks of one warp: almost nothing but overhead. Recorded, "
          "since it takes minutes: medians on an H200, one run each on clcsim.",
      .reading = "While all tiles fit at once, more of them take hardly longer."};
  table.rows.push_back({"on", "tiles"});
  std::map<std::pair<std::string, long long>, std::map<std::string, const Result*>> found;
  for (const Result& result : results.all)
    if (result.experiment == "scale") found[{result.gpu, result.tiles}][result.strategy] = &result;
  for (const Strategy& strategy : strategies()) table.rows[0].push_back(strategy.title);
  for (const auto& [key, by_strategy] : found) {
    const bool simulated = by_strategy.begin()->second->simulated;
    auto& row = table.rows.emplace_back();
    row = {key.first + (simulated ? ", cycles" : ", µs"),
           report::svg::grouped(static_cast<std::uint64_t>(key.second))};
    for (const Strategy& strategy : strategies()) {
      const auto found_result = by_strategy.find(strategy.name);
      if (found_result == by_strategy.end()) {
        row.push_back(kNone);
        continue;
      }
      const double time = found_result->second->time;
      row.push_back(simulated ? report::svg::grouped(static_cast<std::uint64_t>(std::llround(time)))
                              : fixed(1000 * time, 1));
    }
  }
  return table;
}

std::vector<Table> tables_of(const Results& results) {
  return {overheads(results), balance(results), preemption(results), scale_table(results),
          ticks(results)};
}

std::vector<std::vector<std::string>> rows_of_page(const Table& table) {
  auto rows = table.rows;
  const auto all_say = [&rows](std::size_t column, const auto& of) {
    return std::all_of(rows.begin() + 1, rows.end(), [&](const auto& row) {
      return row[column] == kNone || of(row[column]) == of(rows[1][column]);
    });
  };
  if (rows[0][1] != "on" || !all_say(1, [](const std::string& gpu) { return gpu; })) return rows;
  for (auto& row : rows) row.erase(row.begin() + 1);
  if (rows[0][1] == "tiles" && all_say(1, [](const std::string& tiles) { return tiles; })) {
    rows[0][2] += " for " + rows[1][1] + " tiles";
    for (auto& row : rows) row.erase(row.begin() + 1);
  }
  const auto unit = [](const std::string& cell) {
    return cell.substr(std::min(cell.rfind(' '), cell.size()));
  };
  for (std::size_t i = 1; i < rows[0].size(); ++i) {
    const std::string common = unit(rows[1][i]);
    if (common.empty() || !all_say(i, unit)) continue;
    rows[0][i] += "," + common;
    for (auto row = rows.begin() + 1; row != rows.end(); ++row)
      (*row)[i].resize((*row)[i].size() - (unit((*row)[i]) == common ? common.size() : 0));
  }
  return rows;
}

std::string markdown(const Table& table) {
  const auto rows = rows_of_page(table);
  std::string text, rule = "|";
  for (const std::string& cell : rows[1])
    rule += cell.find_first_of("0123456789") < 2 ? "---:|" : "---|";
  for (const auto& row : rows) {
    for (const std::string& cell : row) text += "| " + (cell == "yes" ? "✓ " + cell : cell) + " ";
    text += "|\n";
    if (&row == &rows.front()) text += rule + "\n";
  }
  return text;
}

std::vector<std::string> relations(const Results& results) {
  std::vector<std::string> sentences;
  const auto hold = [&](bool holds, const std::string& sentence) {
    sentences.push_back((holds ? "ok      " : "FAILED  ") + sentence);
  };
  const auto need = [&](const char* experiment, const std::string& variant, const char* strategy) {
    const Result* result = results.find(experiment, variant, strategy);
    if (result == nullptr)
      hold(false, std::string(experiment) + " " + variant + " " + strategy + " was measured");
    return result;
  };
  for (const Result& result : results.all)  // few tiles, as in scale, leave nothing to steal
    if (!result.passed && result.experiment != "scale")
      hold(false, result.experiment + " " + result.variant + ": " + result.strategy + " passes");

  for (const char* strategy : {"clc", "double"}) {
    for (const char* shape : {"random", "growing"}) {
      if (const Result* result = need("balance", shape, strategy)) {
        const double over = over_even(results, *result);
        hold(over <= 1.05, std::string(strategy) + ", " + shape + " work: " + fixed(over, 3) +
                               " of its time for even tiles, at most 1.05");
      }
    }
    const Result* wait = need("preemption", "even", strategy);
    if (wait != nullptr && need("preemption", "even", "fixed") != nullptr) {
      const double over = wait_over_fixed(results, *wait);
      hold(over > 0 && over <= 2, std::string(strategy) + ": the urgent kernel waits " +
                                      fixed(over, 2) +
                                      " times as long as behind fixed work, at "
                                      "most 2");
    }
    const std::vector<std::string> costs = prologues(results);
    if (costs.empty()) continue;
    const Result* stealing = need("overheads", costs[0], strategy);
    const Result* resident = need("overheads", costs[0], "stride");
    if (stealing != nullptr && resident != nullptr)
      hold(stealing->prologues == resident->started && stealing->prologues < stealing->tiles,
           std::string(strategy) + ": " + std::to_string(stealing->prologues) + " prologues for " +
               std::to_string(stealing->tiles) + " tiles, as few as resident blocks");
  }
  const Result* stride = need("preemption", "even", "stride");
  if (stride != nullptr)
    hold(wait_over_fixed(results, *stride) > 2,
         "stride: the urgent kernel waits " + fixed(wait_over_fixed(results, *stride), 2) +
             " times as long as behind fixed work: it loses");
  for (const char* shape : {"random", "periodic"}) {
    const Result* fair = need("balance", shape, "clc");
    const Result* late = need("balance", shape, "stride");
    if (fair == nullptr || late == nullptr) continue;
    const double over = over_even(results, *late), fair_over = over_even(results, *fair);
    hold(over > fair_over, std::string("stride, ") + shape + " work: " + fixed(over, 3) +
                               " of its time for even tiles, CLC " + fixed(fair_over, 3) +
                               ": it loses");
  }
  return sentences;
}

}  // namespace clcsim::tour
