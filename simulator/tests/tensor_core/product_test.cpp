// Products of all layouts, bit for bit as their definition makes them.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>

#include "definition.h"

using namespace clcsim::machine::tensor_core;
namespace machine = clcsim::machine;
using clcsim::test::byte_of;
using clcsim::test::encode;
using clcsim::test::Instruction;
using clcsim::test::Matrix;
using clcsim::test::multiply_by_definition;

namespace {

constexpr std::uint32_t kShared = 64 << 10;
using Random = std::mt19937;

std::uint32_t below(Random& random, std::uint32_t end) {
  return static_cast<std::uint32_t>(random() % end);
}

/// Two blocks with numbers in them, of both formats and none so large that a sum is infinite.
struct Blocks {
  std::vector<std::vector<std::byte>> shared;
  std::vector<std::vector<std::uint32_t>> cells;

  explicit Blocks(Random& random, bool f32 = true)
      : shared(2, std::vector<std::byte>(kShared)),
        cells(2, std::vector<std::uint32_t>(kTensorLanes * kTensorColumns)) {
    const auto half = [&] { return below(random, 2) << 15 | (0x3000 + below(random, 0x1400)); };
    for (auto& bytes : shared) {
      for (std::size_t i = 0; i < bytes.size(); i += 2) {
        const auto bits = static_cast<std::uint16_t>(half());
        std::memcpy(&bytes[i], &bits, 2);
      }
    }
    for (auto& of : cells) {
      for (std::uint32_t& cell : of) {
        cell = f32 ? std::bit_cast<std::uint32_t>(static_cast<float>(below(random, 4000)) / 64)
                   : half() | half() << 16;
      }
    }
  }
  std::vector<Side> sides(int group) {
    std::vector<Side> all;
    for (int i = 0; i < group; ++i) all.push_back({shared[i], cells[i].data()});
    return all;
  }
};

/// A place for the matrix: patterns of any distance, at any multiple of 16 bytes.
void place(Random& random, Matrix& matrix) {
  matrix.start = below(random, 512) * 16;
  matrix.leading = below(random, 64) * 16;
  matrix.stride = below(random, 96) * 16;
}

void compare(Random& random, Product product, const Instruction& what, const Matrix& a,
             const Matrix& b) {
  product.instruction = encode(what, a, b);
  product.a = encode(a);
  product.b = encode(b);
  Footprint footprint;
  const auto refusal = inspect(product, kShared, footprint);
  REQUIRE_MESSAGE(!refusal.has_value(), refusal->what);
  Blocks ours(random, what.f32 && !product.a_in_tensor), theirs = ours;
  if (product.a_in_tensor) {  // not numbers of D's format, but pairs: whatever sum they make
    for (auto& cells : ours.cells) {
      for (std::uint32_t& cell : cells) cell &= 0x3fff3fff;
    }
    theirs = ours;
  }
  multiply(product, ours.sides(product.group));
  multiply_by_definition(product, what, a, b, theirs.sides(product.group));
  CHECK(ours.cells == theirs.cells);
}

std::string refused(const Product& product) {
  Footprint footprint;
  const auto refusal = inspect(product, kShared, footprint);
  return refusal ? refusal->what : "";
}

const Matrix kA{.stride = 1024, .swizzle = 3}, kB{.start = 16 << 10, .stride = 1024, .swizzle = 3};
Product plain(const Instruction& what = {}) {
  return {.instruction = encode(what, kA, kB), .a = encode(kA), .b = encode(kB)};
}

}  // namespace

TEST_CASE("a product is what its definition says, in each layout of A and B and for each shape") {
  Random random(1);
  const Instruction kShapes[] = {{64, 8}, {64, 72}, {128, 256}, {128, 24}, {256, 256}, {256, 16}};
  int cases = 0;
  for (int layouts = 0; layouts < 64; ++layouts) {
    Matrix a{.swizzle = layouts % 4, .mn_major = layouts / 4 % 2 == 1};
    Matrix b{.swizzle = layouts / 8 % 4, .mn_major = layouts / 32 == 1};
    const Instruction& what = kShapes[cases++ % std::size(kShapes)];
    a.bf16 = below(random, 2), b.bf16 = below(random, 2);
    a.negated = below(random, 2), b.negated = below(random, 2);
    place(random, a), place(random, b);
    CAPTURE(layouts);
    Product product{.group = what.m == 256 || (what.m == 128 && what.n % 16 == 0) ? 2 : 1};
    product.input = below(random, 4) != 0;
    product.d_address = below(random, 256);
    compare(random, product, what, a, b);
  }
}

