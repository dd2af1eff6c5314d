#include "tour/dots.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>

#include "report/palette.h"
#include "report/svg.h"

namespace clcsim::tour {
namespace {

using report::svg::escape;

// As wide as a phone's page, nearly: there the text shrinks to 11 pixels.
constexpr int kDotsWidth = 440, kOne = 190, kMost = 392, kOctaves = 5, kRow = 23;

constexpr const char* kDotsStyle =
    "text{font:14px Geist,-apple-system,\"Segoe UI\",Roboto,Arial,sans-serif;fill:$text}"
    ".soft{fill:$soft}.gpu{font-weight:600}.end{text-anchor:end}.middle{text-anchor:middle}"
    ".card{fill:$page;stroke:$rule}.grid{stroke:$rule}.yes{fill:$good;stroke:$good}"
    ".no{fill:$bad;stroke:$bad}.way{stroke-width:3}\n";

const std::map<std::string, std::string> kTitles = {
    {"overheads", "Time with an expensive prologue over that with a cheap one"},
    {"balance", "Time of the worst shape over that of even tiles"},
    {"preemption", "The urgent kernel's wait over that behind fixed work"},
};

std::string text_at(int x, int y, const std::string& style, const std::string& words) {
  return "<text class=\"" + style + "\" x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) +
         "\">" + escape(words) + "</text>\n";
}

int place_of(double times) {
  return static_cast<int>(
      std::lround(kOne + (kMost - kOne) * std::log2(std::max(times, 1.)) / kOctaves));
}

std::string row_at(int y, const std::string& name, const Property& property) {
  char times[32];
  std::snprintf(times, sizeof times, "%.1f", property.times);
  const int x = place_of(property.times);
  const std::string at = std::to_string(x) + " " + std::to_string(y - 5);
  // A yes and a no differ in their form, too.
  const std::string mark =
      property.ticked ? "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z" : "m-6 0l6-6l6 6l-6 6z";
  return text_at(14, y, "", name) + "<path class=\"" + (property.ticked ? "yes" : "no") +
         "\" d=\"M" + at + mark + "\"/><path class=\"way " + (property.ticked ? "yes" : "no") +
         "\" d=\"M" + std::to_string(kOne) + " " + std::to_string(y - 5) + "H" + std::to_string(x) +
         "\"/>\n" + text_at(x + 11, y, "", times);
}

}  // namespace

std::string dot_plot(const Results& results, const std::string& experiment) {
  const auto title = kTitles.find(experiment);
  if (title == kTitles.end()) throw std::runtime_error("there is no picture of " + experiment);
  std::string rows;
  int y = 34;
  for (const std::string& gpu : gpus(results, experiment)) {
    rows +=
        text_at(14, y += kRow + 6, "gpu", gpu + (gpu.starts_with("clcsim") ? ", simulated" : ""));
    for (const Strategy& strategy : strategies()) {
      const Property measured = property(results, experiment, gpu, strategy.name);
      if (measured.times != 0) rows += row_at(y += kRow, strategy.title, measured);
    }
  }
  if (rows.empty()) throw std::runtime_error("no results of " + experiment);
  std::string grid, numbers;
  for (int octave = 0; octave <= kOctaves; ++octave) {
    const int x = place_of(1 << octave);
    grid += "M" + std::to_string(x) + " 44V" + std::to_string(y + 8);
    numbers += text_at(x, y + 26, "soft middle", std::to_string(1 << octave));
  }
  const std::string size = std::to_string(kDotsWidth), height = std::to_string(y + 40);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size + " " + height +
         "\" width=\"" + size + "\" height=\"" + height + "\" role=\"img\">\n<title>" +
         title->second + "</title>\n<style>" + report::coloured(kDotsStyle, false) +
         "@media (prefers-color-scheme:dark){" + report::coloured(kDotsStyle, true) +
         "}</style>\n<rect class=\"card\" x=\".5\" y=\".5\" width=\"" +
         std::to_string(kDotsWidth - 1) + "\" height=\"" + std::to_string(y + 39) +
         "\" rx=\"6\"/>\n" + text_at(14, 26, "gpu", title->second) + "<path class=\"grid\" d=\"" +
         grid + "\"/>\n" + rows + numbers + "</svg>\n";
}

}  // namespace clcsim::tour
