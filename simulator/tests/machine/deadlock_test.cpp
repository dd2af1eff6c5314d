// Nothing runnable and nothing in flight: every waiting place and every open mbarrier is named.
#include <doctest/doctest.h>

#include "report/resolved_finding.h"
#include "tests/machine/harness.h"
#include "tests/machine/kernels.h"

using namespace clcsim;
using test::Harness;
using test::kHeader;

namespace {

/// What is said of the deadlock that blocks of 64 threads running `body` end in.
std::string deadlock(const std::string& body, std::uint64_t seed = 0, unsigned blocks = 1) {
  Harness harness(kHeader + R"(
.visible .entry kernel() {
  .reg .pred %p<9>;
  .reg .b32 %r<9>;
  .shared .align 16 .b8 response[16];
  .shared .align 8 .b64 barrier;
  .shared .align 4 .b32 flag;
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p1, %r1, 0;
)" + body + "\n  ret;\n}\n",
                  seed);
  harness.launch("kernel", {.grid = {blocks, 1, 1}, .block = {64, 1, 1}});
  CHECK_FALSE(harness.run());
  REQUIRE(harness.recorder.names() == "deadlock");
  const machine::Finding& finding = harness.recorder.findings[0];
  std::string text;
  for (const machine::Finding::Detail& detail : finding.details) {
    text += report::resolve(detail, finding.at).text + "\n";
  }
  return text;
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::string kInit = "  @%p1 mbarrier.init.shared.b64 [barrier], 1;\n  bar.sync 0;\n";
const std::string kWait = R"(
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p2, [barrier], 0;
  @!%p2 bra WAIT;)";
const std::string kRequest = R"(
  @%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [response], [barrier];)";

}  // namespace

TEST_CASE("nobody arrives") {
  const std::string finding = deadlock(kInit + kWait);
  CHECK(mentions(finding, "1 of 1 arrivals and 0 bytes"));
  CHECK(mentions(finding, "2 warps"));
}

TEST_CASE("blocks whose mbarriers are in the same state share a line") {
  const std::string finding = deadlock(kInit + kWait, 0, 3);
  CHECK(mentions(finding, "'barrier' of block (0,0,0) and 2 more: "));
  CHECK(mentions(finding, "6 warps"));
}

TEST_CASE("the bytes of a response: nobody expects them, or fewer, or more") {
  const std::string arm = "  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [barrier], ";
  CHECK(mentions(deadlock(kInit + kRequest + kWait), "1 of 1 arrivals and -16 bytes"));
  CHECK(mentions(deadlock(kInit + kRequest + arm + "8;" + kWait), "0 of 1 arrivals and -8 bytes"));
  CHECK(mentions(deadlock(kInit + kRequest + arm + "32;" + kWait), "0 of 1 arrivals and 16 bytes"));
}

TEST_CASE("a named barrier that one warp never reaches") {
  CHECK(mentions(deadlock("  setp.lt.u32 %p3, %r1, 32;\n  @%p3 bar.sync 1, 64;"),
                 "at block barrier 1"));
}

TEST_CASE("a loop that waits for a store that nobody makes, under any schedule") {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const std::string finding = deadlock(R"(
  mov.u32 %r4, 0;
  st.shared.u32 [flag], %r4;
  bar.sync 0;
SPIN:
  ld.volatile.shared.u32 %r2, [flag];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra SPIN;)",
                                         seed);
    CHECK(mentions(finding, "in a loop that only another thread's store can end"));
  }
}

TEST_CASE("where lanes of one warp wait for one another, the place further up comes first") {
  const std::string spin =
      "SPIN:\n  ld.volatile.shared.u32 %r2, [flag];\n  setp.eq.u32 %p2, %r2, 0;\n  @%p2 bra "
      "SPIN;\n";
  const std::string flag = "  mov.u32 %r4, 0;\n  st.shared.u32 [flag], %r4;\n  bar.sync 0;\n";
  const std::string one = "  @!%p1 bra OTHERS;\n", meet = "  bar.warp.sync 0xffffffff;\n";
  const auto first = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  CHECK(mentions(first(deadlock(flag + one + spin + "OTHERS:\n" + meet)), "in a loop"));
  CHECK(mentions(first(deadlock(kInit + one + meet + "OTHERS:" + kWait)), "warp-wide instruction"));
  CHECK(mentions(first(deadlock(kInit + "  @%p1 bra MEET;" + kWait + "\nMEET:\n" + meet)),
                 "for the mbarrier"));
}

TEST_CASE("a loop that goes on while a phase is over is told from one that waits for its end") {
  const std::string over = "as long as a wait for an mbarrier returns true";
  const std::string arrive = "  @%p1 mbarrier.arrive.shared.b64 _, [barrier];";
  const auto spin = [](const std::string& wait, const std::string& guard) {
    return "\nWAIT:\n  mbarrier." + wait + ".parity.shared.b64 %p2, [barrier], 0;\n  @" + guard +
           "%p2 bra WAIT;";
  };
  for (const std::string wait : {"try_wait", "test_wait"}) {
    CAPTURE(wait);
    const std::string done = kInit + arrive + "\n  bar.sync 0;";
    CHECK(mentions(deadlock(done + spin(wait, "")), over));
    CHECK_FALSE(mentions(deadlock(kInit + spin(wait, "!")), over));
  }
}

TEST_CASE("a warp-wide instruction whose other lanes have gone elsewhere") {
  CHECK(mentions(deadlock(R"(
  setp.lt.u32 %p3, %r1, 8;
  @!%p3 bra ELSEWHERE;
  bar.warp.sync 0xffff;
  exit;
ELSEWHERE:
  bar.sync 1, 128;)"),
                 "at a warp-wide instruction"));
}

TEST_CASE("a long loop of loads is no deadlock, wherever a schedule cuts it") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    Harness harness(test::kLoadLoop, seed);
    const auto data = harness.upload(std::vector<float>(256 * 4));
    harness.launch("load", {.grid = {4, 1, 1}, .block = {256, 1, 1}}, data, 1000u);
    CHECK(harness.run());
    CHECK(harness.recorder.names() == "");
  }
}
