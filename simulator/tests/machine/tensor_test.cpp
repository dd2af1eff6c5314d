// cp.async.bulk.tensor.* and cp.async.bulk.prefetch.tensor.*: boxes of tensors of each rank, beyond
// the edges, swizzled, for several blocks, as
// cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster has them,
// too; what an H200 refuses; what the driver encodes.
#include <doctest/doctest.h>

#include <functional>

#include "machine/tensor_map.h"
#include "tests/machine/harness.h"
#include "tests/machine/kernels.h"

using namespace clcsim;
using machine::TensorMap;
using test::Harness;

namespace {

constexpr unsigned kWord = 2;  // CU_TENSOR_MAP_DATA_TYPE_UINT32

struct Tensor {
  std::vector<std::uint64_t> sizes;
  std::vector<std::uint32_t> box, steps = {1, 1, 1, 1, 1};
  unsigned swizzle = 0;

  std::vector<std::uint64_t> strides() const {  // rows with room behind them
    std::vector<std::uint64_t> all;
    std::uint64_t stride = (sizes[0] * 4 + 31) / 16 * 16;
    for (std::size_t k = 1; k < sizes.size(); ++k) {
      all.push_back(stride);
      stride *= sizes[k];
    }
    all.push_back(stride);  // of the whole
    return all;
  }
  TensorMap map(std::uint64_t address) const {
    TensorMap map;
    const std::vector<std::uint64_t> of = strides();
    CHECK(machine::encode_tiled(
        &map, {kWord, static_cast<unsigned>(sizes.size()), address, sizes.data(), of.data(),
               box.data(), steps.data(), 0, swizzle}));
    return map;
  }
  std::uint32_t words() const { return map(16).box_bytes() / 4; }
};

std::string braces(const std::vector<int>& at) {
  std::string text;
  for (const int x : at) text += (text.empty() ? "{" : ", ") + std::to_string(x);
  return text + "}";
}

/// A kernel of one warp: `to` has what shared memory has from 1024 on when the box has landed.
std::string loading(const Tensor& tensor, const std::vector<int>& at, const std::string& place) {
  const std::string rank = std::to_string(tensor.sizes.size()) + "d";
  const std::string bytes = std::to_string(tensor.words() * 4);
  return test::kHeader + R"(
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 to) {
.reg .pred %p, %leader; .reg .b32 %r<8>; .reg .b64 %map, %to;
.shared .align 1024 .b8 tile[8192];
.shared .align 8 .b64 bar;
mov.u64 %map, map; cvta.param.u64 %map, %map; ld.param.u64 %to, [to];
mov.u32 %r1, tile; mov.u32 %r2, bar; mov.u32 %r3, %tid.x; setp.eq.u32 %leader, %r3, 0;
shl.b32 %r4, %r3, 2; add.u32 %r4, %r4, %r1; mov.u32 %r5, 0;
CLEAR:
st.shared.b32 [%r4], 0;
add.u32 %r4, %r4, 128; add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 64;
@%p bra CLEAR;
prefetch.tensormap [%map];
cp.async.bulk.prefetch.tensor.)" +
         rank + ".L2.global [%map, " + braces(at) + R"(];
@!%leader bra WAIT;
mbarrier.init.shared.b64 [%r2], 1;
mbarrier.arrive.expect_tx.shared.b64 _, [%r2], )" +
         bytes + ";\ncp.async.bulk.tensor." + rank +
         ".shared::cta.global.tile.mbarrier::complete_tx::bytes [%r1+" + place + "], [%map, " +
         braces(at) + R"(], [%r2];
WAIT:
bar.sync 0;
AGAIN:
mbarrier.try_wait.parity.shared.b64 %p, [%r2], 0;
@!%p bra AGAIN;
shl.b32 %r4, %r3, 2; add.u32 %r4, %r4, %r1; cvt.u64.u32 %map, %r3; shl.b64 %map, %map, 2;
add.u64 %to, %to, %map;
mov.u32 %r5, 0;
COPY:
ld.shared.b32 %r6, [%r4];
st.global.b32 [%to], %r6;
add.u32 %r4, %r4, 128; add.u64 %to, %to, 128; add.u32 %r5, %r5, 1;
setp.lt.u32 %p, %r5, 64;
@%p bra COPY;
ret;
}
)";
}

