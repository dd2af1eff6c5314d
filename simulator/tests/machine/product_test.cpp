// mma.sync.* and wmma.*: products of small integers, whose sums are exact in any order. The places
// of the elements of mma.sync's fragments are those of PTX ISA 9.1, 9.7.14.5.7 to 9.7.14.5.10.
#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <functional>

#include "machine/isa/half.h"
#include "tests/machine/harness.h"
#include "tests/machine/kernels.h"

using namespace clcsim;
using machine::isa::Bf16;
using machine::isa::F16;
using test::Harness;

namespace {

using Words = std::vector<std::uint32_t>;
using Matrix = std::vector<int>;  // row by row

std::string list(const std::string& name, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "%" : ", %") + name + std::to_string(i);
  return text + "}";
}

/// Numbers from -2 to 3, or from 0 to 5.
Matrix numbers(int rows, int columns, int seed, bool negative = true) {
  Matrix matrix(static_cast<std::size_t>(rows * columns));
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    matrix[i] =
        static_cast<int>((i * 7 + i / 5 + static_cast<std::size_t>(seed)) % 6) - (negative ? 2 : 0);
  }
  return matrix;
}

Matrix product(const Matrix& a, const Matrix& b, Matrix c, int m, int n, int k) {
  for (int i = 0; i < m * n; ++i) {
    for (int j = 0; j < k; ++j) c[i] += a[i / n * k + j] * b[j * n + i % n];
  }
  return c;
}

/// An element as the type's bits, and how many lie in a register.
struct Type {
  const char* name;
  int each;
  std::uint32_t (*bits)(int);
};
const Type kF16{"f16", 2, [](int x) { return machine::isa::round_to_half<F16>(x); }};
const Type kBf16{"bf16", 2, [](int x) { return machine::isa::round_to_half<Bf16>(x); }};
const Type kF32{"f32", 1, [](int x) { return std::bit_cast<std::uint32_t>(float(x)); }};
// Bits of the fraction that tf32 doesn't have are there, and mean nothing.
const Type kTf32{"tf32", 1, [](int x) { return std::bit_cast<std::uint32_t>(float(x)) | 0x1555; }};
const Type kS8{"s8", 4, [](int x) { return static_cast<std::uint32_t>(x) & 0xff; }};
const Type kU8{"u8", 4, kS8.bits};
const Type kS32{"s32", 1, [](int x) { return static_cast<std::uint32_t>(x); }};

using Place = std::function<int(int lane, int i)>;  // of a lane's i-th element in its matrix

/// The registers of all lanes, the first of lane 0 first.
Words fragment(const Matrix& matrix, const Type& type, const Place& place) {
  const int elements = static_cast<int>(matrix.size()) / 32, registers = elements / type.each;
  Words words(static_cast<std::size_t>(32 * registers));
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < elements; ++i) {
      words[lane * registers + i / type.each] |= type.bits(matrix[place(lane, i)])
                                                 << i % type.each * 32 / type.each;
    }
  }
  return words;
}

