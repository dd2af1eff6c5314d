#include "tests/pages/sources.h"

#include <algorithm>
#include <cstdlib>

namespace clcsim::pages {
namespace {

std::string without_indent(const std::string& line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

}  // namespace

Lines region(const std::string& file, const std::string& name) {
  Lines found;
  bool inside = false;
  int begun = 0, ended = 0;
  for (const std::string& line : read_lines(file)) {
    const std::string words = without_indent(line);
    if (words == "// [/" + name + "]") {
      inside = false;
      ++ended;
    } else if (inside) {
      found.push_back(line);
    } else if (words == "// [" + name + "]") {
      inside = true;
      ++begun;
    }
  }
  if (begun != 1 || ended != 1)
    throw Wrong(file + " must have one region, from a line // [" + name + "] to a line // [/" +
                name + "]");
  return found;
}

Lines excerpt(const Lines& region, const Lines& block) {
  if (block.empty()) return region;
  // Lines such as `}` stand in a region more than once: the part whose length is nearest to the
  // block's is meant.
  const auto too_long = [&](std::size_t begin, std::size_t end) {
    return std::abs(std::ptrdiff_t(end - begin) - std::ptrdiff_t(block.size()));
  };
  const auto same = std::search(region.begin(), region.end(), block.begin(), block.end());
  if (same != region.end()) return block;
  std::size_t best = 0, best_end = 0;
  for (std::size_t i = 0; i < region.size(); ++i)
    for (std::size_t end = i + 1; end <= region.size(); ++end)
      if (region[i] == block.front() && region[end - 1] == block.back() &&
          (best_end == 0 || too_long(i, end) < too_long(best, best_end)))
        best = i, best_end = end;
  if (best_end == 0)
    throw Wrong(
        "the region has no part that begins and ends with these lines; write its first and last "
        "line\n  " +
        block.front() + "\n  " + block.back());
  return {region.begin() + std::ptrdiff_t(best), region.begin() + std::ptrdiff_t(best_end)};
}

Lines broken_and_repaired(const Lines& region) {
  Lines all;
  char sign = ' ';
  for (const std::string& line : region) {
    if (line == "#ifdef BROKEN")
      sign = '-';
    else if (line == "#ifndef BROKEN")
      sign = '+';
    else if (line == "#else")
      sign = sign == '-' ? '+' : '-';
    else if (line == "#endif")
      sign = ' ';
    else
      all.push_back(sign + line);
  }
  const auto changed = [&](std::size_t i) { return i < all.size() && all[i][0] != ' '; };
  Lines shown;
  std::size_t next = 0;  // the line after the last one shown
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!changed(i) && !changed(i + 1) && (i == 0 || !changed(i - 1))) continue;
    if (!shown.empty() && next != i) shown.push_back("@@");
    shown.push_back(all[i]);
    next = i + 1;
  }
  return shown;
}

}  // namespace clcsim::pages
