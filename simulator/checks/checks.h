// The checks: observers of the machine that find broken rules.
//
//   order              who knows what: the clocks of all threads
//   shared_memory      races, and the order of threads and the async proxy
//   global_memory      races between the threads of a grid
//   clc_protocol       requests and responses
//   mbarrier_protocol  init, phases, parities
//   divergence         block barriers that some threads miss
//   uninitialised      values that nobody has written
//   stopping           the rules behind faults, the likely cause of a deadlock
#pragma once

#include <memory>
#include <vector>

#include "machine/gpu.h"

namespace clcsim::checks {

enum class Level : std::uint8_t {
  off,
  memory,  ///< addresses, which the machine itself checks, and uninitialised values
  all,
};

/// The observers of a level, to be attached in this order. They report to `gpu`, and must live as
/// long as it runs.
std::vector<std::unique_ptr<machine::Observer>> make_checks(Level level, machine::Gpu& gpu);

}  // namespace clcsim::checks
