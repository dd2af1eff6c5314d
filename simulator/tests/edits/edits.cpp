#include "tests/edits/edits.h"

#include <cstddef>
#include <set>
#include <sstream>

namespace clcsim::test {
namespace {

[[noreturn]] void fail(unsigned line, const std::string& what) {
  throw BadEdit(std::to_string(line) + ": " + what);
}

Variant read_head(const std::string& head, unsigned line) {
  const std::size_t colon = head.find(": ");
  if (colon == std::string::npos || colon == 0 || colon + 2 == head.size())
    fail(line, "a variant begins with \"== name: what is expected\"");
  return {.name = head.substr(0, colon), .expected = head.substr(colon + 2), .edits = {}};
}

// Places where `part`, whole lines, stands in `text`: counted up to 2.
int occurrences(const std::string& text, const std::string& part, std::size_t& place) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos && count < 2;
       at = text.find(part, at + 1)) {
    if (at != 0 && text[at - 1] != '\n') continue;
    place = at;
    ++count;
  }
  return count;
}

}  // namespace

std::vector<Variant> read_variants(const std::string& text) {
  std::vector<Variant> variants;
  std::set<std::string> names;
  bool editing = false;  // after a "@@"
  unsigned number = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("== ")) {
      if (!variants.empty() && variants.back().edits.empty())
        fail(number, variants.back().name + " edits nothing");
      variants.push_back(read_head(line.substr(3), number));
      if (!names.insert(variants.back().name).second)
        fail(number, "a second variant is named " + variants.back().name);
      editing = false;
    } else if (line == "@@") {
      if (variants.empty()) fail(number, "an edit before the first variant");
      variants.back().edits.push_back({.from = {}, .to = {}, .line = number});
      editing = true;
    } else if (line.empty()) {
      editing = false;  // a variant ends with an empty line, or with the file
    } else if (editing) {
      Edit& edit = variants.back().edits.back();
      const char kind = line[0];
      if (kind != ' ' && kind != '-' && kind != '+')
        fail(number, "an edit's line begins with a space, - or +");
      const std::string rest = line.substr(1) + "\n";
      if (kind != '+') edit.from += rest;
      if (kind != '-') edit.to += rest;
    }
  }
  if (!variants.empty() && variants.back().edits.empty())
    fail(number, variants.back().name + " edits nothing");
  return variants;
}

std::string edited(const Variant& variant, const std::string& source) {
  std::string text = source;
  for (const Edit& edit : variant.edits) {
    if (edit.from == edit.to) fail(edit.line, "this edit changes nothing");
    std::size_t place = 0;
    const int count = edit.from.empty() ? 0 : occurrences(source, edit.from, place);
    if (count != 1)
      fail(edit.line, (count == 0 ? "the source lacks" : "more than one place has") +
                          std::string(" these lines, which ") + variant.name + " edits:\n" +
                          edit.from);
    if (occurrences(text, edit.from, place) != 1)
      fail(edit.line, "another edit of " + variant.name + " changes these lines, too");
    text.replace(place, edit.from.size(), edit.to);
  }
  return text;
}

}  // namespace clcsim::test
