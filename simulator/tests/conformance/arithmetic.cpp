// Cases for the forms that compute one lane's results from the same lane's operands. Everything
// about such a kernel follows from the form's name and signature.
#include <algorithm>
#include <array>
#include <span>

#include "conformance/kernel.h"
#include "ptx/signature.h"

namespace clcsim::conformance {
namespace {

using ptx::Form;
using ptx::OperandSpec;
using ptx::Signature;

bool is_type(const std::string& part) {
  constexpr const char* kTypes[] = {"b8",  "b16", "b32", "b64", "b128", "u8",    "u16",  "u32",
                                    "u64", "s8",  "s16", "s32", "s64",  "f32",   "f64",  "pred",
                                    "x",   "q",   "l",   "r",   "d",    "u16x2", "s16x2"};
  return is_half(part) || std::find(std::begin(kTypes), std::end(kTypes), part) != std::end(kTypes);
}

/// Two numbers of 8 bits.
bool is_bytes(const std::string& part) {
  return part == "e4m3x2" || part == "e5m2x2";
}

std::string twice(const std::string& type) {
  return type[0] + std::to_string(2 * bits_of_type(type));
}

/// The PTX type of each operand, in the order of the signature.
std::vector<std::string> operand_types(const Form& form, Signature signature) {
  const std::vector<std::string> parts = parts_of(form.name);
  const std::string& op = parts.front();
  std::vector<std::string> types;  // those in the name
  for (const std::string& part : parts) {
    if (is_type(part)) types.push_back(part == "u16x2" || part == "s16x2" ? "b32" : part);
    if (is_bytes(part)) types.push_back("b16");
  }
  const std::string last = types.empty() ? "b32" : types.back();
  std::vector<std::string> result;
  for (std::size_t k = 0; k < signature.size(); ++k) {
    std::string type = last;
    const char kind = signature[k].kind;
    if (kind == 'p') {
      type = "pred";
    } else if (op == "cvt" && parts[1] == "pack") {
      type = k == 1 || k == 2 ? "s32" : "b32";
    } else if (op == "cvt") {
      type = k == 0 ? types[types.size() - 2] : last;
    } else if (op == "set") {
      type = k == 0 ? types[types.size() - 2] : last;
    } else if (op == "slct") {
      type = k == 3 ? last : types[types.size() - 2];
    } else if (parts.size() > 1 && parts[1] == "wide") {
      type = k == 0 || k == 3 ? twice(last) : last;
    } else if (op == "popc" || op == "clz" || op == "bfind") {
      type = k == 0 ? "u32" : last;
    } else if ((op == "shl" || op == "shr") && k == 2) {
      type = "u32";
    } else if (op == "bfe" && k >= 2) {
      type = "u32";
    } else if (op == "bfi" && k >= 3) {
      type = "u32";
    } else if (op == "dp4a" || op == "dp2a") {
      type = "b32";
    } else if (op == "mov" && signature[k].vector) {
      type = "b" + std::to_string(bits_of_type(last) / static_cast<int>(signature[k].count));
    }
    result.push_back(type);
  }
  return result;
}

Role role_of(const std::string& op, std::size_t k, const Form& form) {
  const bool count = ((op == "shl" || op == "shr") && k == 2) || (op == "shf" && k == 3) ||
                     (op == "bfe" && k >= 2) || (op == "bfi" && k >= 3) ||
                     (op == "bmsk" && k >= 1) || (op == "szext" && k == 2) ||
                     (op == "fns" && k >= 2);
  if (count) return Role::count;
  if (op == "cvt") {
    const std::vector<std::string> parts = parts_of(form.name);
    const std::string& result = parts[parts.size() - 2];
    if (is_bytes(result)) return result == "e4m3x2" ? Role::narrowed_e4m3 : Role::narrowed_e5m2;
    if (is_half(result)) return result[0] == 'b' ? Role::narrowed_b : Role::narrowed;
    return Role::converted;
  }
  constexpr const char* kApproximations[] = {"sin", "cos", "lg2", "ex2", "tanh"};
  if (std::find(std::begin(kApproximations), std::end(kApproximations), op) !=
      std::end(kApproximations)) {
    return Role::moderate;
  }
  if (form.name.find(".approx") != std::string::npos ||
      form.name.find(".full") != std::string::npos) {
    return form.name.ends_with("f32") && form.signature.size() < 6 ? Role::moderate : Role::any;
  }
  return Role::any;
}

std::string family_of(const std::string& op) {
  struct Family {
    const char* name;
    std::span<const char* const> ops;
  };
  static constexpr const char* kLogic[] = {"and",   "or",   "xor",   "not",  "cnot", "lop3", "shl",
                                           "shr",   "shf",  "prmt",  "bfe",  "bfi",  "clz",  "fns",
                                           "bfind", "brev", "szext", "popc", "bmsk"};
  static constexpr const char* kFloat[] = {"fma", "rcp", "sqrt", "rsqrt", "sin",     "cos",
                                           "lg2", "ex2", "tanh", "testp", "copysign"};
  static constexpr const char* kConvert[] = {"cvt", "mov", "selp", "slct"};
  static constexpr const char* kCompare[] = {"set", "setp"};
  const Family families[] = {
      {"logic", kLogic}, {"float", kFloat}, {"convert", kConvert}, {"compare", kCompare}};
  for (const Family& family : families) {
    for (const char* candidate : family.ops) {
      if (op == candidate) return family.name;
    }
  }
  return "integer";
}

bool mentions(const Form& form, const char* part) {
  const std::vector<std::string> parts = parts_of(form.name);
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

/// What a case has that the plain one of its form doesn't.
struct Twist {
  std::string name;
  std::string table;       ///< lop3's
  bool immediate = false;  ///< the last source is one, and results that may be missing are
  bool wide = false;       ///< cvt reads a part of a register of 64 bits
};

class ArithmeticCase {
 public:
  ArithmeticCase(std::vector<Case>& cases, const Form& form, const std::string& family,
                 const Twist& twist)
      : form_(form),
        twist_(twist),
        signature_(form.operands),
        types_(operand_types(form, signature_)),
        op_(parts_of(form.name).front()),
        kernel_(cases, form, family, twist.name) {
    kernel_.details().grid[0] = family == "float" ? 8 : 4;
  }

  void make() {
    const std::string operands = make_operands();
    const bool reads_carry = op_ == "addc" || op_ == "subc" || op_ == "madc";
    const bool writes_carry = mentions(form_, "cc");
    // Half of the kernels branch around their instruction, the others guard it. Not where ptxas
    // makes several instructions of one: its set and testp with a guard write to lanes that are
    // switched off.
    unsigned sum = 0;
    for (const char c : form_.name) sum += static_cast<unsigned char>(c);
    const bool guarded = !reads_carry && !writes_carry && op_ != "set" && op_ != "testp" && sum % 2;
    if (!guarded) kernel_.begin_active();
    if (reads_carry) set_carry();
    kernel_.line((guarded ? "@%active " : "") + form_.name + operands);
    if (writes_carry) read_carry();
    if (!guarded) kernel_.end_active();
    for (const auto& [type, reg] : results_) kernel_.result(type, reg);
    // The compiler negates by an instruction on floating-point numbers, or on bits, as it likes.
    const bool any_nan = form_.name == "abs.f32" || form_.name == "neg.f32";
    if (any_nan) kernel_.details().results[0].any_nan = true;
  }

 private:
  std::string make_operands() {
    std::size_t last = 0;
    for (std::size_t k = 0; k < signature_.size(); ++k) {
      if (!signature_[k].destination && signature_[k].kind != 'p') last = k;
    }
    std::string text;
    for (std::size_t k = 0; k < signature_.size(); ++k) {
      const OperandSpec& spec = signature_[k];
      if (spec.optional && twist_.immediate) continue;
      const bool pair = k > 0 && spec.destination && signature_[k - 1].destination;
      text += k == 0 ? " " : pair ? "|" : ", ";
      if (spec.kind == 'i') {
        text += twist_.table;
      } else if (k == last && twist_.immediate) {
        text += immediate(k);
      } else {
        text += registers(k);
      }
    }
    return text;
  }

  std::string immediate(std::size_t k) const {
    if (types_[k] == "f32") return "0fC0490FDB";
    if (types_[k] == "f64") return "0dC00921FB54442D18";
    if (role_of(op_, k, form_) == Role::count) return "5";
    return types_[k][0] == 'u' ? "200" : "-3";
  }

  std::string registers(std::size_t k) {
    const OperandSpec& spec = signature_[k];
    std::string text;
    for (std::uint32_t i = 0; i < spec.count; ++i) {
      text += (i ? ", " : "") + (spec.destination ? destination(types_[k]) : source(k));
    }
    return spec.vector ? "{" + text + "}" : text;
  }

  std::string destination(const std::string& type) {
    std::string reg;
    if (type == "b128") {
      const std::string high = kernel_.preset("b64"), low = kernel_.preset("b64");
      reg = kernel_.fresh(type);
      kernel_.line("mov.b128 " + reg + ", {" + low + ", " + high + "}");
    } else {
      reg = kernel_.preset(type);
    }
    results_.emplace_back(type, reg);
    return reg;
  }

  std::string source(std::size_t k) {
    return kernel_.operand(twist_.wide ? "b64" : types_[k], role_of(op_, k, form_));
  }

  /// The type of the instructions that set and read the carry flag around the form.
  std::string carry_type() const { return parts_of(form_.name).back(); }

  void set_carry() {
    const std::string type = carry_type();
    const std::string flag =
        kernel_.operand(type, values_of("pred", Role::any, 77, kernel_.count()));
    const std::string ignored = kernel_.fresh(type);
    kernel_.line(op_ == "subc" ? "sub.cc." + type + " " + ignored + ", 0, " + flag
                               : "add.cc." + type + " " + ignored + ", " + flag + ", -1");
  }

  void read_carry() {
    const std::string type = carry_type(), carry = kernel_.preset(type);
    kernel_.line((op_.starts_with("sub") ? "subc." : "addc.") + type + " " + carry + ", 0, 0");
    results_.emplace_back(type, carry);
  }

  const Form& form_;
  const Twist& twist_;
  Signature signature_;
  std::vector<std::string> types_;
  std::string op_;
  Kernel kernel_;
  std::vector<std::pair<std::string, std::string>> results_;  // type and register
};

/// Whether the form has two sources, of which the last may be an immediate.
bool takes_immediate(const Form& form, const std::string& op) {
  if (op == "set" || op == "testp" || op == "copysign") return false;  // so many, and all alike
  if (is_half(parts_of(form.name).back())) return false;               // PTX has none
  if (form.name.ends_with("x2") || op == "vabsdiff4") return false;    // PTX wants registers
  int sources = 0;
  for (const OperandSpec& spec : ptx::parse_signature(form.signature)) {
    if (spec.vector || spec.kind == 'i' || spec.kind == 'q') return false;
    if (!spec.destination && spec.kind != 'p') ++sources;
  }
  return sources >= 2 || (op == "mov" && sources == 1);
}

bool reads_narrow_integer(const Form& form, const std::string& op) {
  if (op != "cvt" || mentions(form, "bf16")) return false;  // for which ptxas wants 16 or 32 bits
  const std::string source = parts_of(form.name).back();
  return source[0] != 'f' && source[0] != 'b' && !is_bytes(source) && bits_of_type(source) <= 32 &&
         form.name.find("pack") == form.name.npos;
}

}  // namespace

void add_arithmetic_cases(std::vector<Case>& cases, const Form& form) {
  const std::string op = parts_of(form.name).front();
  const bool floating = mentions(form, "f32") || mentions(form, "f64");
  const std::vector<std::string> parts = parts_of(form.name);
  const bool half = std::any_of(parts.begin(), parts.end(), is_half) ||
                    std::any_of(parts.begin(), parts.end(), is_bytes);
  std::string family = family_of(op);
  if (family == "integer" && floating) family = "float";
  if (half) family = "half";
  std::vector<Twist> twists(1);
  if (op == "lop3") {
    twists.clear();
    for (const char* table : {"0x96", "0xe8", "0xca", "0x1b", "0x40"}) {
      twists.push_back({.name = table, .table = table});
    }
  }
  if (takes_immediate(form, op)) twists.push_back({.name = "immediate", .immediate = true});
  if (reads_narrow_integer(form, op)) twists.push_back({.name = "wide register", .wide = true});
  for (const Twist& twist : twists) {
    ArithmeticCase(cases, form, family, twist).make();
  }
}

}  // namespace clcsim::conformance
