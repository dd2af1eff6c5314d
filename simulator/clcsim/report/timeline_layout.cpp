#include "report/timeline_layout.h"

#include <algorithm>
#include <set>

#include "report/palette.h"

namespace clcsim::report {
namespace {

using machine::Time;

constexpr std::uint32_t kRowsDrawn = 72;
constexpr std::int64_t kWidestJoined = 120;  // tenths: a joined shape grows up to this width
constexpr Time kSimilar = 8;                 // panels up to so many times shorter share a scale

// The first SMs, but for some on which a launch of high priority ran.
void choose_sms(Panel& panel) {
  const std::uint32_t most = std::max(1u, kRowsDrawn / panel.slots);
  std::set<std::uint32_t> chosen;
  if (panel.sms > most) {
    for (const LaunchRecord* launch : panel.launches) {
      if (!panel.urgent(*launch)) continue;
      for (const auto& [slot, row] : launch->rows) {
        if (chosen.size() < (most + 2) / 3) chosen.insert(slot.sm);
      }
    }
  }
  for (std::uint32_t sm = 0; sm < panel.sms && chosen.size() < most; ++sm) chosen.insert(sm);
  panel.drawn.assign(chosen.begin(), chosen.end());
}

void add_rows(Panel& panel) {
  for (const LaunchRecord* launch : panel.launches) {
    for (const auto& [slot, row] : launch->rows) {
      panel.slots = std::max(panel.slots, slot.number + 1);
    }
    panel.lowest_priority = launch == panel.launches.front()
                                ? launch->priority
                                : std::max(panel.lowest_priority, launch->priority);
  }
  panel.slots = std::max(panel.slots, 1u);
  choose_sms(panel);
}

// Spreads the cycles from `begin` on over the parts of the axis.
template <class Add>
void spread(const Panel& panel, std::size_t parts, Time begin, Time cycles, Add add) {
  if (cycles == 0) return;
  const auto edge = [&](std::size_t part) {
    return panel.begin + panel.shown * static_cast<Time>(part) / parts;
  };
  const Time end = begin + cycles;
  std::size_t part = std::min<std::size_t>(
      parts - 1, static_cast<std::size_t>((begin - panel.begin) * parts / panel.shown));
  while (part > 0 && edge(part) > begin) --part;
  for (; part < parts && edge(part) < end; ++part) {
    const Time from = std::max(begin, edge(part)), to = std::min(end, edge(part + 1));
    if (to > from) add(part, to - from);
  }
}

}  // namespace

std::vector<Panel> panels_of(const TimelineRecord& record, const TimelineView& view) {
  std::vector<Panel> panels;
  for (const LaunchRecord& launch : record.launches) {
    if (panels.empty() || launch.submitted >= panels.back().end) {
      panels.push_back({.begin = launch.submitted,
                        .end = launch.finished,
                        .sms = static_cast<std::uint32_t>(record.sms)});
    }
    Panel& panel = panels.back();
    panel.launches.push_back(&launch);
    panel.begin = std::min(panel.begin, launch.submitted);
    panel.end = std::max(panel.end, launch.finished);
  }
  if (view.launch != 0) {
    std::erase_if(panels, [&](const Panel& panel) {
      return std::none_of(panel.launches.begin(), panel.launches.end(),
                          [&](const auto* launch) { return launch->serial == view.launch; });
    });
  }
  for (Panel& panel : panels) add_rows(panel);
  return panels;
}

void choose_scale(std::vector<Panel>& panels, Time cycles) {
  Time longest = 1;
  for (const Panel& panel : panels) longest = std::max(longest, panel.end - panel.begin);
  for (Panel& panel : panels) {
    const Time length = std::max<Time>(1, panel.end - panel.begin);
    panel.shown = cycles != 0 ? cycles : length >= longest / kSimilar ? longest : length;
  }
}

std::vector<Shape> shapes_of(const std::vector<Span>& row, const Scale& scale,
                             std::int64_t narrowest) {
  std::vector<Shape> shapes;
  for (const Span& span : row) {
    if (!scale.shows(span.begin)) break;
    const std::int64_t x = scale.at(span.begin), end = scale.at(span.end);
    const std::int64_t prologue = scale.at(span.begin + span.prologue) - x;
    if (!shapes.empty() && end - x < narrowest) {
      Shape& last = shapes.back();
      const bool narrow = last.tiles > 1 || last.width < narrowest;
      if (narrow && x - (last.x + last.width) < narrowest && end - last.x <= kWidestJoined) {
        last.width = end - last.x;
        last.prologue += prologue;
        last.span = nullptr;
        last.tiles += span.tiles;
        last.stolen += span.stolen;
        continue;
      }
    }
    shapes.push_back({.x = x,
                      .width = end - x,
                      .prologue = prologue,
                      .block = span.block,
                      .span = span.tiles == 1 ? &span : nullptr,
                      .tiles = span.tiles,
                      .stolen = span.stolen});
  }
  for (Shape& shape : shapes) shape.width = std::max<std::int64_t>(shape.width, 5);
  return shapes;
}

std::vector<Use> use_of(const Panel& panel, std::size_t parts) {
  std::vector<Use> uses(parts);
  for (const LaunchRecord* launch : panel.launches) {
    const bool urgent = panel.urgent(*launch);
    for (const auto& [slot, row] : launch->rows) {
      for (const Span& span : row) {
        const Time work = span.busy - span.prologue;
        spread(panel, parts, span.begin, span.prologue, [&](std::size_t part, Time cycles) {
          (urgent ? uses[part].urgent : uses[part].prologue) += cycles;
        });
        spread(panel, parts, span.begin + span.prologue, work, [&](std::size_t part, Time cycles) {
          const Time stolen = cycles * span.stolen / span.tiles;
          if (urgent) {
            uses[part].urgent += cycles;
          } else {
            uses[part].stolen += stolen;
            uses[part].own += cycles - stolen;
          }
        });
      }
    }
  }
  return uses;
}

Time tick_step(Time length, std::uint64_t most) {
  for (Time step = 1;; step *= 10) {
    for (const Time times : {1, 2, 5}) {
      if (length / (step * times) < most) return step * times;
    }
  }
}

}  // namespace clcsim::report
