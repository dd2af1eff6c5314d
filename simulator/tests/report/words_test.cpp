// Each rule, each thing that can be found, and each detail of it has its words.
#include "report/finding_words.h"

#include <doctest/doctest.h>

#include <string_view>
#include <utility>
#include <vector>

#include "report/rules.h"

using namespace clcsim;
using machine::Finding;
using machine::Note;
using machine::Role;
using machine::Rule;
using machine::What;

namespace {

// Whether an enumerator has this value: the compiler names a value by its enumerator, and by
// "(Enum)7" without one.
template <auto value>
constexpr bool is_named() {
  constexpr std::string_view kName = __PRETTY_FUNCTION__, kBefore = "value = ";
  return kName[kName.find(kBefore) + kBefore.size()] != '(';
}

template <class Enum, std::size_t... values>
std::vector<Enum> enumerators(std::index_sequence<values...>) {
  std::vector<Enum> all;
  ((is_named<static_cast<Enum>(values)>() ? all.push_back(static_cast<Enum>(values)) : void()),
   ...);
  return all;
}
template <class Enum>
std::vector<Enum> enumerators() {
  const std::vector<Enum> all = enumerators<Enum>(std::make_index_sequence<256>());
  CHECK(all.size() > 15);
  return all;
}

}  // namespace

TEST_CASE("each rule has its texts") {
  for (const Rule rule : enumerators<Rule>()) {
    CAPTURE(static_cast<int>(rule));
    CHECK(report::text_of(rule).name.empty() == (rule == Rule::none));
    CHECK(report::text_of(rule).family.empty() == (rule == Rule::none));
  }
  CHECK(report::rules().size() + 1 == enumerators<Rule>().size());
}

TEST_CASE("each thing that happens has its sentence, and only faults and refusals have their own") {
  for (const What what : enumerators<What>()) {
    CAPTURE(static_cast<int>(what));
    CHECK((report::what_of({.what = what, .text = "-"}) == "-") == (what <= What::host_pointer));
  }
}

TEST_CASE("each detail has its text and its label") {
  const ptx::Program program{.locations = {{.line = 0, .ptx_line = 7}}};
  const machine::Place place{.program = &program, .location = 0};
  const auto text = [&](Note note) {
    return report::text_of(Finding::Detail{.note = note, .place = place, .second = place}, place);
  };
  for (const Note note : enumerators<Note>()) {
    CAPTURE(static_cast<int>(note));
    CHECK((text(note) == text(Note::line)) == (note == Note::line));
  }
  for (const Role role : enumerators<Role>()) {
    CAPTURE(static_cast<int>(role));
    CHECK_FALSE(report::label_of({.role = role}).empty());
  }
}
