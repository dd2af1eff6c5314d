#include "exercises/page.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>

namespace clcsim::exercises {
namespace {

constexpr std::size_t kWidth = 80, kWidest = 120;

std::size_t width_of_terminal() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return kWidth;
  return std::min<std::size_t>(size.ws_col, kWidest);
}

}  // namespace

std::string folded(const std::string& text, std::size_t width) {
  std::istringstream lines(text);
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
    const std::string indent(start == 0 ? 0 : std::min(start + 2, width / 2), ' ');
    while (line.size() > width && !line.starts_with("  this run again: ")) {  // to be pasted
      std::size_t at = line.rfind(' ', width);
      if (at == line.npos || at <= indent.size()) at = line.find(' ', width);  // a long word stays
      if (at == line.npos) break;
      all += line.substr(0, at) + '\n';
      line = indent + line.substr(at + 1);
    }
    all += line + '\n';
  }
  return all;
}

void print(const std::string& text) {
  std::cout << folded(text, width_of_terminal()) << std::flush;
}

std::string task_of(const Exercise& exercise) {
  std::string number = exercise.id;
  std::ranges::replace(number, '_', '.');
  std::ifstream page(exercise.folder().parent_path() / "README.md");
  std::string text;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) inside = line.starts_with("## " + number + " ");
    if (inside) text += line.empty() ? "\n\n" : line + ' ';  // a paragraph is one line
  }
  static const std::regex link(R"(\[([^\]]*)\]\([^)]*\))"), heading("^## ([^ ]+) ([^\n]*)");
  text = std::regex_replace(text, link, "$1");
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return std::regex_replace(text, heading, "Exercise $1: $2") + '\n';
}

}  // namespace clcsim::exercises
