// The blocks, requests and rows of the record that the page shows, against an observer that knows
// nothing of the recorder. page.test.mjs has the phases, bytes and lines of a block, and compares
// with --stats and --check-json.
#include "player/record.h"

#include <doctest/doctest.h>

#include "checks/checks.h"
#include "player/recorder.h"
#include "report/finding_report.h"
#include "report/json_reader.h"
#include "tests/report/runs.h"

using namespace clcsim;
using machine::Time;
using report::Json;
using test::WatchedRun;
using Row = std::vector<std::int64_t>;

namespace {

std::string shown(const Row& row) {
  std::string text;
  for (const std::int64_t value : row) text += (text.empty() ? "" : " ") + std::to_string(value);
  return text;
}

// ---- reading what the recorder writes ----

std::vector<Row> unpacked(const std::string& text, std::size_t width) {
  static const std::string kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<Row> rows;
  Row above(width);
  std::size_t at = 0;
  const auto number = [&] {
    std::int64_t value = 0;
    for (int shift = 0;; shift += 5) {
      const auto digit = static_cast<std::int64_t>(kDigits.find(text.at(at++)));
      value |= (digit & 31) << shift;
      if ((digit & 32) == 0) return (value & 1) != 0 ? -(value >> 1) : value >> 1;
    }
  };
  while (at < text.size()) {
    const std::string masks = text.substr(at, (width + 4) / 5);
    at += masks.size();
    for (std::size_t column = 0; column < width; ++column) {
      if ((kDigits.find(masks.at(column / 5)) >> column % 5 & 1) != 0) above[column] += number();
    }
    rows.push_back(above);
  }
  return rows;
}

// ---- what happened, noted without the recorder's code ----

struct Notes : machine::Observer {
  explicit Notes(const machine::Gpu& gpu) : gpu(gpu) {}
  unsigned watches() const override { return machine::kLaunches | machine::kOrder; }

  const machine::Gpu& gpu;
  std::vector<Row> blocks;    // index, sm, started, finished
  std::vector<Row> requests;  // issued, block, warp, response, mbarrier
  std::map<std::uint32_t, Row>
      answers;                       // by serial: decided, answered, granted, stolen, blocks wait
  std::vector<std::int64_t> steals;  // in their order
  std::vector<Row> landed;           // time, block, request
  std::int64_t gone = 0;             // blocks that started or were stolen

  static std::int64_t index(const machine::Block& block) {
    return static_cast<std::int64_t>(block.grid->launch.grid.linear(block.index));
  }

  void block_started(const machine::Block& block, Time now) override {
    blocks.push_back({index(block), block.sm, static_cast<std::int64_t>(now), -1});
    ++gone;
  }
  void block_finished(const machine::Block& block, Time now) override {
    for (Row& row : blocks) {
      if (row[0] == index(block)) row[3] = static_cast<std::int64_t>(now);
    }
  }
  void request_issued(const machine::Request& request) override {
    requests.push_back({static_cast<std::int64_t>(request.issued), index(*request.block),
                        request.thread / 32 + 1, request.response, request.mbarrier});
  }
  void request_answered(const machine::Request& request) override {
    const machine::Grid& grid = *request.block->grid;
    const auto total = static_cast<std::int64_t>(grid.launch.grid.x);
    std::int64_t stolen = 0;
    if (request.granted) {
      stolen = static_cast<std::int64_t>(grid.launch.grid.linear(request.stolen));
      steals.push_back(stolen);
      gone += grid.launch.cluster.x;
    }
    answers[request.serial] = {static_cast<std::int64_t>(gpu.now()),
                               static_cast<std::int64_t>(request.answered), request.granted, stolen,
                               !request.granted && gone < total};
  }
  void async_landed(const machine::Block& block, const machine::AsyncWrite& write) override {
    landed.push_back({static_cast<std::int64_t>(std::max(write.ready, gpu.moment())), index(block),
                      static_cast<std::int64_t>(write.request)});
  }
};

// ---- a run, watched by all of them ----

struct Watched {
  Watched(const std::string& ptx, std::uint64_t seed)
      : run(ptx, seed, "mini:2"),
        recorder(run.harness.gpu),
        notes(run.harness.gpu),
        findings([](const std::string&) {}),
        checker(checks::Level::all, run.harness.gpu.memory(),
                [this](const machine::Finding& finding) {
                  recorder.found(finding, findings.add(finding));
                }) {
    machine::Gpu& gpu = run.harness.gpu;
    gpu.attach(&checker);
    gpu.attach(&recorder);
    gpu.attach(&notes);
  }

