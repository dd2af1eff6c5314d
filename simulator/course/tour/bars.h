// Bars in a page: text and lines in the page's colours, narrow enough for a phone.
#pragma once

#include <string>
#include <vector>

namespace clcsim::tour {

struct Bar {
  double value = 0;
  std::string says;    // beside it
  bool other = false;  // hatched: of the second kind
};

struct BarRow {
  std::string name;
  std::vector<Bar> bars;
};

struct BarChart {
  std::string says;         // what to see in it: a sentence; empty: something is missing for it
  std::string title;        // what is shown, of what, in which unit
  std::string kind, other;  // what the two kinds of bars are; empty: there is one
  std::vector<BarRow> rows;
  double limit = 0;  // a dashed line; 0: none
  std::string limit_says;
};

/// Classes of bars_style(). It refers to the pattern in bars_patterns(), which the page has once.
std::string drawn(const BarChart& chart);

/// With a colour of report/palette.h for each "$name".
extern const char* const kBarsStyle;
extern const char* const kBarsPatterns;

}  // namespace clcsim::tour
