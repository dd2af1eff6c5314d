#include "report/rules.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>

namespace clcsim::report {
namespace {

constexpr RuleText kRules[] = {
    {},  // Rule::none
#define RULE(id, ...) {__VA_ARGS__},
#include "machine/findings.def"
};

}  // namespace

const RuleText& text_of(machine::Rule rule) {
  return kRules[static_cast<std::size_t>(rule)];
}

bool is_rule(std::string_view name) {
  return std::any_of(std::begin(kRules) + 1, std::end(kRules),
                     [&](const RuleText& rule) { return rule.name == name; });
}

std::string source_of(const RuleText& rule) {
  std::string source(rule.topic);
  if (!rule.section.empty()) {
    source.insert(0, std::string(kIsa) + ", " + std::string(rule.section) + ", ");
  }
  return source;
}

std::string list_rules() {
  std::string text;
  for (const RuleText& rule : std::span(kRules).subspan(1)) {
    std::string name(rule.name), family(rule.family);
    name.resize(28, ' ');
    family.resize(8, ' ');
    text += name + family + source_of(rule) + "\n";
  }
  return text;
}

}  // namespace clcsim::report
