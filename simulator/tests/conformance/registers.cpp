// Cases for the special registers. Those that say where and when a thread happens to run can't be
// compared; what must hold of them everywhere can.
#include "conformance/kernel.h"

namespace clcsim::conformance {
namespace {

bool is_cluster_register(const std::string& name) {
  return name.find("cluster") != name.npos;
}

/// Its value is a result.
void add_value(std::vector<Case>& cases, const ptx::Form& form) {
  const bool predicate = form.signature == "=p";
  for (const bool clusters : {false, true}) {
    if (clusters && !is_cluster_register(form.name)) continue;
    Kernel kernel(cases, form, "registers", clusters ? "clusters" : "");
    Case& details = kernel.details();
    details.grid = {4, 3, 2};
    details.block = {6, 5, 2};
    if (clusters) details.cluster = 2;
    if (predicate) {
      const std::string p = kernel.preset("pred");
      kernel.line("mov.pred " + p + ", " + form.name);
      kernel.result("pred", p);
    } else {
      const std::string d = kernel.preset("b32");
      kernel.line("mov.u32 " + d + ", " + form.name);
      kernel.result("b32", d);
    }
  }
  if (form.name != "%total_smem_size") return;
  for (const char* bytes : {"100", "4096"}) {
    Kernel kernel(cases, form, "registers", std::string(bytes) + " bytes");
    const std::string d = kernel.preset("b32"), a = kernel.operand("b32");
    const std::string base = kernel.fresh("b32");
    kernel.declare(std::string(".shared .align 4 .b8 words[") + bytes + "]");
    kernel.line("mov.u32 " + base + ", words");
    kernel.line("st.shared.b32 [" + base + "], %threads");
    kernel.line("mov.u32 " + d + ", " + form.name);
    kernel.result("b32", d);
  }
}

/// A comparison of two readings holds: with itself a moment later, or with another register.
void add_relation(std::vector<Case>& cases, const ptx::Form& form, const std::string& comparison,
                  const std::string& other) {
  Kernel kernel(cases, form, "registers", comparison + " " + other);
  const bool wide =
      form.name == "%clock64" || form.name == "%globaltimer" || form.name == "%gridid";
  const std::string type = wide ? "u64" : "u32";
  const std::string first = kernel.fresh(type), second = kernel.fresh(type);
  const std::string p = kernel.preset("pred");
  kernel.line("mov." + type + " " + first + ", " + form.name);
  kernel.line("mov." + type + " " + second + ", " + other);
  kernel.line("setp." + comparison + "." + type + " " + p + ", " + first + ", " + second);
  kernel.result("pred", p);
}

}  // namespace

void add_register_cases(std::vector<Case>& cases, const ptx::Form& form) {
  struct Relation {
    const char *name, *comparison, *other;
  };
  static constexpr Relation kRelations[] = {
      {"%clock64", "lt", "%clock64"},
      {"%clock", "ne", "%clock"},
      {"%clock_hi", "le", "%clock_hi"},
      {"%globaltimer", "le", "%globaltimer"},
      {"%globaltimer_lo", "le", "%globaltimer_lo"},
      {"%globaltimer_hi", "le", "%globaltimer_hi"},
      {"%smid", "lt", "%nsmid"},
      {"%nsmid", "eq", "%nsmid"},
      {"%warpid", "lt", "%nwarpid"},
      {"%nwarpid", "eq", "%nwarpid"},
      {"%gridid", "eq", "%gridid"},
      {"%envreg1", "eq", "%envreg1"},
      {"%envreg2", "eq", "%envreg2"},
  };
  for (const Relation& relation : kRelations) {
    if (form.name == relation.name) {
      return add_relation(cases, form, relation.comparison, relation.other);
    }
  }
  add_value(cases, form);
}

}  // namespace clcsim::conformance
