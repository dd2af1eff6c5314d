// The parts that bytes pass: the memory bus, and the writes of the async proxy.
#include <doctest/doctest.h>

#include "config/profile.h"
#include "machine/async_writes.h"
#include "machine/memory_bus.h"
#include "tests/machine/harness.h"
#include "tests/machine/kernels.h"

using namespace clcsim;
using namespace clcsim::machine;

namespace {

config::Profile profile_of(std::vector<int> gpcs) {
  config::Profile profile{};
  profile.sms = 3;
  profile.memory_bytes_per_cycle = 10;
  profile.gpc_sms = std::move(gpcs);
  return profile;
}

}  // namespace

TEST_CASE("a bus with one port serves all in order") {
  MemoryBus bus(profile_of({}));
  CHECK(bus.transfer(0, 100, 0) == 10);
  CHECK(bus.transfer(0, 100, 2) == 20);
  CHECK(bus.copy_engine_transfer(0, 100) == 30);
  CHECK(bus.transfer(50, 100, 1) == 60);
  CHECK(bus.idle_from() == 60);
}

TEST_CASE("ports that are busy share the bus equally; a GPC's SMs share a port") {
  MemoryBus bus(profile_of({2, 1}));
  CHECK(bus.transfer(0, 100, 0) == 10);   // alone
  CHECK(bus.transfer(0, 100, 2) == 20);   // half of it, beside port 0
  CHECK(bus.transfer(5, 50, 1) == 20);    // and so does port 0 now, of which SM 1 is, too
  CHECK(bus.transfer(30, 100, 0) == 40);  // alone again
  CHECK(bus.copy_engine_transfer(30, 50) == 40);
  CHECK(bus.idle_from() == 40);
}

TEST_CASE("writes land in their order, once ready, for the mbarrier that counts them") {
  AsyncWrites writes;
  writes.add({.ready = 10, .mbarrier = 8, .bytes = 1});
  writes.add({.ready = 5, .mbarrier = 8, .bytes = 2});
  writes.add({.ready = 5, .mbarrier = 16, .bytes = 3});
  CHECK_FALSE(writes.take(8, 4));
  CHECK_FALSE(writes.take(24, 100));
  CHECK(writes.take(8, 5)->bytes == 2);
  CHECK(writes.first().bytes == 1);
  CHECK(writes.take(8, 10)->bytes == 1);
  CHECK_FALSE(writes.take(8, 100));
  CHECK(writes.take(16, 100)->bytes == 3);
  CHECK(writes.empty());
}

TEST_CASE("host memory that was freed is somebody's again, in a larger allocation, too") {
  test::Harness harness{std::string(test::kHeader)};
  machine::DeviceMemory& memory = harness.gpu.memory();
  std::vector<std::byte> bytes(4096);
  const auto address = reinterpret_cast<std::uint64_t>(bytes.data());
  for (const std::uint64_t offset : {0, 512, 3584}) {
    memory.add_host(bytes.data() + offset, 512);
    CHECK(memory.free(address + offset));
    CHECK(memory.find(address + offset)->freed);
  }
  memory.add_host(bytes.data() + 256, 3584);
  for (const std::uint64_t offset : {256, 600, 3600}) {
    CHECK_FALSE(memory.find(address + offset)->freed);
  }
}

TEST_CASE("an address of the host is known as one where a process has 48 bits, too") {
  test::Harness harness{std::string(test::kHeader)};
  for (const std::uint64_t address : {0xaaaacd2ea480ull, 0xffffee571c28ull, 0x7ffc1234ull}) {
    CHECK(harness.gpu.memory().explain(address).happened == What::host_pointer);
  }
}

