// Forms that the conformance suite can't record (kExempt in conformance/cases.cpp): what they give
// by PTX's text alone. The names of the rules there stand in the test that covers them.
#include <doctest/doctest.h>

#include <set>

#include "tests/machine/harness.h"
#include "tests/machine/kernels.h"

using namespace clcsim;
using test::Harness;

namespace {

/// The registers %NAME0, ..., in braces.
std::string register_list(const std::string& name, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i == 0 ? "{%" : ", %") + name + std::to_string(i);
  return text + "}";
}

/// Runs `ptx`, whose kernel k reads `in` and writes as many words to its second parameter.
std::vector<std::uint32_t> result_of(const std::string& ptx, const std::vector<std::uint32_t>& in) {
  CAPTURE(ptx);
  Harness harness(test::kHeader + ptx);
  const auto from = harness.upload(in);
  const auto to = harness.upload(std::vector<std::uint32_t>(in.size()));
  harness.launch("k", {.block = {1, 1, 1}}, from, to);
  CHECK(harness.run());
  CHECK(harness.recorder.names() == "");
  return harness.download<std::uint32_t>(to);
}

const std::vector<std::uint32_t> kBytes = {1, 0x80000002, 3, 0x7fc00004, 5, 6, 0xffffffff, 8};

const std::string kEntry = R"(
.visible .entry k(.param .u64 from, .param .u64 to) {
.reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %l<8>; .reg .f64 %d<8>; .reg .b64 %a<4>; .reg .b128 %q<2>;
ld.param.u64 %a0, [from];
ld.param.u64 %a1, [to];
)";

}  // namespace

// PTX ISA 9.0, 9.7.13.8: without .NaN only numbers count; the result of NaN alone is the canonical
// NaN; +0 > -0.
TEST_CASE("a warp's least and greatest float: redux.sync.min* and redux.sync.max*") {
  constexpr std::uint32_t kOne = 0x3f800000, kMinusTwo = 0xc0000000, kNan = 0xffc00001, kZero = 0,
                          kMinusZero = 0x80000000, kCanonical = 0x7fffffff, kTwo = 0x40000000;
  const auto reduce = [](const std::string& form, std::vector<std::uint32_t> in) {
    Harness harness(test::kHeader + kEntry +
                    "mov.u32 %r1, %tid.x;\nmul.wide.u32 %l1, %r1, 4;\nadd.u64 %a2, %a0, "
                    "%l1;\nadd.u64 %a3, %a1, "
                    "%l1;\nld.global.f32 {%f1}, [%a2];\nredux.sync." +
                    form + ".f32 %f2, %f1, 0xffffffff;\nst.global.f32 [%a3], {%f2};\nret;\n}\n");
    in.resize(32, in.back());
    const auto from = harness.upload(in), to = harness.upload(std::vector<std::uint32_t>(32));
    harness.launch("k", {.block = {32, 1, 1}}, from, to);
    CHECK(harness.run());
    const std::vector<std::uint32_t> out = harness.download<std::uint32_t>(to);
    CHECK(std::set<std::uint32_t>(out.begin(), out.end()).size() == 1);
    return out.front();
  };
  const std::vector<std::uint32_t> numbers = {kOne, kMinusTwo, kNan, kZero};
  CHECK(reduce("min", numbers) == kMinusTwo);
  CHECK(reduce("max", numbers) == kOne);
  CHECK(reduce("min.abs", numbers) == kZero);
  CHECK(reduce("max.abs", numbers) == kTwo);
  CHECK(reduce("min", {kZero, kMinusZero}) == kMinusZero);
  CHECK(reduce("max", {kMinusZero, kZero, kMinusZero}) == kZero);
  CHECK(reduce("max", {kNan}) == kCanonical);
  for (const char* form : {"min.NaN", "max.NaN", "min.abs.NaN", "max.abs.NaN"}) {
    CHECK(reduce(form, numbers) == kCanonical);
    CHECK(reduce(form, {kOne}) == kOne);
  }
}

TEST_CASE("32 bytes go through registers as they are: ld.global.v8.* and st.global.v8.*") {
  for (const std::string type : {"b32", "f32", "s32", "u32"}) {
    const std::string values = register_list(type == "f32" ? "f" : "r", 8);
    CHECK(result_of(kEntry + "ld.global.v8." + type + " " + values + ", [%a0];\nst.global.v8." +
                        type + " [%a1], " + values + ";\nret;\n}\n",
                    kBytes) == kBytes);
  }
}

