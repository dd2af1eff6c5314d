#include "tests/checks/template.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace clcsim::test {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first);
}

}  // namespace

std::string Change::at() const {
  const std::size_t from = head.find('@') + 1;
  return head.substr(from, head.find(' ') - from);
}

bool Change::allows(const std::string& name) const {
  return (head + " ").find(" +" + name + " ") != head.npos;
}

Change read_change(const std::string& row) {
  Change change;
  std::size_t from = 0;
  if (const std::size_t bar = row.find(" | "); bar != row.npos) {
    change.head = row.substr(0, row.find_last_not_of(' ', bar) + 1);
    from = bar + 3;
  }
  while (from < row.size()) {
    const std::size_t end = std::min(row.find(" & ", from), row.size());
    const std::string edit = row.substr(from, end - from);
    const std::size_t arrow = edit.find(" ->");
    if (arrow == edit.npos) throw std::runtime_error("no edit: " + edit);
    change.edits.push_back({edit.substr(0, arrow), edit.substr(std::min(arrow + 4, edit.size()))});
    from = end + 3;
  }
  return change;
}

std::string text_of(const Change& change) {
  std::string all = change.head + ": ";
  for (const Edit& edit : change.edits) all += edit.line + " -> '" + edit.text + "'; ";
  return all;
}

Template::Template(const std::string& text) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    Line entry;
    const std::size_t bar = line.find("| ");
    if (bar != std::string::npos && line.find_first_of(" .@%") > bar) {
      entry.name = line.substr(0, bar);
      line = line.substr(bar + 2);
      numbers_[entry.name] = static_cast<unsigned>(lines_.size() + 1);
    }
    entry.text = trimmed(line);
    lines_.push_back(entry);
  }
}

unsigned Template::line(const std::string& name) const {
  const auto entry = numbers_.find(name);
  if (entry == numbers_.end()) throw std::runtime_error("no line is named " + name);
  return entry->second;
}

std::string Template::name(unsigned line) const {
  for (const auto& [name, number] : numbers_) {
    if (number == line) return name;
  }
  return std::to_string(line);
}

std::string Template::module(const std::vector<Edit>& edits) const {
  std::map<std::string, std::string> changed;
  for (const Edit& edit : edits) {
    line(edit.line);  // must exist
    changed[edit.line] = edit.text;
  }
  std::string result = ".version 8.7\n.target sm_100a\n.address_size 64\n.file 1 \"kernel.ptx\"\n";
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    std::string text = lines_[i].text;
    const auto edit = changed.find(lines_[i].name);
    if (!lines_[i].name.empty() && edit != changed.end()) {
      const std::size_t same = edit->second.find("same");
      text = same == std::string::npos
                 ? edit->second
                 : edit->second.substr(0, same) + text + edit->second.substr(same + 4);
    }
    const bool instruction = !text.empty() && text.back() == ';' && text.front() != '.';
    if (instruction) {
      // Each instruction of a line gets the same place.
      const std::string place = ".loc 1 " + std::to_string(i + 1) + " 0\n";
      std::string placed;
      std::size_t from = 0;
      int depth = 0;
      for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '{') ++depth;
        if (text[at] == '}') --depth;
        if (text[at] != ';' || depth != 0) continue;
        placed += place + trimmed(text.substr(from, at + 1 - from)) + "\n";
        from = at + 1;
      }
      text = placed;
    }
    result += text + "\n";
  }
  return result;
}

}  // namespace clcsim::test
