#include "tests/pages/statements.h"

#include <algorithm>
#include <set>

#include "tests/pages/course.h"

namespace clcsim::pages {
namespace {

const std::string kStatementOpen = "<!-- open: ", kStatementClose = " -->",
                  kHardware = "**On hardware:** ";

// A paragraph, an item of a list, or a row of a table, on one line.
struct Passage {
  std::string heading, text;
  std::size_t line = 0;
  bool row() const { return text.starts_with("|"); }
};

// Takes "- " or "1. " away; whether it was there.
bool take_bullet(std::string& line) {
  std::size_t after = line.find_first_not_of("0123456789");
  if (line.starts_with("- "))
    after = 2;
  else if (after != 0 && after != line.npos && line.compare(after, 2, ". ") == 0)
    after += 2;
  else
    return false;
  line.erase(0, after);
  return true;
}

std::vector<Passage> blocks_of(const Lines& lines) {
  std::vector<Passage> blocks;
  std::string heading;
  bool fenced = false, open = false;  // a block that the next line continues
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string line = lines[i];
    line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
    if (line.starts_with("```")) fenced = !fenced;
    if (fenced || line.empty() || line.starts_with("```")) {
      open = false;
      continue;
    }
    if (line.starts_with("#")) {
      heading = line.substr(line.find(' ') + 1);
      std::erase(heading, '`');
      open = false;
      continue;
    }
    const bool bullet = take_bullet(line);
    if (bullet || line.starts_with("|")) open = false;
    if (!open)
      blocks.push_back({.heading = heading, .text = line, .line = i + 1});
    else
      blocks.back().text += " " + line;
    open = !line.starts_with("|");
  }
  return blocks;
}

bool ends_sentence(const std::string& text, std::size_t at) {
  return (text[at] == '.' || text[at] == '?') && (at + 1 == text.size() || text[at + 1] == ' ');
}

std::string first_sentence(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (ends_sentence(text, i)) return text.substr(0, i + 1);
  return text;
}

std::string last_sentence(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  for (std::size_t i = text.size() - 1; i-- > 0;)
    if (ends_sentence(text, i)) return text.substr(i + 2);
  return text;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

// A row's cells, with a semicolon between them.
std::string cells(std::string row) {
  const std::size_t open = row.find(kStatementOpen);
  row.erase(open, row.find(kStatementClose, open) + kStatementClose.size() - open);
  const std::size_t begin = row.find_first_not_of("| "), end = row.find_last_not_of("| ");
  row = row.substr(begin, end + 1 - begin);
  replace_all(row, " | ", "; ");
  return row;
}

std::string in_a_cell(std::string text) {
  replace_all(text, "|", "\\|");
  for (std::size_t at; (at = text.find("](")) != text.npos;)
    text.erase(at, text.find(')', at) + 1 - at);
  std::erase(text, '[');
  return text;
}

std::set<std::string> probes() {
  std::set<std::string> names = {"periodic", "preemption", "report"};  // of clc_measure
  for (const std::string& line : read_lines("simulator/course/hardware/predictions/b200.txt"))
    names.insert(line.substr(0, line.find('.')));
  return names;
}

}  // namespace

Lines statements() {
  const std::set<std::string> known = probes();
  Lines table = {"| where | statement | probe |", "|---|---|---|"};
  Lines pages = lines_of(run("git ls-files '*.md'").out);
  std::sort(pages.begin(), pages.end());
  for (const std::string& page : pages) {
    if (page.ends_with("STATEMENTS.md")) continue;
    for (Passage& block : blocks_of(read_lines(page))) {
      const auto add = [&](const std::string& statement, const std::string& probe) {
        table.push_back("| " + page + ", " + block.heading + " | " + in_a_cell(statement) + " | `" +
                        probe + "` |");
      };
      if (block.text.starts_with(kHardware))
        add(first_sentence(block.text.substr(kHardware.size())), "pitfall-" + block.heading);
      for (std::size_t at = 0; (at = block.text.find(kStatementOpen, at)) != block.text.npos;) {
        const std::string where = page + ":" + std::to_string(block.line) + ": ";
        if (at > 0 && block.text[at - 1] == '`') {  // told of, not used
          ++at;
          continue;
        }
        if (at == 0)
          throw Wrong(where + "a mark <!-- open: ... --> stands after its sentence, not before");
        const std::size_t name = at + kStatementOpen.size(),
                          end = block.text.find(kStatementClose, name);
        const std::string probe = block.text.substr(name, end - name);
        if (!known.contains(probe)) throw Wrong(where + "there is no probe " + probe);
        add(block.row() ? cells(block.text) : last_sentence(block.text.substr(0, at)), probe);
        block.text.erase(at, end + kStatementClose.size() - at);
      }
    }
  }
  return table;
}

}  // namespace clcsim::pages
