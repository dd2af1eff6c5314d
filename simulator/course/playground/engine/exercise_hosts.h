// What launch() of an exercise does, for those whose launch() does nothing but launch.
#pragma once

#include <string_view>

#include "host/host.h"
#include "problem.h"

namespace clcsim::playground {

struct ExerciseLaunch {
  struct Form {
    int blocks = 0;         ///< of the grid, whatever the tiles; or else
    int each_tile = 1;      ///< so many for each tile,
    int cluster = 1;        ///< rounded up to whole clusters
    unsigned rows = 1;      ///< of a block
    bool resident = false;  ///< no more blocks than the GPU holds at a time
  };
  std::string_view exercise, kernel;
  unsigned threads;  ///< of a row
  Form form = {};

  unsigned block() const { return threads * form.rows; }
  host::Shape shape(host::Host& host, const clc::Problem& problem) const;
};

/// The launches of an exercise's check are these in turn: the one of this number. nullptr: the
/// engine can't play its host.
const ExerciseLaunch* find_exercise_launch(std::string_view exercise, std::size_t number);

}  // namespace clcsim::playground
