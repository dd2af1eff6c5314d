// What goes into the picture of a run: which launches, which rows, at which scale.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "report/timeline_record.h"

namespace clcsim::report {

/// What of a record is wanted.
struct TimelineView {
  std::uint64_t launch = 0;  ///< this one and what overlaps it; 0: all
  machine::Time cycles = 0;  ///< that the time axis shows; 0: as many as there are
};

/// Launches of which each overlaps another one, on one time axis.
struct Panel {
  std::vector<const LaunchRecord*> launches;
  machine::Time begin = 0, end = 0;  ///< from the first submission to the last end
  machine::Time shown = 1;           ///< cycles that the time axis covers
  std::uint32_t sms = 0;             ///< of the GPU
  std::vector<std::uint32_t> drawn;  ///< SMs that have rows: not all where they are too many
  std::uint32_t slots = 0;           ///< rows of an SM: blocks that one held at a time at most
  int lowest_priority = 0;           ///< the largest number
  int rows_height = 430;             ///< pixels, about, of all rows together

  bool urgent(const LaunchRecord& launch) const { return launch.priority < lowest_priority; }
};

/// All panels in the order of time.
std::vector<Panel> panels_of(const TimelineRecord& record, const TimelineView& view);

/// Panels of similar length get one scale, so that they compare; all do where `cycles` is not 0.
void choose_scale(std::vector<Panel>& panels, machine::Time cycles);

/// Tiles of a row that are drawn as one shape.
struct Shape {
  std::int64_t x = 0, width = 0;  ///< tenths of a pixel
  std::int64_t prologue = 0;      ///< part of the width, at its left
  std::uint64_t block = 0;        ///< of the first one
  const Span* span = nullptr;     ///< of a lone tile
  std::uint64_t tiles = 0, stolen = 0;
};

/// From model time to the axis, in tenths of a pixel. What lies outside is moved to its ends.
struct Scale {
  machine::Time begin = 0, length = 1;
  std::int64_t left = 0, width = 0;

  bool shows(machine::Time time) const { return time < begin + length; }
  std::int64_t at(machine::Time time) const {
    const machine::Time offset = time < begin ? 0 : std::min(time - begin, length);
    return left + static_cast<std::int64_t>(
                      (offset * static_cast<machine::Time>(width) + length / 2) / length);
  }
};

/// The shapes of a row. Neighbours narrower than `narrowest` are joined.
std::vector<Shape> shapes_of(const std::vector<Span>& row, const Scale& scale,
                             std::int64_t narrowest);

/// What the slots of all SMs do in a stretch of time, in slot-cycles.
struct Use {
  machine::Time prologue = 0, own = 0, stolen = 0, urgent = 0;
};

/// The use of `parts` equal parts of the axis.
std::vector<Use> use_of(const Panel& panel, std::size_t parts);

/// Step between ticks, 1, 2 or 5 times a power of ten, so that at most `most` of them fit.
machine::Time tick_step(machine::Time length, std::uint64_t most);

}  // namespace clcsim::report