TEST_CASE("and so they do as four of 64 bits") {
  for (const auto& [load, store] :
       std::vector<std::pair<std::string, std::string>>{{"ld.global.v4.b64", "st.global.v4.b64"},
                                                        {"ld.global.v4.u64", "st.global.v4.u64"},
                                                        {"ld.global.v4.s64", "st.global.v4.s64"},
                                                        {"ld.global.v4.f64", "st.global.v4.f64"}}) {
    const std::string values = register_list(load.ends_with("f64") ? "d" : "l", 4);
    CHECK(result_of(kEntry + load + " " + values + ", [%a0];\n" + store + " [%a1], " + values +
                        ";\nret;\n}\n",
                    kBytes) == kBytes);
  }
}

TEST_CASE("128 bits go to a function and come back: ld.param::func.b128, st.param::func.b128") {
  const std::string function = R"(
.func (.param .align 16 .b8 result[16]) same(.param .align 16 .b8 value[16]) {
.reg .b128 %q;
ld.param.b128 %q, [value];
st.param.b128 [result], %q;
ret;
}
)";
  const std::string call = R"(
ld.global.v2.b64 {%l0, %l1}, [%a0];
mov.b128 %q0, {%l0, %l1};
{ .param .align 16 .b8 given[16]; .param .align 16 .b8 got[16];
st.param.b128 [given], %q0;
call (got), same, (given);
ld.param.b128 %q1, [got];
}
mov.b128 {%l2, %l3}, %q1;
st.global.v2.b64 [%a1], {%l2, %l3};
ret;
}
)";
  const std::vector<std::uint32_t> four(kBytes.begin(), kBytes.begin() + 4);
  CHECK(result_of(function + kEntry + call, four) == four);
}

TEST_CASE("pairs of 16 bits are added one by one in shared memory of a cluster") {
  const auto sums = [](const std::string& atom, const std::string& red, std::uint32_t pair,
                       std::uint32_t more) {
    return result_of(kEntry + R"(
.shared .align 4 .b8 word[4];
mov.u32 %r0, word;
ld.global.u32 %r1, [%a0];
ld.global.u32 %r2, [%a0+4];
st.shared.u32 [%r0], %r1;
)" + atom + " %r3, [%r0], %r2;\n" +
                         red + R"( [%r0], %r2;
ld.shared.u32 %r4, [%r0];
st.global.u32 [%a1], %r3;
st.global.u32 [%a1+4], %r4;
ret;
}
)",
                     {pair, more});
  };
  using Words = std::vector<std::uint32_t>;
  // 1.5 and -2; twice 0.25 and 3 more are 2 and 4.
  CHECK(sums("atom.shared::cluster.add.noftz.f16x2", "red.shared::cluster.add.noftz.f16x2",
             0xc0003e00, 0x42003400) == Words{0xc0003e00, 0x44004000});
  CHECK(sums("atom.shared::cluster.add.noftz.bf16x2", "red.shared::cluster.add.noftz.bf16x2",
             0xc0003fc0, 0x40403e80) == Words{0xc0003fc0, 0x40804000});
}

TEST_CASE("zeros for so many bytes as each thread says: st.bulk and st.bulk.shared") {
  for (const std::string& name : {std::string("st.bulk.weak.shared::cta [%r1], %size, 0;"),
                                  std::string("st.bulk [%generic], %size, 0;"),
                                  std::string("st.bulk.shared::cta [%r1], 24, 0;")}) {
    Harness harness(test::kHeader + R"(
.visible .entry k(.param .u64 to) {
.reg .b32 %tid, %r<9>; .reg .b64 %l<6>, %size, %generic; .reg .pred %p;
.shared .align 8 .b8 bytes[64];
ld.param.u64 %l0, [to];
mov.u32 %tid, %tid.x;
shl.b32 %r2, %tid, 2;
mov.u32 %r1, bytes;
add.u32 %r3, %r1, %r2;
st.shared.u32 [%r3], 7;
bar.warp.sync 0xffff;
add.u32 %r1, %r1, 8;
cvt.u64.u32 %l1, %r1;
cvta.shared.u64 %generic, %l1;
mov.u64 %size, 24;
setp.eq.u32 %p, %tid, 3;
@%p )" + name + R"(
bar.warp.sync 0xffff;
ld.shared.u32 %r4, [%r3];
mul.wide.u32 %l2, %tid, 4;
add.u64 %l3, %l0, %l2;
st.global.u32 [%l3], %r4;
ret;
}
)");
    const auto to = harness.upload(std::vector<std::uint32_t>(16));
    harness.launch("k", {.grid = {1, 1, 1}, .block = {16, 1, 1}}, to);
    CHECK(harness.run());
    CHECK(harness.download<std::uint32_t>(to) ==
          std::vector<std::uint32_t>{7, 7, 0, 0, 0, 0, 0, 0, 7, 7, 7, 7, 7, 7, 7, 7});
  }
}

