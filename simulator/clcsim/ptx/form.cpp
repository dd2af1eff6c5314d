#include "ptx/form.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace clcsim::ptx {

std::vector<OperandSpec> parse_signature(std::string_view text) {
  std::vector<OperandSpec> result;
  std::size_t i = 0;
  while (i < text.size()) {
    if (text[i] == ' ') {
      ++i;
      continue;
    }
    OperandSpec spec;
    if (text[i] == ',') {
      spec.inside = true;
      ++i;
    }
    if (text[i] == '=') {
      spec.destination = true;
      ++i;
    }
    constexpr std::string_view kKinds = "prfldxqaiLB";
    if (i == text.size() || kKinds.find(text[i]) == kKinds.npos) {
      std::fprintf(stderr, "clcsim: bug: bad signature \"%.*s\"\n", static_cast<int>(text.size()),
                   text.data());
      std::abort();
    }
    spec.kind = text[i++];
    if (i < text.size() && text[i] >= '1' && text[i] <= '9') {
      spec.vector = true;
      for (spec.count = 0; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
        spec.count = 10 * spec.count + static_cast<std::uint32_t>(text[i] - '0');
      }
    }
    if (i < text.size() && text[i] == '?') {
      spec.optional = true;
      ++i;
    }
    result.push_back(spec);
  }
  return result;
}

void FormTable::add(Form form) {
  const auto [signature, is_new] = signatures_.try_emplace(form.signature);
  if (is_new) signature->second = parse_signature(form.signature);
  form.operands = signature->second;
  form.is_long = entries_of(form.operands) + form.extra.has_value() > kShortOperands;
  forms_[form.name].push_back(std::move(form));
}

std::span<const Form> FormTable::find(std::string_view name) const {
  const auto entry = forms_.find(std::string(name));
  if (entry == forms_.end()) return {};
  return entry->second;
}

std::vector<const Form*> FormTable::all() const {
  std::vector<const Form*> result;
  for (const auto& [name, forms] : forms_) {
    for (const Form& form : forms) result.push_back(&form);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Form* a, const Form* b) { return a->name < b->name; });
  return result;
}

}  // namespace clcsim::ptx
