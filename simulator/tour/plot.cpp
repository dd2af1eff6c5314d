#include "tour/plot.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <stdexcept>

#include "report/svg.h"

namespace clcsim::tour {
namespace {

using report::svg::escape;
using report::svg::tenths;

constexpr int kWidth = 860, kLeft = 110, kRight = 640, kPanelHeight = 260, kPanelGap = 90;
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#e69f00", "#009e73",
                                    "#56b4e9", "#cc79a7", "#7f7f7f"};
const char* colour(std::size_t strategy) {
  return kColours[strategy % std::size(kColours)];
}

struct Point {
  double x = 0, y = 0;
};

struct Panel {
  std::string title, along, unit;
  std::map<std::string, std::vector<Point>> lines;  // by strategy
};

// The part of "clcsim b200:16" before and behind the colon.
std::string family(const std::string& gpu) {
  return gpu.substr(0, gpu.find(':'));
}
int sms(const std::string& gpu) {
  const std::size_t colon = gpu.find(':');
  return colon == std::string::npos ? 0 : std::stoi(gpu.substr(colon + 1));
}

std::vector<Panel> panels_of(const Results& results) {
  std::map<std::string, Panel> by_tiles, by_sms;
  for (const Result& result : results.all) {
    if (result.experiment != "scale") continue;
    const double time = (result.simulated ? 1 : 1000) * result.time;
    const std::string unit = result.simulated ? "cycles" : "&#181;s";
    if (sms(result.gpu) == 0) {
      Panel& panel = by_tiles[result.gpu];
      panel.title = result.gpu + (result.simulated ? " (simulated)" : "") + ": time over tiles";
      panel.along = "tiles", panel.unit = unit;
      panel.lines[result.strategy].push_back({double(result.tiles), time});
    } else {
      Panel& panel = by_sms[family(result.gpu)];
      panel.title = family(result.gpu) + " with fewer SMs (simulated): time over SMs, " +
                    report::svg::grouped(static_cast<std::uint64_t>(result.tiles)) + " tiles";
      panel.along = "SMs", panel.unit = unit;
      panel.lines[result.strategy].push_back({double(sms(result.gpu)), time});
    }
  }
  std::vector<Panel> panels;
  for (auto* group : {&by_tiles, &by_sms})
    for (auto& [name, panel] : *group) panels.push_back(std::move(panel));
  for (Panel& panel : panels)
    for (auto& [strategy, line] : panel.lines)
      std::sort(line.begin(), line.end(), [](Point a, Point b) { return a.x < b.x; });
  return panels;
}

// A logarithmic axis between whole powers of its base.
struct Axis {
  double base = 10;
  int low = 0, high = 1;
  double from = 0, to = 1;  // pixels

