// Tensor memory, which no GPU has before compute capability 10.0: the instructions tcgen05.*, and
// copies whose mbarrier lies in the other block of a pair (*.cta_group::2). Values are compared
// with what CuTe's layouts and PTX ISA 9.1 say, and one kernel with the product made by the host.
#include <doctest/doctest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "machine/tensor_map.h"
#include "tests/machine/harness.h"
#include "tests/machine/kernels.h"

using namespace clcsim;
using test::Harness;
using Words = std::vector<std::uint32_t>;

namespace {

std::string vector_of(int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "%v" : ", %v") + std::to_string(i);
  return text + "}";
}

/// A kernel whose parameter is `to`; %mem holds the address of `columns` columns that it has
/// allocated, %me the thread, %to the place in `to` of its first word.
std::string kernel(const std::string& body, int columns = 128, const std::string& group = "1") {
  const std::string number = std::to_string(columns);
  return test::kHeader + R"(
.visible .entry k(.param .u64 to) {
.reg .pred %p, %first, %leader; .reg .b32 %mem, %me, %r<16>, %v<128>; .reg .b64 %to, %l<8>;
.shared .align 4 .b32 place;
.shared .align 8 .b64 bar;
.shared .align 1024 .b8 tile[8192];
ld.param.u64 %to, [to]; mov.u32 %me, %tid.x;
setp.lt.u32 %first, %me, 32; setp.eq.u32 %leader, %me, 0;
mul.wide.u32 %l0, %me, 4; add.u64 %to, %to, %l0;
@!%first bra ALLOCATED;
mov.u32 %r0, place;
tcgen05.alloc.cta_group::)" +
         group + ".sync.aligned.shared::cta.b32 [%r0], " + number + R"(;
ALLOCATED:
bar.sync 0;
ld.shared.b32 %mem, [place];
)" + body +
         R"(
bar.sync 0;
@!%first bra END;
tcgen05.dealloc.cta_group::)" +
         group + ".sync.aligned.b32 %mem, " + number + ";\nEND:\nret;\n}\n";
}

/// What the kernel writes to `words` words.
Words words_of(const std::string& text, std::size_t words, const test::LaunchShape& shape = {},
               std::uint64_t seed = 0) {
  Harness harness(text, seed);
  const auto to = harness.upload(Words(words));
  harness.launch("k", shape, to);
  CHECK(harness.run());
  CHECK(harness.recorder.names() == "");
  return harness.download<std::uint32_t>(to);
}

/// Why it stops.
std::string stop_of(const std::string& text, const test::LaunchShape& shape = {}) {
  Harness harness(text);
  harness.launch("k", shape, harness.upload(Words(4096)));
  CHECK_FALSE(harness.run());
  return harness.gpu.fault() == nullptr ? "none" : harness.gpu.fault()->what;
}

void tells(const std::string& text, const std::string& part) {
  CAPTURE(text);
  CHECK(text.find(part) != text.npos);
}

/// Cell (lane, column) of the warp's quarter becomes lane * 1000 + column, in 128 columns.
const std::string kNumbered = R"(
mov.u32 %r1, 0; mul.lo.u32 %r2, %me, 1000; shr.u32 %r3, %me, 5; shl.b32 %r3, %r3, 21; add.u32 %r3, %r3, %mem;
NUMBER:
add.u32 %v0, %r2, %r1; add.u32 %r4, %r3, %r1;
tcgen05.st.sync.aligned.32x32b.x1.b32 [%r4], {%v0};
add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 128;
@%p bra NUMBER;
tcgen05.wait::st.sync.aligned;
)";

std::string store_all(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "st.global.b32 [%to+" + std::to_string(128 * i) + "], %v" + std::to_string(i) + ";\n";
  }
  return text;
}

// CuTe's layouts in bits: a thread's digits (size, stride), then those of its bits from 32 on.
struct Layout {
  const char* shape;
  int lanes, columns, registers;  // of x2
  std::vector<std::pair<int, int>> thread, value;
};
const Layout kLayouts[] = {
    {"32x32b", 32, 2, 2, {{32, 64}}, {{2, 32}}},
    {"16x64b", 16, 4, 2, {{2, 1024}, {2, 32}, {8, 128}}, {{2, 64}}},
    {"16x128b", 16, 8, 4, {{4, 32}, {8, 256}}, {{2, 2048}, {2, 128}}},
    {"16x256b", 16, 16, 8, {{4, 64}, {8, 512}}, {{2, 32}, {2, 4096}, {2, 256}}},
    {"16x32bx2", 16, 4, 2, {{16, 128}, {2, 64}}, {{2, 32}}},
};
int offset_of(int index, const std::vector<std::pair<int, int>>& digits) {
  int offset = 0;
  for (const auto& [size, stride] : digits) {
    offset += index % size * stride;
    index /= size;
  }
  return offset;
}

