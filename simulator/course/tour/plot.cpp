#include "tour/plot.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <stdexcept>

#include "report/svg.h"
#include "tour/charts.h"

namespace clcsim::tour {
namespace {

using report::svg::escape;
using report::svg::tenths;

// Three stand beside each other in the book.
constexpr int kWidth = 272, kLeft = 44, kRight = 180, kTop = 78, kBottom = 276;
constexpr double kNameHeight = 16;

struct Point {
  double x = 0, y = 0;
};

// Lines differ in their marks, too, for eyes and printers without colours.
struct Look {
  const char *style, *mark;
};
constexpr Look kClc = {"clc", "m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0z"};
constexpr Look kLooks[] = {
    {"grey", "m-3-3h6v6h-6z"}, {"blue", "m-4 3h8l-4-7z"}, {"pale", "m-4-3h8l-4 7z"}};

struct Line {
  std::string name, note;
  bool clc = false;
  Look look;
  std::vector<Point> points;
  double end = 0;  // its height there, in pixels
};

struct Plot {
  std::string title, where, along;
  std::vector<Line> lines;
};

int sms(const std::string& gpu) {  // 16 of "clcsim b200:16"
  const std::size_t colon = gpu.find(':');
  return colon == std::string::npos ? 0 : std::stoi(gpu.substr(colon + 1));
}

bool are_alike(const Line& one, const Line& other) {
  return one.clc && other.clc &&
         std::equal(one.points.begin(), one.points.end(), other.points.begin(), other.points.end(),
                    [](Point a, Point b) { return a.x == b.x && std::abs(a.y / b.y - 1) < 0.05; });
}

Plot plot_of(const Results& results, bool over_sms) {
  Plot plot;
  for (const Strategy& strategy : strategies()) {
    Line line{.name = strategy.title, .clc = steals(results, strategy.name)};
    for (const Result& result : results.all) {
      if (result.experiment != "scale" || result.strategy != strategy.name ||
          (sms(result.gpu) != 0) != over_sms)
        continue;
      line.points.push_back({double(over_sms ? sms(result.gpu) : result.tiles),
                             (result.simulated ? 1 : 1000) * result.time});
      plot.along = over_sms ? "SMs" : "tiles";
      plot.title = "Time over " + plot.along + (result.simulated ? ", cycles" : ", µs");
      plot.where = result.gpu.substr(0, result.gpu.find(':'));
      if (over_sms) plot.where += ", " + report::svg::grouped(result.tiles) + " tiles";
      if (!over_sms && result.simulated) plot.where += ", simulated";
    }
    std::sort(line.points.begin(), line.points.end(), [](Point a, Point b) { return a.x < b.x; });
    if (line.points.empty()) continue;
    line.look = line.clc ? kClc : kLooks[plot.lines.size() % std::size(kLooks)];
    plot.lines.push_back(line);
  }
  const auto clc =
      std::find_if(plot.lines.begin(), plot.lines.end(), [](auto& it) { return it.clc; });
  if (clc == plot.lines.end()) plot.where += " (no CLC)";
  if (std::all_of(clc, plot.lines.end(), [&](const Line& form) { return are_alike(*clc, form); }) &&
      plot.lines.end() - clc > 1) {
    clc->note = "in all forms";
    plot.lines.erase(clc + 1, plot.lines.end());
  }
  return plot;
}

// A logarithmic axis from the least value to the most.
struct Axis {
  double from, to;  // pixels
  double least = 1e300, most = 0;

  void cover(double value) { least = std::min(least, value), most = std::max(most, value); }
  double at(double value) const {
    return from + (to - from) * std::log(value / least) / std::log(most / least);
  }
  // The powers of a base that it has.
  std::vector<double> powers(double base) const {
    std::vector<double> all;
    for (double power = std::ceil(std::log(least) / std::log(base) - 1e-9);
         std::pow(base, power) <= most * 1.0001; ++power)
      all.push_back(power);
    return all;
  }
};

std::string pixels(double value) {
  return tenths(std::llround(10 * value));
}

std::string place(double x, double y) {
  return pixels(x) + " " + pixels(y);
}

std::string power_of(int base, double power) {
  return std::to_string(base) + "<tspan dy=\"-5\" font-size=\"10\">" + pixels(power) + "</tspan>";
}

std::string plotted(Plot plot) {
  Axis across{.from = kLeft + 6, .to = kRight}, up{.from = kBottom - 8, .to = kTop + 4};
  for (const Line& line : plot.lines)
    for (const Point& point : line.points) across.cover(point.x), up.cover(point.y);

  std::string text = text_at(14, 46, "soft", escape(plot.where)), grid;
  const bool far = across.most / across.least > 1000;
  for (const double power : across.powers(far ? 16 : 4)) {
    const double x = across.at(std::pow(far ? 16 : 4, power));
    grid += "M" + place(x, kTop) + "V" + std::to_string(kBottom);
    text += text_at(x, kBottom + 20, "soft middle",
                    far ? power_of(2, 4 * power) : pixels(std::pow(4, power)));
  }
  for (const double power : up.powers(10)) {
    const double y = up.at(std::pow(10, power));
    grid += "M" + place(kLeft, y) + "H" + std::to_string(kRight);
    text += text_at(kLeft - 6, y + 4, "soft end", power_of(10, power));
  }
  text += "<path class=\"grid\" d=\"" + grid + "\"/>\n";

  for (Line& line : plot.lines) {
    std::string way, marks;
    for (const Point& point : line.points) {
      const std::string at = place(across.at(point.x), up.at(point.y));
      way += (way.empty() ? "M" : "L") + at;
      marks += "M" + at + line.look.mark;
    }
    line.end = up.at(line.points.back().y);
    const std::string style = line.look.style;
    text += "<path class=\"" + style + " way\" d=\"" + way + "\"/><path class=\"" + style +
            "\" d=\"" + marks + "\"/>\n";
  }
  // The names stand at the lines' ends, pushed up where they would overlap.
  std::sort(plot.lines.begin(), plot.lines.end(), [](auto& a, auto& b) { return a.end > b.end; });
  double free = kBottom;
  for (const Line& line : plot.lines) {
    const double y = std::min(line.end, free - (line.note.empty() ? 0 : kNameHeight));
    free = y - kNameHeight;
    text += std::string("<path class=\"") + line.look.style + " leader\" d=\"M" +
            place(kRight + 4, line.end) + "L" + place(kRight + 14, y) + "\"/>" +
            text_at(kRight + 18, y + 4, line.clc ? "title" : "", escape(line.name));
    if (!line.note.empty()) text += text_at(kRight + 18, y + 19, "soft", line.note);
  }
  return text + text_at((kLeft + kRight) / 2.0, kBottom + 38, "soft middle", plot.along);
}

}  // namespace

Table scale_table(const Results& results) {
  Table table{
      .title = "How the cost grows",
      .experiment = "scale",
      .what =
          "Tiles of 32 elements, blocks of one warp: almost nothing but overhead. Recorded, "
          "since it takes minutes: medians on an H200, one run each on clcsim.",
      .reading =
          "In the charts both axes are logarithmic: each line is ten times the one below it. A "
          "flat stretch means that all tiles fit at once. CLC's forms are one line where they "
          "differ by less than 5 %."};
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

std::string scale_plot(const Results& results, bool over_sms) {
  const Plot plot = plot_of(results, over_sms);
  if (plot.lines.empty()) throw std::runtime_error("there are no lines of the experiment 'scale'");
  return card(kWidth, kBottom + 50, plot.title, plotted(plot));
}

}  // namespace clcsim::tour