Place place_of_a(int k, int each) {
  return [=](int lane, int i) {
    const int group = lane >> 2, in_group = lane % 4;
    const int row = group + (i / each % 2 == 0 ? 0 : 8);
    return row * k + in_group * each + i % each + i / (2 * each) * 4 * each;
  };
}
Place place_of_b(int each) {
  return [=](int lane, int i) {
    return ((lane % 4) * each + i % each + i / each * 4 * each) * 8 + (lane >> 2);
  };
}
int place_of_c(int lane, int i) {
  return ((lane >> 2) + (i < 2 ? 0 : 8)) * 8 + lane % 4 * 2 + (i & 1);
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

void check_mma(int k, const Type& a_type, const Type& b_type, const Type& c_type,
               const std::string& saturates = "") {
  const std::string c_name = c_type.name;
  const std::string name = "mma.sync.aligned.m16n8k" + std::to_string(k) + ".row.col." + saturates +
                           c_name + "." + a_type.name + "." + b_type.name + "." + c_name;
  CAPTURE(name);
  const auto negative = [](const Type& type) { return type.name != std::string("u8"); };
  const Matrix a = numbers(16, k, 1, negative(a_type)), b = numbers(k, 8, 2, negative(b_type)),
               c = numbers(16, 8, 3);
  const auto of_c = [&](const Matrix& matrix) { return fragment(matrix, c_type, place_of_c); };
  CHECK(multiply(name, fragment(a, a_type, place_of_a(k, a_type.each)),
                 fragment(b, b_type, place_of_b(b_type.each)),
                 of_c(c)) == of_c(product(a, b, c, 16, 8, k)));
}

/// Loads three matrices of wmma, multiplies, and stores; rows of `pad` elements more than need be.
void check_wmma(int m, int n, const Type& type, const Type& c_type, const Type& d_type,
                bool columns_of_a, bool columns_of_b, bool columns_of_c, const char* space) {
  constexpr int k = 16, pad = 8;
  const std::string shape = ".m" + std::to_string(m) + "n" + std::to_string(n) + "k16";
  const auto layout = [](bool columns) { return columns ? std::string(".col") : ".row"; };
  const bool f16 = type.name == std::string("f16");
  const std::string multiply = "wmma.mma.sync.aligned" + layout(columns_of_a) +
                               layout(columns_of_b) + shape + "." + d_type.name +
                               (f16 ? "" : ".bf16.bf16") + "." + c_type.name;
  CAPTURE(multiply);
  CAPTURE(space);
  CAPTURE(columns_of_c);
  // In memory, packed into words.
  const auto lay = [](const Matrix& matrix, int rows, int columns, const Type& of, bool turned) {
    const int lines = turned ? columns : rows, run = turned ? rows : columns;
    Words words(static_cast<std::size_t>(lines * (run + pad) / of.each));
    for (int i = 0; i < rows * columns; ++i) {
      const int row = i / columns, column = i % columns;
      const int at = turned ? column * (run + pad) + row : row * (run + pad) + column;
      words[at / of.each] |= of.bits(matrix[i]) << at % of.each * 16;
    }
    return words;
  };
  const Matrix a = numbers(m, k, 1), b = numbers(k, n, 2), c = numbers(m, n, 3);
  const auto registers = [&](int elements) { return f16 ? 8 : elements / 64; };
  const int of_c = c_type.each == 2 ? 4 : 8, of_d = d_type.each == 2 ? 4 : 8;
  const auto move = [&](const char* what, const char* matrix, bool columns, const Type& of,
                        int count, int stride) {
    const bool stores = what[0] == 's';
    const std::string place = std::string("[%") + (stores ? "to]" : matrix + std::string("p]"));
    return "wmma." + std::string(what) + "." + matrix + ".sync.aligned" + layout(columns) + shape +
           space + "." + of.name + " " + (stores ? place : list(matrix, count)) + ", " +
           (stores ? list(matrix, count) : place) + ", " + std::to_string(stride + pad) + ";\n";
  };
  const bool shared = space != std::string(".global");
  std::string text = test::kHeader + R"(
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {
.reg .b32 %a<8>, %b<8>, %c<8>, %d<8>, %r, %w; .reg .b64 %ap, %bp, %cp, %to, %q; .reg .pred %more;
.shared .align 128 .b8 sa[4096], sb[4096], sc[4096];
ld.param.u64 %ap, [pa]; ld.param.u64 %bp, [pb]; ld.param.u64 %cp, [pc]; ld.param.u64 %to, [pd];
)";
  const Words words[] = {lay(a, m, k, type, columns_of_a), lay(b, k, n, type, columns_of_b),
                         lay(c, m, n, c_type, columns_of_c)};
  if (shared) {  // one lane copies all; then they are read with the space's name or without
    for (int i = 0; i < 3; ++i) {
      const std::string matrix(1, "abc"[i]), from = "%" + matrix + "p";
      for (std::size_t word = 0; word < words[i].size(); ++word) {
        const std::string at = "+" + std::to_string(4 * word) + "], ";
        text += "ld.global.b32 %w, [" + from + at.substr(0, at.size() - 2) + ";\nst.shared.b32 [s" +
                matrix + at + "%w;\n";
      }
      text += "mov.u64 " + from + ", s" + matrix + ";\n";
      if (space == std::string()) text += "cvta.shared.u64 " + from + ", " + from + ";\n";
    }
    text += "bar.sync 0;\n";
  }
  text += move("load", "a", columns_of_a, type, registers(m * k), columns_of_a ? m : k);
  text += move("load", "b", columns_of_b, type, registers(k * n), columns_of_b ? k : n);
  text += move("load", "c", columns_of_c, c_type, of_c, columns_of_c ? m : n);
  text += multiply + " " + list("d", of_d) + ", " + list("a", registers(m * k)) + ", " +
          list("b", registers(k * n)) + ", " + list("c", of_c) + ";\n";
  std::string store = move("store", "d", columns_of_c, d_type, of_d, columns_of_c ? m : n);
  if (space == std::string(".shared")) store.replace(store.find(".shared"), 7, "");
  Harness harness(text + store + "ret;\n}\n");
  const Words expected = lay(product(a, b, c, m, n, k), m, n, d_type, columns_of_c);
  const auto to = harness.upload(Words(expected.size()));
  harness.launch("k", {}, harness.upload(words[0]), harness.upload(words[1]),
                 harness.upload(words[2]), to);
  CHECK(harness.run());
  CHECK(harness.recorder.names() == "");
  CHECK(harness.download<std::uint32_t>(to) == expected);
}

}  // namespace

