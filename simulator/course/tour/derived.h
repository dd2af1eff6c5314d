// What follows from the results, for the tables.
#pragma once

#include "measure/recording.h"
#include "measure/strategies.h"

namespace clcsim::tour {

using measure::Result, measure::Results, measure::strategies, measure::Strategy;

/// Of the balance experiment, but for the even one.
inline const std::vector<std::string> kShapes = {"heavy-tail", "random", "growing", "periodic"};

/// The two prologues of the overheads: few FMAs, and many. Those of one GPU, if it is named.
std::vector<std::string> prologues(const Results& results, const std::string& gpu = "");

/// The same amount of work, evenly spread, is what a strategy is compared with for its balance
/// alone. 0: there is none to compare with.
double over_even(const Results& results, const Result& result);

/// Of the uneven shape that takes longest; 0: none was measured.
double worst_over_even(const Results& results, const std::string& gpu, const std::string& strategy);

/// 0: there is none to compare with.
double wait_over_fixed(const Results& results, const Result& result);

/// A column of the programming guide's table, measured: how many times as long as in the easy case
/// it takes (0: not measured), and whether the strategy gets the tick.
struct Property {
  double times = 0;
  bool ticked = false;
};

/// Overheads: an expensive prologue, over a cheap one. Balance: the worst shape, over even tiles.
/// Preemption: the urgent kernel's wait, over that behind fixed work.
Property property(const Results& results, const std::string& experiment, const std::string& gpu,
                  const std::string& strategy);

/// Those that an experiment ran on, in the order of the results.
std::vector<std::string> gpus(const Results& results, const std::string& experiment);

/// Whether it is a form of CLC: it stole somewhere.
bool steals(const Results& results, const std::string& strategy);

/// "12,345 cycles" of the simulated GPU, or "0.123 ms" of a real one.
std::string time_text(const Result& result, double time);

}  // namespace clcsim::tour
