// The record that the page shows, against an observer that knows nothing of the recorder: steals
// and their order, requests, phases, arrivals and bytes of mbarriers, lines. page.test.mjs compares
// it with --stats and --check-json.
#include "player/record.h"

#include <doctest/doctest.h>

#include <sstream>

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

// A kernel's text in which each instruction belongs to a line of "kernel.cu": 1000 more than its
// place in the text. `lines` gets these, in the order of the instructions.
std::string with_lines(const std::string& ptx, std::vector<std::int64_t>& lines) {
  std::istringstream in(ptx);
  std::string text;
  std::size_t number = 0;
  bool inside = false;
  for (std::string line; std::getline(in, line); text += line + "\n") {
    ++number;
    const std::size_t first = line.find_first_not_of(" \t");
    const bool entry = line.find(".entry") != line.npos;
    if (entry && !inside) text += ".file 1 \"kernel.cu\"\n";
    if (inside && first != line.npos && line[first] != '.' && line.back() == ';') {
      const auto instructions = std::count(line.begin(), line.end(), ';');
      lines.insert(lines.end(), static_cast<std::size_t>(instructions),
                   static_cast<std::int64_t>(1000 + number));
      text += ".loc 1 " + std::to_string(lines.back()) + " 1\n";
    }
    inside = (inside || entry) && line != "}";
  }
  return text;
}

// ---- what happened, noted without the recorder's code ----

struct Notes : machine::Observer {
  struct Mbarrier {
    std::int64_t count = 0, pending = 0, bytes = 0, phase = 0;
    bool live = false;
    void settle() {
      if (pending != 0 || bytes != 0) return;
      ++phase;
      pending = count;
    }
  };

  Notes(const machine::Gpu& gpu, const std::vector<std::int64_t>& text) : gpu(gpu), text(text) {}
  unsigned watches() const override {
    return machine::kLaunches | machine::kOrder | machine::kValues;
  }

  const machine::Gpu& gpu;
  const std::vector<std::int64_t>& text;  // the line of each instruction of the kernel
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> at;  // the line of each warp now
  std::vector<Row> blocks;                                           // index, sm, started, finished
  std::vector<Row> requests;  // issued, block, warp, line, response, mbarrier
  std::map<std::uint32_t, Row>
      answers;                       // by serial: decided, answered, granted, stolen, blocks wait
  std::vector<std::int64_t> steals;  // in their order
  std::vector<Row> operations;       // as the record has them
  std::map<std::pair<std::int64_t, std::uint32_t>, Mbarrier> mbarriers;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Row>>
      lines;              // of a warp: time, line, when it changes
  std::int64_t gone = 0;  // blocks that started or were stolen

  static std::int64_t index(const machine::Block& block) {
    return static_cast<std::int64_t>(block.grid->launch.grid.linear(block.index));
  }
  static std::int64_t warp(const machine::Warp& warp) { return warp.index + 1; }
  std::int64_t line(const machine::Warp& one, const ptx::Instruction& in) const {
    const std::vector<ptx::Instruction>& code = one.block->grid->launch.program->code;
    REQUIRE(code.size() == text.size() + 1);  // the last one ends whoever falls out of the kernel
    return text.at(static_cast<std::size_t>(&in - code.data()));
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
                        request.thread / 32 + 1,
                        at.at({index(*request.block), request.thread / 32 + 1}), request.response,
                        request.mbarrier});
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

  void operation(Time time, player::Kind kind, const machine::Block& block, std::int64_t by,
                 std::int64_t line, std::uint32_t offset, std::int64_t e, std::int64_t f) {
    const Mbarrier& mbarrier = mbarriers[{index(block), offset}];
    operations.push_back({static_cast<std::int64_t>(time), static_cast<int>(kind), index(block), by,
                          line, offset, mbarrier.live ? mbarrier.phase : -1,
                          mbarrier.live ? mbarrier.pending : 0, mbarrier.live ? mbarrier.bytes : 0,
                          e, f});
  }
  void mbarrier_used(const machine::MbarrierUse& use) override {
    using Use = machine::MbarrierUse::Kind;
    Mbarrier& mbarrier = mbarriers[{index(use.block), use.offset}];
    const auto note = [&](player::Kind kind, std::int64_t e, std::int64_t f) {
      operation(use.warp.now, kind, use.block, &use.block == use.warp.block ? warp(use.warp) : 0,
                line(use.warp, use.in), use.offset, e, f);
    };
    switch (use.kind) {
      case Use::init:
        mbarrier = {use.count, use.count, 0, 0, true};
        return note(player::Kind::init, use.count, 0);
      case Use::inval:
        mbarrier.live = false;
        return note(player::Kind::inval, use.bytes, 0);
      case Use::expect:
        mbarrier.bytes += use.bytes;
        mbarrier.settle();
        return note(player::Kind::expect, use.bytes, 0);
      case Use::complete:
        mbarrier.bytes -= use.bytes;
        mbarrier.settle();
        return note(player::Kind::complete, use.bytes, 0);
      case Use::arrive:
        mbarrier.bytes += use.bytes;
        mbarrier.pending -= use.count;
        mbarrier.settle();
        return note(player::Kind::arrive, use.count, use.bytes);
      case Use::wait:
        if (use.passed != 0) note(player::Kind::passed, static_cast<std::int64_t>(use.waited), 0);
        return;
      case Use::request:
        return;
    }
  }
  void async_landed(const machine::Block& block, const machine::AsyncWrite& write) override {
    Mbarrier& mbarrier = mbarriers[{index(block), write.mbarrier}];
    mbarrier.bytes -= write.bytes;
    mbarrier.settle();
    operation(std::max(write.ready, gpu.moment()), player::Kind::landed, block, 0, 0,
              write.mbarrier, write.bytes, static_cast<std::int64_t>(write.request));
  }
  void queried(const machine::Query& query) override {
    const bool decode = query.in.facts.action == ptx::Action::decode;
    const std::int64_t says = query.recognised != query.lanes ? 2 : query.granted == query.lanes;
    operations.push_back({static_cast<std::int64_t>(query.warp.now),
                          static_cast<int>(decode ? player::Kind::decode : player::Kind::query),
                          index(*query.warp.block), warp(query.warp), line(query.warp, query.in),
                          says, 0, 0, 0, 0, 0});
  }
  void instruction_starts(machine::Warp& one, const ptx::Instruction& in,
                          machine::LaneMask) override {
    std::vector<Row>& known = lines[{index(*one.block), warp(one)}];
    const std::int64_t now = line(one, in);
    at[{index(*one.block), warp(one)}] = now;
    if (known.empty() || known.back()[1] != now)
      known.push_back({static_cast<std::int64_t>(one.now), now});
  }
};

