// Over a whole grid each block index is started or stolen, exactly once.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/machine/harness.h"
#include "tests/machine/kernels.h"

using namespace clcsim;
using test::Harness;

namespace {

struct StealingCounts {
  bool finished = false;
  std::uint64_t missed = 0, repeated = 0;
  std::uint32_t started = 0;
  machine::GridCounts counts;
  std::vector<std::uint32_t> granted;
  std::string findings;
};

StealingCounts steal(std::uint32_t blocks, std::uint32_t threads, std::uint64_t seed,
                     std::string_view gpu = "mini",
                     const machine::BlockLauncher::Answers& answers = {}) {
  Harness harness(test::kStealingLoop, seed, gpu);
  harness.gpu.set_answers(answers);
  const auto visits = harness.upload(std::vector<std::uint32_t>(blocks));
  const auto counters = harness.upload(std::vector<std::uint32_t>(1));
  harness.launch("steal", {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}}, visits, counters);
  StealingCounts outcome;
  outcome.finished = harness.run();
  for (const std::uint32_t count : harness.download<std::uint32_t>(visits)) {
    outcome.missed += count == 0;
    outcome.repeated += count > 1;
  }
  outcome.started = harness.download<std::uint32_t>(counters)[0];
  outcome.counts = harness.recorder.counts;
  for (const machine::Request& answer : harness.recorder.answers) {
    if (answer.granted) outcome.granted.push_back(answer.stolen.x);
  }
  outcome.findings = harness.recorder.names();
  return outcome;
}

}  // namespace

TEST_CASE("every block is started or stolen, exactly once, at the sizes around each edge") {
  // mini holds 4 SMs x 8 blocks of 128 threads = 32 blocks.
  for (const std::uint32_t blocks : {1u, 2u, 31u, 32u, 33u, 64u, 65u, 1009u}) {
    for (std::uint64_t seed = 0; seed < 25; ++seed) {
      CAPTURE(blocks);
      CAPTURE(seed);
      const StealingCounts outcome = steal(blocks, 128, seed);
      CHECK(outcome.findings == "");
      REQUIRE(outcome.finished);
      CHECK(outcome.missed == 0);
      CHECK(outcome.repeated == 0);
      CHECK(outcome.started == outcome.counts.blocks_started);
      CHECK(outcome.counts.blocks_started + outcome.counts.blocks_stolen == blocks);
    }
  }
}

TEST_CASE(
    "a grid that fits the GPU has nothing to steal; a larger one is stolen but for one wave") {
  CHECK(steal(32, 128, 0).counts.blocks_stolen == 0);
  const StealingCounts large = steal(1000, 128, 0);
  CHECK(large.counts.blocks_started == 32);
  CHECK(large.counts.blocks_stolen == 968);
  CHECK(large.counts.requests_refused == 32);  // each block hears one refusal and leaves
}

TEST_CASE("requests may be refused although blocks wait: no work is lost, and more blocks start") {
  for (const std::uint64_t every : {1, 2, 3, 10, 100}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      CAPTURE(every);
      CAPTURE(seed);
      const StealingCounts outcome = steal(1009, 128, seed, "mini", {.refuse = every});
      CHECK(outcome.findings == "");
      REQUIRE(outcome.finished);
      CHECK(outcome.missed + outcome.repeated == 0);
      CHECK(outcome.counts.blocks_started + outcome.counts.blocks_stolen == 1009);
      CHECK(outcome.counts.requests_refused >= outcome.counts.requests / every);
      CHECK((outcome.counts.blocks_stolen == 0) == (every == 1));
      CHECK(outcome.counts.blocks_started > 32);
    }
  }
}

TEST_CASE("under hostile seeds grants come in any order, or in increasing order if so wished") {
  const auto increase = [](std::uint64_t seed, bool wished) {
    const auto outcome = steal(1009, 128, seed, "mini", {.grants_increase = wished});
    CHECK(outcome.missed + outcome.repeated == 0);
    CHECK(outcome.granted.size() == outcome.counts.blocks_stolen);
    return std::is_sorted(outcome.granted.begin(), outcome.granted.end());
  };
  CHECK(increase(0, false));
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    CHECK_FALSE(increase(seed, false));
    CHECK(increase(seed, true));
  }
}

TEST_CASE("a seed repeats a run exactly, and another one gives another") {
  const auto trace = [](std::uint64_t seed) {
    Harness harness(test::kStealingLoop, seed);
    const auto visits = harness.upload(std::vector<std::uint32_t>(500));
    const auto counters = harness.upload(std::vector<std::uint32_t>(1));
    harness.launch("steal", {.grid = {500, 1, 1}, .block = {64, 1, 1}}, visits, counters);
    harness.run();
    std::vector<std::uint64_t> events = harness.recorder.started;
    for (const machine::Request& request : harness.recorder.answers) {
      events.push_back(request.answered);
      events.push_back(request.stolen.x);
    }
    events.push_back(harness.recorder.finished);
    return events;
  };
  for (const std::uint64_t seed : {0, 1, 2}) CHECK(trace(seed) == trace(seed));
  CHECK(trace(0) != trace(1));
  CHECK(trace(1) != trace(2));
}

TEST_CASE("a grid with a higher priority gets the next free slots, and requests are refused") {
  Harness harness(test::kStealingLoop + R"(
.visible .entry urgent(.param .u64 out) {
  .reg .b64 %rd<3>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, 1;
  st.global.u32 [%rd1], %r1;
  ret;
}
)");
  const auto visits = harness.upload(std::vector<std::uint32_t>(2000));
  const auto counters = harness.upload(std::vector<std::uint32_t>(1));
  const auto out = harness.upload(std::vector<std::uint32_t>(1));
  harness.launch("steal", {.grid = {2000, 1, 1}, .block = {128, 1, 1}}, visits, counters);
  harness.gpu.run_until(20'000);  // all slots are taken, most of the grid still waits
  REQUIRE(harness.pending == 1);
  REQUIRE(harness.download<std::uint32_t>(out)[0] == 0);
  harness.launch("urgent", {.priority = -1}, out);
  REQUIRE(harness.run());
  CHECK(harness.download<std::uint32_t>(out)[0] == 1);
  // Some block had to leave for it while work was left: a wave of 32 alone would not have sufficed.
  CHECK(harness.recorder.started.size() > 33);
  for (const std::uint32_t count : harness.download<std::uint32_t>(visits)) REQUIRE(count == 1);
}

TEST_CASE(
    "a block may wait for one of lower index, as CUB's scan does, under hostile schedules, too") {
  constexpr std::string_view kRelay = R"(
.version 9.0
.target sm_100a
.address_size 64
.visible .entry relay(.param .u64 flags)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  .reg .pred %p<3>;
  ld.param.u64 %rd1, [flags];
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd2, %rd1, %rd2;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra done;
wait:
  ld.relaxed.gpu.global.u32 %r2, [%rd2+-4];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra wait;
done:
  st.relaxed.gpu.global.u32 [%rd2], 1;
  ret;
}
)";
  // mini holds 32 blocks of one warp.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    Harness harness(kRelay, seed);
    const auto flags = harness.upload(std::vector<std::uint32_t>(500));
    harness.launch("relay", {.grid = {500, 1, 1}}, flags);
    REQUIRE(harness.run());
    for (const std::uint32_t flag : harness.download<std::uint32_t>(flags)) CHECK(flag == 1);
  }
}