TEST_CASE("an address that a product of 32 bits has moved away is known") {
  test::Harness harness{std::string(test::kHeader)};
  machine::DeviceMemory& memory = harness.gpu.memory();
  const std::uint64_t address =
      memory.allocate(4096, machine::Allocation::Kind::device)->address + 100;
  for (const int shift : {31, 32, 33, 36}) {
    const std::uint64_t away = std::uint64_t{1} << shift;
    CHECK(memory.explain(address - away).happened == What::index_overflow);
    CHECK(memory.explain(address + away).happened == What::index_overflow);
    CHECK(memory.explain(address + away + 8192).happened == What::as_told);
  }
  CHECK(memory.explain(address - (std::uint64_t{1} << 30)).happened == What::as_told);
}

// As CUTLASS's pipeline for clusters has it: the compiler computes the addresses before the guard.
TEST_CASE("a rank that the cluster doesn't have gives an address, which only its use finds") {
  for (const bool wide : {false, true}) {
    for (const auto& [use, rank] :
         {std::pair{"setp.lt.u32 %p1, %r1, 2;\n  @%p1 ld", 2}, {"ld", 2}, {"ld", 256}}) {
      test::Harness harness(std::string(test::kHeader) + R"(
.visible .entry kernel(.param .u64 out) {
  .reg .pred %p1;
  .reg .b32 %r<9>;
  .reg .b64 %a, %b;
  .shared .align 4 .b32 word;
  mov.u32 %r1, )" + std::to_string(rank) +
                            R"(;
  mov.u32 %r2, word;
  mov.u64 %a, word;
  cvta.shared.u64 %a, %a;
  mapa.shared::cluster.u32 %r3, %r2, %r1;
  mapa.u64 %b, %a, %r1;
  )" + use + (wide ? ".u32 %r4, [%b];" : ".shared::cluster.u32 %r4, [%r3];") +
                            R"(
  ret;
}
)");
      harness.launch("kernel", {.grid = {2, 1, 1}, .cluster = {2, 1, 1}},
                     harness.upload(std::vector<std::uint32_t>(1)));
      const bool guarded = std::string(use) != "ld";
      CHECK(harness.run() == guarded);
      CHECK(harness.recorder.names() == (guarded ? "" : "out-of-bounds"));
      if (guarded) continue;
      const std::string text = harness.recorder.findings.at(0).text;
      CAPTURE(text);
      CHECK(text.ends_with(rank == 2 ? ": a cluster of 2 has no block of rank 2"
                                     : ": a cluster of 2 has no block of rank 255 or more"));
    }
  }
}

// cp.async.bulk.global.shared.bulk_group.cp_mask, which needs compute capability 10.0.
TEST_CASE("a bulk copy with a mask writes some bytes of every 16, and the others may be nobody's") {
  const auto run = [](const char* hint, const char* policy) {
    const std::string ptx =
        std::string(R"(
.version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out) {
.reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .b16 %mask; .reg .pred %p;
.shared .align 16 .b8 bytes[32];
mov.u32 %r0, %tid.x;
mov.u32 %r1, bytes;
add.u32 %r2, %r1, %r0;
add.u32 %r0, %r0, 1;
st.shared.u8 [%r2], %r0;
bar.sync 0;
setp.ne.u32 %p, %r0, 1;
@%p ret;
fence.proxy.async.shared::cta;
ld.param.u64 %rd0, [out];
mov.u64 %rd1, 0;
mov.u16 %mask, 0x00f2;
cp.async.bulk.global.shared::cta.bulk_group)") +
        hint + ".cp_mask [%rd0], [%r1], 32" + policy +
        ", %mask;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nret;\n}\n";
    test::Harness harness(ptx);
    // The last byte that is written is the last one there is.
    const std::uint64_t out = harness.upload(std::vector<std::uint8_t>(24, 99));
    harness.launch("k", {}, out);
    CHECK(harness.run());
    CHECK(harness.recorder.names() == "");
    std::vector<std::uint8_t> expected(24, 99);
    for (const std::size_t i : {1, 4, 5, 6, 7, 17, 20, 21, 22, 23}) {
      expected[i] = static_cast<std::uint8_t>(i + 1);
    }
    CHECK(harness.download<std::uint8_t>(out) == expected);
  };
  run("", "");
  run(".L2::cache_hint", ", %rd1");
}
