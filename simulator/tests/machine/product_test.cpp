// mma.sync and wmma where the conformance suite, which has each of their forms, does not reach:
// sums beyond s32, bits that tf32 doesn't have, lines of a matrix that lie further apart than they
// are long, a warp whose lanes aren't all there.
#include <doctest/doctest.h>

#include <bit>

#include "tests/machine/harness.h"
#include "tests/machine/kernels.h"

using namespace clcsim;
using test::Harness;

namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t bits(float x) {
  return std::bit_cast<std::uint32_t>(x);
}

std::string list(const std::string& name, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "%" : ", %") + name + std::to_string(i);
  return text + "}";
}

/// d = a b + c by one mma.sync.
Words multiply(const std::string& name, const Words& a, const Words& b, const Words& c) {
  std::string text = test::kHeader + R"(
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {
.reg .b32 %a<4>, %b<4>, %c<4>, %d<4>, %r; .reg .b64 %p, %q;
mov.u32 %r, %tid.x;
)";
  const auto each = [](const Words& words) { return static_cast<int>(words.size() / 32); };
  const auto move = [&](const std::string& matrix, int registers, bool store) {
    text += "ld.param.u64 %p, [p" + matrix + "];\nmul.wide.u32 %q, %r, " +
            std::to_string(4 * registers) + ";\nadd.u64 %p, %p, %q;\n";
    for (int i = 0; i < registers; ++i) {
      const std::string place = "[%p+" + std::to_string(4 * i) + "]";
      const std::string reg = "%" + matrix + std::to_string(i);
      text += store ? "st.global.b32 " + place + ", " + reg + ";\n"
                    : "ld.global.b32 " + reg + ", " + place + ";\n";
    }
  };
  move("a", each(a), false);
  move("b", each(b), false);
  move("c", each(c), false);
  text += name + " " + list("d", each(c)) + ", " + list("a", each(a)) + ", " + list("b", each(b)) +
          ", " + list("c", each(c)) + ";\n";
  move("d", each(c), true);
  Harness harness(text + "ret;\n}\n");
  const auto to = harness.upload(Words(c.size()));
  harness.launch("k", {}, harness.upload(a), harness.upload(b), harness.upload(c), to);
  CHECK(harness.run());
  CHECK(harness.recorder.names() == "");
  return harness.download<std::uint32_t>(to);
}

/// 16 lines of a matrix, `words` words each, and half as many of something else behind each.
Words lines(int words, std::uint32_t inside, std::uint32_t between) {
  Words all;
  for (int i = 0; i < 16; ++i) {
    all.insert(all.end(), words, inside);
    all.insert(all.end(), words / 2, between);
  }
  return all;
}

}  // namespace

TEST_CASE("a sum of mma.sync in s32 wraps, or stays at the greatest number") {
  const Words ones(32, 0x01010101), c(128, 0x7fffffff);
  const std::string head = "mma.sync.aligned.m16n8k16.row.col.";
  Words a(ones);
  a.insert(a.end(), ones.begin(), ones.end());
  CHECK(multiply(head + "s32.s8.s8.s32", a, ones, c) == Words(128, 0x8000000f));
  CHECK(multiply(head + "satfinite.s32.s8.s8.s32", a, ones, c) == c);
}

TEST_CASE("of a tf32 operand the lower bits mean nothing") {
  const std::uint32_t one = bits(1) | 0x1555;
  CHECK(multiply("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", Words(64, one),
                 Words(32, one), Words(128, bits(3))) == Words(128, bits(7)));
}

TEST_CASE("lines of wmma's matrices may lie further apart than they are long") {
  for (const std::string layout : {".row", ".col"}) {
    CAPTURE(layout);
    const auto move = [&](const char* what, const char* type, const std::string& rest) {
      return "wmma." + std::string(what) + ".sync.aligned" + layout + ".m16n16k16.global." + type +
             " " + rest + ", 24;\n";
    };
    Harness harness(test::kHeader + R"(
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {
.reg .b32 %a<8>, %b<8>, %c<8>; .reg .b64 %ap, %bp, %cp, %to;
ld.param.u64 %ap, [pa]; ld.param.u64 %bp, [pb]; ld.param.u64 %cp, [pc]; ld.param.u64 %to, [pd];
)" + move("load.a", "f16", list("a", 8) + ", [%ap]") +
                    move("load.b", "f16", list("b", 8) + ", [%bp]") +
                    move("load.c", "f32", list("c", 8) + ", [%cp]") + "wmma.mma.sync.aligned" +
                    layout + layout + ".m16n16k16.f32.f32 " + list("c", 8) + ", " + list("a", 8) +
                    ", " + list("b", 8) + ", " + list("c", 8) + ";\n" +
                    move("store.d", "f32", "[%to], " + list("c", 8)) + "ret;\n}\n");
    const Words ones = lines(8, 0x3c003c00, 0x45004500);
    const auto to = harness.upload(lines(16, 0, bits(9)));
    harness.launch("k", {}, harness.upload(ones), harness.upload(ones),
                   harness.upload(lines(16, bits(3), bits(7))), to);
    CHECK(harness.run());
    CHECK(harness.recorder.names() == "");
    CHECK(harness.download<std::uint32_t>(to) == lines(16, bits(19), bits(9)));
  }
}

TEST_CASE("a warp whose lanes aren't all there can't multiply") {
  Harness harness(test::kHeader + R"(
.visible .entry k() {
.reg .b32 %a<4>, %b<4>, %c<4>, %d<4>;
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, {%b0,%b1}, {%c0,%c1,%c2,%c3};
ret;
}
)");
  harness.launch("k", {.block = {24, 1, 1}});
  CHECK_FALSE(harness.run());
  CHECK(harness.recorder.names() == "warp-sync-mask");
}
