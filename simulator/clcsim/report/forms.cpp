#include "report/forms.h"

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "machine/isa/instruction_set.h"

namespace clcsim::report {
namespace {

constexpr const char* kHead =
    "The PTX that clcsim executes. It refuses anything else in a kernel by name, with its source\n"
    "line, and only when it is about to be executed.\n"
    "\n"
    "The forms stand under the file of simulator/clcsim/machine/isa/ that adds them; {a,b} is a\n"
    "choice. Not part of a name, and accepted wherever PTX allows them:\n"
    "  on ld, st, atom, red, mbarrier, cp: the order (weak, volatile, relaxed, acquire, release,\n"
    "  acq_rel) and the scope (cta, cluster, gpu, sys);\n"
    "  on the same: cache hints (.ca .cg .cs .cv .lu .wb .wt .nc .L1::* .L2::*), which change\n"
    "  nothing;\n"
    "  .shared::cta, which is .shared there, and guards @p, @!p.\n"
    "\n"
    "ld.param::entry reads a kernel's parameter and .param::func belongs to a call; in PTX both\n"
    "are .param. `call vprintf`, `call __assertfail`, `call malloc` and `call free` are what\n"
    "printf, assert, new and delete become; `call pointer` and `call returned` are the two halves\n"
    "of a call through a pointer.\n"
    "\n";

}  // namespace

std::string list_forms() {
  std::string lists;
  std::size_t count = 0;
  for (const machine::isa::Part& part : machine::isa::parts()) {
    ptx::FormTable table;
    part.add(table);
    std::set<std::string> names;
    for (const ptx::Form* form : table.all()) {
      if (form->name != "refused") names.insert(form->name);
    }
    count += names.size();
    lists += std::string("\n") + part.file + "\n";
    std::map<std::string, std::string> ends;  // by what stands before the last dot
    for (const std::string& name : names) {
      const std::size_t dot = name.rfind('.');
      if (dot == name.npos) {
        lists += "  " + name + "\n";
        continue;
      }
      std::string& list = ends[name.substr(0, dot)];
      list += (list.empty() ? "" : ",") + name.substr(dot + 1);
    }
    for (const auto& [begin, list] : ends) {
      const bool choice = list.find(',') != list.npos;
      lists += "  " + begin + (choice ? ".{" + list + "}\n" : "." + list + "\n");
    }
  }
  return kHead + std::to_string(count) + " forms\n" + lists;
}

}  // namespace clcsim::report
