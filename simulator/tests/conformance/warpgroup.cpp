// Cases for wgmma on small integers: each layout of A and B in shared memory, which one function of
// the address fills. A warpgroup of its own.
#include "conformance/kernel.h"

namespace clcsim::conformance {
namespace {

constexpr std::uint32_t kAlignment = 1024;  // of the largest pattern of a swizzle
constexpr int kShown = 8;                   // registers of D that are results each for itself

struct MatrixSetting {
  std::uint32_t swizzle = 0;  ///< 0 to 3: none, 32, 64, 128 bytes
  bool mn_a = false, mn_b = false, negate_a = false, negate_b = false, input = true;
  bool gaps = false;        ///< between one repeating pattern and the next
  std::uint32_t steps = 0;  ///< of K, into a row of the pattern

  std::string text() const {
    std::string all = "swizzle " + std::to_string(swizzle);
    const auto add = [&](bool is, const char* word) { all += is ? std::string(" ") + word : ""; };
    add(mn_a, "M-major"), add(mn_b, "N-major"), add(negate_a, "-A"), add(negate_b, "-B");
    add(!input, "no D"), add(gaps, "gaps"), add(steps != 0, "step");
    return all;
  }
};

/// A matrix of `rows` by 16 elements: its descriptor but for the address, and its bytes.
struct Matrix {
  std::uint64_t descriptor = 0;
  std::uint32_t bytes = 0;
  Matrix(const MatrixSetting& of, bool mn_major, std::uint32_t rows) {
    constexpr std::uint64_t kModes[] = {0, 3, 2, 1};
    const std::uint32_t width = 16u << of.swizzle, pattern = 8 * width, gap = of.gaps ? pattern : 0;
    std::uint32_t leading = 16, stride = pattern + gap;
    if (mn_major && of.swizzle != 0) {
      leading = 2 * stride;
      bytes = (rows + width / 2 - 1) / (width / 2) * leading;
    } else {
      if (of.swizzle == 0) leading = rows / 8 * stride;
      bytes = rows / 8 * stride * (of.swizzle == 0 ? 2 : 1);
    }
    bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    descriptor = kModes[of.swizzle] << 62 | std::uint64_t{stride >> 4} << 32 |
                 std::uint64_t{leading >> 4} << 16;
  }
};

void add_case(std::vector<Case>& cases, const ptx::Form& form, const std::string& instruction,
              const MatrixSetting& of, bool twice = false) {
  Kernel kernel(cases, form, "warpgroup", of.text());
  kernel.details().block = {128, 1, 1};
  kernel.details().grid = {1, 1, 1};
  kernel.details().target = "sm_90a";
  const std::vector<std::string> parts = parts_of(instruction);
  const auto n = static_cast<std::uint32_t>(std::stoi(parts[4].substr(4)));
  const bool half = parts[5] == "f16",
             in_registers = form.signature.find(" r4 ") != std::string::npos;
  const Matrix a(of, of.mn_a, 64), b(of, of.mn_b, n);
  const std::uint32_t of_a = in_registers ? 2048 : a.bytes, bytes = of_a + b.bytes;
  kernel.declare(".shared .align 1024 .b8 tile[" + std::to_string(bytes) + "]");
  kernel.declare(".reg .pred %more, %input");
  const std::string tile = kernel.fresh("b32"), at = kernel.fresh("b32"),
                    hash = kernel.fresh("b32");
  kernel.line("mov.u32 " + tile + ", tile");
  kernel.line("mov.u32 " + at + ", 0");
  kernel.line("mad.lo.u32 " + at + ", %thread, 4, " + at);

  // Two numbers from -4 to 4 in each word.
  kernel.label("FILL");
  kernel.line("mul.lo.u32 " + hash + ", " + at + ", 2654435761");
  std::string both;
  for (const int shift : {7, 19}) {
    const std::string whole = kernel.fresh("b32"), real = kernel.fresh("f32");
    kernel.line("shr.u32 " + whole + ", " + hash + ", " + std::to_string(shift));
    kernel.line("rem.u32 " + whole + ", " + whole + ", 9");
    kernel.line("sub.s32 " + whole + ", " + whole + ", 4");
    kernel.line("cvt.rn.f32.s32 " + real + ", " + whole);
    both += ", " + real;
  }
  const std::string word = kernel.fresh("b32"), place = kernel.fresh("b32");
  kernel.line("cvt.rn." + parts[6] + "x2.f32 " + word + both);
  kernel.line("add.u32 " + place + ", " + tile + ", " + at);
  kernel.line("st.shared.b32 [" + place + "], " + word);
  kernel.line("add.u32 " + at + ", " + at + ", 512");
  kernel.line("setp.lt.u32 %more, " + at + ", " + std::to_string(bytes));
  kernel.line("@%more bra FILL");
  kernel.line("fence.proxy.async");
  kernel.line("bar.sync 0");

  std::string d;
  std::vector<std::string> registers;
  const std::string own = kernel.fresh("b32");
  kernel.line("mad.lo.u32 " + own + ", %thread, 4, " + tile);
  for (std::uint32_t i = 0; i < (half ? n / 4 : n / 2); ++i) {
    registers.push_back(kernel.fresh(half ? "b32" : "f32"));
    d += (i == 0 ? "{" : ", ") + registers.back();
    if (half) {
      kernel.line("ld.shared.b32 " + registers.back() + ", [" + own + "+" + std::to_string(4 * i) +
                  "]");
    } else {
      kernel.line("add.u32 " + place + ", %thread, " + std::to_string(5 * i));
      kernel.line("rem.u32 " + place + ", " + place + ", 9");
      kernel.line("cvt.rn.f32.u32 " + registers.back() + ", " + place);
    }
  }
  d += "}";
  const auto descriptor = [&](const Matrix& matrix, std::uint32_t offset) {
    const std::string reg = kernel.fresh("b64");
    kernel.line("add.u32 " + place + ", " + tile + ", " + std::to_string(offset + 32 * of.steps));
    kernel.line("and.b32 " + place + ", " + place + ", 0x3ffff");
    kernel.line("shr.u32 " + place + ", " + place + ", 4");
    kernel.line("cvt.u64.u32 " + reg + ", " + place);
    kernel.line("or.b64 " + reg + ", " + reg + ", " + std::to_string(matrix.descriptor));
    return reg;
  };
  std::string operands;
  if (in_registers) {
    for (int i = 0; i < 4; ++i) {
      const std::string reg = kernel.fresh("b32");
      kernel.line("ld.shared.b32 " + reg + ", [" + own + "+" + std::to_string(512 * i) + "]");
      operands += (i == 0 ? ", {" : ", ") + reg;
    }
    operands += "}";
  } else {
    operands = ", " + descriptor(a, 0);
  }
  operands += ", " + descriptor(b, of_a) + ", %input, " + (of.negate_a ? "-1" : "1") + ", " +
              (of.negate_b ? "-1" : "1");
  if (!in_registers) operands += of.mn_a ? ", 1" : ", 0";
  operands += of.mn_b ? ", 1" : ", 0";
  kernel.line(std::string("setp.") + (of.input ? "eq" : "ne") + ".u32 %input, %zero, 0");
  kernel.line("wgmma.fence.sync.aligned");
  for (int i = 0; i < (twice ? 2 : 1); ++i) {
    kernel.line(instruction + " " + d + operands);
    kernel.line("wgmma.commit_group.sync.aligned");
  }
  if (twice) kernel.line("wgmma.wait_group.sync.aligned 1");
  kernel.line("wgmma.wait_group.sync.aligned 0");

  if (registers.size() <= kShown) {
    for (const std::string& reg : registers) kernel.result("b32", reg);
    return;
  }
  kernel.line("mov.u32 " + hash + ", 2166136261");  // FNV-1a, by words
  for (const std::string& reg : registers) {
    kernel.line("mov.b32 " + word + ", " + reg);
    kernel.line("xor.b32 " + hash + ", " + hash + ", " + word);
    kernel.line("mul.lo.u32 " + hash + ", " + hash + ", 16777619");
  }
  kernel.result("b32", hash);
}

}  // namespace

void add_warpgroup_cases(std::vector<Case>& cases, const ptx::Form& form) {
  if (!form.name.starts_with("wgmma.mma_async")) {
    const ptx::Form shared{.name = form.name, .signature = form.signature};
    return add_case(cases, shared, "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", {}, true);
  }
  const auto n = static_cast<std::uint32_t>(std::stoi(parts_of(form.name)[4].substr(4)));
  const bool in_registers = form.signature.find(" r4 ") != std::string::npos;
  if (n != 64) {
    const std::uint32_t i = n / 8;
    return add_case(cases, form, form.name,
                    {.swizzle = i % 4,
                     .mn_a = !in_registers && i / 8 % 2 != 0,
                     .mn_b = i / 4 % 2 != 0,
                     .negate_a = i % 3 == 0,
                     .negate_b = i % 5 == 0,
                     .input = i % 7 != 0});
  }
  for (std::uint32_t i = 0; i < 32; ++i) {
    const MatrixSetting of{.swizzle = i % 4,
                           .mn_a = (i & 4) != 0,
                           .mn_b = (i & 8) != 0,
                           .negate_a = i % 3 == 0,
                           .negate_b = i % 5 == 0,
                           .gaps = (i & 16) != 0};
    if (in_registers && of.mn_a) continue;
    add_case(cases, form, form.name, of);
  }
  for (const std::uint32_t swizzle : {2, 3}) {
    add_case(cases, form, form.name, {.swizzle = swizzle, .steps = 1});
  }
}

}  // namespace clcsim::conformance