  void cover(double least, double most) {
    low = static_cast<int>(std::floor(std::log(least) / std::log(base) + 1e-9));
    high = static_cast<int>(std::ceil(std::log(most) / std::log(base) - 1e-9));
    if (high == low) ++high;
  }
  double at(double value) const {
    return from + (to - from) * (std::log(value) / std::log(base) - low) / (high - low);
  }
};

std::string pixels(double value) {
  return tenths(std::llround(10 * value));
}

std::string number(double value) {
  if (value < 1) return value < 0.1 ? "0.01" : "0.1";
  return report::svg::grouped(static_cast<std::uint64_t>(std::llround(value)));
}

// `words` as they stand in the file.
std::string text_at(double x, double y, const std::string& style, const std::string& words) {
  return "<text class=\"sc-text" + style + "\" x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\">" +
         words + "</text>\n";
}

std::string draw(const Panel& panel, int top) {
  Axis across{.base = 2, .from = kLeft, .to = kRight};
  Axis up{.from = double(top + kPanelHeight), .to = double(top)};
  double least_x = 1e300, most_x = 0, least_y = 1e300, most_y = 0;
  for (const auto& [strategy, line] : panel.lines) {
    for (const Point& point : line) {
      least_x = std::min(least_x, point.x), most_x = std::max(most_x, point.x);
      least_y = std::min(least_y, point.y), most_y = std::max(most_y, point.y);
    }
  }
  across.cover(least_x, most_x);
  up.cover(least_y, most_y);

  std::string text = text_at(16, top - 14, " sc-title", escape(panel.title)), grid;
  const int step = across.high - across.low > 10 ? 2 : 1;
  for (int power = across.low; power <= across.high; power += step) {
    const double x = across.at(std::pow(2, power));
    grid += "M" + pixels(x) + " " + std::to_string(top) + "v" + std::to_string(kPanelHeight);
    text +=
        text_at(x, top + kPanelHeight + 18, " sc-middle",
                panel.along == "tiles" ? "2^" + std::to_string(power) : number(std::pow(2, power)));
  }
  for (int power = up.low; power <= up.high; ++power) {
    const double y = up.at(std::pow(10, power));
    grid += "M" + std::to_string(kLeft) + " " + pixels(y) + "H" + std::to_string(kRight);
    text += text_at(kLeft - 8, y + 4, " sc-end", number(std::pow(10, power)) + " " + panel.unit);
  }
  text += text_at((kLeft + kRight) / 2.0, top + kPanelHeight + 36, " sc-middle", panel.along);
  text += "<path class=\"sc-grid\" d=\"" + grid + "\"/>\n";

  // The names stand at the lines' ends, pushed apart where they would overlap.
  std::vector<std::pair<double, std::size_t>> names;
  for (std::size_t i = 0; i < strategies().size(); ++i) {
    const auto found = panel.lines.find(strategies()[i].name);
    if (found == panel.lines.end()) continue;
    std::string path, dots;
    for (const Point& point : found->second) {
      const std::string x = pixels(across.at(point.x)), y = pixels(up.at(point.y));
      path += (path.empty() ? "M" : "L") + x + " " + y;
      dots += "<circle cx=\"" + x + "\" cy=\"" + y + "\" r=\"3\" fill=\"" + colour(i) + "\"/>";
    }
    text += "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + colour(i) +
            "\" stroke-width=\"2\"/>" + dots + "\n";
    names.push_back({up.at(found->second.back().y), i});
  }
  std::sort(names.begin(), names.end());
  double last = top - 20;
  for (const auto& [wanted, i] : names) {
    const double y = std::max(wanted, last + 16);
    text += "<path d=\"M" + pixels(kRight + 6) + " " + pixels(wanted) + "L" + pixels(kRight + 16) +
            " " + pixels(y) + "\" fill=\"none\" stroke=\"" + colour(i) + "\"/>" +
            text_at(kRight + 20, y + 4, "", strategies()[i].title);
    last = y;
  }
  return text;
}

}  // namespace

std::string scale_plot(const Results& results) {
  const std::vector<Panel> panels = panels_of(results);
  if (panels.empty()) throw std::runtime_error("there are no lines of the experiment 'scale'");
  std::string body;
  int top = 46;
  for (const Panel& panel : panels) {
    body += draw(panel, top);
    top += kPanelHeight + kPanelGap;
  }
  const std::string height = std::to_string(top - 40);
  const std::string width = std::to_string(kWidth);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + width + " " + height +
         "\" width=\"" + width + "\" height=\"" + height +
         "\" role=\"img\">\n<title>How the cost of each strategy grows</title>\n<style>"
         ".sc-card{fill:#fff;stroke:#d1d9e0}.sc-text{font:13px system-ui,-apple-system,\"Segoe "
         "UI\",\"DejaVu Sans\",sans-serif;fill:#1f2328}.sc-title{font-size:15px;font-weight:600}"
         ".sc-middle{text-anchor:middle}.sc-end{text-anchor:end}.sc-grid{stroke:#d1d9e0;fill:none}"
         "@media (prefers-color-scheme:dark){.sc-card{fill:#0d1117;stroke:#30363d}"
         ".sc-text{fill:#e6edf3}.sc-grid{stroke:#30363d}}</style>\n"
         "<rect class=\"sc-card\" x=\".5\" y=\".5\" width=\"" +
         std::to_string(kWidth - 1) + "\" height=\"" + std::to_string(top - 41) +
         "\" rx=\"10\"/>\n" + body + "</svg>\n";
}

}  // namespace clcsim::tour
