#include "tour/dots.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>

#include "report/svg.h"
#include "tour/charts.h"

namespace clcsim::tour {
namespace {

using report::svg::escape;

// As wide as a phone's page, nearly: there the text shrinks to 11 pixels.
constexpr int kDotsWidth = 440, kNumber = 216, kOne = 230, kMost = 420, kOctaves = 5, kRow = 23;

struct Caption {
  std::string title, no;
  double limit;  // from which on it is a no; 0: the times don't decide that
};

const std::map<std::string, Caption> kCaptions = {
    {"overheads",
     {"Time with an expensive prologue over that with a cheap one", "a prologue for each tile: no",
      0}},
    {"balance", {"Time of the worst shape over that of even tiles", "1.5 and more: no", 1.5}},
    {"preemption", {"The urgent kernel's wait over that behind fixed work", "more than 2: no", 2}},
};

int place_of(double times) {
  return static_cast<int>(
      std::lround(kOne + (kMost - kOne) * std::log2(std::max(times, 1.)) / kOctaves));
}

std::string line_at(const std::string& style, int x, int from, int to) {
  return "<path class=\"" + style + "\" d=\"M" + std::to_string(x) + " " + std::to_string(from) +
         "V" + std::to_string(to) + "\"/>\n";
}

std::string row_at(int y, const std::string& name, const Property& property, bool clc) {
  char times[32];
  std::snprintf(times, sizeof times, "%.1f", property.times);
  const std::string style = !property.ticked ? "no" : clc ? "clc" : "yes";
  const int x = place_of(property.times);
  const std::string height = std::to_string(y - 5);
  // A yes and a no differ in their form, too.
  const std::string mark =
      property.ticked ? "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z" : "m-5 0l5-5l5 5l-5 5z";
  return text_at(14, y, "", escape(name)) + "<path class=\"" + style +
         "\" stroke-width=\"2.5\" d=\"M" + std::to_string(kOne) + " " + height + "H" +
         std::to_string(x) + mark + "\"/>\n" + text_at(kNumber, y, "end", times);
}

}  // namespace

std::string dot_plot(const Results& results, const std::string& experiment) {
  const auto caption = kCaptions.find(experiment);
  if (caption == kCaptions.end()) throw std::runtime_error("there is no picture of " + experiment);
  const auto& [title, no, limit] = caption->second;
  std::string bands, rows;
  int y = 28;
  for (const std::string& gpu : gpus(results, experiment)) {
    const int heading = y += kRow + 6;
    int band = 0;  // its height
    for (const Strategy& strategy : strategies()) {
      const Property measured = property(results, experiment, gpu, strategy.name);
      if (measured.times == 0) continue;
      const bool clc = steals(results, strategy.name);
      rows += row_at(y += kRow, strategy.title, measured, clc);
      band += clc ? kRow : 0;
    }
    if (band > 0)  // the last rows
      bands += "<path class=\"band\" d=\"M1 " + std::to_string(y + 7) + "v-" +
               std::to_string(band) + "H" + std::to_string(kDotsWidth - 1) + "v" +
               std::to_string(band) + "z\"/>\n" + line_at("clc", 2, y + 7 - band, y + 7);
    rows += text_at(14, heading, "title",
                    escape(gpu) + (gpu.starts_with("clcsim") ? ", simulated" : "") +
                        (band > 0 ? "" : " (no CLC)"));
  }
  if (rows.empty()) throw std::runtime_error("no results of " + experiment);
  std::string body = bands + text_at(14, y + 26, "soft", "times, on a log scale");
  for (int octave = 0; octave <= kOctaves; ++octave) {
    const int x = place_of(1 << octave);
    body += line_at("grid", x, 62, y + 8) +
            text_at(x, y + 26, "soft middle", std::to_string(1 << octave));
  }
  if (limit != 0) body += line_at("no limit", place_of(limit), 48, y + 8);
  body += text_at(place_of(std::max(limit, 1.5)) + 5, 57, "from", no);
  return card(kDotsWidth, y + 40, title, body + rows);
}

}  // namespace clcsim::tour
