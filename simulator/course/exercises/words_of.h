// A C++ file as words: what is left when the preprocessor has joined lines and dropped comments.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace clcsim::exercises {

struct Word {
  enum Kind { name, number, text, sign } kind;
  std::string is;  ///< a text without its quotes
  bool operator==(const char* other) const { return kind != text && is == other; }
};

/// A line as the compiler sees it, with `number` of the first one that it was made of.
struct Line {
  int number;
  std::string text;  ///< with texts, without comments
  bool is_directive = false;
  std::vector<Word> words;  ///< of a directive: those after the #
};

std::vector<Line> lines_of_code(const std::string& file);

/// All names in it.
std::set<std::string> names_in(const std::string& file);

}  // namespace clcsim::exercises
