#include "tour/plot.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <stdexcept>

#include "report/palette.h"
#include "report/svg.h"

namespace clcsim::tour {
namespace {

using report::svg::escape;
using report::svg::tenths;

constexpr int kChartWidth = 500, kLeft = 78, kRight = 306, kTop = 50, kPlotHeight = 250;
constexpr int kPanelHeight = kTop + kPlotHeight + 46;
constexpr double kNameHeight = 17;
constexpr const char* kStrategyColours[] = {"#0072b2", "#d55e00", "#e69f00", "#009e73",
                                            "#56b4e9", "#cc79a7", "#7f7f7f"};
const char* colour(std::size_t strategy) {
  return kStrategyColours[strategy % std::size(kStrategyColours)];
}

struct Point {
  double x = 0, y = 0;
};

struct Plot {
  std::string title, where, along;
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

std::vector<Plot> plots_of(const Results& results) {
  std::map<std::string, Plot> by_tiles, by_sms;
  for (const Result& result : results.all) {
    if (result.experiment != "scale") continue;
    const double time = (result.simulated ? 1 : 1000) * result.time;
    const std::string unit = result.simulated ? "cycles" : "microseconds";
    if (sms(result.gpu) == 0) {
      Plot& plot = by_tiles[result.gpu];
      plot.title = "Time over tiles, in " + unit;
      plot.where = result.gpu + (result.simulated ? ", simulated" : "");
      plot.along = "tiles";
      plot.lines[result.strategy].push_back({double(result.tiles), time});
    } else {
      Plot& plot = by_sms[family(result.gpu)];
      plot.title = "Time over SMs, in " + unit;
      plot.where = family(result.gpu) + " with fewer SMs, simulated, " +
                   report::svg::grouped(static_cast<std::uint64_t>(result.tiles)) + " tiles";
      plot.along = "SMs";
      plot.lines[result.strategy].push_back({double(sms(result.gpu)), time});
    }
  }
  std::vector<Plot> plots;
  for (auto* group : {&by_tiles, &by_sms})
    for (auto& [name, plot] : *group) plots.push_back(std::move(plot));
  for (Plot& plot : plots)
    for (auto& [strategy, line] : plot.lines)
      std::sort(line.begin(), line.end(), [](Point a, Point b) { return a.x < b.x; });
  return plots;
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
std::string label_at(double x, double y, const std::string& style, const std::string& words) {
  return "<text class=\"sc-text" + style + "\" x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\">" +
         words + "</text>\n";
}

// Lines differ in their marks, too, for eyes and printers without colours.
std::string mark_at(const std::string& x, const std::string& y, std::size_t strategy) {
  static constexpr const char* kMarks[] = {
      "m-3.5-3.5h7v7h-7z",   "m-4.5 4h9l-4.5-8z",
      "m-4.5-4h9l-4.5 8z",   "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",
      "m-5 0l5-5l5 5l-5 5z", "m-4-4l8 8m0-8l-8 8",
      "m-5 0h10m-5-5v10"};
  return "M" + x + " " + y + kMarks[strategy % std::size(kMarks)];
}

std::string plotted(const Plot& plot) {
  Axis across{.base = 2, .from = kLeft, .to = kRight};
  Axis up{.from = double(kTop + kPlotHeight), .to = double(kTop)};
  double least_x = 1e300, most_x = 0, least_y = 1e300, most_y = 0;
  for (const auto& [strategy, line] : plot.lines) {
    for (const Point& point : line) {
      least_x = std::min(least_x, point.x), most_x = std::max(most_x, point.x);
      least_y = std::min(least_y, point.y), most_y = std::max(most_y, point.y);
    }
  }
  across.cover(least_x, most_x);
  up.cover(least_y, most_y);

  std::string text = label_at(0, 15, " sc-title", escape(plot.title)) +
                     label_at(0, 34, "", escape(plot.where)),
              grid;
  const int step = across.high - across.low > 10 ? 4 : 2;
  for (int power = across.low; power <= across.high; power += step) {
    const double x = across.at(std::pow(2, power));
    grid += "M" + pixels(x) + " " + std::to_string(kTop) + "v" + std::to_string(kPlotHeight);
    const bool last = power + step > across.high;  // lines to the names begin beside it
    text +=
        label_at(last ? x + 4 : x, kTop + kPlotHeight + 18, last ? " sc-end" : " sc-middle",
                 plot.along == "tiles" ? "2^" + std::to_string(power) : number(std::pow(2, power)));
  }
  for (int power = up.low; power <= up.high; ++power) {
    const double y = up.at(std::pow(10, power));
    grid += "M" + std::to_string(kLeft) + " " + pixels(y) + "H" + std::to_string(kRight);
    text += label_at(kLeft - 8, y + 4, " sc-end", number(std::pow(10, power)));
  }
  text += label_at((kLeft + kRight) / 2.0, kTop + kPlotHeight + 36, " sc-middle", plot.along);
  text += "<path class=\"sc-grid\" d=\"" + grid + "\"/>\n";

  // The names stand at the lines' ends, pushed apart where they would overlap.
  std::vector<std::pair<double, std::size_t>> names;
  for (std::size_t i = 0; i < strategies().size(); ++i) {
    const auto found = plot.lines.find(strategies()[i].name);
    if (found == plot.lines.end()) continue;
    std::string path, marks;
    for (const Point& point : found->second) {
      const std::string x = pixels(across.at(point.x)), y = pixels(up.at(point.y));
      path += (path.empty() ? "M" : "L") + x + " " + y;
      marks += mark_at(x, y, i);
    }
    const std::string stroke = std::string("\" fill=\"none\" stroke=\"") + colour(i) + "\"";
    text += "<path d=\"" + path + stroke + " stroke-width=\"1.5\"/><path d=\"" + marks + stroke +
            " stroke-width=\"1.8\"/>\n";
    names.push_back({up.at(found->second.back().y), i});
  }
  std::sort(names.begin(), names.end());
  std::vector<double> places;
  for (const auto& [wanted, i] : names)
    places.push_back(std::max(wanted, places.empty() ? kTop : places.back() + kNameHeight));
  double lowest = kTop + kPlotHeight + 36;
  for (std::size_t n = places.size(); n-- > 0; lowest = places[n] - kNameHeight)
    places[n] = std::min(places[n], lowest);
  for (std::size_t n = 0; n < names.size(); ++n) {
    const auto [wanted, i] = names[n];
    text += "<path d=\"M" + pixels(kRight + 6) + " " + pixels(wanted) + "L" + pixels(kRight + 14) +
            " " + pixels(places[n]) + mark_at(pixels(kRight + 21), pixels(places[n]), i) +
            "\" fill=\"none\" stroke=\"" + colour(i) + "\" stroke-width=\"1.5\"/>" +
            label_at(kRight + 31, places[n] + 4, "", escape(strategies()[i].title));
  }
  return text;
}

constexpr const char* kStyle =
    ".sc-card{fill:$page;stroke:$rule}.sc-text{font:13px system-ui,-apple-system,\"Segoe UI\","
    "\"DejaVu Sans\",sans-serif;fill:$text}.sc-title{font-size:15px;font-weight:600}"
    ".sc-middle{text-anchor:middle}.sc-end{text-anchor:end}.sc-grid{stroke:$rule;fill:none}\n";

}  // namespace

Table scale_table(const Results& results) {
  Table table{
      .title = "How the cost grows",
      .experiment = "scale",
      .what =
          "Tiles of 32 elements, blocks of one warp: almost nothing but overhead. Recorded, "
          "since it takes minutes: medians on an H200, one run each on clcsim.",
      .reading =
          "In the charts both axes are logarithmic: each line is ten times the one below "
          "it. A flat stretch means that all tiles fit at once."};
  table.rows.push_back({"on", "tiles"});
  std::map<std::pair<std::string, long long>, std::map<std::string, const Result*>> found;
  for (const Result& result : results.all)
    if (result.experiment == "scale") found[{result.gpu, result.tiles}][result.strategy] = &result;
  for (const Strategy& strategy : strategies()) table.rows[0].push_back(strategy.title);
  for (const auto& [key, by_strategy] : found) {
    auto& row = table.rows.emplace_back();
    row = {key.first, report::svg::grouped(static_cast<std::uint64_t>(key.second))};
    for (const Strategy& strategy : strategies()) {
      const auto result = by_strategy.find(strategy.name);
      row.push_back(result == by_strategy.end() ? "-"
                                                : time_text(*result->second, result->second->time));
    }
  }
  return table;
}

std::string scale_plot(const Results& results) {
  const std::vector<Plot> plots = plots_of(results);
  if (plots.empty()) throw std::runtime_error("there are no lines of the experiment 'scale'");
  std::string body;
  int top = 0;
  for (const Plot& plot : plots) {
    body +=
        "<g transform=\"translate(0," + std::to_string(top) + ")\">\n" + plotted(plot) + "</g>\n";
    top += kPanelHeight + 20;
  }
  const int height = top - 20;
  const std::string wide = std::to_string(kChartWidth + 24), high = std::to_string(height + 24);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-12 -12 " + wide + " " + high +
         "\" width=\"" + wide + "\" height=\"" + high +
         "\" role=\"img\">\n<title>How the cost of each strategy grows</title>\n<style>" +
         report::coloured(kStyle, false) + "@media (prefers-color-scheme:dark){" +
         report::coloured(kStyle, true) +
         "}</style>\n<rect class=\"sc-card\" x=\"-11.5\" y=\"-11.5\" width=\"" +
         std::to_string(kChartWidth + 23) + "\" height=\"" + std::to_string(height + 23) +
         "\" rx=\"10\"/>\n" + body + "</svg>\n";
}

}  // namespace clcsim::tour
