// The JSON trace follows the rules of the trace-event format, and says what the run did.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "config/options.h"
#include "report/json_reader.h"
#include "report/timeline_json.h"
#include "tests/report/runs.h"

using namespace clcsim;
using report::Json;
using test::WatchedRun;

namespace {

struct Stretch {
  std::uint64_t begin, end;
  std::string category, name;
};
using Thread = std::pair<std::uint64_t, std::uint64_t>;  // process, thread

// What every viewer relies on.
void check_rules(const Json& trace) {
  REQUIRE_FALSE(trace.object().empty());
  const std::string unit = trace["displayTimeUnit"].text();
  CHECK((unit == "ms" || unit == "ns"));
  CHECK(trace["otherData"]["time"].text().find("model cycles") != std::string::npos);
  CHECK(trace["otherData"]["version"].text() == config::version());
  std::map<Thread, std::vector<Stretch>> stretches;
  std::map<std::uint64_t, std::vector<std::string>> arrows;
  std::set<Thread> named;
  for (const Json& event : trace["traceEvents"].array()) {
    const std::string phase = event["ph"].text();
    const Thread thread{event["pid"].integer(), event["tid"].integer()};
    CHECK_FALSE(event["name"].text().empty());
    if (phase == "M") {
      const std::string what = event["name"].text();
      const bool names = what == "process_name" || what == "thread_name";
      CHECK((names || what == "process_sort_index" || what == "thread_sort_index"));
      CHECK_FALSE(event["args"][names ? "name" : "sort_index"].is_null());
      if (what == "thread_name") CHECK(named.insert(thread).second);
      continue;
    }
    CHECK(named.count(thread) == 1);
    CHECK_FALSE(event["cat"].text().empty());
    const std::uint64_t ts = event["ts"].integer();
    if (phase == "X") {
      stretches[thread].push_back(
          {ts, ts + event["dur"].integer(), event["cat"].text(), event["name"].text()});
    } else if (phase == "i") {
      CHECK(event["s"].text() == "t");
    } else {
      REQUIRE((phase == "s" || phase == "f"));
      if (phase == "f") CHECK(event["bp"].text() == "e");
      arrows[event["id"].integer()].push_back(phase);
    }
  }
  for (const auto& [id, ends] : arrows) CHECK(ends == std::vector<std::string>{"s", "f"});
  // Stretches of a thread are nested or apart.
  for (auto& [thread, all] : stretches) {
    std::stable_sort(all.begin(), all.end(), [](const Stretch& a, const Stretch& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<Stretch> open;
    for (const Stretch& stretch : all) {
      while (!open.empty() && open.back().end <= stretch.begin) open.pop_back();
      if (!open.empty()) CHECK(stretch.end <= open.back().end);
      open.push_back(stretch);
    }
  }
  // An arrow starts and ends in a stretch.
  for (const Json& event : trace["traceEvents"].array()) {
    const std::string phase = event["ph"].text();
    if (phase != "s" && phase != "f") continue;
    const std::uint64_t ts = event["ts"].integer();
    const auto& all = stretches[{event["pid"].integer(), event["tid"].integer()}];
    CHECK(std::any_of(all.begin(), all.end(), [&](const Stretch& stretch) {
      return stretch.begin <= ts && ts <= stretch.end;
    }));
  }
}

}  // namespace

TEST_CASE("the trace of a stealing run: rules, bars, thieves, refusals") {
  WatchedRun run(test::kStealingLoop);
  run.steal(100, 256);
  const std::string text = report::timeline_json(run.finish(), {});
  REQUIRE(run.finished);
  const Json trace = Json::parse(text);
  check_rules(trace);

  std::map<Thread, std::string> names;
  std::map<std::string, const Json*> bars;  // by the name of the tile
  std::size_t refusals = 0, arrows = 0;
  for (const Json& event : trace["traceEvents"].array()) {
    const std::string phase = event["ph"].text();
    if (phase == "M" && event["name"].text() == "thread_name") {
      names[{event["pid"].integer(), event["tid"].integer()}] = event["args"]["name"].text();
    }
    if (phase == "X" && (event["cat"].text() == "own" || event["cat"].text() == "stolen")) {
      CHECK(bars.emplace(event["name"].text(), &event).second);
    }
    refusals += phase == "i" && event["cat"].text() == "refused";
    arrows += phase == "s";
  }
  CHECK(bars.size() == 100);
  CHECK(refusals == 16);  // 4 SMs x 4 blocks of 256 threads: each hears one refusal
  CHECK(arrows == 84);
  for (const auto& [serial, block] : run.witness.blocks) {
    const auto name = [](std::uint64_t index) { return "block " + std::to_string(index); };
    const auto sm_of = [&](const Json& bar) {
      const std::string slot = names[{bar["pid"].integer(), bar["tid"].integer()}];
      return slot.substr(0, slot.find(" slot"));
    };
    const Json& own = *bars.at(name(block.index));
    CHECK(own["cat"].text() == "own");
    CHECK(own["ts"].integer() == block.started);
    CHECK(sm_of(own) == "SM " + std::to_string(block.sm));
    for (const auto& [index, when] : block.stole) {
      const Json& stolen = *bars.at(name(index));
      CHECK(stolen["cat"].text() == "stolen");
      CHECK(stolen["ts"].integer() == when);
      CHECK(stolen["args"]["done by"].text() == name(block.index));
      CHECK(sm_of(stolen) == "SM " + std::to_string(block.sm));
    }
  }
}

TEST_CASE("other traces keep the rules: clusters, priorities, joined tiles, nothing at all") {
  WatchedRun clusters(test::kHeader + test::kClusterLoop, 3);
  clusters.steal(96, 64, 2);
  check_rules(Json::parse(report::timeline_json(clusters.finish(), {})));

  WatchedRun priorities(test::kStealingLoop, 5);
  priorities.steal(100, 128);
  priorities.steal(50, 128, 1, -3);
  check_rules(Json::parse(report::timeline_json(priorities.finish(), {})));

  WatchedRun joined(test::kStealingLoop, 0, "mini", {.spans = 100, .requests = 500});
  joined.steal(2000, 128);
  check_rules(Json::parse(report::timeline_json(joined.finish(), {})));

  report::TimelineRecord nothing;
  CHECK(Json::parse(report::timeline_json(nothing, {}))["traceEvents"].array().empty());
}

TEST_CASE("a launch can be chosen; the names of kernels are escaped") {
  report::TimelineRecord record{.gpu = "mini", .sms = 1};
  for (std::uint64_t serial : {1, 2, 3}) {
    record.launches.push_back({.serial = serial,
                               .kernel = "less<\"a\", '\\'>",
                               .submitted = 100 * serial,
                               .started = 100 * serial,
                               .finished = 100 * serial + 50});
  }
  const Json trace = Json::parse(report::timeline_json(record, {.launch = 2}));
  for (const Json& event : trace["traceEvents"].array()) CHECK(event["pid"].integer() == 2);
  CHECK(trace["traceEvents"].array().front()["args"]["name"].text() ==
        "launch 2: less<\"a\", '\\'>");
}
