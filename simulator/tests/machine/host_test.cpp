// What the host can do while the machine is at work: pause it, and write to memory.
#include <doctest/doctest.h>

#include "tests/machine/harness.h"
#include "tests/machine/kernels.h"

using namespace clcsim;
using machine::DeviceMemory;
using machine::Gpu;
using Kind = machine::Allocation::Kind;

namespace {

// One warp waits until the word at `flag` is not 0.
const std::string kPoll = test::kHeader + R"(
.visible .entry poll(.param .u64 flag) {
  .reg .pred %p;
  .reg .b32 %r;
  .reg .b64 %rd;
  ld.param.u64 %rd, [flag];
LOOP:
  ld.volatile.global.u32 %r, [%rd];
  setp.eq.u32 %p, %r, 0;
  @%p bra LOOP;
  ret;
}
)";

// One warp counts, and never ends.
const std::string kCount = test::kHeader + R"(
.visible .entry count() {
  .reg .b32 %r;
  mov.u32 %r, 0;
LOOP:
  add.u32 %r, %r, 1;
  bra LOOP;
}
)";

}  // namespace

TEST_CASE("a warp that polls goes on when the host has stored") {
  test::Harness harness(kPoll);
  const std::uint64_t flag = harness.upload(std::vector<std::uint32_t>{0});
  harness.launch("poll", {}, flag);
  const std::function<bool()> done = [&] { return harness.pending == 0; };
  CHECK(harness.gpu.advance(done) == Gpu::Ran::stuck);
  CHECK(harness.recorder.findings.empty());
  harness.gpu.progress(harness.gpu.now());
  CHECK(harness.gpu.advance(done) == Gpu::Ran::stuck);  // it has looked again, in vain
  *reinterpret_cast<std::uint32_t*>(harness.gpu.memory().translate(flag, 4)) = 1;
  harness.gpu.progress(harness.gpu.now());
  CHECK(harness.gpu.advance(done) == Gpu::Ran::reached);
}

TEST_CASE("a kernel without end can be paused, and says where it is") {
  test::Harness harness(kCount);
  harness.launch("count", {.grid = {3, 1, 1}, .block = {64, 1, 1}});
  const std::function<bool()> done = [&] {
    if (harness.gpu.now() > 50'000) harness.gpu.pause();
    return harness.pending == 0;
  };
  CHECK(harness.gpu.advance(done) == Gpu::Ran::paused);
  const std::vector<machine::Finding::Detail> places = harness.gpu.whereabouts();
  REQUIRE_FALSE(places.empty());
  std::size_t warps = 0;
  for (const machine::Finding::Detail& place : places) {
    CHECK(place.role == machine::Role::runs);
    CHECK(place.place.program->name == "count");
    CHECK(place.place.block == machine::Dim3{0, 0, 0});
    warps += static_cast<std::size_t>(place.numbers[0]);
  }
  CHECK(warps == 6);
  harness.gpu.pause();
  CHECK(harness.gpu.advance(harness.gpu.now() + 1000) == Gpu::Ran::paused);
  CHECK(harness.gpu.advance(harness.gpu.now() + 1000) == Gpu::Ran::reached);
}

TEST_CASE("what was freed is recognised, and costs no memory") {
  DeviceMemory memory(1 << 20);
  const std::uint64_t kept = memory.allocate(64, Kind::device)->address;
  std::vector<std::uint64_t> freed;
  for (int i = 0; i < 20'000; ++i) {
    freed.push_back(memory.allocate(256, Kind::device)->address);
    REQUIRE(memory.free(freed.back()));
  }
  const std::uint64_t latest = freed.back();
  CHECK(memory.allocations() < 5'000);
  CHECK(memory.used() == 64);
  for (const std::uint64_t address : freed) {
    REQUIRE(memory.find(address) != nullptr);
    REQUIRE(memory.find(address + 255)->freed);
    REQUIRE(memory.translate(address, 1) == nullptr);
    REQUIRE_FALSE(memory.free(address));
  }
  CHECK(memory.explain(latest).text == "it lies in the 256 bytes allocated, which have been freed");
  CHECK(memory.explain(freed.front()).text == "it lies in memory that was freed long ago");
  CHECK(memory.translate(kept, 64) != nullptr);
}

TEST_CASE("a variable may have any name; the program's own memory stays") {
  DeviceMemory memory(1 << 20);
  int own = 5;
  const std::uint64_t registered = memory.add_host(&own, sizeof own)->address;
  const std::uint64_t variable = memory.allocate(4, Kind::variable, "registered")->address;
  CHECK(memory.used() == 4);
  CHECK(memory.free(variable));
  CHECK(memory.used() == 0);
  CHECK(memory.free(registered));
  CHECK(own == 5);
  CHECK(memory.explain(variable).text ==
        "it lies in the 4 bytes of the variable registered, which have been freed");
}
