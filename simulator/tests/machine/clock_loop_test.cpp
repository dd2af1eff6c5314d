// A warp that waits for a time by reading the clock runs ahead, and nothing is different from a run
// in which it doesn't: results, cycles and instructions.
#include <doctest/doctest.h>

#include <string>

#include "machine/harness.h"

namespace clcsim::test {
namespace {

// With somebody who watches each instruction, every turn is taken.
struct Watcher : machine::Observer {
  unsigned watches() const override { return machine::kValues; }
};

// `body` is the loop between "again:" and its jump: %now is the clock, %start was it, %limit is the
// kernel's number. Each thread stores %now.
std::string kernel(const std::string& clock, const std::string& body) {
  return R"(.version 8.7
.target sm_90
.address_size 64
.visible .entry wait(.param .u64 to, .param .u64 number) {
  .reg .b64 %to, %limit, %start, %now, %x, %y, %at;
  .reg .b32 %t;
  .reg .pred %p, %q;
  ld.param.u64 %to, [to];
  ld.param.u64 %limit, [number];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %at, %t, 8;
  add.s64 %at, %at, %to;
  mov.u64 %y, 0;
  mov.u64 %start, )" +
         clock + ";\nagain:\n  mov.u64 %now, " + clock + ";\n" + body + R"(
  @%p bra again;
  add.s64 %now, %now, %y;
  st.global.u64 [%at], %now;
  ret;
})";
}

struct Outcome {
  std::vector<std::uint64_t> values;
  machine::Time now = 0;
  std::uint64_t instructions = 0;
  bool operator==(const Outcome&) const = default;
};

Outcome run(const std::string& ptx, std::uint64_t limit, int launches, const char* gpu,
            bool every_turn) {
  Harness harness(ptx, 0, gpu);
  Watcher watcher;
  if (every_turn) harness.gpu.attach(&watcher);
  const std::uint64_t to = harness.upload(std::vector<std::uint64_t>(64));
  for (int i = 0; i < launches; ++i) {
    const LaunchShape shape{.grid = {3, 1, 1}, .block = {i == 0 ? 1u : 32u, 1, 1}};
    harness.launch("wait", shape, to + static_cast<std::uint64_t>(i) * 256, limit << i);
  }
  REQUIRE(harness.run());
  return {harness.download<std::uint64_t>(to), harness.gpu.now(), harness.gpu.instructions()};
}

// The usual form, and those with another arithmetic.
const std::string kUsual = "sub.s64 %x, %now, %start;\n setp.lt.u64 %p, %x, %limit;";
const std::string kWays[] = {
    kUsual,
    "add.s64 %x, %start, %limit;\n setp.gt.s64 %p, %x, %now;",
    "sub.s64 %x, %start, %now;\n add.s64 %x, %x, %limit;\n setp.ge.s64 %p, %x, 0;",
    // as in samples of a time when the clock had 32 bits
    "setp.gt.s64 %q, %now, %start;\n sub.s64 %x, %now, %start;\n add.s64 %at, %x, 4294967295;\n"
    "selp.b64 %x, %x, %at, %q;\n mad.wide.u32 %at, %t, 8, %to;\n setp.lt.s64 %p, %x, %limit;",
    // what may not be left out: a count, a bit of the time, and a compare that time undoes
    "add.s64 %y, %y, 1;\n" + kUsual,
    "and.b64 %x, %now, 4096;\n setp.eq.s64 %p, %x, 0;",
    "mul.lo.s64 %x, %now, 3;\n setp.lt.u64 %p, %x, %limit;",
};

}  // namespace

TEST_SUITE("clock_loop") {
  TEST_CASE("nothing is different") {
    for (const char* gpu : {"mini", "h200"}) {
      for (const char* clock : {"%clock64", "%globaltimer"}) {
        for (const std::string& way : kWays) {
          CAPTURE(gpu);
          CAPTURE(clock);
          CAPTURE(way);
          const std::string ptx = kernel(clock, way);
          for (const int launches : {1, 2}) {
            CHECK(
                (run(ptx, 70'001, launches, gpu, false) == run(ptx, 70'001, launches, gpu, true)));
          }
        }
      }
    }
  }

  TEST_CASE("waiting costs nothing") {
    for (const char* gpu : {"mini", "h200"}) {
      for (const char* clock : {"%clock64", "%globaltimer"}) {
        const Outcome long_wait = run(kernel(clock, kUsual), 100'000'000'000, 2, gpu, false);
        CHECK(long_wait.now > 200'000'000'000);
      }
    }
  }

  TEST_CASE("a wait without an end stops where the host looks again") {
    Harness harness(kernel("%clock64", "setp.gt.u64 %p, %now, %start;"));
    const std::uint64_t to = harness.upload(std::vector<std::uint64_t>(64));
    harness.launch("wait", {}, to, std::uint64_t{0});
    CHECK((harness.gpu.advance(1'000'000) == machine::Gpu::Ran::reached));
    CHECK(harness.gpu.instructions() > 100'000);
    CHECK(harness.gpu.instructions() < 1'000'000);
  }
}

}  // namespace clcsim::test