TEST_CASE("a pair's 128 rows lie in the lower lanes, and the second half of the columns above") {
  Random random(2);
  for (const std::uint32_t n : {16u, 48u, 256u}) {
    compare(random, {.group = 2}, {.m = 128, .n = n}, kA, kB);
  }
  const Shape shape{128, 48, 2};
  CHECK(place_of(shape, 65, 23).block == 1);
  CHECK(place_of(shape, 65, 23).lane == 1);
  CHECK(place_of(shape, 65, 24).lane == 65);
  CHECK(place_of(shape, 65, 25).column == 1);
}

TEST_CASE("64 rows lie in sixteen of each 32 lanes, the lower ones or the upper ones") {
  Random random(3);
  for (const std::uint32_t lane : {0u, 16u}) {
    compare(random, {.d_address = lane << 16 | 3}, {.m = 64, .n = 40}, kA, kB);
  }
  CHECK(place_of({64, 8, 1}, 17, 5).lane == 33);
  CHECK(place_of({64, 8, 1}, 17, 5).column == 5);
  CHECK(refused({.a = encode(kA), .b = encode(kB), .d_address = 16 << 16}) != "");
}

TEST_CASE("A may lie in tensor memory, two elements in a cell, each lane with its own") {
  Random random(4);
  for (const Instruction& what :
       {Instruction{128, 64}, Instruction{64, 64}, Instruction{128, 64, false}}) {
    for (const int group : {1, 2}) {
      if (group == 2 && what.m == 64) continue;
      const std::uint32_t lane = what.m == 64 ? 16u << 16 : 0;
      Product product{.a_in_tensor = true, .a_address = lane | 300, .d_address = lane | 100};
      product.group = group;
      compare(random, product, what, {.bf16 = what.f32, .negated = true}, kB);
    }
  }
  Product product = plain();
  product.a_in_tensor = true;
  CHECK(refused(product) == "");
  product.instruction |= 1u << 15;
  CHECK(refused(product).find("A is transposed (bit 15") == 0);
  product = plain({.m = 64});
  product.a_in_tensor = true, product.a_address = 16 << 16;
  CHECK(refused(product) == "A and D begin in different lanes of tensor memory");
}

TEST_CASE("accumulators of f16 are rounded once for each product") {
  Random random(5);
  for (const bool input : {false, true}) {
    compare(random, {.input = input}, {.m = 128, .n = 64, .f32 = false}, kA, kB);
  }
}

TEST_CASE("D is divided by 2 to the power of scale-input-d, and disabled lanes stay") {
  Random random(6);
  Product product{.scale = 3, .disabled = {0xffff, 0, ~0u, 0x80000001, 5, 6, 7, 8}};
  compare(random, product, {.m = 128, .n = 64}, kA, kB);
  product.group = 2;
  compare(random, product, {.m = 256, .n = 64}, kA, kB);
  product.scale = 16;
  product.instruction = encode(Instruction{.m = 256}, kA, kB);
  product.a = encode(kA), product.b = encode(kB);
  CHECK(refused(product) == "scale-input-d is 16; it must be at most 15");
}

TEST_CASE("the footprint has the bytes that the definition reads, and no others") {
  Random random(7);
  for (int layouts = 0; layouts < 8; ++layouts) {
    Matrix a{.swizzle = layouts % 4, .mn_major = layouts / 4 == 1};
    place(random, a);
    Product product = plain();
    product.instruction = encode(Instruction{}, a, kB);
    product.a = encode(a);
    Footprint footprint;
    REQUIRE(!inspect(product, kShared, footprint).has_value());
    std::set<std::uint32_t> read, told;
    for (std::uint32_t row = 0; row < 128; ++row) {
      for (std::uint32_t k = 0; k < 16; ++k) read.insert(byte_of(a, row, k));
    }
    footprint.a->for_each_range([&](std::uint32_t offset, std::uint32_t bytes) {
      for (std::uint32_t i = 0; i < bytes; i += 2) told.insert(offset + i);
    });
    CHECK(read == told);
  }
  Footprint footprint;
  Product product = plain({.m = 64, .n = 24});
  product.d_address = 16 << 16 | 500;
  CHECK(refused(product) == "D takes columns 500 to 523 of tensor memory, which has 512");
  product.d_address = 16 << 16 | 488;
  product.disabled = {0x10000, 0, 0, 0, 0, 0, 0, 0};
  REQUIRE(!inspect(product, kShared, footprint).has_value());
  CHECK(footprint.d_cells.column == 488);
  CHECK(footprint.d_cells.columns == 24);
  CHECK(footprint.d_cells.without(product.disabled.data()).lanes[0] == 0xfffe0000);
  CHECK(footprint.d_cells.lanes[3] == 0xffff0000);
}

