// The patterns of `clcsim --forms` stand for exactly the decoder's forms.
#include <doctest/doctest.h>

#include <set>

#include "machine/isa/instruction_set.h"
#include "report/form_groups.h"

using namespace clcsim;

namespace {

void check_exact(const std::set<std::string>& names, const std::vector<report::Pattern>& patterns) {
  std::set<std::string> covered;
  for (const report::Pattern& pattern : patterns) {
    for (const std::string& name : report::expand(pattern)) {
      CAPTURE(name);
      CHECK(names.count(name) == 1);
      CHECK(covered.insert(name).second);
    }
  }
  CHECK(covered.size() == names.size());
}

std::string grouped(const std::vector<std::string>& names) {
  std::string all;
  for (const report::Pattern& pattern : report::group(names)) all += report::text_of(pattern) + " ";
  return all;
}

}  // namespace

TEST_CASE("names are grouped") {
  CHECK(grouped({"add.s32", "add.u32", "add.s64", "sub.s32"}) == "add.{s32,s64,u32} sub.s32 ");
  CHECK(grouped({"ret"}) == "ret ");
  CHECK(grouped({"a.b8", "a.b16", "a.x.b8", "a.x.b16"}) == "a[.x].{b8,b16} ");
  CHECK(grouped({"a.x", "a.y.z"}) == "a.x a.y.z ");
  CHECK(grouped({"a", "a.x", "a.y"}) == "a[.{x,y}] ");
}

TEST_CASE("no form is lost, invented or listed twice") {
  std::set<std::string> names;
  for (const ptx::Form* form : machine::isa::instruction_set().all()) names.insert(form->name);
  CHECK(names.size() > 1000);
  check_exact(names, report::group({names.begin(), names.end()}));
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
