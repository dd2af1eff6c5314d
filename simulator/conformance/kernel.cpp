#include "conformance/kernel.h"

#include <algorithm>

namespace clcsim::conformance {
namespace {

/// Which lanes of a warp are active: whole warps, odd patterns, and a single lane.
constexpr std::uint32_t kActive[] = {0xffffffff, 0xffffffff, 0x5a3c0ff1, 0xffffffff,
                                     0xffffffff, 0xfffffffe, 0x00020000, 0xffffffff};

/// cvt works on 8 bits of a wider register; only mov takes bytes apart.
std::string register_type(const std::string& type) {
  if (type == "pred" || type[0] == 'f' || type[0] == 'b') return type;
  return type == "u8" || type == "s8" ? "b32" : "b" + type.substr(1);
}

/// What loads, stores and moves a register of the type.
std::string access_type(const std::string& type) {
  const std::string of = register_type(type);
  return of == "b8" ? "u8" : of;
}

}  // namespace

int bits_of_type(const std::string& type) {
  if (type == "pred") return 1;
  return std::stoi(type.substr(1));
}

Kernel::Kernel(const ptx::Form& form, std::string family, std::string variant) {
  case_.form = form.name;
  case_.variant = form.signature + (variant.empty() ? "" : ", " + variant);
  case_.family = std::move(family);
}

std::string Kernel::slot(std::uint32_t index) const {
  return "+" + std::to_string(std::uint64_t{index} * count() * 8) + "]";
}

std::string Kernel::operand(const std::string& type, std::vector<std::uint64_t> values) {
  const std::string from = "[%in" + slot(static_cast<std::uint32_t>(case_.operands.size()) + 1);
  const std::string reg = fresh(type);
  case_.operands.push_back({type, std::move(values)});
  const int bits = bits_of_type(type);
  if (bits == 1) {
    const std::string word = fresh("b32");
    loads_ += "  ld.global.b32 " + word + ", " + from + ";\n";
    loads_ += "  setp.ne.u32 " + reg + ", " + word + ", 0;\n";
  } else {
    loads_ += "  ld.global." + access_type(type) + " " + reg + ", " + from + ";\n";
  }
  return reg;
}

std::string Kernel::operand(const std::string& type, Role role) {
  std::vector<std::uint64_t> values = values_of(type, role, seed_, count());
  // Now and then the same as the operand before, for comparisons and differences.
  if (role == Role::any && !case_.operands.empty() && case_.operands.back().name == type) {
    for (std::uint32_t i = seed_; i < count(); i += 9) values[i] = case_.operands.back().values[i];
  }
  ++seed_;
  return operand(type, std::move(values));
}

std::string Kernel::fresh(const std::string& type) {
  const std::string reg = "%v" + std::to_string(registers_++);
  declare(".reg ." + register_type(type) + " " + reg);
  return reg;
}

std::string Kernel::preset(const std::string& type) {
  const std::string reg = fresh(type);
  const std::string of = register_type(type);
  if (of == "pred") {
    loads_ += "  setp.lt.u32 " + reg + ", %lane, 16;\n";
  } else if (of == "b8") {
    loads_ += "  cvt.u8.u32 " + reg + ", %lane;\n";
  } else {
    const std::string pattern = "deadbeefcafef00d";
    const std::string digits = pattern.substr(16 - bits_of_type(of) / 4);
    const std::string value = of[0] == 'b' ? "0x" + digits : (of == "f32" ? "0f" : "0d") + digits;
    loads_ += "  mov." + of + " " + reg + ", " + value + ";\n";
  }
  return reg;
}

void Kernel::line(const std::string& text) {
  body_ += "  " + text + ";\n";
}

void Kernel::result(const std::string& type, const std::string& reg) {
  const std::string to = "[%out" + slot(static_cast<std::uint32_t>(case_.results.size()));
  const int bits = bits_of_type(type);
  case_.results.push_back({reg, bits == 1 ? 1 : std::max(8, bits_of_type(register_type(type)))});
  if (bits == 1) {
    const std::string word = fresh("b32");
    stores_ += "  selp.u32 " + word + ", 1, 0, " + reg + ";\n";
    stores_ += "  st.global.b32 " + to + ", " + word + ";\n";
  } else {
    stores_ += "  st.global." + access_type(type) + " " + to + ", " + reg + ";\n";
  }
}

void Kernel::begin_active() {
  line("@!%active bra SKIP");
}
void Kernel::end_active() {
  label("SKIP");
}

Case Kernel::finish() {
  std::vector<std::uint64_t> active(count());
  for (std::uint32_t i = 0; i < count(); ++i) active[i] = kActive[i / 32 % 8] >> (i % 32) & 1;
  case_.operands.insert(case_.operands.begin(), {"active", std::move(active)});
  std::string& text = case_.ptx;
  text = ".version 8.8\n.target sm_90\n.address_size 64\n\n" + outside_;
  text += ".visible .entry k(.param .u64 in, .param .u64 out)\n";
  if (case_.cluster > 1) {
    text += ".explicitcluster\n.reqnctapercluster " + std::to_string(case_.cluster) + ", 1, 1\n";
  }
  text += "{\n";
  text += "  .reg .pred %active;\n";
  text += "  .reg .b32 %index, %thread, %lane, %zero, %block, %threads, %word;\n";
  text += "  .reg .b64 %in, %out, %offset;\n";
  text += declarations_ + "\n";
  text += "  mov.u32 %thread, %tid.x;\n";
  text += "  mov.u32 %block, %ctaid.x;\n";
  text += "  mov.u32 %threads, %ntid.x;\n";
  text += "  mad.lo.u32 %index, %block, %threads, %thread;\n";
  text += "  and.b32 %lane, %thread, 31;\n";
  text += "  mul.wide.u32 %offset, %index, 8;\n";
  text += "  ld.param.u64 %in, [in];\n";
  text += "  ld.param.u64 %out, [out];\n";
  text += "  cvta.to.global.u64 %in, %in;\n";
  text += "  cvta.to.global.u64 %out, %out;\n";
  text += "  add.u64 %in, %in, %offset;\n";
  text += "  add.u64 %out, %out, %offset;\n";
  text += "  ld.global.u32 %word, [%in];\n";
  text += "  setp.ne.u32 %active, %word, 0;\n";
  text += "  shr.u32 %zero, %word, 1;\n";
  text += loads_ + "\n" + body_ + "\n" + stores_ + "  ret;\n}\n";
  return std::move(case_);
}

}  // namespace clcsim::conformance
