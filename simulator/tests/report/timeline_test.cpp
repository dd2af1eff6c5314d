// What is remembered of a run is what happened.
#include "report/timeline.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <string>

#include "report/timeline_svg.h"
#include "report/timeline_text.h"
#include "tests/report/runs.h"

using namespace clcsim;
using report::LaunchRecord;
using report::Slot;
using report::Span;
using test::WatchedRun;

namespace {

struct Tile {
  Slot slot;
  Span span;
};

// The tiles of a launch by the block that did them, in the order of time.
std::map<std::uint64_t, std::vector<Tile>> tiles_by_block(const LaunchRecord& launch) {
  std::map<std::uint64_t, std::vector<Tile>> tiles;
  for (const auto& [slot, row] : launch.rows) {
    for (const Span& span : row) tiles[span.block].push_back({slot, span});
  }
  return tiles;
}

void compare(const report::TimelineRecord& record, const test::Witness& witness) {
  std::size_t shown = 0;
  for (const LaunchRecord& launch : record.launches) {
    const auto tiles = tiles_by_block(launch);
    shown += tiles.size();
    for (const auto& entry : witness.blocks) {
      const auto& block = entry.second;
      CAPTURE(block.index);
      if (block.launch != launch.serial) continue;
      REQUIRE(tiles.count(block.index) == 1);
      const std::vector<Tile>& own = tiles.at(block.index);
      REQUIRE(own.size() == 1 + block.stole.size());
      CHECK(own.front().span.begin == block.started);
      CHECK(own.front().span.tile == block.index);
      CHECK(own.front().span.stolen == 0);
      CHECK(own.back().span.end == block.finished);
      const bool has_prologue = block.prologue_over != 0;
      CHECK(own.front().span.prologue == (has_prologue ? block.prologue_over - block.started : 0));
      for (std::size_t i = 0; i < own.size(); ++i) {
        CHECK(own[i].slot == own.front().slot);  // the thief's own row
        CHECK(own[i].slot.sm == block.sm);
        CHECK(own[i].span.tiles == 1);
        CHECK(own[i].span.busy == own[i].span.end - own[i].span.begin);
        if (i == 0) continue;
        CHECK(own[i].span.begin == own[i - 1].span.end);
        CHECK(own[i].span.tile == block.stole[i - 1].first);
        CHECK(own[i].span.begin == block.stole[i - 1].second);
        CHECK(own[i].span.stolen == 1);
      }
    }
  }
  CHECK(shown == witness.blocks.size());
}

void check_each_tile_once(const LaunchRecord& launch) {
  std::vector<int> done(launch.grid.count());
  for (const auto& [slot, row] : launch.rows) {
    for (const Span& span : row) ++done[span.tile];
  }
  CHECK(std::count(done.begin(), done.end(), 1) == static_cast<std::ptrdiff_t>(done.size()));
}

void check_no_overlap(const report::TimelineRecord& record) {
  std::map<Slot, std::vector<Span>> rows;
  for (const LaunchRecord& launch : record.launches) {
    for (const auto& [slot, row] : launch.rows) {
      rows[slot].insert(rows[slot].end(), row.begin(), row.end());
    }
  }
  for (auto& [slot, row] : rows) {
    std::sort(row.begin(), row.end(),
              [](const Span& a, const Span& b) { return a.begin < b.begin; });
    for (std::size_t i = 1; i < row.size(); ++i) CHECK(row[i - 1].end <= row[i].begin);
  }
}

const std::string kPrologues = test::kHeader + R"(
.visible .entry loads(.param .u64 data) {
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .reg .pred %p;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, 1;
  atom.global.add.u32 %r2, [%rd1], %r1;
  mov.u32 %r3, 100;
LOOP:
  sub.u32 %r3, %r3, 1;
  setp.ne.u32 %p, %r3, 0;
  @%p bra LOOP;
  ld.global.u32 %r4, [%rd1+4];
  st.global.u32 [%rd1+8], %r4;
  ret;
}
.visible .entry says_when(.param .u64 data) {
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .reg .pred %p;
  ld.param.u64 %rd1, [data];
  ld.global.u32 %r4, [%rd1+4];
  mov.u32 %r3, 100;
LOOP:
  sub.u32 %r3, %r3, 1;
  setp.ne.u32 %p, %r3, 0;
  @%p bra LOOP;
  pmevent 0;
  st.global.u32 [%rd1+8], %r4;
  ret;
}
.visible .entry faults(.param .u64 data) {
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  mov.u64 %rd1, 64;
  ld.global.u32 %r4, [%rd1];
  st.global.u32 [%rd1], %r4;
  ret;
}
)";

// Cycles from the first block's start to the end of its prologue.
machine::Time prologue_of(const char* kernel) {
  WatchedRun run(kPrologues);
  run.harness.launch(kernel, {}, run.harness.upload(std::vector<std::uint32_t>(4)));
  const report::TimelineRecord& record = run.finish();
  REQUIRE(run.finished);
  return record.launches.at(0).rows.begin()->second.at(0).prologue;
}

}  // namespace