/// Words of a box, one after the other: f(word of the box, in the tensor or ~0).
void walk(const Tensor& tensor, const std::vector<int>& at,
          const std::function<void(std::uint32_t, std::uint64_t)>& f) {
  const std::vector<std::uint64_t> strides = tensor.strides();
  const TensorMap map = tensor.map(16);
  for (std::uint32_t i = 0; i < tensor.words(); ++i) {
    std::uint64_t place = 0, left = i;
    bool inside = true;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const auto count = map.count(static_cast<std::uint32_t>(k));
      const std::int64_t x =
          at[k] + static_cast<std::int64_t>(left % count * (k == 0 ? 1 : tensor.steps[k]));
      left /= count;
      inside &= x >= 0 && x < static_cast<std::int64_t>(tensor.sizes[k]);
      place += static_cast<std::uint64_t>(x) * (k == 0 ? 4 : strides[k - 1]);
    }
    f(i, inside ? place / 4 : ~0ull);
  }
}

std::vector<std::uint32_t> numbered(const Tensor& tensor) {
  std::vector<std::uint32_t> words(tensor.strides().back() / 4);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(i + 1);
  return words;
}

void check_load(const Tensor& tensor, const std::vector<int>& at, std::uint32_t place = 0) {
  CAPTURE(braces(at));
  CAPTURE(tensor.swizzle);
  Harness harness(loading(tensor, at, std::to_string(place)));
  const std::vector<std::uint32_t> words = numbered(tensor);
  const auto from = harness.upload(words), to = harness.upload(std::vector<std::uint32_t>(2048));
  harness.launch("k", {}, tensor.map(from), to);
  CHECK(harness.run());
  CHECK(harness.recorder.names() == "");
  std::vector<std::uint32_t> expected(2048);
  walk(tensor, at, [&](std::uint32_t i, std::uint64_t word) {
    // The 16-byte chunk's number is xored with that of its 128 bytes.
    std::uint32_t byte = place + 4 * i;
    byte ^= (byte / 128 % (1u << tensor.swizzle)) * 16;
    expected[byte / 4] = word == ~0ull ? 0 : words[word];
  });
  CHECK(harness.download<std::uint32_t>(to) == expected);
}

/// The fault of a load, and what is said of it.
std::string fault(
    const Tensor& tensor, const std::vector<int>& at, const std::string& place = "0",
    const std::function<void(std::string&)>& edit = [](std::string&) {}) {
  std::string text = loading(tensor, at, place);
  edit(text);
  Harness harness(text);
  const auto from = harness.upload(numbered(tensor));
  const auto to = harness.upload(std::vector<std::uint32_t>(2048));
  harness.launch("k", {}, tensor.map(from), to);
  CHECK_FALSE(harness.run());
  return harness.gpu.fault() == nullptr ? harness.recorder.names() : harness.gpu.fault()->what;
}

bool says(const std::string& text, const char* part) {
  CAPTURE(text);
  CHECK(text.find(part) != text.npos);
  return text.find(part) != text.npos;
}

}  // namespace

TEST_CASE("boxes of each rank land, with zeros where they are outside") {
  check_load({.sizes = {100}, .box = {32}}, {96});
  for (const std::vector<int>& at :
       {std::vector{0, 0}, {4, 3}, {-4, -3}, {32, 30}, {96, 0}, {8, 40}})
    check_load({.sizes = {50, 37}, .box = {32, 8}}, at);
  check_load({.sizes = {20, 7, 5}, .box = {8, 4, 3}}, {16, -1, 3});
  check_load({.sizes = {20, 7, 5, 3}, .box = {8, 4, 3, 2}}, {-4, 5, -2, 2});
  check_load({.sizes = {20, 7, 5, 3, 4}, .box = {8, 2, 3, 2, 3}}, {12, 6, 3, -1, -2});
  check_load({.sizes = {40, 30}, .box = {8, 16}, .steps = {5, 3, 1, 1, 1}}, {4, -4});
}

TEST_CASE("the swizzle goes by the address in shared memory") {
  for (const std::uint32_t place : {0, 128, 384}) {
    check_load({.sizes = {50, 37}, .box = {8, 16}, .swizzle = 1}, {4, 30}, place);
    check_load({.sizes = {50, 37}, .box = {16, 16}, .swizzle = 2}, {-8, 3}, place);
    check_load({.sizes = {50, 37}, .box = {32, 16}, .swizzle = 3}, {24, 5}, place);
  }
}