// ---- products ----

/// The kernel `body` of four warps with ones of f16 in `tile`, an mbarrier, and descriptors of
/// them: %l1 of A and %l2 of B, without swizzle; %r5 is the instruction's, of M and N.
std::string multiplying(int m, int n, const std::string& body, const std::string& group = "1") {
  return kernel(R"(
mov.u32 %r6, tile; mov.u32 %r7, bar; mov.u32 %r1, 0; shl.b32 %r2, %me, 2; add.u32 %r2, %r2, %r6;
FILL:
st.shared.b32 [%r2], 0x3c003c00;
add.u32 %r2, %r2, 512; add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 16;
@%p bra FILL;
fence.proxy.async.shared::cta;
@%leader mbarrier.init.shared.b64 [%r7], 1;
bar.sync 0;
cvt.u64.u32 %l1, %r6; shr.u64 %l1, %l1, 4; or.b64 %l1, %l1, 0x0000400000000000;
or.b64 %l1, %l1, 0x0000001000080000; mov.b64 %l2, %l1;
mov.u32 %r5, )" + std::to_string(1 << 4 | n / 8 << 17 | m / 16 << 24) +
                    ";\n" + body,
                128, group);
}
const std::string kWait = R"(
WAIT:
mbarrier.try_wait.parity.shared.b64 %p, [%r7], 0;
@!%p bra WAIT;
shr.u32 %r3, %me, 5; shl.b32 %r3, %r3, 21; add.u32 %r3, %r3, %mem;
)";
const std::string kCommit =
    "@%leader tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r7];\n";
const std::string kLoad8 = "tcgen05.ld.sync.aligned.32x32b.x8.b32 " + vector_of(8) +
                           ", [%r3];\ntcgen05.wait::ld.sync.aligned;\n";

/// What the four warps find in the accumulator's first eight columns.
Words accumulator(const std::string& body, int m = 128) {
  std::string text = multiplying(m, 8, body + kWait + kLoad8);
  std::string stores;
  for (int i = 0; i < 8; ++i) {
    stores += "st.global.b32 [%to+" + std::to_string(512 * i) + "], %v" + std::to_string(i) + ";\n";
  }
  const std::size_t at = text.rfind("bar.sync 0;");
  return words_of(text.insert(at, stores), 1024, {.block = {128, 1, 1}});
}
std::string mma(const std::string& rest = ", 0") {
  return "setp.ne.u32 %p, 0" + rest.substr(0, 3) +
         ";\n@%leader tcgen05.mma.cta_group::1.kind::f16 [%mem], %l1, %l2, %r5" + rest.substr(3) +
         ", %p;\n";
}
constexpr std::uint32_t f32(float x) {
  return std::bit_cast<std::uint32_t>(x);
}

}  // namespace

TEST_CASE("loads and stores of tensor memory move the cells that CuTe's layouts name") {
  for (const Layout& layout : kLayouts) {
    CAPTURE(layout.shape);
    const bool split = layout.shape == std::string("16x32bx2");
    const std::string name = std::string(".sync.aligned.") + layout.shape + ".x2.b32 ";
    const std::string half = split ? ", 2" : "", where = "[%mem+65]" + half;
    const std::string registers = vector_of(layout.registers);
    const Words loaded =
        words_of(kernel(kNumbered + "tcgen05.ld" + name + registers + ", [%mem+65]" + half + ";\n" +
                        store_all(layout.registers)),
                 32 * 8);
    std::string numbers;  // and the other way: register i of a lane has 32 * i + lane
    for (int i = 0; i < layout.registers; ++i) {
      numbers += "add.u32 %v" + std::to_string(i) + ", %me, " + std::to_string(32 * i) + ";\n";
    }
    const Words stored = words_of(
        kernel(kNumbered + numbers + "tcgen05.st" + name + where + ", " + registers +
               ";\ntcgen05.wait::st.sync.aligned;\ntcgen05.ld.sync.aligned.32x32b.x16.b32 " +
               vector_of(16) + ", [%mem+65];\n" + store_all(16)),
        32 * 16);
    for (int reg = 0; reg < layout.registers; ++reg) {
      for (int thread = 0; thread < 32; ++thread) {
        const int bit = offset_of(thread, layout.thread) + offset_of(reg, layout.value);
        const int lane = bit / 32 / layout.columns, column = bit / 32 % layout.columns;
        CHECK(loaded[32 * reg + thread] == lane * 1000 + 65 + column);
        CHECK(stored[32 * column + lane] == 32 * reg + thread);
      }
    }
  }
}

