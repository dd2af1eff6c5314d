// Prints the instruction forms that clcsim executes, from the decoder's own table:
// simulator/FORMS.md shows them.
#include <cstdio>
#include <set>
#include <string>

#include "machine/isa/instruction_set.h"
#include "tools/form_groups.h"

int main() {
  using namespace clcsim;
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
    for (const tools::Pattern& pattern : tools::group({names.begin(), names.end()})) {
      lists += "  " + tools::text_of(pattern) + "\n";
    }
  }
  std::printf("%zu forms\n%s", count, lists.c_str());
}
