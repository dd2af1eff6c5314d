// Divergence, warps whose lanes wait for each other, calls, and what ends a kernel.
#include <doctest/doctest.h>

#include "tests/machine/harness.h"
#include "tests/machine/kernels.h"

using namespace clcsim;
using test::Harness;
using test::kHeader;

namespace {

/// Runs `body` as a kernel with one parameter `out` (its address in %out) on one block and returns
/// what the threads wrote.
std::vector<std::uint32_t> run(const std::string& body, std::uint32_t threads,
                               std::uint64_t seed = 0, const std::string& before = {}) {
  Harness harness(kHeader + before + R"(
.visible .entry kernel(.param .u64 out) {
  .reg .pred %p<9>;
  .reg .b32 %r<20>, %tid;
  .reg .b64 %rd<20>, %out, %mine;
  ld.param.u64 %out, [out];
  mov.u32 %tid, %tid.x;
  mul.wide.u32 %mine, %tid, 4;
  add.u64 %mine, %out, %mine;
)" + body + "\n  ret;\n}\n",
                  seed);
  const auto out = harness.upload(std::vector<std::uint32_t>(threads));
  harness.launch("kernel", {.block = {threads, 1, 1}}, out);
  const bool finished = harness.run();
  INFO(harness.recorder.names());
  REQUIRE(finished);
  return harness.download<std::uint32_t>(out);
}

}  // namespace

TEST_CASE("lanes of an if take their own ways and meet again") {
  const auto out = run(R"(
  and.b32 %r1, %tid, 1;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra EVEN;
  mov.u32 %r2, 100;
  bra JOIN;
EVEN:
  mov.u32 %r2, 200;
JOIN:
  activemask.b32 %r3;
  popc.b32 %r3, %r3;
  add.u32 %r2, %r2, %r3;
  st.global.u32 [%mine], %r2;)",
                       32);
  for (int i = 0; i < 32; ++i) CHECK(out[i] == (i % 2 == 0 ? 200 : 100) + 32);
}

TEST_CASE("lanes that have nothing to do at a loop's end don't start the next round alone") {
  // As libcu++'s for_each_canceled_block ends: all but lane 0 branch back at once.
  const auto out = run(R"(
  mov.u32 %r1, 0;
  mov.u32 %r2, 0;
LOOP:
  activemask.b32 %r3;
  popc.b32 %r3, %r3;
  add.u32 %r2, %r2, %r3;
  add.u32 %r1, %r1, 1;
  setp.ge.u32 %p1, %r1, 4;
  @%p1 bra DONE;
  setp.ne.u32 %p2, %tid, 0;
  @%p2 bra LOOP;
  add.u32 %r2, %r2, 1000;
  bra LOOP;
DONE:
  st.global.u32 [%mine], %r2;)",
                       32);
  for (int i = 0; i < 32; ++i) CHECK(out[i] == 4 * 32 + (i == 0 ? 3000 : 0));
}

TEST_CASE(
    "a lane may spin on what another lane of its warp stores, whichever comes first in the code") {
  for (const char* spinner : {"eq", "ne"}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const auto out = run(std::string("  setp.") + spinner + R"(.u32 %p1, %tid, 5;
  @%p1 bra STORE;
SPIN:
  ld.volatile.shared.u32 %r1, [flag];
  setp.eq.u32 %p2, %r1, 0;
  @%p2 bra SPIN;
  st.global.u32 [%mine], %r1;
  bra END;
STORE:
  mov.u32 %r2, 7;
  st.volatile.shared.u32 [flag], %r2;
  st.global.u32 [%mine], %r2;
END:)",
                           32, seed, ".shared .u32 zero;\n.shared .align 4 .b32 flag;\n");
      for (const std::uint32_t value : out) REQUIRE(value != 0);
    }
  }
}