TEST_CASE("what was stolen is told in x, y and z, alone and together: clusterlaunchcontrol.*") {
  const std::string kernel = test::kHeader + R"(
.visible .entry k(.param .u64 stolen) {
.reg .b32 %r<9>; .reg .b64 %l<6>; .reg .pred %done, %won; .reg .b128 %q;
.shared .align 16 .b8 response[16];
.shared .align 8 .b64 barrier;
mov.u32 %r0, response;
mov.u32 %r1, barrier;
ld.param.u64 %l0, [stolen];
mbarrier.init.shared::cta.b64 [%r1], 1;
clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r0], [%r1];
mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%r1], 16;
WAIT:
mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %done, [%r1], 0;
@!%done bra WAIT;
ld.shared.v2.u64 {%l1, %l2}, [%r0];
mov.b128 %q, {%l1, %l2};
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %won, %q;
@!%won bra END;
clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r2, %q;
clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r3, %q;
clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %r4, %q;
clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r5, %r6, %r7, _}, %q;
atom.global.add.u32 %r8, [%l0], 6;
mul.wide.u32 %l3, %r8, 4;
add.u64 %l4, %l0, %l3;
st.global.v2.u32 [%l4+8], {%r2, %r3};
st.global.v2.u32 [%l4+16], {%r4, %r5};
st.global.v2.u32 [%l4+24], {%r6, %r7};
END:
ret;
}
)";
  Harness harness(kernel);
  const machine::Dim3 grid{10, 6, 10};
  const auto stolen = harness.upload(std::vector<std::uint32_t>(2 + 6 * 600));
  harness.launch("k", {.grid = grid, .block = {1, 1, 1}}, stolen);
  CHECK(harness.run());
  const std::vector<std::uint32_t> words = harness.download<std::uint32_t>(stolen);
  std::set<std::vector<std::uint32_t>> blocks;
  for (std::uint32_t i = 2; i < 2 + words[0]; i += 6) {
    const auto first = words.begin() + i;
    const std::vector<std::uint32_t> alone(first, first + 3), together(first + 3, first + 6);
    CHECK(alone == together);
    CHECK((alone[0] < grid.x && alone[1] < grid.y && alone[2] < grid.z));
    blocks.insert(alone);
  }
  CHECK(blocks.size() == words[0] / 6);  // none twice
  CHECK(blocks.size() == harness.recorder.counts.blocks_stolen);
  CHECK(blocks.size() > 100);
}

TEST_CASE("parameters of a function that are registers") {
  const std::string functions = R"(
.func (.reg .u32 sum) add(.reg .u32 a, .reg .u32 b) { add.u32 sum, a, b; ret; }
.func (.reg .f64 twice) both(.reg .f64 a) { add.f64 twice, a, a; ret; }
.func (.reg .u32 r) none() { mov.u32 r, 9; ret; }
)";
  const std::string body = R"(
ld.global.u32 %r0, [%a0];
call (%r1), add, (%r0, 7);
call (%r1), add, (%r1, %r1);
call (%d1), both, (0d3ff8000000000000);
cvt.rzi.u32.f64 %r2, %d1;
call (%r3), none;
st.global.v4.u32 [%a1], {%r1, %r2, %r3, %r0};
ret;
}
)";
  CHECK(result_of(functions + kEntry + body, {5, 0, 0, 0}) ==
        std::vector<std::uint32_t>{24, 3, 9, 5});
}

TEST_CASE("constant expressions: casts, and a choice") {
  const std::string body = R"(
mov.u32 %r0, 1 < 2 ? 5 : 6;
mov.u32 %r1, (0 ? 1 : 2 > 3 ? 4 : 8) * 2;
mov.u64 %l0, (.u64) -1 / 2;
mov.u64 %l1, (.s64) 0xffffffffffffffff / 2;
st.global.v2.u32 [%a1], {%r0, %r1};
st.global.u64 [%a1+8], %l0;
st.global.u64 [%a1+16], %l1;
ret;
}
)";
  CHECK(result_of(kEntry + body, std::vector<std::uint32_t>(6)) ==
        std::vector<std::uint32_t>{5, 16, 0xffffffff, 0x7fffffff, 0, 0});
}

TEST_CASE("discard leaves other values than were there: discard.*") {
  for (const bool written_again : {true, false}) {
    Harness harness(test::kHeader + kEntry + "discard.global.L2 [%a0], 128;\n" +
                    (written_again ? "st.global.u32 [%a0], 3;\n" : "") +
                    "ld.global.u32 %r0, [%a0];\nst.global.u32 [%a1], %r0;\nret;\n}\n");
    const auto from = harness.upload(std::vector<std::uint32_t>(32, 7));
    const auto to = harness.upload(std::vector<std::uint32_t>(1));
    harness.launch("k", {.block = {1, 1, 1}}, from, to);
    CHECK(harness.run());
    CHECK((harness.download<std::uint32_t>(to)[0] == 3) == written_again);
    CHECK(harness.download<std::uint32_t>(to)[0] != 7);
  }
}
