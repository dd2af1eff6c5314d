#include "exercises/words_of.h"

#include <algorithm>
#include <cctype>

namespace clcsim::exercises {
namespace {

bool begins_name(char sign) {
  return std::isalpha(static_cast<unsigned char>(sign)) != 0 || sign == '_' || sign == '$' ||
         static_cast<unsigned char>(sign) >= 0x80;
}
bool is_in_name(char sign) {
  return begins_name(sign) || std::isdigit(static_cast<unsigned char>(sign)) != 0;
}

// With each character's line.
struct Text {
  std::string signs;
  std::vector<int> lines;
};

// A backslash joins two lines, also with spaces behind it.
Text joined(const std::string& file) {
  Text text;
  int line = 1;
  for (std::size_t i = 0; i < file.size(); ++i) {
    if (file[i] == '\\') {
      const std::size_t next = file.find_first_not_of(" \t\r", i + 1);
      if (next != std::string::npos && file[next] == '\n') {
        ++line, i = next;
        continue;
      }
    }
    text.signs += file[i] == '\r' ? ' ' : file[i];
    text.lines.push_back(line);
    line += file[i] == '\n';
  }
  return text;
}

// The name or number that ends there.
std::string word_before(const std::string& all, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && (is_in_name(all[begin - 1]) || all[begin - 1] == '.' ||
                       (all[begin - 1] == '\'' && all[end] == '\'')))
    --begin;
  return all.substr(begin, end - begin);
}

// Where the text that begins at `i` ends: at its second quote, or with the line.
std::size_t end_of_text(const std::string& all, std::size_t i) {
  static const std::set<std::string> kRaw = {"R", "LR", "uR", "UR", "u8R"};
  if (all[i] == '"' && kRaw.contains(word_before(all, i))) {
    const std::size_t open = all.find('(', i);
    if (open == std::string::npos) return all.size() - 1;
    const std::string end = ")" + all.substr(i + 1, open - i - 1) + "\"";
    const std::size_t at = all.find(end, open);
    return at == std::string::npos ? all.size() - 1 : at + end.size() - 1;
  }
  for (std::size_t at = i + 1; at < all.size(); ++at) {
    if (all[at] == '\\') {
      ++at;
    } else if (all[at] == all[i]) {
      return at;
    } else if (all[at] == '\n') {
      return at - 1;
    }
  }
  return all.size() - 1;
}

std::vector<Line> without_comments(const Text& text) {
  const std::string& all = text.signs;
  std::vector<Line> lines;
  const auto add = [&](std::size_t at, char sign) {
    if (lines.empty()) lines.push_back({text.lines[at], {}, false, {}});
    if (lines.back().text.empty()) lines.back().number = text.lines[at];
    lines.back().text += sign;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.compare(i, 2, "//") == 0) {
      while (i < all.size() && all[i] != '\n') ++i;
    } else if (all.compare(i, 2, "/*") == 0) {
      add(i, ' ');
      i = std::min(all.find("*/", i + 2), all.size() - 2) + 1;
      continue;
    }
    if (i >= all.size()) break;
    if (all[i] == '\n') {
      lines.push_back({text.lines[i] + 1, {}, false, {}});
      continue;
    }
    // 1'000 is no text.
    const std::string before = all[i] == '\'' ? word_before(all, i) : "";
    const bool in_number =
        !before.empty() && std::isdigit(static_cast<unsigned char>(before[0])) != 0;
    const bool begins_text = all[i] == '"' || (all[i] == '\'' && !in_number);
    const std::size_t end = begins_text ? end_of_text(all, i) : i;
    for (; i < end; ++i) add(i, all[i] == '\n' ? ' ' : all[i]);
    add(i, all[i]);
  }
  return lines;
}

std::vector<Word> words_in(const std::string& line) {
  std::vector<Word> words;
  for (std::size_t i = 0; i < line.size();) {
    std::size_t end = i + 1;
    if (std::isspace(static_cast<unsigned char>(line[i])) != 0) {
      i = end;
      continue;
    }
    if (begins_name(line[i])) {
      while (end < line.size() && is_in_name(line[end])) ++end;
      words.push_back({Word::name, line.substr(i, end - i)});
    } else if (std::isdigit(static_cast<unsigned char>(line[i])) != 0) {
      while (end < line.size() && (is_in_name(line[end]) || line[end] == '\'' || line[end] == '.'))
        ++end;
      words.push_back({Word::number, line.substr(i, end - i)});
    } else if (line[i] == '"' || line[i] == '\'') {
      end = end_of_text(line, i) + 1;
      words.push_back({Word::text, line.substr(i + 1, end - i - 2)});
    } else {
      // Two signs that are another way to write one.
      static constexpr const char* kOther[][2] = {{"%:%:", "##"}, {"##", "##"}, {"::", "::"},
                                                  {"<:", "["},    {":>", "]"},  {"<%", "{"},
                                                  {"%>", "}"},    {"%:", "#"}};
      std::string is(1, line[i]);
      for (const auto& [written, meant] : kOther) {
        const std::string sign = written;
        if (line.compare(i, sign.size(), sign) != 0) continue;
        is = meant, end = i + sign.size();
        break;
      }
      words.push_back({Word::sign, is});
    }
    i = end;
  }
  return words;
}

}  // namespace

std::vector<Line> lines_of_code(const std::string& file) {
  std::vector<Line> lines = without_comments(joined(file));
  for (Line& line : lines) {
    line.words = words_in(line.text);
    if (line.words.empty() || !(line.words[0] == "#")) continue;
    line.is_directive = true;
    line.words.erase(line.words.begin());
  }
  return lines;
}

std::set<std::string> names_in(const std::string& file) {
  std::set<std::string> names;
  for (const Line& line : lines_of_code(file))
    for (const Word& word : line.words)
      if (word.kind == Word::name) names.insert(word.is);
  return names;
}

}  // namespace clcsim::exercises