// PTX ISA 9.0, 9.7.13.1: a thread waits for all threads of its warp that have not exited, and then
// the warp arrives.
TEST_CASE("under hostile seeds lanes run apart where no bar.warp.sync stands between them") {
  const auto is_lockstep = [](std::uint64_t seed, const std::string& sync) {
    const auto out = run(
        "mov.u32 %r1, words; mad.lo.u32 %r1, %tid, 4, %r1; st.volatile.shared.u32 [%r1], %tid;" +
            sync + "ld.volatile.shared.u32 %r2, [%r1+4]; st.volatile.global.u32 [%mine], %r2;",
        32, seed, ".shared .align 4 .b8 words[132];");
    for (std::uint32_t i = 0; i < 31; ++i) {
      if (out[i] != i + 1) return false;
    }
    return true;
  };
  CHECK(is_lockstep(0, ""));
  int apart = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CHECK(is_lockstep(seed, "bar.warp.sync 0xffffffff;"));
    apart += !is_lockstep(seed, "");
  }
  CHECK(apart >= 3);
}

TEST_CASE("a warp counts once at a barrier with a number of threads, when its last lane has come") {
  const auto marked_by_first_warp = [](const std::string& body, std::uint32_t threads) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto out = run("  and.b32 %r1, %tid, 31;\n  setp.lt.u32 %p1, %r1, 16;\n" + body +
                               "\n  st.global.u32 [%mine], %r2;",
                           threads, seed, ".shared .align 4 .b32 data[128];\n");
      for (int i = 0; i < 32; ++i) REQUIRE(out[i] == 7);
    }
  };
  const std::string in_groups = R"(
  setp.ge.u32 %p2, %tid, 32;
  mov.u32 %r2, 0;
  mul.lo.u32 %r3, %tid, 4;
  mov.u32 %r4, data;
  add.u32 %r3, %r3, %r4;
  @%p2 bra OTHERS;
  SLEEP
  bar.sync 1, THREADS;
  ld.shared.u32 %r2, [%r3+128];
  bra END;
OTHERS:
  st.shared.u32 [%r3], 7;
  @%p1 barrier.cta.arrive 1, THREADS;
  @%p1 bra END;
  nanosleep.u32 500;
  barrier.cta.arrive 1, THREADS;
END:)";
  const auto with = [&](const std::string& sleep, const std::string& count) {
    std::string text = in_groups;
    for (const auto& [name, value] : {std::pair{"SLEEP", sleep}, std::pair{"THREADS", count}}) {
      for (std::size_t at; (at = text.find(name)) != text.npos;) {
        text.replace(at, std::string(name).size(), value);
      }
    }
    return text;
  };
  marked_by_first_warp(with("nanosleep.u32 5000;", "96"), 96);
  marked_by_first_warp(with("", "128"), 128);
  // The other half of the second warp leaves while the first half is there.
  marked_by_first_warp(R"(
  mov.u32 %r2, 7;
  setp.lt.u32 %p2, %tid, 48;
  @%p2 bra MEET;
  nanosleep.u32 2000;
  exit;
MEET:
  barrier.cta.sync 1, 64;)",
                       64);
}

TEST_CASE("once a warp has failed, those that waited for their turn don't run") {
  Harness harness(kHeader + R"(
.visible .entry kernel() {
  .reg .u32 %r1;
  .reg .pred %p1;
  mov.u32 %r1, 0;
LOOP:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, 500;
  @%p1 bra LOOP;
  trap;
}
)");
  harness.launch("kernel", {.grid = {16, 1, 1}, .block = {1024, 1, 1}});
  CHECK_FALSE(harness.run());
  const std::uint64_t before = harness.gpu.instructions();
  harness.gpu.advance(harness.gpu.now() + 1'000'000);  // the host goes on
  CHECK(harness.gpu.instructions() == before);
  CHECK(harness.recorder.findings.size() == 1);
}

TEST_CASE("what clcsim doesn't know is refused by name, and only when it is reached") {
  const std::string unknown = R"(
  @%p8 bra END;
  tcgen05.shift.cta_group::1.down [0];
END:
  st.global.u32 [%mine], %tid;)";
  CHECK(run("  setp.eq.u32 %p8, 0, 0;" + unknown, 32)[3] == 3);

  Harness harness(kHeader + R"(
.visible .entry kernel() {
  tcgen05.shift.cta_group::1.down [0];
  ret;
}
)");
  harness.launch("kernel", {});
  CHECK_FALSE(harness.run());
  REQUIRE(harness.gpu.fault() != nullptr);
  CHECK(harness.gpu.fault()->kind == machine::FaultKind::unsupported);
  CHECK(harness.recorder.names() ==
        "the instruction tcgen05.shift.cta_group::1.down is not modelled");
}
