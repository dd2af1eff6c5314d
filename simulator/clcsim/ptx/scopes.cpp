#include "ptx/scopes.h"

#include <charconv>

namespace clcsim::ptx {
namespace {

constexpr std::string_view kComponents = "xyzw";
constexpr std::string_view kColourComponents = "rgba";

// 0 to 3, or -1.
int component_of(std::string_view suffix) {
  if (suffix.size() != 1) return -1;
  std::size_t place = kComponents.find(suffix);
  if (place == std::string_view::npos) place = kColourComponents.find(suffix);
  return place == std::string_view::npos ? -1 : static_cast<int>(place);
}

}  // namespace

void Scopes::close() {
  const std::size_t start = starts_.back();
  starts_.pop_back();
  while (entries_.size() > start) {
    const Entry& entry = entries_.back();
    EntryByName& names = entry.kind == Entry::Kind::kRange ? ranges_ : names_;
    if (entry.hidden == ast::kNone) {
      names.erase(entry.name);
    } else {
      names[entry.name] = entry.hidden;
    }
    entries_.pop_back();
  }
}

bool Scopes::declare(EntryByName& names, Entry entry) {
  entry.depth = depth();
  entry.hidden = ast::kNone;
  const auto index = static_cast<std::uint32_t>(entries_.size());
  const auto [place, is_new] = names.try_emplace(entry.name, index);
  if (!is_new) {
    if (entries_[place->second].depth == entry.depth) return false;
    entry.hidden = place->second;
    place->second = index;
  }
  entries_.push_back(entry);
  return true;
}

bool Scopes::declare_register(std::string_view name, ast::ScalarType type, unsigned width) {
  return declare(names_, {Entry::Kind::kRegister, type, static_cast<std::uint8_t>(width),
                          ast::kNone, 0, 0, 0, name, 0});
}

bool Scopes::declare_variable(std::string_view name, std::uint32_t index) {
  return declare(names_,
                 {Entry::Kind::kVariable, ast::ScalarType::kB8, 1, index, 0, 0, 0, name, 0});
}

bool Scopes::declare_range(std::string_view name, std::uint64_t count, ast::ScalarType type,
                           unsigned width) {
  return declare(ranges_, {Entry::Kind::kRange, type, static_cast<std::uint8_t>(width), ast::kNone,
                           0, 0, count, name, next_serial_++});
}

std::uint32_t Scopes::add_register(std::string_view name, ast::ScalarType type, unsigned width) {
  const auto index = static_cast<std::uint32_t>(registers_.size());
  if (width == 1) {
    registers_.push_back({type, name});
    return index;
  }
  for (unsigned i = 0; i < width; ++i) {
    std::vector<char>& made = made_names_.emplace_back(name.begin(), name.end());
    made.push_back('.');
    made.push_back(kComponents[i]);
    registers_.push_back({type, {made.data(), made.size()}});
  }
  return index;
}

Scopes::Found Scopes::find_whole(std::string_view name) {
  Entry* entry = nullptr;
  if (const auto found = names_.find(name); found != names_.end()) {
    entry = &entries_[found->second];
  }
  // name = prefix and number, without leading zeros
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  std::uint32_t number = 0;
  const bool numbered =
      digits < name.size() && (name[digits] != '0' || digits + 1 == name.size()) &&
      std::from_chars(name.data() + digits, name.data() + name.size(), number).ec == std::errc();
  if (numbered) {
    auto found = ranges_.find(name.substr(0, digits));
    std::uint32_t index = found == ranges_.end() ? ast::kNone : found->second;
    // A range that is too short for this number does not hide a longer one further out.
    while (index != ast::kNone && entries_[index].count <= number) index = entries_[index].hidden;
    if (index != ast::kNone && (!entry || entries_[index].depth > entry->depth)) {
      const Entry& range = entries_[index];
      const std::uint64_t key = std::uint64_t{range.serial} << 32 | number;
      const auto [place, is_new] = range_registers_.try_emplace(key, 0);
      if (is_new) place->second = add_register(name, range.type, range.width);
      return {Found::Kind::kRegister, place->second, range.width};
    }
  }
  if (!entry) return {};
  if (entry->kind == Entry::Kind::kVariable) return {Found::Kind::kVariable, entry->index, 1};
  if (entry->index == ast::kNone) {
    entry->index = add_register(entry->name, entry->type, entry->width);
  }
  return {Found::Kind::kRegister, entry->index, entry->width};
}

Scopes::Found Scopes::find(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return find_whole(name);
  const int component = component_of(name.substr(dot + 1));
  if (component < 0) return {};
  Found found = find_whole(name.substr(0, dot));
  if (found.kind != Found::Kind::kRegister || static_cast<unsigned>(component) >= found.width ||
      found.width == 1) {
    return {};
  }
  found.index += component;
  found.width = 1;
  return found;
}

void Labels::open() {
  parents_.push_back(current_);
  current_ = static_cast<std::uint32_t>(parents_.size() - 1);
}

bool Labels::declare(std::string_view name, Label label) {
  return labels_.try_emplace({current_, name}, label).second;
}

const Labels::Label* Labels::find(std::uint32_t scope, std::string_view name) const {
  for (; scope != ast::kNone; scope = parents_[scope]) {
    if (const auto found = labels_.find({scope, name}); found != labels_.end()) {
      return &found->second;
    }
  }
  return nullptr;
}

}  // namespace clcsim::ptx
