// Which forms get which cases, and which can't be recorded.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "conformance/case.h"

namespace clcsim::conformance {
namespace {

const Exemption kExemptions[] = {
    {"clusterlaunchcontrol.*", "needs compute capability 10.0"},
};

/// Arithmetic, unless it is one of these.
constexpr const char* kOthers[] = {
    "ld",        "st",       "atom",       "red",       "bar",        "barrier", "mbarrier",
    "cp",        "fence",    "bra",        "brx",       "call",       "ret",     "exit",
    "trap",      "brkpt",    "pmevent",    "nanosleep", "cvta",       "mapa",    "shfl",
    "vote",      "match",    "redux",      "elect",     "activemask", "membar",  "prefetch",
    "prefetchu", "isspacep", "getctarank", "refused"};

std::string operation(const std::string& form) {
  return form.substr(0, form.find_first_of(". "));
}

}  // namespace

const Exemption* exemption(const ptx::Form& form) {
  for (const Exemption& candidate : kExemptions) {
    const std::string& pattern = candidate.form;
    if (pattern.ends_with('*') ? form.name.starts_with(pattern.substr(0, pattern.size() - 1))
                               : form.name == pattern) {
      return &candidate;
    }
  }
  return nullptr;
}

std::vector<Case> all_cases(const ptx::FormTable& table) {
  std::vector<Case> cases;
  for (const ptx::Form* form : table.all()) {
    if (exemption(*form) != nullptr) continue;
    const std::string op = operation(form->name);
    if (op[0] == '%' ||
        std::find(std::begin(kOthers), std::end(kOthers), op) != std::end(kOthers)) {
      continue;
    }
    add_arithmetic_cases(cases, *form);
  }
  return cases;
}

}  // namespace clcsim::conformance