TEST_CASE("a box is stored where the tensor is, from swizzled bytes") {
  for (const unsigned swizzle : {0u, 3u}) {
    const Tensor tensor{.sizes = {52, 37}, .box = {32, 8}, .swizzle = swizzle};
    const std::vector<int> at = {32, 33};
    std::string text = loading(tensor, {4, 3}, "0");
    const std::size_t copy = text.find("shl.b32 %r4", text.find("AGAIN"));
    text.replace(
        copy, text.find("ret;") - copy,
        "@!%leader bra END;\ncp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%map, " +
            braces(at) +
            "], [%r1];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group "
            "0;\nEND:\n");
    Harness harness(text);
    const auto from = harness.upload(numbered(tensor));
    harness.launch("k", {}, tensor.map(from), from);
    CHECK(harness.run());
    CHECK(harness.recorder.names() == "");
    std::vector<std::uint32_t> expected = numbered(tensor), loaded(tensor.words());
    walk(tensor, {4, 3}, [&](auto i, auto word) { loaded[i] = expected[word]; });
    walk(tensor, at, [&](auto i, auto word) {
      if (word != ~0ull) expected[word] = loaded[i];
    });
    CHECK(harness.download<std::uint32_t>(from) == expected);
  }
}

TEST_CASE("one block's copy lands in each block of its mask, at the same place") {
  const Tensor tensor{.sizes = {50, 37}, .box = {32, 8}};
  for (const std::string copy :
       {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
        "cluster [%r1], [%map, {4, 3}], [%r2], %mask;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%r1], [%from], 1024, [%r2], %mask;"}) {
    const bool boxes = copy.find("tensor") != copy.npos;
    CAPTURE(copy);
    std::string text = loading(tensor, {4, 3}, "0");
    const auto replace = [&](const std::string& from, const std::string& to,
                             const std::string& by) {
      const std::size_t at = text.find(from);
      text.replace(at, text.find(to, at) - at, by);
    };
    replace("cp.async.bulk.tensor.2d.shared::cta", "WAIT:",
            "barrier.cluster.arrive; barrier.cluster.wait;\nmov.u32 %r5, %cluster_ctarank;\n"
            "setp.eq.and.u32 %leader, %r5, 2, %leader;\nmov.u16 %mask, 13;\n@%leader " +
                copy + "\nbra WAIT2;\n");
    replace(
        "WAIT:", "AGAIN:",
        "WAIT:\nbarrier.cluster.arrive; barrier.cluster.wait;\nWAIT2:\nbarrier.cluster.arrive; "
        "barrier.cluster.wait;\nmov.u32 %r5, %cluster_ctarank;\nsetp.eq.u32 %p, %r5, 1;\n@%p bra "
        "END;\nmul.wide.u32 %map, %r5, 8192; add.u64 %to, %to, %map;\n");
    replace(".reg .pred %p", ", %leader", ".reg .b16 %mask; .reg .b64 %from; .reg .pred %p");
    replace("ret;", "}", "END:\nret;\n");
    replace(", .param .u64 to", ")", ", .param .u64 to, .param .u64 from");
    replace("prefetch.tensormap", "[%map]", "ld.param.u64 %from, [from];\nprefetch.tensormap ");
    Harness harness(text);
    const std::vector<std::uint32_t> words = numbered(tensor);
    const auto from = harness.upload(words);
    const auto to = harness.upload(std::vector<std::uint32_t>(4 * 2048));
    harness.launch("k", {.grid = {4, 1, 1}, .cluster = {4, 1, 1}}, tensor.map(from), to, from);
    CHECK(harness.run());
    CHECK(harness.recorder.names() == "");
    std::vector<std::uint32_t> expected(4 * 2048);
    for (const std::uint32_t rank : {0u, 2u, 3u}) {
      walk(tensor, {4, 3}, [&](std::uint32_t i, std::uint64_t word) {
        expected[2048 * rank + i] = words[boxes ? word : i];
      });
    }
    CHECK(harness.download<std::uint32_t>(to) == expected);
  }
}

