// Cases for ldmatrix and stmatrix.
#include "conformance/kernel.h"

namespace clcsim::conformance {

// Each thread fills 16 bytes, and names those of another thread of its warp.
void add_matrix_cases(std::vector<Case>& cases, const ptx::Form& form) {
  const std::vector<std::string> parts = parts_of(form.name);
  const bool stores = parts.front() == "stmatrix";
  const std::string number = parts[3][0] == 'x' ? parts[3] : parts[4];
  Kernel kernel(cases, form, "memory");
  kernel.declare(".shared .align 16 .b8 rows[2048]");
  const std::string own = kernel.fresh("b64"), lane = kernel.fresh("b32");
  std::string named = kernel.fresh("b64");
  kernel.line("mov.u64 " + own + ", rows");
  kernel.line("mad.lo.u32 " + lane + ", %thread, 5, 3");
  kernel.line("and.b32 " + lane + ", " + lane + ", 31");
  kernel.line("sub.u32 " + lane + ", " + lane + ", %lane");
  kernel.line("add.u32 " + lane + ", " + lane + ", %thread");
  kernel.line("mad.wide.u32 " + named + ", " + lane + ", 16, " + own);
  kernel.line("mad.wide.u32 " + own + ", %thread, 16, " + own);
  if (form.name.find(".shared") == form.name.npos) {
    const std::string generic = kernel.fresh("b64");
    kernel.line("cvta.shared.u64 " + generic + ", " + named);
    named = generic;
  }
  const std::string low = kernel.operand("b64"), high = kernel.operand("b64");
  kernel.line("st.shared.v2.b64 [" + own + "], {" + low + ", " + high + "}");
  kernel.line("bar.warp.sync 0xffffffff");
  std::vector<std::string> registers;
  std::string list;
  for (int i = 0; i < std::stoi(number.substr(1)); ++i) {
    registers.push_back(stores ? kernel.operand("b32") : kernel.preset("b32"));
    list += (i == 0 ? "{" : ", ") + registers.back();
  }
  list += "}";
  const std::string address = "[" + named + "]";
  kernel.line(form.name + " " + (stores ? address : list) + ", " + (stores ? list : address));
  if (!stores) {
    for (const std::string& reg : registers) kernel.result("b32", reg);
  } else {
    const std::string first = kernel.preset("b64"), second = kernel.preset("b64");
    kernel.line("bar.warp.sync 0xffffffff");
    kernel.line("ld.shared.v2.b64 {" + first + ", " + second + "}, [" + own + "]");
    kernel.result("b64", first);
    kernel.result("b64", second);
  }
}

}  // namespace clcsim::conformance