TEST_CASE("every block has a bar on its SM, and each stolen tile is in the thief's row") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (const std::uint32_t threads : {32u, 128u, 1024u}) {
      CAPTURE(seed);
      CAPTURE(threads);
      WatchedRun run(test::kStealingLoop, seed);
      run.steal(333, threads);
      const report::TimelineRecord& record = run.finish();
      REQUIRE(run.finished);
      REQUIRE(record.launches.size() == 1);
      CHECK(record.launches[0].complete);
      compare(record, run.witness);
      check_each_tile_once(record.launches[0]);
      check_no_overlap(record);
      for (const auto& [slot, row] : record.launches[0].rows) {
        CHECK(slot.number < std::min(8u, 1024 / threads));  // what an SM of mini holds at a time
      }
    }
  }
}

TEST_CASE("in a cluster each block steals the block of its own rank") {
  WatchedRun run(test::kHeader + test::kClusterLoop);
  run.steal(96, 64, 2);
  const report::TimelineRecord& record = run.finish();
  REQUIRE(run.finished);
  compare(record, run.witness);
  check_each_tile_once(record.launches[0]);
  CHECK(record.launches[0].counts.blocks_stolen != 0);
}

TEST_CASE("requests: each with its answer, and whether blocks waited when it was refused") {
  WatchedRun run(test::kStealingLoop);
  run.steal(200, 128, 1, 0);
  run.harness.gpu.run_until(2000);
  run.steal(40, 128, 1, -5);
  const report::TimelineRecord& record = run.finish();
  REQUIRE(run.finished);
  compare(record, run.witness);
  check_no_overlap(record);
  REQUIRE(record.launches.size() == 2);
  std::uint64_t yielded = 0;
  for (const LaunchRecord& launch : record.launches) {
    CHECK(launch.requests.size() == launch.counts.requests);
    std::uint64_t granted = 0, refused = 0;
    for (const report::RequestRecord& request : launch.requests) {
      CHECK(request.answered > request.issued);
      ++(request.granted ? granted : refused);
      yielded += request.blocks_waited;
      if (launch.priority < 0) CHECK_FALSE(request.blocks_waited);
    }
    CHECK(granted == launch.counts.requests_granted);
    CHECK(refused == launch.counts.requests_refused);
    for (const auto& [slot, row] : launch.rows) {
      for (const Span& span : row) {
        if (span.stolen == 0) continue;
        REQUIRE(span.request != 0);
        const report::RequestRecord& request = launch.requests.at(span.request - 1);
        CHECK(request.granted);
        CHECK(request.slot == slot);
        CHECK(span.begin >= request.answered);
      }
    }
  }
  CHECK(yielded != 0);
}

TEST_CASE("the text has a line for each box and each request of the picture") {
  WatchedRun run(test::kStealingLoop);
  run.steal(200, 128, 1, 0);
  run.harness.gpu.run_until(2000);
  run.steal(40, 128, 1, -5);
  const report::TimelineRecord& record = run.finish();
  const std::string picture = report::timeline_svg(record, {}),
                    text = report::timeline_text(record, {});
  const auto number_of = [&](const std::string& words) {
    std::size_t number = 0;
    for (std::size_t at = 0; (at = text.find(words, at)) != text.npos; ++at) ++number;
    return number;
  };
  const std::regex title(
      "<title>SM [0-9]+, slot [0-9]+: (block [0-9]+)( does .*), (cycles [0-9]+ to [0-9]+)</title>");
  std::size_t boxes = 0;
  for (std::sregex_iterator box(picture.begin(), picture.end(), title), end; box != end; ++box) {
    const std::string line = "  " + (*box)[3].str() + ": " + (*box)[1].str() + " of steal";
    CAPTURE(line);
    CHECK(number_of(line) >= 1);
    ++boxes;
  }
  CHECK(boxes == 240);
  CHECK(number_of(" does ") == boxes);
  std::uint64_t granted = 0, refused = 0;
  for (const LaunchRecord& launch : record.launches)
    granted += launch.counts.requests_granted, refused += launch.counts.requests_refused;
  CHECK(number_of(" asks, and wins block ") == granted);
  CHECK(number_of(" asks, and fails") == refused);
  CHECK(number_of(" asks, and fails although blocks wait") > 0);
  CHECK(number_of("SM 3, slot 0\n") == 1);
  CHECK(number_of(": launched at cycle ") == 2);
}

TEST_CASE("a prologue ends at the first load or store, not at an atomic; a pmevent says it") {
  const machine::Time loop = 100 * 3;  // at least so many cycles
  const machine::Time launch = config::find_profile("mini")->block_launch;
  CHECK(prologue_of("loads") > launch + loop);
  CHECK(prologue_of("says_when") > launch + loop);
}

