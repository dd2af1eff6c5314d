#include "tour/bars.h"

#include <algorithm>
#include <cmath>

#include "report/svg.h"

namespace clcsim::tour {
namespace {

using report::svg::escape;
using report::svg::tenths;
using report::svg::text_width;

constexpr int kBarsWidth = 480, kBarHeight = 14, kFont = 13;

std::string text_at(double x, int y, const std::string& style, const std::string& words) {
  return "<text class=\"ba-text" + style + "\" x=\"" + tenths(std::llround(10 * x)) + "\" y=\"" +
         std::to_string(y) + "\">" + escape(words) + "</text>\n";
}

std::string bar_at(double width, int y, bool other) {
  const std::string place = " x=\"0.5\" y=\"" + std::to_string(y) + ".5\" width=\"" +
                            tenths(std::llround(10 * std::max(width, 1.0))) + "\" height=\"" +
                            std::to_string(kBarHeight - 2) + "\"/>\n";
  return "<rect class=\"" + std::string(other ? "ba-other" : "ba-bar") + "\"" + place +
         (other ? "<rect class=\"ba-hatch\"" + place : "");
}

}  // namespace

const char* const kBarsStyle =
    R"css(.ba-text{font-size:13px;fill:$text;stroke:$page;stroke-width:2.5px;paint-order:stroke}
.ba-name{font-weight:600}
.ba-end{text-anchor:end}
.ba-bar{fill:$c0;stroke:$text}
.ba-other{fill:$c1;stroke:$text}
.ba-hatch{fill:url(#ba-stripes)}
.ba-edge{stroke:$page;stroke-width:3px;fill:none}
.ba-limit{stroke:$text;stroke-dasharray:5 3;fill:none}
)css";

const char* const kBarsPatterns =
    R"svg(<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs><pattern id="ba-stripes" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0v5" stroke="$ink" stroke-opacity=".6" stroke-width="2"/></pattern></defs></svg>
)svg";

std::string drawn(const BarChart& chart) {
  double most = chart.limit;
  int words = 0;
  for (const BarRow& row : chart.rows) {
    for (const Bar& bar : row.bars) {
      most = std::max(most, bar.value);
      words = std::max(words, text_width(bar.says, kFont));
    }
  }
  const double scale = (kBarsWidth - words - 12) / (most > 0 ? most : 1);

  const double limit = scale * chart.limit;
  std::string bars, texts, line;  // bars, the limit beside them, and words
  int y = 2;
  if (!chart.other.empty()) {
    for (const bool other : {false, true}) {
      bars += bar_at(24, y, other);
      texts += text_at(32, y + 11, "", other ? chart.other : chart.kind);
      y += 19;
    }
    y += 4;
  }
  for (const BarRow& row : chart.rows) {
    texts += text_at(0, y + 13, " ba-name", row.name);
    y += 18;
    line += "M" + tenths(std::llround(10 * limit)) + " " + std::to_string(y - 2);
    for (const Bar& bar : row.bars) {
      double x = scale * bar.value + 6;
      const int width = text_width(bar.says, kFont);
      if (x < limit && x + width > limit && limit + 6 + width < kBarsWidth) x = limit + 6;
      bars += bar_at(scale * bar.value, y, bar.other);
      texts += text_at(x, y + 11, "", bar.says);
      y += kBarHeight;
    }
    line += "V" + std::to_string(y);
    y += 5;
  }
  if (chart.limit > 0) {
    const bool left = limit > kBarsWidth / 2.0;
    line += "M" + tenths(std::llround(10 * limit)) + " " + std::to_string(y - 3) + "V" +
            std::to_string(y + 14);
    bars += "<path class=\"ba-edge\" d=\"" + line + "\"/>\n<path class=\"ba-limit\" d=\"" + line +
            "\"/>\n";
    texts += text_at(limit + (left ? -6 : 6), y + 12, left ? " ba-end" : "", chart.limit_says);
    y += 18;
  }
  return "<svg viewBox=\"0 0 " + std::to_string(kBarsWidth) + " " + std::to_string(y) +
         "\" role=\"img\" aria-label=\"" +
         escape("Bars: " + chart.title + ". The table below has the numbers.") + "\">\n" + bars +
         texts + "</svg>\n";
}

}  // namespace clcsim::tour
