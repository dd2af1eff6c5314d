// One panel of the picture: launches that overlap in time, on one time axis.
#pragma once

#include <string>

#include "report/timeline_layout.h"

namespace clcsim::report {

/// Widths of the picture, in pixels.
inline constexpr int kPictureWidth = 720;
inline constexpr int kPlotLeft = 66, kPlotWidth = 636;

/// What the legend has to explain.
struct Legend {
  bool own = false, stolen = false, prologue = false, urgent = false, joined = false;
  bool numbers = false, meetings = false;
  bool refused = false, refused_waiting = false, requests = false;
};

struct Drawing {
  std::string text;
  int height = 0;
  int rows_top = 0, rows_bottom = 0, rows_right = 0;  // of a panel: without words and empty axis
};

/// Draws a panel below y = 0, with about `shapes` shapes at most. Adds to the legend.
Drawing draw_panel(const Panel& panel, std::size_t shapes, Legend& legend);

}  // namespace clcsim::report
