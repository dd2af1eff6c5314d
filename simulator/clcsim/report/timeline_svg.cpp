#include "report/timeline_svg.h"

#include <algorithm>
#include <sstream>

#include "report/palette.h"
#include "report/svg.h"
#include "report/timeline_panel.h"
#include "report/timeline_words.h"

namespace clcsim::report {
namespace {

using svg::escape;

constexpr std::size_t kPanelsDrawn = 6;
constexpr std::size_t kShapes = 9000;  // of the whole picture
constexpr std::size_t kShapesOfAPanel = 4000;

// Class names carry a prefix because the styles of an SVG inside a page hold for the whole page.
constexpr const char* kShapesStyle = R"svg(<style>
.tl-title,.tl-text,.tl-small,.tl-tick,.tl-name,.tl-number{font-family:Inter,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.tl-title{font-size:17px;font-weight:600}
.tl-text{font-size:14px}
.tl-tick{font-size:13px;text-anchor:middle}
.tl-small{font-size:12px}
.tl-name{font-size:12px}
.tl-number{font-size:12px;text-anchor:middle;stroke-opacity:.65;stroke-width:2px;paint-order:stroke;pointer-events:none}
.tl-end{text-anchor:end}
.tl-grid,.tl-axis,.tl-waits,.tl-request,.tl-refused,.tl-halo,.tl-edge,.tl-meeting,.tl-arrival{fill:none;pointer-events:none}
.tl-waits{stroke-dasharray:3 2}
.tl-hatch{fill:url(#tl-stripes);pointer-events:none}
.tl-prologue{pointer-events:none}
.tl-flag{pointer-events:none}
.tl-request{stroke-width:1.4}
.tl-refused{stroke-width:2}
.tl-halo{stroke-width:4.5;stroke-opacity:.8}
.tl-edge{stroke-width:3}
.tl-meeting{stroke-width:1.4}
.tl-arrival{stroke-width:1.6;stroke-dasharray:5 3}
)svg";
// On a light page, and again on a dark one.
constexpr const char* kColoursStyle =
    R"svg(.tl-card{fill:$page;stroke:$rule}
.tl-title,.tl-text,.tl-small,.tl-tick{fill:$text}
.tl-name,.tl-number,.tl-flag{fill:$ink}
.tl-number{stroke:$on-ink}
.tl-idle{fill:$idle}
.tl-grid{stroke:$rule}
.tl-axis,.tl-waits{stroke:$soft}
.tl-launch{fill:$launch}
.tl-prologue{fill:$setup}
.tl-tile{fill:$tile}
.tl-stolen{fill:$stolen}
.tl-urgent{fill:$urgent}
.tl-on-urgent{fill:$on-urgent;stroke:none}
.tl-request,.tl-meeting{stroke:$ink}
.tl-arrival{stroke:$urgent}
.tl-halo,.tl-edge{stroke:$page}
.tl-refused{stroke:$text}
)svg";
constexpr const char* kStripes =
    R"svg(<defs><pattern id="tl-stripes" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0v5" stroke="$ink" stroke-opacity=".22" stroke-width="2"/></pattern></defs>
)svg";

// The rules, one in a line, of which `shapes` have a class; without those that stand in `known`.
std::string rules_for(const std::string& shapes, const std::string& rules,
                      const std::string& known = {}) {
  std::istringstream lines(rules);
  std::string used;
  for (std::string line; std::getline(lines, line);) {
    bool wanted = !line.starts_with(".tl-");
    for (std::size_t at = 0; (at = line.find(".tl-", at)) != line.npos; ++at) {
      const std::string name = line.substr(at + 1, line.find_first_of(",{", at) - at - 1);
      wanted = wanted || shapes.find(name) != shapes.npos;
    }
    line += "\n";
    if (wanted && known.find(line) == known.npos) used += line;
  }
  return used;
}

std::string style_for(const std::string& shapes) {
  const std::string light = coloured(kColoursStyle, false);
  return rules_for(shapes, kShapesStyle + light) + "@media (prefers-color-scheme:dark){\n" +
         rules_for(shapes, coloured(kColoursStyle, true), light) + "}\n</style>\n" +
         coloured(kStripes, false);
}

// Samples with words, from left to right, in as many lines as they need.
class LegendDrawing {
 public:
  explicit LegendDrawing(int top) : y_(top + 16) {}

  void add(const std::string& sample, const std::string& words) {
    const int width = 26 + svg::text_width(words, 13) + 22;
    if (x_ + width > kPictureWidth && x_ > kLeft) {
      x_ = kLeft;
      y_ += 21;
    }
    text_ += "<g transform=\"translate(" + std::to_string(x_) + "," + std::to_string(y_) + ")\">" +
             sample + "<text class=\"tl-text\" style=\"font-size:13px\" x=\"26\" y=\"0\">" +
             escape(words) + "</text></g>\n";
    x_ += width;
  }
  const std::string& text() const { return text_; }
  int bottom() const { return y_ + 16; }

