#include "edits/edits.h"

#include <cstddef>
#include <set>
#include <sstream>

namespace clcsim::edits {
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

// Where `part`, whole lines, stands in `text` from `at` on.
std::size_t find_lines(const std::string& text, const std::string& part, std::size_t at) {
  for (at = text.find(part, at); at != text.npos; at = text.find(part, at + 1))
    if (at == 0 || text[at - 1] == '\n') break;
  return at;
}

struct Found {
  int times = 0;  // up to 2
  std::size_t begin = 0, end = 0;
};

Found find(const std::string& text, const Edit& edit) {
  Found found;
  if (edit.from.empty()) return found;
  for (std::size_t at = 0; found.times < 2; ++at) {
    at = find_lines(text, edit.from, at);
    if (at == text.npos) break;
    std::size_t end = at + edit.from.size();
    if (edit.reaches) end = find_lines(text, edit.until, end);
    if (end == text.npos) break;
    ++found.times;
    found.begin = at;
    found.end = end + edit.until.size();
  }
  return found;
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
      variants.back().edits.push_back({.line = number});
      editing = true;
    } else if (line.empty()) {
      editing = false;  // a variant ends with an empty line, or with the file
    } else if (editing) {
      Edit& edit = variants.back().edits.back();
      const char kind = line[0];
      if (kind != ' ' && kind != '-' && kind != '+')
        fail(number, "an edit's line begins with a space, - or +");
      if (line == "-...") {
        if (edit.reaches || edit.from.empty()) fail(number, "lines before \"-...\", and one of it");
        edit.reaches = true;
        continue;
      }
      const std::string rest = line.substr(1) + "\n";
      if (kind != '+') (edit.reaches ? edit.until : edit.from) += rest;
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
    if (edit.reaches ? edit.until.empty() : edit.from == edit.to)
      fail(edit.line, edit.reaches ? "\"-...\" has no end" : "this edit changes nothing");
    const Found original = find(source, edit), now = find(text, edit);
    if (original.times != 1)
      fail(edit.line, (original.times == 0 ? "the source lacks" : "more than one place has") +
                          std::string(" these lines, which ") + variant.name + " edits:\n" +
                          edit.from + (edit.reaches ? "...\n" + edit.until : ""));
    if (now.times != 1 || source.compare(original.begin, original.end - original.begin, text,
                                         now.begin, now.end - now.begin) != 0)
      fail(edit.line, "another edit of " + variant.name + " changes these lines, too");
    text.replace(now.begin, now.end - now.begin, edit.to);
  }
  return text;
}

}  // namespace clcsim::edits
