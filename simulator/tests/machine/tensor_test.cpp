// Copies of boxes where the conformance suite doesn't reach: steps within a tensor, prefetches
// (cp.async.bulk.prefetch.tensor.*), what an H200 refuses, what the driver encodes.
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
  std::uint32_t words() const { return static_cast<std::uint32_t>(map(16).box_bytes() / 4); }
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

std::vector<std::uint32_t> numbered(const Tensor& tensor) {
  std::vector<std::uint32_t> words(tensor.strides().back() / 4);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(i + 1);
  return words;
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

TEST_CASE("a box has every so-manieth element, with zeros where it is outside") {
  const Tensor tensor{.sizes = {40, 30}, .box = {8, 16}, .steps = {5, 3, 1, 1, 1}};
  const std::vector<int> at = {4, -4};
  Harness harness(loading(tensor, at, "0"));
  const std::vector<std::uint32_t> words = numbered(tensor);
  const auto from = harness.upload(words), to = harness.upload(std::vector<std::uint32_t>(2048));
  harness.launch("k", {}, tensor.map(from), to);
  CHECK(harness.run());
  CHECK(harness.recorder.names() == "");
  std::vector<std::uint32_t> expected(2048);
  const std::uint64_t row = tensor.strides()[0] / 4;
  for (std::uint32_t i = 0; i < tensor.words(); ++i) {
    const int x = at[0] + static_cast<int>(i % 8), y = at[1] + 3 * static_cast<int>(i / 8);
    if (y >= 0 && y < 30) expected[i] = words[static_cast<std::uint64_t>(y) * row + x];
  }
  CHECK(harness.download<std::uint32_t>(to) == expected);
}

TEST_CASE("a map whose bit 85 CUTLASS has cleared says the same") {
  const Tensor tensor{.sizes = {40, 30}, .box = {8, 16}};
  for (std::uint64_t address = 16; address < std::uint64_t{1} << 52; address *= 2) {
    TensorMap map = tensor.map(address);
    reinterpret_cast<std::byte*>(&map)[10] &= ~std::byte{1 << 5};
    CHECK(map.address == address);
    CHECK(map.box_bytes() == tensor.map(address).box_bytes());
  }
}

TEST_CASE("a swizzle of 128 bytes keeps 32 or 64 bytes together where the tensor map says so") {
  for (const unsigned atom : {32u, 64u}) {  // the tables of PTX ISA 9.1, 5.5.7
    const Tensor tensor{.sizes = {32, 8}, .box = {32, 8}, .swizzle = atom == 32 ? 4u : 6u};
    Harness harness(loading(tensor, {0, 0}, "0"));
    const std::vector<std::uint32_t> words = numbered(tensor);
    const auto from = harness.upload(words), to = harness.upload(std::vector<std::uint32_t>(2048));
    harness.launch("k", {}, tensor.map(from), to);
    CHECK(harness.run());
    const std::vector<std::uint32_t> landed = harness.download<std::uint32_t>(to);
    for (std::uint32_t row = 0; row < 8; ++row) {
      for (std::uint32_t i = 0; i < 32; ++i) {
        const std::uint32_t place = i ^ row % (128 / atom) * (atom / 4);
        CHECK(landed[32 * row + place] == words[tensor.strides()[0] / 4 * row + i]);
      }
    }
  }
}

TEST_CASE("128 bytes that somebody has changed are no tensor map") {
  const Tensor tensor{.sizes = {40, 30}, .box = {8, 16}};
  const auto stopped = [&](auto&& change) {
    TensorMap map = tensor.map(4096);
    change(map);
    Harness harness(loading(tensor, {0, 0}, "0"));
    harness.launch("k", {}, map, harness.upload(std::vector<std::uint32_t>(2048)));
    CHECK_FALSE(harness.run());
    return says(harness.gpu.fault()->what, "no tensor map");
  };
  stopped([](TensorMap& map) { map.magic ^= 1; });
  stopped([](TensorMap& map) { map.steps[1] = 0; });
  stopped([](TensorMap& map) { map.box[0] = 0; });
  stopped([](TensorMap& map) { map.element = 0; });
  stopped([](TensorMap& map) { map.element = 3; });
  stopped([](TensorMap& map) { map.swizzle = 7; });
  stopped([](TensorMap& map) { map.box = {256, 256, 1, 1, 1}; });
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