 private:
  static constexpr int kLeft = 16;
  std::string text_;
  int x_ = kLeft, y_;
};

std::string swatch(const std::string& style) {
  return "<path class=\"" + style + "\" d=\"M0-11h20v13h-20z\"/>";
}

std::string marks(const std::string& style, const std::string& d) {
  return "<path class=\"" + style + "\" d=\"" + d + "\"/>";
}

Drawing draw_legend(const Legend& legend, int top) {
  LegendDrawing drawing(top);
  if (legend.own) drawing.add(swatch("tl-tile"), "a block's own work");
  if (legend.stolen) {
    drawing.add(swatch("tl-stolen") + swatch("tl-hatch") + marks("tl-flag", "M0-11h5l-5 5z"),
                "stolen work");
  }
  if (legend.prologue) drawing.add(swatch("tl-prologue"), "prologue");
  if (legend.urgent) drawing.add(swatch("tl-urgent"), "urgent kernel");
  if (legend.requests) {
    drawing.add(swatch("tl-tile") + marks("tl-request", "M3-2h14"), "a request under way");
  }
  const std::string cross = "M6-9l8 8m0-8l-8 8";
  if (legend.refused) drawing.add(marks("tl-refused", cross), "failed: no block waits");
  if (legend.refused_waiting) {
    drawing.add(marks("tl-refused", cross + "M4-5a6 6 0 1 0 12 0a6 6 0 1 0-12 0"),
                "failed although blocks wait");
  }
  if (legend.meetings) {
    drawing.add(swatch("tl-tile") + marks("tl-meeting", "M10-11v13"), "a barrier of the block");
  }
  drawing.add(swatch("tl-idle"), "idle slot");
  if (legend.numbers) {
    drawing.add(swatch("tl-tile") + "<text class=\"tl-number\" x=\"10\" y=\"-1\">17</text>",
                "the block whose work it is");
  }
  if (legend.joined) drawing.add("", "(tiles too narrow to see are joined)");
  return {drawing.text(), drawing.bottom()};
}

}  // namespace

std::string timeline_svg(const TimelineRecord& record, const TimelineView& view) {
  std::vector<Panel> panels = panels_of(record, view);
  std::uint64_t hidden = record.forgotten;
  while (panels.size() > kPanelsDrawn) {
    hidden += panels.front().launches.size();
    panels.erase(panels.begin());
  }
  choose_scale(panels, view.cycles);
  for (Panel& panel : panels) {
    if (panels.size() > 1) panel.rows_height = panels.size() == 2 ? 320 : 240;
  }

  Legend legend;
  std::string body, description, rows;  // rows: of the only panel, without words around them
  int y = 12;
  std::string heading = "clcsim, GPU " + record.gpu + " (" +
                        count(static_cast<std::uint64_t>(record.sms), "SM") + ")";
  if (record.seed != 0) heading += ", hostile schedule of seed " + std::to_string(record.seed);
  if (panels.empty()) heading += ": no kernel ran";
  body += "<text class=\"tl-small\" x=\"16\" y=\"" + std::to_string(y += 12) + "\">" +
          escape(heading) +
          (hidden == 0 ? "" : "; " + std::to_string(hidden) + " earlier launches are not drawn") +
          "</text>\n";
  const std::size_t shapes =
      std::min(kShapesOfAPanel, kShapes / std::max<std::size_t>(1, panels.size()));
  for (const Panel& panel : panels) {
    const Drawing drawing = draw_panel(panel, shapes, legend);
    body += "<g transform=\"translate(0," + std::to_string(y) + ")\">\n" + drawing.text + "</g>\n";
    if (panels.size() == 1) {
      rows = "<view id=\"rows\" viewBox=\"2 " + std::to_string(y + drawing.rows_top) + " " +
             std::to_string(drawing.rows_right - 2) + " " +
             std::to_string(drawing.rows_bottom - drawing.rows_top) + "\"/>\n";
    }
    y += drawing.height + 8;
    description += describe(panel);
  }
  const Drawing drawn_legend = draw_legend(legend, y);
  body += drawn_legend.text;
  const std::string height = std::to_string(drawn_legend.height);

  body = "<rect class=\"tl-card\" x=\".5\" y=\".5\" width=\"" + std::to_string(kPictureWidth - 1) +
         "\" height=\"" + std::to_string(drawn_legend.height - 1) + "\" rx=\"10\"/>\n" + body;
  const std::string width = std::to_string(kPictureWidth);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + width + " " + height +
         "\" width=\"" + width + "\" height=\"" + height +
         "\" role=\"img\" aria-labelledby=\"tl-name tl-story\">\n<title id=\"tl-name\">" +
         escape(heading) + ": which SM ran which tile when</title>\n<desc id=\"tl-story\">" +
         escape(description) + "</desc>\n" + rows + style_for(body) + body + "</svg>\n";
}

}  // namespace clcsim::report
