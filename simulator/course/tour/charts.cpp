#include "tour/charts.h"

#include <cmath>

#include "report/palette.h"
#include "report/svg.h"

namespace clcsim::tour {
namespace {

// CLC is green, as its stolen tiles are elsewhere. The others are grey and blue, and their marks
// differ.
constexpr const char* kStyle =
    "text{font:14px Geist,-apple-system,\"Segoe UI\",Roboto,Arial,sans-serif;fill:$text}"
    ".title{font-weight:600}.soft{font-size:13px;fill:$soft}.end{text-anchor:end}"
    ".middle{text-anchor:middle}.card{fill:$page;stroke:$rule}.grid{stroke:$rule;fill:none}"
    ".band{fill:$field}.clc{fill:$good;stroke:$good;stroke-width:2.5}"
    ".yes,.grey{fill:$soft;stroke:$soft}.pale{fill:$line;stroke:$line}"
    ".blue{fill:$mark;stroke:$mark}.no{fill:$bad;stroke:$bad}.limit{stroke-dasharray:3 3}"
    ".from{font-size:13px;fill:$bad}"
    ".way{fill:none;stroke-width:1.5}.clc.way{stroke-width:2.5}.leader.leader{stroke-width:1}\n";

}  // namespace

std::string text_at(double x, double y, const std::string& style, const std::string& words) {
  return "<text class=\"" + style + "\" x=\"" + report::svg::tenths(std::llround(10 * x)) +
         "\" y=\"" + report::svg::tenths(std::llround(10 * y)) + "\">" + words + "</text>\n";
}

std::string card(int width, int height, const std::string& title, const std::string& body) {
  const std::string wide = std::to_string(width), high = std::to_string(height);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + wide + " " + high +
         "\" width=\"" + wide + "\" height=\"" + high + "\" role=\"img\">\n<title>" + title +
         "</title>\n<style>" + report::coloured(kStyle, false) +
         "@media (prefers-color-scheme:dark){" + report::coloured(kStyle, true) +
         "}</style>\n<rect class=\"card\" x=\".5\" y=\".5\" width=\"" + std::to_string(width - 1) +
         "\" height=\"" + std::to_string(height - 1) + "\" rx=\"6\"/>\n" +
         text_at(14, 26, "title", title) + body + "</svg>\n";
}

}  // namespace clcsim::tour