  void finish() {
    const report::TimelineRecord& timeline = run.finish();
    record = Json::parse(player::record_json(timeline, recorder.finish(), findings, {}, {}));
    launch = &record["launches"].array().at(0);
  }

  std::vector<Row> rows(const char* name, std::size_t width) const {
    return unpacked((*launch)[name].text(), width);
  }

  WatchedRun run;
  player::Recorder recorder;
  Notes notes;
  report::FindingReport findings;
  checks::Checker checker;
  Json record;
  const Json* launch = nullptr;
};

void check_blocks_and_requests(const Watched& watched) {
  const Notes& notes = watched.notes;
  CHECK(watched.rows("blocks", 4) == notes.blocks);

  const std::vector<Row> requests = watched.rows("requests", 12);
  REQUIRE(requests.size() == notes.requests.size());
  std::vector<std::pair<std::int64_t, std::int64_t>> steals;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Row& row = requests[i];
    CHECK(shown({row[0], row[3], row[4], row[6], row[7]}) == shown(notes.requests[i]));
    const Row& answer = notes.answers.at(static_cast<std::uint32_t>(i + 1));
    CHECK(Row{row[0] + row[1], row[0] + row[1] + row[2], row[8], row[11], row[9]} == answer);
    if (row[8] != 0) steals.emplace_back(row[0] + row[1], row[11]);
  }
  std::stable_sort(steals.begin(), steals.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::int64_t> order;
  for (const auto& [time, stolen] : steals) order.push_back(stolen);
  CHECK(order == notes.steals);

  // Each row of the lanes is a tile of a block: its own, then those that it stole.
  std::map<std::int64_t, std::vector<std::int64_t>> tiles, stole;
  for (const Row& row : watched.rows("rows", 9)) {
    const std::int64_t base =
        row[8] != 0 ? requests.at(static_cast<std::size_t>(row[8] - 1))[11] : row[5];
    tiles[row[5]].push_back(base + row[6]);
  }
  for (const auto& [serial, block] : watched.run.witness.blocks) {
    auto& mine = stole[static_cast<std::int64_t>(block.index)];
    mine.push_back(static_cast<std::int64_t>(block.index));
    for (const auto& [index, when] : block.stole) mine.push_back(static_cast<std::int64_t>(index));
  }
  CHECK(tiles == stole);
}

void check_landings(const Watched& watched) {
  std::vector<Row> mine, noted = watched.notes.landed;
  for (const Row& row : watched.rows("operations", 11)) {
    if (row[1] == static_cast<int>(player::Kind::landed)) mine.push_back({row[0], row[2], row[10]});
  }
  std::stable_sort(noted.begin(), noted.end(),
                   [](const Row& a, const Row& b) { return a[0] < b[0]; });
  CHECK(mine == noted);
}

}  // namespace

TEST_CASE("the record of a run is what an observer of its own saw") {
  for (const std::uint64_t seed : {0, 1, 2, 3, 7}) {
    CAPTURE(seed);
    Watched watched(test::kStealingLoop, seed);
    watched.run.steal(40, 96);
    watched.finish();
    REQUIRE(watched.run.finished);
    REQUIRE(watched.notes.steals.size() > 5);
    check_blocks_and_requests(watched);
    check_landings(watched);
    CHECK(watched.record["findings"].array().empty());
  }
}

TEST_CASE("the same in clusters, with a response for each block of them") {
  for (const std::uint64_t seed : {0, 5}) {
    CAPTURE(seed);
    Watched watched(test::kHeader + test::kClusterLoop, seed);
    watched.run.steal(36, 64, 2);
    watched.finish();
    REQUIRE(watched.run.finished);
    REQUIRE(watched.notes.steals.size() > 3);
    check_blocks_and_requests(watched);
    check_landings(watched);
  }
}
