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
  return std::find(std::begin(kTypes), std::end(kTypes), part) != std::end(kTypes);
}

std::string twice(const std::string& type) {
  return type[0] + std::to_string(2 * bits_of_type(type));
}

/// The PTX type of each operand, in the order of the signature.
std::vector<std::string> operand_types(const Form& form, const Signature& signature) {
  const std::vector<std::string> parts = parts_of(form.name);
  const std::string& op = parts.front();
  std::vector<std::string> types;  // those in the name
  for (const std::string& part : parts) {
    if (is_type(part)) types.push_back(part == "u16x2" || part == "s16x2" ? "b32" : part);
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
  if (op == "cvt") return Role::converted;
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

/// Everything between the operands and the results of one case.
void add_case(std::vector<Case>& cases, const Form& form, const std::string& family,
              const std::string& immediate) {
  const Signature signature = ptx::parse_signature(form.signature);
  const std::vector<std::string> types = operand_types(form, signature);
  const std::string op = parts_of(form.name).front();
  const bool reads_carry = op == "addc" || op == "subc" || op == "madc";
  const bool writes_carry = mentions(form, "cc");

  Kernel kernel(form, family, immediate);
  kernel.details().grid[0] = family == "float" ? 8 : 4;
  std::string operands;
  std::vector<std::pair<std::string, std::string>> results;
  for (std::size_t k = 0; k < signature.size(); ++k) {
    const OperandSpec& spec = signature[k];
    std::string text;
    if (spec.kind == 'i') {
      text = immediate;
    } else {
      for (std::uint32_t i = 0; i < spec.count; ++i) {
        if (types[k] == "b128" && spec.destination) {
          const std::string reg = kernel.fresh("b128");
          const std::string low = kernel.preset("b64"), high = kernel.preset("b64");
          kernel.line("mov.b128 " + reg + ", {" + low + ", " + high + "}");
          results.emplace_back("b128", reg);
          text = reg;
          continue;
        }
        if (types[k] == "b128") {
          const std::string reg = kernel.fresh("b128");
          const std::string low = kernel.operand("b64"), high = kernel.operand("b64");
          kernel.line("mov.b128 " + reg + ", {" + low + ", " + high + "}");
          text = reg;
          continue;
        }
        const std::string reg = spec.destination ? kernel.preset(types[k])
                                                 : kernel.operand(types[k], role_of(op, k, form));
        if (spec.destination) results.emplace_back(types[k], reg);
        text += (i ? ", " : "") + reg;
      }
      if (spec.vector) text = "{" + text + "}";
    }
    const bool pair = k > 0 && spec.destination && signature[k - 1].destination;
    operands += (k == 0 ? " " : pair ? "|" : ", ") + text;
  }

  // Half of the kernels branch around their instruction, the others guard it. Not where ptxas makes
  // several instructions of one: its set and testp with a guard write to lanes that are switched
  // off.
  const bool guarded =
      !reads_carry && !writes_carry && op != "set" && op != "testp" && cases.size() % 2;
  if (!guarded) kernel.begin_active();
  const std::string type = "u" + std::to_string(bits_of_type(types[0]));
  const std::string suffix =
      mentions(form, "s32") || mentions(form, "s64") ? "s" + type.substr(1) : type;
  if (reads_carry) {
    const std::string flag = kernel.operand(type, values_of("pred", Role::any, 77, kernel.count()));
    const std::string ignored = kernel.fresh(type);
    kernel.line(op == "subc" ? "sub.cc." + suffix + " " + ignored + ", 0, " + flag
                             : "add.cc." + suffix + " " + ignored + ", " + flag + ", -1");
  }
  kernel.line((guarded ? "@%active " : "") + form.name + operands);
  if (writes_carry) {
    const std::string carry = kernel.preset(type);
    kernel.line((op.starts_with("sub") ? "subc." : "addc.") + suffix + " " + carry + ", 0, 0");
    results.emplace_back(type, carry);
  }
  if (!guarded) kernel.end_active();
  // The compiler negates by an instruction on floating-point numbers, or on bits, as it likes.
  const bool any_nan = form.name == "abs.f32" || form.name == "neg.f32";
  for (const auto& [result_type, reg] : results) {
    if (result_type != "b128") {
      kernel.result(result_type, reg);
      continue;
    }
    const std::string low = kernel.fresh("b64"), high = kernel.fresh("b64");
    kernel.line("mov.b128 {" + low + ", " + high + "}, " + reg);
    kernel.result("b64", low);
    kernel.result("b64", high);
  }
  if (any_nan) kernel.details().results[0].any_nan = true;
  cases.push_back(kernel.finish());
}

}  // namespace

void add_arithmetic_cases(std::vector<Case>& cases, const Form& form) {
  const std::string op = parts_of(form.name).front();
  const bool floating = mentions(form, "f32") || mentions(form, "f64");
  std::string family = family_of(op);
  if (family == "integer" && floating) family = "float";
  if (op == "lop3") {
    for (const char* table : {"0x96", "0xe8", "0xca", "0x1b", "0x40"}) {
      add_case(cases, form, family, table);
    }
  } else {
    add_case(cases, form, family, "");
  }
}

}  // namespace clcsim::conformance