TEST_CASE("a warp reaches the upper lanes of its quarter, and all sizes of a load") {
  const Words upper = words_of(kernel(kNumbered +
                                      "add.u32 %r4, %mem, 0x100000;\n"
                                      "tcgen05.ld.sync.aligned.16x64b.x1.b32 {%v0}, [%r4];\n" +
                                      store_all(1)),
                               32);
  CHECK(upper[0] == 16000);
  const Words wide = words_of(kernel(kNumbered + "tcgen05.ld.sync.aligned.32x32b.x128.b32 " +
                                     vector_of(128) + ", [%mem];\n" + store_all(128)),
                              32 * 128);
  for (std::uint32_t i = 0; i < wide.size(); ++i) CHECK(wide[i] == i % 32 * 1000 + i / 32);
  // Its quarter may be left out, and the upper bits of the lane mean nothing.
  for (const char* const named : {"%mem", "%r3", "%r3+0x800000"}) {
    const std::string text = kNumbered + "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v0}, [";
    const Words own =
        words_of(kernel(text + named + "];\n" + store_all(1)), 64, {.block = {64, 1, 1}});
    for (std::uint32_t i = 0; i < 64; ++i) CHECK(own[i] == i * 1000);
  }
}

TEST_CASE("columns go to blocks in turn, and no two blocks of an SM have the same") {
  const std::string text = kernel("@%leader st.global.b32 [%l1], %mem;\n", 256);
  std::string named = text;  // each block writes where it stands
  named.insert(named.find("@%leader st.global"),
               "mov.u32 %r1, %ctaid.x; mul.wide.u32 %l1, %r1, 4; add.u64 %l1, %l1, %to;\n");
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Words places = words_of(named, 64, {.grid = {64, 1, 1}}, seed);
    std::array<int, 2> with{};
    for (const std::uint32_t place : places) {
      CHECK((place == 0 || place == 256));
      ++with[place / 256];
    }
    CHECK(with[1] > 0);
  }
}

TEST_CASE(
    "columns are allocated through a generic address, too, even where .shared::cta is named") {
  for (const std::string named : {"", ".shared::cta"}) {
    std::string text = kernel("@%leader st.global.b32 [%to], 7;\n");
    const std::string plain = ".sync.aligned.shared::cta.b32 [%r0]";
    text.replace(text.find(plain), plain.size(), ".sync.aligned" + named + ".b32 [%l7]");
    text.insert(text.find("tcgen05.alloc"), "mov.u64 %l7, place; cvta.shared.u64 %l7, %l7;\n");
    CHECK(words_of(text, 1) == Words{7});
  }
}

TEST_CASE("who waits for columns in vain is named in the deadlock") {
  const std::string again =
      "@!%first bra ON;\n"
      "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], 512;\nON:\n";
  Harness harness(kernel(again));
  harness.launch("k", {}, harness.upload(Words(32)));
  CHECK_FALSE(harness.run());
  REQUIRE(harness.recorder.findings.size() == 1);
  const machine::Finding& finding = harness.recorder.findings.front();
  CHECK((finding.rule == machine::Rule::deadlock));
  CHECK((finding.details.front().note == machine::Note::for_columns));
  CHECK(finding.details.front().numbers[2] == 512);
}

TEST_CASE("a pair allocates and frees together, at one address") {
  const test::LaunchShape pairs{.grid = {8, 1, 1}, .cluster = {2, 1, 1}};
  const std::string body =
      "mov.u32 %r1, %ctaid.x; mul.wide.u32 %l1, %r1, 4; add.u64 %l1, %l1, %to;\n"
      "@%leader st.global.b32 [%l1], %mem;\n";
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Words places = words_of(kernel(body, 512, "2"), 8, pairs, seed);
    for (std::size_t i = 0; i < places.size(); i += 2) CHECK(places[i] == places[i + 1]);
  }
  tells(stop_of(kernel("", 64, "2")), "the block is in no pair");
  std::string alone = kernel("", 64, "2");  // the odd block doesn't take part, and waits
  alone.insert(alone.find("@!%first bra ALLOCATED"),
               "mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p, %r1, 1;\n@%p bra END;\n");
  tells(stop_of(alone, pairs), "the other block of the pair has exited");
}

