#include "tests/pages/page.h"

#include <fstream>
#include <sstream>

#include "tests/pages/course.h"

namespace clcsim::pages {
namespace {

const std::string kOpen = "<!-- ", kClose = " -->";

bool is_fence(const std::string& line) {
  return line.starts_with("```");
}

std::size_t end_of_fence(const Page& page, std::size_t fence) {
  for (std::size_t i = fence + 1; i < page.lines.size(); ++i)
    if (page.lines[i] == "```") return i;
  throw Wrong(page.path + ":" + std::to_string(fence + 1) + ": nothing ends this block");
}

Mark read_mark(const Page& page, std::size_t at) {
  const std::string& line = page.lines[at];
  Mark mark;
  mark.at = at;
  const std::size_t colon = line.find(": ");
  mark.kind = line.substr(kOpen.size(), colon - kOpen.size());
  mark.argument = line.substr(colon + 2, line.size() - kClose.size() - colon - 2);
  mark.first = mark.end = at + 1;
  if (mark.first == page.lines.size()) return mark;
  if (is_fence(page.lines[mark.first])) {
    mark.language = page.lines[mark.first].substr(3);
    mark.end = end_of_fence(page, mark.first);
    ++mark.first;
  } else {
    while (mark.end < page.lines.size() && !page.lines[mark.end].empty()) ++mark.end;
  }
  return mark;
}

}  // namespace

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string text_of(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

Lines read_lines(const std::string& path) {
  std::ifstream file(course() / path, std::ios::binary);
  if (!file) throw Wrong(path + " can't be read");
  std::ostringstream text;
  text << file.rdbuf();
  return lines_of(text.str());
}

Page read_page(const std::string& path) {
  Page page = {.path = path, .lines = read_lines(path), .marks = {}};
  for (std::size_t i = 0; i < page.lines.size(); ++i) {
    const std::string& line = page.lines[i];
    if (is_fence(line)) {
      i = end_of_fence(page, i);
      continue;
    }
    if (!line.starts_with(kOpen) || !line.ends_with(kClose) || line.find(": ") == line.npos)
      continue;
    if (i > 0 && !page.lines[i - 1].empty())
      throw Wrong(
          path + ":" + std::to_string(i + 1) +
          ": this mark ends the paragraph before it; put an empty line between, or the mark "
          "after a sentence's last word");
    page.marks.push_back(read_mark(page, i));
  }
  return page;
}

void write_block(Page& page, const Mark& mark, const Lines& block) {
  const auto begin = page.lines.begin();
  page.lines.erase(begin + std::ptrdiff_t(mark.first), begin + std::ptrdiff_t(mark.end));
  page.lines.insert(page.lines.begin() + std::ptrdiff_t(mark.first), block.begin(), block.end());
}

void write_page(const Page& page) {
  std::ofstream file(course() / page.path, std::ios::binary);
  file << text_of(page.lines) << std::flush;
  if (!file) throw Wrong(page.path + " can't be written");
}

}  // namespace clcsim::pages
