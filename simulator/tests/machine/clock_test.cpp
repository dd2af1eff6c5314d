// Who waits for whom when something is short: issue slots, or the bandwidth of memory.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "machine/warp_scheduler.h"
#include "tests/machine/harness.h"
#include "tests/machine/kernels.h"

using namespace clcsim;
using machine::Time;
using test::Harness;

namespace {

/// When each block started and ended, and on which SM, by launch and block.
struct Blocks : machine::Observer {
  struct Life {
    Time begin = 0, end = 0;
    std::uint32_t sm = 0;
  };
  std::map<std::uint64_t, std::vector<Life>> lives;  // by Grid::serial

  Life& of(const machine::Block& block) {
    std::vector<Life>& grid = lives[block.grid->serial];
    grid.resize(block.grid->launch.grid.x);
    return grid[block.index.x];
  }
  void block_started(const machine::Block& block, Time now) override {
    of(block) = {.begin = now, .sm = block.sm};
  }
  void block_finished(const machine::Block& block, Time now) override { of(block).end = now; }
};

/// Beside the loop of loads, for every thread: `rounds` dependent FMAs; one store.
const std::string kKernels = test::kLoadLoop + R"(
.visible .entry arithmetic(.param .u32 rounds) {
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .f32 %f;
  ld.param.u32 %r1, [rounds];
  mov.f32 %f, 0f3F800000;
LOOP:
  fma.rn.f32 %f, %f, %f, %f;
  fma.rn.f32 %f, %f, %f, %f;
  fma.rn.f32 %f, %f, %f, %f;
  fma.rn.f32 %f, %f, %f, %f;
  add.s32 %r1, %r1, -4;
  setp.gt.s32 %p, %r1, 0;
  @%p bra LOOP;
  ret;
}
.visible .entry store(.param .u64 data) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, 7;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kPerSm = 8;  // blocks of that size that fill an SM of 2048 threads

}  // namespace

TEST_CASE("the oldest warp issues first, but one that has waited for a whole period before it") {
  machine::WarpScheduler scheduler;
  machine::Warp old, young;
  old.serial = 1;
  young.serial = 2;
  scheduler.add(young, 10);
  scheduler.add(old, 20);
  CHECK(scheduler.take() == &old);
  CHECK(scheduler.take() == &young);
  CHECK(scheduler.take() == nullptr);

  scheduler.add(young, 10);
  scheduler.add(old, 1'000'000);
  CHECK(scheduler.take() == &young);

  old.turn = 5;  // scheduled anew since: its place here is void
  CHECK(scheduler.take() == nullptr);
  CHECK(scheduler.nobody_waits());
}

TEST_CASE("what ptxas will leave out takes no time: constants in registers, a loop's comparison") {
  const auto cycles = [](const std::string& in_loop) {
    Blocks blocks;
    std::string kernel = kKernels;
    kernel.insert(kernel.find("  fma"), in_loop);
    Harness harness(kernel);
    harness.gpu.attach(&blocks);
    harness.launch("arithmetic", {}, std::uint32_t{4000});
    REQUIRE(harness.run());
    return blocks.lives.begin()->second.front().end;
  };
  const Time plain = cycles("");
  CHECK(cycles("  mov.u32 %r2, 5;\n  setp.eq.u32 %p, %r2, %r1;\n") == plain);
  CHECK(cycles("  mov.u32 %r2, %r1;\n") > plain);  // a copy is an instruction
  // 4 cycles for each of the dependent FMAs, and one for what counts down in each fourth.
  CHECK(plain > 4000 * 4);
  CHECK(plain < 4000 * 4.25 + 1000);
}

TEST_CASE("arithmetic: an SM's oldest block ends first, after about a quarter of the time") {
  // Measured on an H200, 8 blocks of 256 threads on each SM: 0.25 0.28 0.45 0.53 0.67 0.78 0.89 1.
  Blocks blocks;
  Harness harness(kKernels, 0, "h200:1");
  harness.gpu.attach(&blocks);
  harness.launch("arithmetic", {.grid = {kPerSm, 1, 1}, .block = {kThreads, 1, 1}},
                 std::uint32_t{40'000});
  REQUIRE(harness.run());
  const std::vector<Blocks::Life>& lives = blocks.lives.begin()->second;
  const double whole = static_cast<double>(lives.back().end);
  for (std::size_t i = 1; i < lives.size(); ++i) CHECK(lives[i - 1].end <= lives[i].end);
  CHECK(static_cast<double>(lives.front().end) / whole < 0.35);
  CHECK(static_cast<double>(lives[3].end) / whole < 0.65);
}

TEST_CASE("memory: the SMs of a smaller GPC end after 0.73 of the time, and no bandwidth is lost") {
  Blocks blocks;
  Harness harness(kKernels, 0, "h200");
  harness.gpu.attach(&blocks);
  const auto data = harness.upload(std::vector<float>(kThreads * 4));
  const auto sms = static_cast<std::uint32_t>(harness.gpu.profile().sms);
  constexpr std::uint32_t kRounds = 60;
  harness.launch("load", {.grid = {kPerSm * sms, 1, 1}, .block = {kThreads, 1, 1}}, data, kRounds);
  REQUIRE(harness.run());
  std::map<bool, Time> last;  // by whether the SM's GPC is one of the two small ones, the last
  for (const Blocks::Life& life : blocks.lives.begin()->second) {
    Time& end = last[life.sm >= sms - 24];
    end = std::max(end, life.end);
  }
  const double ratio = static_cast<double>(last[true]) / static_cast<double>(last[false]);
  CHECK(ratio > 0.70);  // 0.727 in the limit of infinitely many rounds
  CHECK(ratio < 0.78);
  const double bytes = 16.0 * kThreads * kPerSm * sms * kRounds;
  const double least = bytes / harness.gpu.profile().memory_bytes_per_cycle;
  CHECK(static_cast<double>(harness.recorder.finished) > least);
  CHECK(static_cast<double>(harness.recorder.finished) < 1.15 * least);
}

TEST_CASE("where memory is busy, a kernel waits for its code and constants") {
  const auto time_of_store = [](bool beside) {
    Blocks blocks;
    Harness harness(kKernels, 0, "h200");
    harness.gpu.attach(&blocks);
    const auto data = harness.upload(std::vector<float>(kThreads * 4));
    const auto sms = static_cast<std::uint32_t>(harness.gpu.profile().sms);
    if (beside) {  // room is left for one more block on each SM
      harness.launch("load", {.grid = {(kPerSm - 1) * sms, 1, 1}, .block = {kThreads, 1, 1}}, data,
                     60u);
      harness.gpu.run_until(20'000);
    }
    harness.launch("store", {.priority = -1}, data);
    REQUIRE(harness.run());
    const Blocks::Life& life = blocks.lives.rbegin()->second.front();
    return life.end - life.begin;
  };
  const Time alone = time_of_store(false);
  CHECK(alone < 1000);
  // four accesses, each behind what the other blocks have in flight: about 900 cycles.
  CHECK(time_of_store(true) > alone + 3000);
}
