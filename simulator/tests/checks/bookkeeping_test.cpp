// What the checks remember of shared memory: under 14 bytes for each word in use.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "checks/shadow.h"
#include "checks/written.h"
#include "tests/checks/run.h"

using namespace clcsim;
using namespace clcsim::test;

namespace {

constexpr std::size_t kWords = 12288;  // 48 KiB

// Four rounds: every word is written, and read by another thread or, `@broadcast`, by all lanes of
// several warps.
const Template kSweep(R"(
.visible .entry kernel(.param .u64 unused) {
.reg .pred %p<4>;
.reg .b32 %r<12>;
.shared .align 16 .b8 data[49152];
mov.u32 %r1, data;
mov.u32 %r2, %tid.x;
shl.b32 %r2, %r2, 2;
mov.u32 %r8, 0;
ROUND:
mov.u32 %r3, %r2;
WRITE:
add.u32 %r4, %r1, %r3;
st.shared.u32 [%r4], %r3;
add.u32 %r3, %r3, 1024;
setp.lt.u32 %p1, %r3, 49152;
@%p1 bra WRITE;
bar.sync 0;
mov.u32 %r3, %r2;
READ:
mov.u32 %r5, 49148;
sub.u32 %r4, %r5, %r3;
address| add.u32 %r4, %r1, %r4;
ld.shared.u32 %r6, [%r4];
step| add.u32 %r3, %r3, 1024;
setp.lt.u32 %p1, %r3, 49152;
@%p1 bra READ;
bar.sync 0;
add.u32 %r8, %r8, 1;
setp.lt.u32 %p2, %r8, 4;
@%p2 bra ROUND;
ret;
}
)");

class Meter : public machine::Observer {
 public:
  explicit Meter(const checks::Checker& checker) : checker_(checker) {}
  void block_finished(const machine::Block& block, machine::Time) override {
    most = std::max(most, checker_.states().of(block).shadow->bytes());
  }
  std::size_t most = 0;

 private:
  const checks::Checker& checker_;
};

/// Bytes for each word.
double measure(const std::vector<Edit>& edits) {
  Harness harness(kSweep.module(edits), 0);
  std::vector<machine::Finding> findings;
  checks::Checker checker(checks::Level::all, harness.gpu.memory(),
                          [&](const machine::Finding& finding) { findings.push_back(finding); });
  Meter meter(checker);
  harness.gpu.attach(&meter);
  harness.gpu.attach(&checker);
  harness.launch("kernel", {.grid = {2, 1, 1}, .block = {256, 1, 1}}, std::uint64_t{0});
  harness.gpu.run_until([&] { return harness.pending == 0; });
  CHECK(text_of(findings) == "");
  const double values = 1.0 / 8 * 4;  // which bytes were written: see Uninitialised
  return static_cast<double>(meter.most) / kWords + values;
}

}  // namespace

TEST_CASE("bookkeeping of shared memory") {
  const double exchanged = measure({});
  const double broadcast = measure({{"address", "and.b32 %r4, %r4, 0xff80; same"}});
  MESSAGE("bytes for each word: " << exchanged << " where one thread reads it, " << broadcast
                                  << " where a warp does");
  CHECK(exchanged > 12);  // or nothing was counted
  CHECK(exchanged < 14);
  CHECK(broadcast < 14);
}

TEST_CASE("bytes of global memory that were written") {
  using Kind = machine::Allocation::Kind;
  machine::DeviceMemory memory(std::uint64_t{16} << 30);
  checks::Written written(memory);
  const std::uint64_t small = memory.allocate(100, Kind::device)->address;
  CHECK_FALSE(written.any(small, 4));
  written.mark(small + 4, 8);
  CHECK(written.all(small + 4, 8));
  CHECK_FALSE(written.all(small, 8));
  CHECK(written.any(small, 8));
  CHECK_FALSE(written.any(small + 12, 4));
  // Pages that fill up, and then so many that those of freed memory are forgotten.
  const std::uint64_t large = memory.allocate(std::uint64_t{5} << 30, Kind::device)->address;
  written.mark(large, std::uint64_t{5} << 30);
  CHECK(written.all(large + 12345, 1 << 20));
  memory.free(large);
  const std::uint64_t next = memory.allocate(std::uint64_t{5} << 30, Kind::device)->address;
  CHECK_FALSE(written.any(next, 4));
  written.mark(next, std::uint64_t{5} << 30);
  CHECK(written.all(small + 4, 8));
  // The host writes to its memory without a call.
  CHECK(written.all(0x7f00'0000'0000, 4096));
  CHECK(written.any(memory.allocate(4096, Kind::managed)->address, 4));
  CHECK(written.any(memory.allocate(4096, Kind::variable)->address, 4));
}