TEST_CASE("mma.sync.* multiplies by the fragments of the PTX ISA") {
  for (const int k : {8, 16}) {
    check_mma(k, kF16, kF16, kF32);
    check_mma(k, kF16, kF16, kF16);
    check_mma(k, kBf16, kBf16, kF32);
  }
  check_mma(4, kTf32, kTf32, kF32);
  check_mma(8, kTf32, kTf32, kF32);
  for (const int k : {16, 32}) {
    for (const Type& a : {kS8, kU8}) {
      for (const Type& b : {kS8, kU8}) {
        check_mma(k, a, b, kS32);
        check_mma(k, a, b, kS32, "satfinite.");
      }
    }
  }
}

TEST_CASE("a sum of mma.sync in s32 wraps, or stays at the greatest number") {
  const Words ones(32, 0x01010101), c(128, 0x7fffffff);
  const std::string head = "mma.sync.aligned.m16n8k16.row.col.";
  Words a(ones);
  a.insert(a.end(), ones.begin(), ones.end());
  CHECK(multiply(head + "s32.s8.s8.s32", a, ones, c) == Words(128, 0x8000000f));
  CHECK(multiply(head + "satfinite.s32.s8.s8.s32", a, ones, c) == c);
}

TEST_CASE("wmma.* multiplies what it has loaded, in each shape, layout and space") {
  for (const auto& [m, n] : {std::pair{16, 16}, std::pair{8, 32}, std::pair{32, 8}}) {
    for (int layouts = 0; layouts < 8; ++layouts) {
      const bool a = layouts & 1, b = layouts & 2, c = layouts & 4;
      check_wmma(m, n, kF16, kF32, kF32, a, b, c, ".global");
      check_wmma(m, n, kF16, kF16, kF16, a, b, c, ".global");
      check_wmma(m, n, kBf16, kF32, kF32, a, b, c, ".global");
    }
    check_wmma(m, n, kF16, kF16, kF32, false, true, false, ".global");
    check_wmma(m, n, kF16, kF32, kF16, true, false, true, ".shared");
    check_wmma(m, n, kBf16, kF32, kF32, true, true, true, "");
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