TEST_CASE("what tensor memory can't do ends the kernel at its line") {
  const auto load = [](const std::string& address) {
    return stop_of(
        kernel("tcgen05.ld.sync.aligned.32x32b.x4.b32 " + vector_of(4) + ", [" + address + "];\n"));
  };
  tells(load("%mem+0xa00000"), "warp 0 of the block can reach lanes 0 to 31");
  tells(load("%mem+0x10000"), "names lane 1 of tensor memory, no multiple of 32");
  tells(load("%mem+126"), "columns 126 to 129 of tensor memory; the block has 0 to 127");
  tells(load("%me"), "different addresses");
  tells(stop_of(kernel("", 48)), "48 columns of tensor memory");
  const auto free = [](const std::string& what) {
    return stop_of(kernel("tcgen05.dealloc.cta_group::1.sync.aligned.b32 " + what + ";\n"));
  };
  tells(free("%mem, 64"), "nothing was allocated so");
  tells(free("%mem, 128"), "or it has been freed");
  tells(stop_of(
            kernel("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\nmov.u32 %r1, bar;\n"
                   "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;\n")),
        "has given up its right");
  const auto refused = [](const std::string& instruction) { return stop_of(kernel(instruction)); };
  tells(refused("tcgen05.shift.cta_group::1.down [%mem];\n"), "tcgen05.shift");
  tells(refused("tcgen05.ld.sync.aligned.32x32b.x2.pack::16b.b32 {%v0, %v1}, [%mem];\n"),
        "pack::16b");
  tells(refused("tcgen05.mma.cta_group::1.kind::i8 [%mem], %l1, %l1, %r1, %p;\n"), "kind::i8");
  tells(refused("tcgen05.mma.ws.cta_group::1.kind::f16 [%mem], %l1, %l1, %r1, %p;\n"), ".ws");
}

