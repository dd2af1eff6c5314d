#include "ptx/operands.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "ptx/layout.h"

namespace clcsim::ptx {
namespace {

using OperandKind = ast::Operand::Kind;

bool register_fits(const OperandSpec& spec, Width width, bool may_truncate) {
  switch (spec.kind) {
    case 'p':
      return width == Width::predicate;
    case 'r':
    case 'f':
      return width == Width::b32 ||
             (spec.kind == 'r' && width == Width::b64 && may_truncate && !spec.destination);
    case 'l':
    case 'd':
      return width == Width::b64;
    case 'x':
      return width == Width::b32 || width == Width::b64;
    case 'q':
      return width == Width::b128;
    default:
      return false;
  }
}

bool is_kind_of(char kind, std::string_view kinds) {
  return kinds.find(kind) != kinds.npos;
}

bool element_fits(const Form& form, const OperandSpec& spec, const ast::Function& function,
                  const ast::Operand& operand) {
  switch (operand.kind) {
    case OperandKind::kVector:
      return spec.vector;
    case OperandKind::kSink:
      return spec.destination;
    case OperandKind::kRegister:
      return register_fits(spec, width_of(function.registers[operand.index].type), form.truncates);
    case OperandKind::kInteger:
      return !spec.destination && !is_kind_of(spec.kind, "aqL");
    case OperandKind::kFloat32:
    case OperandKind::kFloat64:
      return !spec.destination && is_kind_of(spec.kind, "fdxrl");
    case OperandKind::kModuleVariable:
    case OperandKind::kLocalVariable:
    case OperandKind::kSpecial:
      return !spec.destination && is_kind_of(spec.kind, "rlx");
    case OperandKind::kFunction:
      return !spec.destination && spec.kind == 'l';
    case OperandKind::kAddress:
      return spec.kind == 'a';
    case OperandKind::kLabel:
      return spec.kind == 'L';
    case OperandKind::kBranchTargets:
      return spec.kind == 'B';
    default:
      return false;
  }
}

// The elements of one operand, a vector or not; false: they don't fit.
bool add_elements(const Form& form, const OperandSpec& spec, const ast::Function& function,
                  const ast::Operand& operand, std::vector<const ast::Operand*>& flat) {
  // ld.global.b32 {%r1}, [%rd1]: so Triton writes it. ptxas takes it of loads and stores alone.
  const bool may_brace_one = form.name.starts_with("ld.") || form.name.starts_with("st.");
  const bool braces = operand.kind == OperandKind::kVector;
  if (spec.vector ? !braces : braces && !may_brace_one) return false;
  const std::span<const ast::Operand> elements =
      braces ? function.parts_of(operand) : std::span(&operand, 1);
  if (elements.size() != spec.count) return false;
  for (const ast::Operand& element : elements) {
    if (!element_fits(form, spec, function, element)) return false;
    flat.push_back(&element);
  }
  return true;
}

}  // namespace

std::optional<std::vector<const ast::Operand*>> match(const Form& form,
                                                      const ast::Function& function,
                                                      std::span<const ast::Operand> operands) {
  std::vector<const ast::Operand*> written;
  for (const ast::Operand& operand : operands) {
    if (operand.kind == OperandKind::kPair) {
      for (const ast::Operand& part : function.parts_of(operand)) written.push_back(&part);
    } else {
      written.push_back(&operand);
    }
  }
  const auto outside =
      static_cast<std::size_t>(std::count_if(form.operands.begin(), form.operands.end(),
                                             [](const OperandSpec& spec) { return !spec.inside; }));
  if (written.size() > outside) return std::nullopt;
  std::size_t missing = outside - written.size();
  std::vector<const ast::Operand*> flat;
  std::size_t next = 0;
  std::span<const ast::Operand> inside;  // of an address: what follows its base
  for (const OperandSpec& spec : form.operands) {
    if (spec.inside) {
      if (inside.size() != 1 || !add_elements(form, spec, function, inside[0], flat)) {
        return std::nullopt;
      }
      inside = {};
      continue;
    }
    if (!inside.empty()) return std::nullopt;
    // Which of the optional operands are missing is told by their kinds.
    if (missing > 0 && spec.optional &&
        (next == written.size() || !element_fits(form, spec, function, *written[next]))) {
      --missing;
      flat.insert(flat.end(), spec.count, nullptr);
      continue;
    }
    if (next == written.size()) return std::nullopt;
    const ast::Operand& operand = *written[next++];
    if (!add_elements(form, spec, function, operand, flat)) return std::nullopt;
    if (operand.kind == OperandKind::kAddress) inside = function.parts_of(operand).subspan(1);
  }
  if (next != written.size() || !inside.empty()) return std::nullopt;
  return flat;
}

}  // namespace clcsim::ptx