TEST_CASE("what a descriptor can't be is refused, and its field named") {
  struct Wrong {
    std::uint64_t clear, set;
    const char* says;  ///< how the sentence begins
  };
  constexpr auto bits = [](int first, std::uint64_t value) { return value << first; };
  const Wrong of_a[] = {
      {bits(46, 1), 0,
       "the constant (bits 46 to 48 of A's shared memory descriptor) is 0; it must be 1"},
      {0, bits(60, 1), "the constant (bits 53 to 60 of A's shared memory descriptor) is 128"},
      {0, bits(14, 1), "what has no meaning (bits 14 to 15"},
      {0, bits(31, 1), "what has no meaning (bits 30 to 31"},
      {bits(61, 7), bits(61, 3), "the swizzling mode (bits 61 to 63"},
      {bits(61, 7), bits(61, 1),
       "the swizzling mode 1 of A's shared memory descriptor (128 bytes "
       "with atoms of 32) is not modelled"},
      {0, bits(52, 1), "the leading dimension's stride mode (bit 52"},
      {0, bits(49, 1), "a matrix base offset other than 0 (bits 49 to 51"},
      {0, 0x3fff,
       "by its descriptor, A reaches offset 278527 of a block's shared memory, which "
       "has 65536 bytes"}};
  for (const Wrong& wrong : of_a) {
    Product product = plain();
    product.a = (product.a & ~wrong.clear) | wrong.set;
    CHECK(refused(product).substr(0, std::strlen(wrong.says)) == wrong.says);
  }
  const Wrong of_instruction[] = {
      {0, bits(2, 1), "sparsity (bit 2 of the instruction descriptor) is 1"},
      {0, bits(3, 1), "saturation (bit 3"},
      {0, bits(6, 1), "what is reserved (bit 6"},
      {0, bits(23, 1), "what is reserved (bit 23"},
      {0, bits(29, 1), "what is reserved (bit 29"},
      {0, bits(31, 1), "the maximum shift (bits 30 to 31"},
      {bits(4, 3), bits(4, 2), "D's type (bits 4 to 5 of the instruction descriptor) is 2"},
      {0, bits(7, 2), "A's type (bits 7 to 9"},
      {0, bits(10, 4), "B's type (bits 10 to 12"},
      {bits(4, 3), bits(10, 1), "D's type (bits 4 to 5 of the instruction descriptor) is 0"},
      {bits(24, 31), 0,
       "M / 16 (bits 24 to 28 of the instruction descriptor) is 0, so M is 0; it "
       "must be 64 or 128 with .cta_group::1"},
      {bits(24, 31), bits(24, 16), "M / 16"},
      {bits(17, 63), 0, "N / 8 (bits 17 to 22"},
      {bits(17, 63), bits(17, 33), "N / 8"}};
  for (const Wrong& wrong : of_instruction) {
    Product product = plain();
    product.instruction &= ~static_cast<std::uint32_t>(wrong.clear);
    product.instruction |= static_cast<std::uint32_t>(wrong.set);
    CHECK(refused(product).substr(0, std::strlen(wrong.says)) == wrong.says);
  }
  CHECK(refused(plain()) == "");
  CHECK(refused(plain({.m = 64, .n = 8})) == "");
  Product pair = plain({.m = 128, .n = 24});
  pair.group = 2;
  CHECK(refused(pair) ==
        "N / 8 (bits 17 to 22 of the instruction descriptor) is 3, so N is 24; it "
        "must be a multiple of 16 up to 256 with .cta_group::2");
}
