// Cases for mma.sync and wmma, on small integers: their sums are exact, whatever their order. A
// warp of its own in each block.
#include "conformance/kernel.h"
#include "machine/isa/half.h"

namespace clcsim::conformance {
namespace {

using machine::isa::Bf16;
using machine::isa::F16;
using machine::isa::round_to_half;

/// 32 bits of one or more elements of the type, from -4 to 4.
std::uint64_t word_of(const std::string& type, std::uint32_t seed) {
  const auto number = [&](int part) {
    return static_cast<int>((seed * 2654435761u >> (8 + 5 * part)) % 9) - 4;
  };
  const auto packed = [&](int each, auto&& bits) {
    std::uint32_t word = 0;
    for (int i = 0; i < each; ++i) word |= bits(number(i)) << 32 / each * i;
    return word;
  };
  if (type == "f16") return packed(2, [](int x) { return round_to_half<F16>(x); });
  if (type == "bf16") return packed(2, [](int x) { return round_to_half<Bf16>(x); });
  if (type == "s8" || type == "u8") return packed(4, [](int x) { return std::uint32_t(x) & 0xff; });
  if (type == "s32") return static_cast<std::uint32_t>(number(0));
  return std::bit_cast<std::uint32_t>(static_cast<float>(number(0)));
}

std::vector<std::uint64_t> words_of(const std::string& type, std::uint32_t count,
                                    std::uint32_t seed) {
  std::vector<std::uint64_t> words(count);
  for (std::uint32_t i = 0; i < count; ++i) words[i] = word_of(type, 97 * seed + i);
  return words;
}

std::string list(const std::vector<std::string>& registers) {
  std::string text;
  for (const std::string& reg : registers) text += (text.empty() ? "{" : ", ") + reg;
  return text + "}";
}

/// How many registers each operand of the form has: "=r4 r2 r1 r4".
std::vector<int> counts_of(const ptx::Form& form) {
  std::vector<int> counts;
  for (const ptx::OperandSpec& spec : form.operands) counts.push_back(static_cast<int>(spec.count));
  return counts;
}

void add_mma(std::vector<Case>& cases, const ptx::Form& form) {
  const std::vector<std::string> parts = parts_of(form.name);
  const std::vector<int> counts = counts_of(form);
  const std::string* types = &parts[parts.size() - 4];  // of d, a, b, c
  Kernel kernel(cases, form, "product");
  kernel.details().block = {32, 1, 1};
  std::string operands;
  std::vector<std::string> d;
  for (int i = 0; i < counts[0]; ++i) d.push_back(kernel.preset("b32"));
  for (int k = 1; k < 4; ++k) {
    std::vector<std::string> registers;
    for (int i = 0; i < counts[k]; ++i) {
      registers.push_back(kernel.operand("b32", words_of(types[k], kernel.count(), 8 * k + i)));
    }
    operands += ", " + list(registers);
  }
  kernel.line(form.name + " " + list(d) + operands);
  for (const std::string& reg : d) kernel.result("b32", reg);
}

/// What a whole product by wmma is made of, in the form's own words where it says something.
struct Wmma {
  std::string shape = "m16n16k16", of_a = "row", of_b = "col", of_c = "row", a = "f16", c = "f32",
              d = "f32", space_a = ".global", space_b = ".global", space_c = ".global",
              space_d = ".global";
  explicit Wmma(const std::vector<std::string>& parts) {
    if (parts[1] == "mma") {
      of_a = parts[4], of_b = parts[5], shape = parts[6];
      if (parts.size() == 11) a = parts[8];
      d = parts[7], c = parts.back();
      return;
    }
    shape = parts[6];
    const std::string space = parts.size() == 8 ? "" : "." + parts[7], type = parts.back();
    if (parts[2] == "a") of_a = parts[5], a = type, space_a = space;
    if (parts[2] == "b") of_b = parts[5], a = type, space_b = space;
    if (parts[2] == "c") of_c = parts[5], c = d = type, space_c = space;
    if (parts[2] == "d") of_c = parts[5], c = d = type, space_d = space;
  }
};

void add_wmma(std::vector<Case>& cases, const ptx::Form& form) {
  const Wmma of(parts_of(form.name));
  Kernel kernel(cases, form, "product");
  kernel.details().block = {32, 1, 1};
  kernel.details().grid = {1, 1, 1};
  kernel.declare(".shared .align 128 .b8 tile[2048]");
  const int m = std::stoi(of.shape.substr(1)),
            n = std::stoi(of.shape.substr(of.shape.find('n') + 1));
  constexpr int k = 16;
  const auto registers = [&](int count) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) names.push_back(kernel.fresh("b32"));
    return list(names);
  };
  const auto layout = [](const std::string& text, const std::string& shape) {
    return ".sync.aligned." + text + "." + shape;
  };
  // A matrix through the operands, of which each thread has one word in a row.
  const auto load = [&](const std::string& matrix, const std::string& lying,
                        const std::string& type, const std::string& space, int elements, int stride,
                        int count) {
    const int words = type == "f32" ? elements : elements / 2;
    std::string base = kernel.fresh("b64");
    kernel.line("mov.u64 " + base + ", tile");
    const std::string own = kernel.fresh("b64");
    kernel.line("mad.wide.u32 " + own + ", %thread, 4, " + base);
    for (int i = 0; i < words / 32; ++i) {
      const std::string word =
          kernel.operand("b32", words_of(type, kernel.count(), matrix[0] + 16 * i));
      kernel.line("st.shared.b32 [" + own + "+" + std::to_string(128 * i) + "], " + word);
    }
    kernel.line("bar.sync 0");
    if (space == ".global") {  // by way of the results' memory
      const std::string to = kernel.fresh("b64"), from = kernel.fresh("b32");
      const std::uint64_t row = kernel.memory_results((words * 4 + 255) / 256);
      kernel.line("add.u64 " + to + ", %outputs, " + std::to_string(row));
      const std::string there = kernel.fresh("b64");
      kernel.line("mad.wide.u32 " + there + ", %thread, 4, " + to);
      for (int i = 0; i < words / 32; ++i) {
        kernel.line("ld.shared.b32 " + from + ", [" + own + "+" + std::to_string(128 * i) + "]");
        kernel.line("st.global.b32 [" + there + "+" + std::to_string(128 * i) + "], " + from);
      }
      kernel.line("bar.sync 0");
      base = to;
    } else if (space.empty()) {
      kernel.line("cvta.shared.u64 " + base + ", " + base);
    }
    const std::string all = registers(count);
    kernel.line("wmma.load." + matrix + layout(lying, of.shape) + space + "." + type + " " + all +
                ", [" + base + "], " + std::to_string(stride));
    kernel.line("bar.sync 0");
    return all;
  };
  const bool f16 = of.a == "f16";
  const std::string a =
      load("a", of.of_a, of.a, of.space_a, m * k, of.of_a == "row" ? k : m, f16 ? 8 : m * k / 64);
  const std::string b =
      load("b", of.of_b, of.a, of.space_b, k * n, of.of_b == "row" ? n : k, f16 ? 8 : k * n / 64);
  const int stride = of.of_c == "row" ? n : m;
  const std::string c = load("c", of.of_c, of.c, of.space_c, m * n, stride, of.c == "f32" ? 8 : 4);
  const std::string d = registers(of.d == "f32" ? 8 : 4);
  kernel.line("wmma.mma.sync.aligned." + of.of_a + "." + of.of_b + "." + of.shape + "." + of.d +
              (f16 ? "" : ".bf16.bf16") + "." + of.c + " " + d + ", " + a + ", " + b + ", " + c);
  const int words = of.d == "f32" ? m * n : m * n / 2;
  std::string to = kernel.fresh("b64");
  if (of.space_d == ".global") {
    kernel.line("add.u64 " + to + ", %outputs, " +
                std::to_string(kernel.memory_results(words * 4 / 256)));
  } else {
    kernel.line("mov.u64 " + to + ", tile");
    if (of.space_d.empty()) kernel.line("cvta.shared.u64 " + to + ", " + to);
  }
  kernel.line("wmma.store.d" + layout(of.of_c, of.shape) + of.space_d + "." + of.d + " [" + to +
              "], " + d + ", " + std::to_string(stride));
  if (of.space_d == ".global") return;
  kernel.line("bar.sync 0");
  const std::string from = kernel.fresh("b64");
  kernel.line("mov.u64 " + from + ", tile");
  kernel.line("mad.wide.u32 " + from + ", %thread, 4, " + from);
  for (int i = 0; i < words / 32; ++i) {
    const std::string word = kernel.fresh("b32");
    kernel.line("ld.shared.b32 " + word + ", [" + from + "+" + std::to_string(128 * i) + "]");
    kernel.result("b32", word);
  }
}

}  // namespace

void add_product_cases(std::vector<Case>& cases, const ptx::Form& form) {
  form.name.starts_with("mma") ? add_mma(cases, form) : add_wmma(cases, form);
}

}  // namespace clcsim::conformance