TEST_CASE("a launch that fails ends where the run ended") {
  WatchedRun run(kPrologues);
  const auto data = run.harness.upload(std::vector<std::uint32_t>(4));
  run.harness.launch("loads", {.grid = {8, 1, 1}}, data);
  run.harness.launch("faults", {}, data);
  const report::TimelineRecord& record = run.finish();
  CHECK_FALSE(run.finished);
  REQUIRE(record.launches.size() == 2);
  CHECK_FALSE(record.launches[1].complete);
  for (const LaunchRecord& launch : record.launches) {
    CHECK(launch.finished >= launch.started);
    std::size_t bars = 0;
    for (const auto& [slot, row] : launch.rows) {
      for (const Span& span : row) CHECK(span.end <= std::max(launch.finished, span.begin));
      bars += row.size();
    }
    CHECK(bars == launch.counts.blocks_started);
  }
}

TEST_CASE("a long run keeps its sums in bounded memory") {
  constexpr std::size_t kSpans = 256;
  WatchedRun whole(test::kStealingLoop);
  WatchedRun bounded(test::kStealingLoop, 0, "mini", {.spans = kSpans, .requests = 100});
  whole.steal(5000, 128);
  bounded.steal(5000, 128);
  const auto sums = [](const report::TimelineRecord& record) {
    struct {
      std::uint64_t spans = 0, tiles = 0, stolen = 0, busy = 0;
    } sum;
    for (const auto& [slot, row] : record.launches.at(0).rows) {
      for (const Span& span : row) {
        ++sum.spans;
        sum.tiles += span.tiles;
        sum.stolen += span.stolen;
        sum.busy += span.busy;
        CHECK(span.busy <= span.end - span.begin);
      }
    }
    return sum;
  };
  const auto exact = sums(whole.finish()), merged = sums(bounded.finish());
  CHECK(exact.spans == 5000);
  CHECK(merged.spans <= kSpans);
  CHECK(merged.spans >= 32);  // a row for each slot at least
  CHECK(merged.tiles == 5000);
  CHECK(merged.stolen == exact.stolen);
  CHECK(merged.busy == exact.busy);
  CHECK(bounded.timeline.finish().resolution != 0);
  CHECK(bounded.timeline.finish().launches[0].requests.size() == 100);
  CHECK(bounded.timeline.finish().lost_requests == 5000 - 100);
  check_no_overlap(bounded.timeline.finish());
}

TEST_CASE("of many launches the latest are kept") {
  WatchedRun run(kPrologues, 0, "mini", {.launches = 5});
  const auto data = run.harness.upload(std::vector<std::uint32_t>(4));
  for (int i = 0; i < 12; ++i) {
    run.harness.launch("loads", {}, data);
    REQUIRE(run.harness.run());
  }
  const report::TimelineRecord& record = run.finish();
  CHECK(record.forgotten == 7);
  REQUIRE(record.launches.size() == 5);
  CHECK(record.launches.front().serial == 8);
  CHECK(record.launches.back().serial == 12);
}

TEST_CASE("a run of millions of tiles makes a small picture") {
  for (const std::uint64_t tiles : {400, 3500}) {  // of each of 148 x 8 slots
    report::TimelineRecord record{.gpu = "b200", .sms = 148};
    LaunchRecord launch{.serial = 1, .kernel = "big", .grid = {1 << 22, 1, 1}};
    launch.complete = true;
    launch.finished = 3'600'000;
    const machine::Time length = launch.finished / tiles;
    for (std::uint32_t slot = 0; slot < 148 * 8; ++slot) {
      for (std::uint64_t i = 0; i < tiles; ++i) {
        launch.rows[{slot / 8, slot % 8}].push_back({.begin = length * i,
                                                     .end = length * (i + 1) - 5,
                                                     .busy = length - 5,
                                                     .prologue = length / 3,
                                                     .block = i * 1184 + slot,
                                                     .tile = i,
                                                     .stolen = static_cast<std::uint32_t>(i % 2)});
        launch.requests.push_back({.issued = length * i,
                                   .answered = length * (i + 1) - 5,
                                   .slot = {slot / 8, slot % 8},
                                   .blocks_waited = true});
      }
    }
    record.launches.push_back(std::move(launch));
    const std::string picture = report::timeline_svg(record, {});
    CHECK(picture.size() < 500'000);
    CHECK(picture.size() > 50'000);
    for (const char* words : {"9 SMs of 148", "joined"})
      CHECK(picture.find(words) != std::string::npos);
  }
}

TEST_CASE("no launch, and odd names, make a picture too") {
  report::TimelineRecord record{.gpu = "mini", .sms = 4};
  CHECK(report::timeline_text(record, {}) == "clcsim, GPU mini (4 SMs): no kernel ran\n");
  CHECK(report::timeline_svg(record, {}).find("no kernel ran") != std::string::npos);
  record.launches.push_back({.serial = 1, .kernel = "less<a & \"b\">\x01\xff"});
  CHECK(report::timeline_svg(record, {}).find("less&lt;a &amp; &quot;b&quot;&gt;??") !=
        std::string::npos);
}