TEST_CASE("what a copy of a box can't do ends the kernel at its line") {
  const Tensor tensor{.sizes = {50, 37}, .box = {32, 8}};
  says(fault(tensor, {5, 0}), "coordinate 0 of the box is 5");
  says(fault(tensor, {-5, 0}), "no multiple of 16 bytes");
  says(fault(tensor, {0, 0}, "64"), "no multiple of 128 bytes");
  const auto replaced = [](const char* what, const char* by) {
    return [=](std::string& text) { text.replace(text.find(what), std::strlen(what), by); };
  };
  says(fault(tensor, {0, 0}, "0",
             replaced(".b8 map[128]", ".b8 pad[32], .param .align 4 .b8 map[128]")),
       "64 bytes");
  says(fault(tensor, {0, 0}, "0",
             replaced("cvta.param.u64 %map, %map", "cvta.local.u64 %map, %map")),
       "__grid_constant__");
  says(fault(tensor, {0, 0}, "0", replaced("cvta.param.u64 %map, %map", "ld.param.u64 %map, [to]")),
       "no tensor map");
  const Tensor line{.sizes = {50}, .box = {32}};
  says(fault(line, {0}, "0",
             [](std::string& text) {
               for (std::size_t at; (at = text.find(".1d.")) != text.npos;)
                 text.replace(at, 4, ".2d.");
               for (std::size_t at; (at = text.find("{0}")) != text.npos;)
                 text.replace(at, 3, "{0, 0}");
             }),
       "1 dimensions");
}

TEST_CASE("cuTensorMapEncodeTiled takes what the driver takes") {
  TensorMap map;
  struct Arguments {
    unsigned type = kWord, rank = 2;
    std::uint64_t address = 4096, sizes[5] = {64, 64, 1, 1, 1},
                  strides[4] = {256, 1 << 14, 1 << 14, 16};
    std::uint32_t box[5] = {32, 8, 1, 1, 1}, steps[5] = {1, 1, 1, 1, 1};
    unsigned interleave = 0, swizzle = 0, promotion = 0, fill = 0;
  };
  const auto takes = [&](const std::function<void(Arguments&)>& change) {
    Arguments of;
    change(of);
    return machine::encode_tiled(
        &map, {of.type, of.rank, of.address, of.sizes, of.strides, of.box, of.steps, of.interleave,
               of.swizzle, of.promotion, of.fill});
  };
  using A = Arguments;
  CHECK(takes([](A&) {}));
  CHECK(takes([](A& a) { a.swizzle = 3, a.promotion = 3; }));
  CHECK(takes([](A& a) { a.sizes[0] = std::uint64_t{1} << 32; }));
  CHECK(takes([](A& a) { a.type = 7, a.fill = 1; }));
  CHECK(takes([](A& a) { a.rank = 1, a.strides[0] = 3; }));
  CHECK(takes([](A& a) { a.address = 0; }));
  CHECK(takes([](A& a) { a.box[0] = 228, a.box[1] = 256; }));
  const std::function<void(A&)> wrong[] = {
      [](A& a) { a.rank = 0; },
      [](A& a) { a.rank = 6; },
      [](A& a) { a.type = 16; },
      [](A& a) { a.address += 8; },
      [](A& a) { a.sizes[1] = 0; },
      [](A& a) { a.sizes[1] = (std::uint64_t{1} << 32) + 1; },
      [](A& a) { a.strides[0] = 260; },
      [](A& a) { a.strides[0] = std::uint64_t{1} << 40; },
      [](A& a) { a.box[1] = 0; },
      [](A& a) { a.box[1] = 257; },
      [](A& a) { a.box[0] = 30; },                   // 120 bytes
      [](A& a) { a.box[0] = 232, a.box[1] = 256; },  // more than an SM has
      [](A& a) { a.rank = 5, a.box[0] = a.box[1] = a.box[2] = a.box[3] = a.box[4] = 256; },
      [](A& a) { a.box[0] = 64, a.swizzle = 3; },  // 256 bytes
      [](A& a) { a.swizzle = 2; },
      [](A& a) { a.swizzle = 7; },
      [](A& a) { a.steps[1] = 9; },
      [](A& a) { a.steps[1] = 0; },
      [](A& a) { a.interleave = 1; },  // of two dimensions
      [](A& a) { a.promotion = 4; },
      [](A& a) { a.fill = 1; },  // of integers
      [](A& a) { a.fill = 2; },
  };
  for (const auto& change : wrong) CHECK_FALSE(takes(change));
  const std::uint64_t sizes[] = {64}, none[] = {0};
  const std::uint32_t box[] = {32}, steps[] = {1};
  const machine::TiledTensor line{kWord, 1, 4096, sizes, none, box, steps};
  CHECK(machine::encode_tiled(&map, line));
  CHECK_FALSE(machine::encode_tiled(reinterpret_cast<std::byte*>(&map) + 32, line));
  CHECK_FALSE(machine::encode_tiled(nullptr, line));
  CHECK_FALSE(machine::encode_tiled(&map, {kWord, 1, 4096, sizes, nullptr, box, steps}));
  CHECK_FALSE(machine::encode_tiled(&map, {kWord, 1, 4096, nullptr, none, box, steps}));
}
