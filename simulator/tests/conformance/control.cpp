// Cases for control flow: the results tell which way each thread went.
#include "conformance/kernel.h"

namespace clcsim::conformance {
namespace {

using std::uint32_t;

/// A thread counts the rounds of a loop: each has its own number of them.
void add_branch(std::vector<Case>& cases, const ptx::Form& form) {
  Kernel kernel(cases, form, "control");
  const bool uniform = form.name == "bra.uni";
  std::vector<std::uint64_t> rounds(kernel.count());
  for (uint32_t i = 0; i < kernel.count(); ++i) rounds[i] = uniform ? 3 + i / 32 : i * i % 37;
  const std::string left = kernel.operand("b32", rounds), d = kernel.preset("b32");
  const std::string more = kernel.fresh("pred");
  kernel.label("AGAIN");
  kernel.line("mad.lo.u32 " + d + ", " + d + ", 5, %thread");
  kernel.line("setp.ne.u32 " + more + ", " + left + ", 0");
  kernel.line("sub.u32 " + left + ", " + left + ", 1");
  kernel.line("@" + more + " " + form.name + " AGAIN");
  kernel.result("b32", d);
}

void add_table(std::vector<Case>& cases, const ptx::Form& form) {
  Kernel kernel(cases, form, "control");
  const bool uniform = form.name == "brx.idx.uni";
  std::vector<std::uint64_t> ways(kernel.count());
  for (uint32_t i = 0; i < kernel.count(); ++i) ways[i] = (uniform ? i / 32 : i * 7) % 4;
  const std::string way = kernel.operand("b32", ways), d = kernel.preset("b32");
  kernel.line("WAYS: .branchtargets W0, W1, W2, W3");
  kernel.line(form.name + " " + way + ", WAYS");
  for (int k = 0; k < 4; ++k) {
    kernel.label("W" + std::to_string(k));
    kernel.line("mad.lo.u32 " + d + ", " + d + ", 3, " + std::to_string(k));
    if (k == 1) kernel.line("bra JOINED");
  }
  kernel.label("JOINED");
  kernel.line("add.u32 " + d + ", " + d + ", %lane");
  kernel.result("b32", d);
}

/// call and ret: some threads return early.
void add_call(std::vector<Case>& cases, const ptx::Form& form) {
  Kernel kernel(cases, form, "control");
  kernel.outside(
      ".func (.param .b32 value) twice(.param .b32 given)\n{\n  .reg .pred %p;\n"
      "  .reg .b32 %x, %y;\n  ld.param.u32 %x, [given];\n  mul.lo.u32 %y, %x, 2;\n"
      "  st.param.b32 [value], %y;\n  setp.gt.u32 %p, %x, 100000;\n  @%p ret;\n"
      "  add.u32 %y, %y, 1;\n  st.param.b32 [value], %y;\n  ret;\n}\n"
      ".func (.param .b32 value) more(.param .b32 given)\n{\n  .reg .b32 %x;\n"
      "  .param .b32 a, b;\n  ld.param.u32 %x, [given];\n  st.param.b32 [a], %x;\n"
      "  call (b), twice, (a);\n  ld.param.b32 %x, [b];\n  st.param.b32 [a], %x;\n"
      "  call (b), twice, (a);\n  ld.param.b32 %x, [b];\n  st.param.b32 [value], %x;\n"
      "  ret;\n}\n");
  const std::string a = kernel.operand("b32"), d = kernel.preset("b32");
  kernel.begin_active();
  kernel.brace('{');
  kernel.line(".param .b32 argument, value");
  kernel.line("st.param.b32 [argument], " + a);
  kernel.line("call (value), more, (argument)");
  kernel.line("ld.param.b32 " + d + ", [value]");
  kernel.brace('}');
  kernel.end_active();
  kernel.result("b32", d);
}

/// Threads that exit write no result.
void add_exit(std::vector<Case>& cases, const ptx::Form& form) {
  Kernel kernel(cases, form, "control");
  const std::string d = kernel.preset("b32");
  kernel.line("add.u32 " + d + ", " + d + ", %thread");
  kernel.line("@!%active " + form.name);
  kernel.line("bar.sync 0");
  kernel.result("b32", d);
}

/// It changes nothing.
void add_idle(std::vector<Case>& cases, const ptx::Form& form, const std::string& operands) {
  Kernel kernel(cases, form, "control");
  const std::string a = kernel.operand("b32");
  kernel.begin_active();
  kernel.line(form.name + operands);
  kernel.line("add.u32 " + a + ", " + a + ", 1");
  kernel.end_active();
  kernel.result("b32", a);
}

}  // namespace

void add_control_cases(std::vector<Case>& cases, const ptx::Form& form) {
  const std::string& name = form.name;
  if (name.starts_with("bra")) add_branch(cases, form);
  if (name.starts_with("brx")) add_table(cases, form);
  if (name == "call" || name == "ret") add_call(cases, form);
  if (name == "exit") add_exit(cases, form);
  if (name == "pmevent") add_idle(cases, form, " 3");
  if (name == "nanosleep.u32") add_idle(cases, form, " %lane");
}

}  // namespace clcsim::conformance
