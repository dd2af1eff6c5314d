#include "report/timeline_words.h"

#include <algorithm>

#include "report/svg.h"
#include "report/table.h"

namespace clcsim::report {
namespace {

using machine::Time;
using svg::grouped;

std::string percent(Time part, Time whole) {
  const Time tenths = whole == 0 ? 0 : (part * 1000 + whole / 2) / whole;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

// What the numbers of a panel add up to.
struct Sums {
  Time busy = 0, prologue = 0, capacity = 0;
};

Sums sums_of(const Panel& panel) {
  Sums sums{.capacity = (panel.end - panel.begin) * panel.sms * panel.slots};
  for (const LaunchRecord* launch : panel.launches) {
    for (const auto& [slot, row] : launch->rows) {
      for (const Span& span : row) {
        sums.busy += span.busy;
        sums.prologue += span.prologue;
      }
    }
  }
  return sums;
}

std::string shape_of(const LaunchRecord& launch) {
  const std::uint64_t cluster = launch.cluster.count();
  return count(launch.grid.count(), "block") +
         (launch.grid.y != 1 || launch.grid.z != 1 ? " (" + size_text(launch.grid) + ")" : "") +
         " of " + count(launch.block.count(), "thread") +
         (cluster == 1 ? "" : ", in clusters of " + std::to_string(cluster));
}

}  // namespace

std::string count(std::uint64_t number, const char* what) {
  return grouped(number) + " " + what + (number == 1 ? "" : "s");
}

std::string index_text(const machine::Dim3& grid, std::uint64_t linear) {
  const machine::Dim3 index = grid.at(linear);
  std::string text = std::to_string(index.x);
  if (grid.y != 1 || grid.z != 1) text += "," + std::to_string(index.y);
  if (grid.z != 1) text += "," + std::to_string(index.z);
  return text;
}

std::string title_of(const Panel& panel) {
  const auto& launches = panel.launches;
  const std::string first = std::to_string(launches.front()->serial);
  const std::string last = std::to_string(launches.back()->serial);
  std::string title = launches.size() == 1   ? "Launch " + first + ": "
                      : launches.size() == 2 ? "Launches " + first + " and " + last + ": "
                                             : "Launches " + first + " to " + last + ": ";
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (title.size() > 60) return title + ", ...";
    title += (i == 0 ? "" : ", ") + launches[i]->kernel;
  }
  return title;
}

std::string work_line(const Panel& panel) {
  machine::GridCounts sum;
  std::string shape;
  int launches = 0;
  for (const LaunchRecord* launch : panel.launches) {
    if (panel.urgent(*launch)) continue;
    sum.blocks_started += launch->counts.blocks_started;
    sum.blocks_stolen += launch->counts.blocks_stolen;
    sum.requests_refused += launch->counts.requests_refused;
    shape = ++launches == 1 ? shape_of(*launch) + ": " : "";
  }
  std::string text = shape + grouped(sum.blocks_started) + " started";
  if (sum.blocks_stolen != 0) text += ", " + grouped(sum.blocks_stolen) + " stolen";
  if (sum.requests_refused != 0) text += ", " + count(sum.requests_refused, "request") + " failed";
  return text;
}

std::string time_line(const Panel& panel) {
  const Sums sums = sums_of(panel);
  const Time length = panel.end - panel.begin;
  return grouped(length) + " cycles" +
         (length > panel.shown ? ", drawn to " + grouped(panel.shown) : "") + "; of " +
         grouped(std::uint64_t{panel.sms} * panel.slots) + " slots " +
         percent(sums.prologue, sums.capacity) + " in prologues, " +
         percent(sums.capacity - std::min(sums.busy, sums.capacity), sums.capacity) + " idle";
}

std::string waited(const LaunchRecord& launch) {
  return launch.kernel + ", of higher priority, waited " +
         grouped(launch.started - launch.submitted) + " cycles for its first block, done after " +
         grouped(launch.finished - launch.submitted);
}

std::string describe(const Panel& panel) {
  std::string text = title_of(panel) + ". " + work_line(panel) + ". ";
  text += time_line(panel) + ". ";
  for (const LaunchRecord* launch : panel.launches) {
    if (panel.urgent(*launch)) text += waited(*launch) + ". ";
  }
  return text;
}

}  // namespace clcsim::report