TEST_CASE("a product is done when its commit is looked at, and not before") {
  const Words sums = accumulator(mma() + kCommit);
  CHECK(sums == Words(1024, f32(16)));
  // A and B overwritten after the issue: twos are multiplied.
  CHECK(accumulator(mma() + kCommit + R"(
mov.u32 %r1, 0; shl.b32 %r2, %me, 2; add.u32 %r2, %r2, %r6;
TWOS:
st.shared.b32 [%r2], 0x40004000;
add.u32 %r2, %r2, 512; add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 16;
@%p bra TWOS;
bar.sync 0;
)") == Words(1024, f32(64)));
  // Without a wait, what was there.
  std::string early = multiplying(128, 8,
                                  mma() + kCommit + "mov.u32 %r3, %mem;\n@!%first bra ON;\n" +
                                      kLoad8 + "st.global.b32 [%to], %v0;\nON:\n");
  CHECK(words_of(early, 128, {.block = {128, 1, 1}})[0] == 0xcdcdcdcd);
}

TEST_CASE("a tensor core makes 4,096 multiply-adds of tcgen05 in a cycle, and 2,048 of wgmma") {
  const auto repeated = [](const std::string& instruction) {
    std::string all;
    for (int i = 0; i < 100; ++i) all += instruction;
    return all;
  };
  const auto check = [](const std::string& body, machine::Time each) {
    Harness harness(multiplying(128, 64, body));
    harness.launch("k", {.block = {128, 1, 1}}, harness.upload(Words(4096)));
    CHECK(harness.run());
    machine::Time busy = 0;
    for (const machine::Sm& sm : harness.gpu.sms()) busy += sm.tensor_busy;
    CHECK(busy == 100 * each);
    CHECK(harness.gpu.now() > busy);
  };
  check(repeated(mma()) + kCommit + kWait, 128 * 64 * 16 / 4096);
  const std::string wgmma =
      "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%v0, %v1}, %l1, "
      "%l2, 0, 1, 1, 0, 0;\n";
  check("xor.b64 %l1, %l1, 0x400000000000; mov.b64 %l2, %l1;\n" + repeated(wgmma) +
            "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n",
        64 * 8 * 16 / 2048);
}

TEST_CASE("products add up in their order; lanes are left out, D is scaled") {
  CHECK(accumulator(mma() + mma(", 1") + kCommit) == Words(1024, f32(32)));
  const std::string scaled =
      "setp.ne.u32 %p, 0, 1;\n@%leader tcgen05.mma.cta_group::1.kind::f16 "
      "[%mem], %l1, %l2, %r5, %p, 2;\n";
  CHECK(accumulator(mma() + scaled + kCommit) == Words(1024, f32(20)));
  const Words some = accumulator("mov.u32 %r8, 0; mov.u32 %r9, 0xffff0000;\n" + mma() +
                                 mma(", 1, {%r8, %r9, %r8, %r8}") + kCommit);
  for (std::uint32_t i = 0; i < some.size(); ++i) {
    CHECK(some[i] == f32(i % 128 >= 48 && i % 128 < 64 ? 16 : 32));
  }
  const Words f = accumulator(mma() + kCommit, 64);  // M = 64: 16 of each 32 lanes
  for (std::uint32_t i = 0; i < f.size(); ++i) CHECK(f[i] == (i % 32 < 16 ? f32(16) : 0xcdcdcdcd));
}

TEST_CASE("A may lie in tensor memory, where tcgen05.cp brings it") {
  const std::string copied = "@%leader tcgen05.cp.cta_group::1.128x256b [%mem+64], %l1;\n";
  const std::string by_cells =
      "setp.ne.u32 %p, 0, 0;\n@%leader tcgen05.mma.cta_group::1.kind::f16."
      "collector::a::lastuse [%mem], [%mem+64], %l2, %r5, %p;\n";
  CHECK(accumulator(copied + by_cells + kCommit) == Words(1024, f32(16)));
  tells(stop_of(multiplying(128, 8, "tcgen05.cp.cta_group::1.128x256b [%mem+0x10000], %l1;\n"),
                {.block = {128, 1, 1}}),
        "names lane 1");
}

TEST_CASE("a pair multiplies together, and one commit tells both of its blocks") {
  // The odd block has twos; the even one's thread issues, and D has M = 256.
  const std::string body = R"(
mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p, %r1, 0;
@%p bra ONES;
mov.u32 %r1, 0; shl.b32 %r2, %me, 2; add.u32 %r2, %r2, %r6;
TWOS:
st.shared.b32 [%r2], 0x40004000;
add.u32 %r2, %r2, 512; add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 16;
@%p bra TWOS;
fence.proxy.async.shared::cta;
ONES:
barrier.cluster.arrive; barrier.cluster.wait;
mov.u32 %r1, %cluster_ctarank; setp.eq.and.u32 %p, %r1, 0, %leader;
@!%p bra ISSUED;
setp.ne.u32 %p, 0, 0; mov.u32 %r8, 3;
tcgen05.mma.cta_group::2.kind::f16 [%mem], %l1, %l2, %r5, %p;
tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r7], %r8;
ISSUED:
)" + kWait + "tcgen05.ld.sync.aligned.32x32b.x32.b32 " +
                           vector_of(32) + R"(, [%r3];
tcgen05.wait::ld.sync.aligned;
mov.u32 %r1, %cluster_ctarank; mul.wide.u32 %l3, %r1, 1024; add.u64 %to, %to, %l3;
st.global.b32 [%to], %v0; st.global.b32 [%to+512], %v16;
barrier.cluster.arrive; barrier.cluster.wait;
)";
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Words sums =
        words_of(multiplying(256, 32, body, "2"), 512,
                 {.grid = {2, 1, 1}, .block = {128, 1, 1}, .cluster = {2, 1, 1}}, seed);
    for (std::uint32_t i = 0; i < sums.size(); ++i) {
      CHECK(sums[i] == f32(16.f * (i < 256 ? 1 : 2) * (i / 128 % 2 == 0 ? 1 : 2)));
    }
  }
}

