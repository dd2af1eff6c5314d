// `clcsim --forms` lists exactly the decoder's forms.
#include <doctest/doctest.h>

#include <set>
#include <sstream>
#include <string>

#include "machine/isa/instruction_set.h"
#include "report/forms.h"

using namespace clcsim;

TEST_CASE("no form is lost, invented or listed twice") {
  std::set<std::string> names, listed;
  for (const ptx::Form* form : machine::isa::instruction_set().all())
    if (form->name != "refused") names.insert(form->name);
  CHECK(names.size() > 1000);
  std::istringstream text(report::list_forms());
  bool after_head = false;
  for (std::string line; std::getline(text, line);) {
    after_head = after_head || line == std::to_string(names.size()) + " forms";
    if (!after_head || !line.starts_with("  ")) continue;
    const std::size_t brace = line.find('{');
    std::istringstream ends(brace == line.npos ? "" : line.substr(brace + 1));
    if (brace == line.npos) CHECK(listed.insert(line.substr(2)).second);
    for (std::string end; std::getline(ends, end, ',');) {
      if (end.ends_with('}')) end.pop_back();
      CHECK(listed.insert(line.substr(2, brace - 2) + end).second);
    }
  }
  CHECK(listed == names);
}

TEST_CASE("each form is in one file") {
  std::set<std::string> names;
  for (const machine::isa::Part& part : machine::isa::parts()) {
    ptx::FormTable table;
    part.add(table);
    std::set<std::string> own;
    for (const ptx::Form* form : table.all()) own.insert(form->name);
    CHECK_FALSE(own.empty());
    for (const std::string& name : own) {
      CAPTURE(name);
      CHECK(names.insert(name).second);
    }
  }
}
