#include "report/form_groups.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace clcsim::report {
namespace {

using Patterns = std::set<Pattern>;

constexpr std::size_t kAllOrders = 5;  // parts up to which every order of merging is tried

Pattern split(const std::string& name) {
  Pattern parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    parts.push_back({name.substr(begin, end - begin)});
    begin = end + 1;
  }
  return parts;
}

std::vector<std::string> united(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end());
  return a;
}

// Merges the patterns that differ in one part only, which is the `place`-th from the end.
Patterns merge_at(const Patterns& patterns, std::size_t place) {
  std::map<Pattern, Pattern> merged;  // by the pattern without the part
  Patterns result;
  for (const Pattern& pattern : patterns) {
    if (place >= pattern.size()) {
      result.insert(pattern);
      continue;
    }
    const std::size_t part = pattern.size() - 1 - place;
    Pattern key = pattern;
    key[part] = {"*"};
    const auto [known, is_new] = merged.try_emplace(std::move(key), pattern);
    if (!is_new) known->second[part] = united(known->second[part], pattern[part]);
  }
  for (const auto& [key, pattern] : merged) result.insert(pattern);
  return result;
}

// Where a pattern is another one without a part, that part may be left out.
bool merge_optional(Patterns& patterns) {
  for (const Pattern& pattern : patterns) {
    for (std::size_t part = 0; part < pattern.size(); ++part) {
      if (pattern[part].front().empty()) continue;  // sorted: "" comes first
      Pattern shorter = pattern;
      shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(part));
      if (patterns.count(shorter) == 0) continue;
      Pattern both = pattern;
      both[part] = united({""}, both[part]);
      patterns.erase(shorter);
      patterns.erase(Pattern(pattern));
      patterns.insert(std::move(both));
      return true;
    }
  }
  return false;
}

Patterns merge_in_order(Patterns patterns, const std::vector<std::size_t>& places) {
  for (std::size_t before = patterns.size() + 1; patterns.size() < before;) {
    before = patterns.size();
    for (const std::size_t place : places) patterns = merge_at(patterns, place);
    while (merge_optional(patterns)) {
    }
  }
  return patterns;
}

// Sorts b8 before b16.
bool natural_less(const std::string& a, const std::string& b) {
  const auto key = [](const std::string& text) {
    const std::size_t digit = std::min(text.find_first_of("0123456789"), text.size());
    int number = 0;
    std::from_chars(text.data() + digit, text.data() + text.size(), number);
    return std::tuple(text.substr(0, digit), number, text);
  };
  return key(a) < key(b);
}

}  // namespace

std::vector<Pattern> group(const std::vector<std::string>& names) {
  std::map<std::string, Patterns> families;  // by the first part
  for (const std::string& name : names) {
    Pattern pattern = split(name);
    const std::string family = pattern[0][0];
    families[family].insert(std::move(pattern));
  }
  std::vector<Pattern> result;
  for (const auto& [family, patterns] : families) {
    std::size_t longest = 0;
    for (const Pattern& pattern : patterns) longest = std::max(longest, pattern.size());
    std::vector<std::size_t> places(longest);
    std::iota(places.begin(), places.end(), 0);
    Patterns best = merge_in_order(patterns, places);
    while (longest <= kAllOrders && std::next_permutation(places.begin(), places.end())) {
      Patterns other = merge_in_order(patterns, places);
      if (other.size() < best.size()) best = std::move(other);
    }
    std::vector<Pattern> sorted(best.begin(), best.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Pattern& a, const Pattern& b) { return a.size() < b.size(); });
    result.insert(result.end(), sorted.begin(), sorted.end());
  }
  return result;
}

std::string text_of(const Pattern& pattern) {
  std::string text;
  for (std::size_t part = 0; part < pattern.size(); ++part) {
    std::vector<std::string> words = pattern[part];
    const bool optional = words.front().empty();
    if (optional) words.erase(words.begin());
    std::sort(words.begin(), words.end(), natural_less);
    std::string list = part == 0 ? "" : ".";
    if (words.size() > 1) list += "{";
    for (std::size_t i = 0; i < words.size(); ++i) list += (i == 0 ? "" : ",") + words[i];
    if (words.size() > 1) list += "}";
    text += optional ? "[" + list + "]" : list;
  }
  return text;
}

std::vector<std::string> expand(const Pattern& pattern) {
  std::vector<std::string> names = {""};
  for (const std::vector<std::string>& part : pattern) {
    std::vector<std::string> longer;
    for (const std::string& name : names) {
      for (const std::string& word : part) {
        longer.push_back(word.empty() ? name : name.empty() ? word : name + "." + word);
      }
    }
    names = std::move(longer);
  }
  return names;
}

}  // namespace clcsim::report