TEST_CASE("the mbarrier of a copy may lie in the other block of the pair") {
  machine::TensorMap map;
  Harness harness(test::kHeader + R"(
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 to) {
.reg .pred %p, %even; .reg .b32 %r<8>; .reg .b64 %map, %to;
.shared .align 128 .b8 tile[128]; .shared .align 8 .b64 bar;
mov.u64 %map, map; cvta.param.u64 %map, %map; ld.param.u64 %to, [to];
mov.u32 %r1, tile; mov.u32 %r2, bar; mov.u32 %r3, %cluster_ctarank; setp.eq.u32 %even, %r3, 0;
and.b32 %r4, %r2, 0xfeffffff; shl.b32 %r6, %r3, 2;
@%even mbarrier.init.shared.b64 [%r2], 1;
@%even mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 256;
barrier.cluster.arrive; barrier.cluster.wait;
cp.async.bulk.tensor.1d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%map, {%r6}], [%r4];
@!%even bra WAITED;
WAIT:
mbarrier.try_wait.parity.shared.b64 %p, [%r2], 0;
@!%p bra WAIT;
WAITED:
barrier.cluster.arrive; barrier.cluster.wait;
ld.shared.b32 %r5, [%r1+4]; mul.wide.u32 %map, %r3, 4; add.u64 %to, %to, %map;
st.global.b32 [%to], %r5;
ret;
}
)");
  Words words(32);
  for (std::uint32_t i = 0; i < 32; ++i) words[i] = i + 1;
  const auto from = harness.upload(words), to = harness.upload(Words(2));
  const std::uint64_t sizes[] = {32}, none[] = {0};
  const std::uint32_t box[] = {32}, steps[] = {1};
  REQUIRE(machine::encode_tiled(&map, {2, 1, from, sizes, none, box, steps}));
  harness.launch("k", {.grid = {2, 1, 1}, .block = {1, 1, 1}, .cluster = {2, 1, 1}}, map, to);
  CHECK(harness.run());
  CHECK(harness.recorder.names() == "");
  CHECK(harness.download<std::uint32_t>(to) == Words{2, 6});
}

TEST_CASE("a kernel of nvcc multiplies by tensor memory as the host does, under every seed") {
  std::stringstream text;
  text << std::ifstream(CLCSIM_TEST_DATA "/product.ptx").rdbuf();
  constexpr int kM = 128, kN = 128, kK = 256;
  std::mt19937 random(7);
  const std::uint16_t small[] = {0xc000, 0xbc00, 0, 0x3c00, 0x4000};  // -2 to 2
  std::vector<std::uint16_t> a(kM * kK), b(kN * kK);
  for (auto* matrix : {&a, &b}) {
    for (std::uint16_t& element : *matrix) element = small[random() % 5];
  }
  const auto value = [&](std::uint16_t half) {
    return static_cast<float>(std::find(small, small + 5, half) - small - 2);
  };
  Words expected(kM * kN);
  for (int i = 0; i < kM * kN; ++i) {
    float sum = 0;
    for (int k = 0; k < kK; ++k) sum += value(a[i / kN * kK + k]) * value(b[i % kN * kK + k]);
    expected[i] = f32(sum);
  }
  for (std::uint64_t seed = 0; seed <= 5; ++seed) {
    Harness harness(text.str(), seed, "b200");
    const auto to = harness.upload(Words(kM * kN));
    const auto map_of = [&](const std::vector<std::uint16_t>& matrix) {
      machine::TensorMap map;
      const std::uint64_t sizes[] = {kK, 128}, strides[] = {2 * kK};
      const std::uint32_t box[] = {64, 128}, steps[] = {1, 1};
      REQUIRE(machine::encode_tiled(
          &map, {6, 2, harness.upload(matrix), sizes, strides, box, steps, 0, 3}));
      return map;
    };
    const auto map_a = map_of(a), map_b = map_of(b);
    harness.launch("product", {.block = {128, 1, 1}, .dynamic_shared = 4 * 16384 + 1024}, map_a,
                   map_b, to, kK / 64);
    CHECK(harness.run());
    CHECK(harness.recorder.names() == "");
    CHECK(harness.download<std::uint32_t>(to) == expected);
  }
}

TEST_CASE("descriptors and addresses of any bits end in a result or a fault") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    const auto bits = [&] { return std::to_string(random() >> random() % 64 >> 1); };
    std::string body = "mov.b64 %l1, " + bits() + "; mov.b64 %l2, " + bits() +
                       "; add.u32 %mem, %mem, " +
                       std::to_string(random() % 3 == 0 ? random() % 512 : 0) + ";\n";
    if (i % 3 == 0) body += "mov.u32 %r5, " + std::to_string(random() & 0xffffffff) + ";\n";
    body += i % 2 == 0 ? mma() : "@%leader tcgen05.cp.cta_group::1.128x256b [%mem], %l1;\n";
    Harness harness(multiplying(128, 16, body + kCommit + kWait));
    harness.launch("k", {.block = {128, 1, 1}}, harness.upload(Words(128)));
    if (!harness.run()) CHECK(harness.gpu.fault() != nullptr);
  }
}
