#include "conformance/kernel.h"

#include <algorithm>

namespace clcsim::conformance {
namespace {

/// Which lanes of a warp are active: whole warps, odd patterns, and a single lane.
constexpr std::uint32_t kActive[] = {0xffffffff, 0xffffffff, 0x5a3c0ff1, 0xffffffff,
                                     0xffffffff, 0xfffffffe, 0x00020000, 0xffffffff};

/// cvt works on 8 bits of a wider register; only mov takes bytes apart.
std::string register_type(const std::string& type) {
  if (is_half(type)) return "b" + std::to_string(bits_of_type(type));
  if (type == "pred" || type[0] == 'f' || type[0] == 'b') return type;
  return type == "u8" || type == "s8" ? "b32" : "b" + type.substr(1);
}

/// What loads, stores and moves a register of the type.
std::string access_type(const std::string& type) {
  const std::string of = register_type(type);
  return of == "b8" ? "u8" : of;
}

std::string address(const char* base, std::uint64_t offset) {
  return std::string("[") + base + "+" + std::to_string(offset) + "]";
}

}  // namespace

int bits_of_type(const std::string& type) {
  if (type == "pred") return 1;
  if (is_half(type)) return type.ends_with("x2") ? 32 : 16;
  return std::stoi(type.substr(1));
}

Kernel::Kernel(std::vector<Case>& cases, const ptx::Form& form, std::string family,
               std::string variant)
    : cases_(cases) {
  case_.form = form.name;
  case_.signature = form.signature;
  case_.variant = std::move(variant);
  case_.family = std::move(family);
}

std::string Kernel::operand(const std::string& type, std::vector<std::uint64_t> values) {
  // The first row tells which threads are active.
  const std::string from = address("%in", (case_.operands.size() + 1) * row_bytes());
  const std::string reg = fresh(type);
  case_.operands.push_back({type, std::move(values)});
  if (type == "pred") {
    const std::string word = fresh("b32");
    loads_ += "  ld.global.b32 " + word + ", " + from + ";\n";
    loads_ += "  setp.ne.u32 " + reg + ", " + word + ", 0;\n";
  } else {
    loads_ += "  ld.global." + access_type(type) + " " + reg + ", " + from + ";\n";
  }
  return reg;
}

std::string Kernel::operand(const std::string& type, Role role) {
  if (type == "b128") {
    const std::string low = operand("b64"), high = operand("b64"), reg = fresh(type);
    line("mov.b128 " + reg + ", {" + low + ", " + high + "}");
    return reg;
  }
  std::vector<std::uint64_t> values = values_of(type, role, seed_, count());
  // Now and then the same as the operand before, for comparisons and differences.
  if (role == Role::any && !case_.operands.empty() && case_.operands.back().name == type) {
    for (std::uint32_t i = seed_; i < count(); i += 9) values[i] = case_.operands.back().values[i];
  }
  ++seed_;
  return operand(type, std::move(values));
}

std::uint64_t Kernel::memory_operands(std::uint32_t rows) {
  const std::uint64_t offset = (case_.operands.size() + 1) * row_bytes();
  for (std::uint32_t k = 0; k < rows; ++k) {
    case_.operands.push_back({"bytes", values_of("b64", Role::any, seed_++, count())});
  }
  return offset;
}

std::uint64_t Kernel::memory_results(std::uint32_t rows) {
  const std::uint64_t offset = case_.results.size() * row_bytes();
  for (std::uint32_t k = 0; k < rows; ++k) case_.results.push_back({"bytes", 64});
  return offset;
}

std::string Kernel::fresh(const std::string& type) {
  const std::string reg = "%v" + std::to_string(registers_++);
  declare(".reg ." + register_type(type) + " " + reg);
  return reg;
}

std::string Kernel::preset(const std::string& type) {
  const std::string reg = fresh(type), of = register_type(type);
  if (of == "pred") {
    loads_ += "  setp.lt.u32 " + reg + ", %lane, 16;\n";
  } else if (of == "b8") {
    loads_ += "  cvt.u8.u32 " + reg + ", %lane;\n";
  } else {
    const std::string pattern = "deadbeefcafef00d";
    const std::string digits = pattern.substr(16 - bits_of_type(of) / 4);
    const char* prefix = of == "f32" ? "0f" : of == "f64" ? "0d" : "0x";
    loads_ += "  mov." + of + " " + reg + ", " + prefix + digits + ";\n";
  }
  return reg;
}

void Kernel::line(const std::string& text) {
  body_ += "  " + text + ";\n";
}

void Kernel::result(const std::string& type, const std::string& reg) {
  if (type == "b128") {
    const std::string low = fresh("b64"), high = fresh("b64");
    line("mov.b128 {" + low + ", " + high + "}, " + reg);
    result("b64", low);
    return result("b64", high);
  }
  const std::string to = address("%out", case_.results.size() * row_bytes());
  const bool predicate = type == "pred";
  case_.results.push_back({reg, predicate ? 1 : std::max(8, bits_of_type(register_type(type)))});
  if (predicate) {
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

std::string Kernel::in_other_block(const std::string& type, const std::string& address) {
  const std::string rank = fresh("b32"), there = fresh("b" + type.substr(1));
  line("mov.u32 " + rank + ", %cluster_ctarank");
  line("xor.b32 " + rank + ", " + rank + ", 1");
  line("mapa.shared::cluster." + type + " " + there + ", " + address + ", " + rank);
  return there;
}

Kernel::~Kernel() {
  if (active_.empty()) {
    for (std::uint32_t i = 0; i < count(); ++i) {
      active_.push_back(kActive[i / 32 % 8] >> (i % 32) & 1);
    }
  }
  case_.operands.insert(case_.operands.begin(), {"active", std::move(active_)});
  std::string& text = case_.ptx;
  text = std::string(".version 8.8\n.target ") + case_.target + "\n.address_size 64\n\n" + outside_;
  text += ".visible .entry k(.param .u64 in, .param .u64 out";
  if (!case_.parameter.empty()) {
    text += std::string(", .param .align ") + (case_.tensor ? "64" : "32") + " .b8 blob[" +
            std::to_string(case_.parameter.size()) + "]";
  }
  text += ")\n";
  if (case_.cluster > 1) {
    text += ".explicitcluster\n.reqnctapercluster " + std::to_string(case_.cluster) + ", 1, 1\n";
  }
  text += "{\n";
  text += "  .reg .pred %active;\n";
  text += "  .reg .b32 %index, %thread, %lane, %block, %threads, %zero, %word;\n";
  text += "  .reg .b64 %inputs, %outputs, %in, %out, %offset;\n";
  text += declarations_ + "\n";
  const auto put = [&](const char* line) { text += std::string("  ") + line + ";\n"; };
  // Linear indices of a launch in up to three dimensions.
  const auto linear = [&](const std::array<std::uint32_t, 3>& shape, const std::string& reg,
                          const std::string& special) {
    put(("mov.u32 " + reg + ", %" + special + ".x").c_str());
    std::uint32_t stride = shape[0];
    for (int k = 1; k < 3; ++k) {
      if (shape[k] == 1) continue;
      put(("mov.u32 %word, %" + special + (k == 1 ? ".y" : ".z")).c_str());
      put(("mad.lo.u32 " + reg + ", %word, " + std::to_string(stride) + ", " + reg).c_str());
      stride *= shape[k];
    }
  };
  linear(case_.block, "%thread", "tid");
  linear(case_.grid, "%block", "ctaid");
  put(("mov.u32 %threads, " + std::to_string(case_.threads())).c_str());
  put("mad.lo.u32 %index, %block, %threads, %thread");
  put("and.b32 %lane, %thread, 31");
  put("mul.wide.u32 %offset, %index, 8");
  put("ld.param.u64 %inputs, [in]");
  put("ld.param.u64 %outputs, [out]");
  put("cvta.to.global.u64 %inputs, %inputs");
  put("cvta.to.global.u64 %outputs, %outputs");
  put("add.u64 %in, %inputs, %offset");
  put("add.u64 %out, %outputs, %offset");
  put("ld.global.u32 %word, [%in]");
  put("setp.ne.u32 %active, %word, 0");
  put("shr.u32 %zero, %word, 1");
  text += loads_ + "\n" + body_ + "\n" + stores_ + "  ret;\n}\n";
  cases_.push_back(std::move(case_));
}

}  // namespace clcsim::conformance
