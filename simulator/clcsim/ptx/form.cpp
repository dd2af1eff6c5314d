#include "ptx/form.h"

#include <algorithm>

namespace clcsim::ptx {

void FormTable::add(Form form) {
  const auto [signature, is_new] = signatures_.try_emplace(form.signature);
  if (is_new) signature->second = parse_signature(form.signature);
  form.operands = signature->second;
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