// ---- a run, watched by all of them ----

struct Watched {
  Watched(const std::string& ptx, std::uint64_t seed)
      : run(with_lines(ptx, text), seed, "mini:2"),
        recorder(run.harness.gpu),
        notes(run.harness.gpu, text),
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
  std::int64_t line_of(std::int64_t number) const {
    return number == 0 ? 0
                       : static_cast<std::int64_t>(record["lines"]
                                                       .array()
                                                       .at(static_cast<std::size_t>(number - 1))
                                                       .array()
                                                       .at(1)
                                                       .integer());
  }

  std::vector<std::int64_t> text;
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
    CHECK(shown({row[0], row[3], row[4], watched.line_of(row[5]), row[6], row[7]}) ==
          shown(notes.requests[i]));
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

void check_operations(const Watched& watched) {
  // Those of mbarriers and queries; barriers and fences lie between them.
  using player::Kind;
  std::vector<Row> mine;
  for (Row row : watched.rows("operations", 11)) {
    const auto kind = static_cast<Kind>(row[1]);
    if (kind >= Kind::bar_arrive && kind != Kind::query && kind != Kind::decode) continue;
    row[4] = watched.line_of(row[4]);
    mine.push_back(row);
  }
  std::vector<Row> noted = watched.notes.operations;
  std::stable_sort(noted.begin(), noted.end(),
                   [](const Row& a, const Row& b) { return a[0] < b[0]; });
  REQUIRE(mine.size() == noted.size());
  for (std::size_t i = 0; i < mine.size(); ++i) CHECK(shown(mine[i]) == shown(noted[i]));
}

void check_lines(const Watched& watched) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Row>> mine;
  std::map<std::pair<std::int64_t, std::int64_t>, int> exits;
  for (const Row& row : watched.rows("steps", 7)) {
    const std::pair<std::int64_t, std::int64_t> warp{row[0], row[1]};
    if (row[4] == static_cast<int>(player::Kind::exits)) ++exits[warp];
    if (row[4] != static_cast<int>(player::Kind::runs)) continue;
    std::vector<Row>& known = mine[warp];
    const std::int64_t line = watched.line_of(row[3]);
    if (known.empty() || known.back()[1] != line) known.push_back({row[2], line});
  }
  CHECK(mine == watched.notes.lines);
  CHECK(exits.size() == mine.size());
  for (const auto& [warp, times] : exits) CHECK(times == 1);
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
    check_operations(watched);
    check_lines(watched);
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
    check_operations(watched);
    check_lines(watched);
  }
}

TEST_CASE("two operations of one line, each with what it made of the mbarrier") {
  std::string apart = test::kStealingLoop;
  const std::string both = "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%r5], 16;";
  apart.replace(apart.find(both), both.size(),
                "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r5], 16; "
                "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r5];");
  Watched watched(apart, 0);
  watched.run.steal(40, 96);
  watched.finish();
  std::size_t expected = 0;
  for (const Row& row : watched.rows("operations", 11)) {
    if (row[1] != static_cast<int>(player::Kind::expect)) continue;
    ++expected;
    CHECK(row[7] == 1);  // the arrival comes after it
  }
  CHECK(expected > 5);
}
