// Block barriers that some threads of the block never reach: block-barrier-divergence.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "checks/reporter.h"

namespace clcsim::checks {

class Divergence {
 public:
  Divergence(const States& states, Reporter& reporter) : states_(states), reporter_(reporter) {}

  void block_barrier_arrived(const Executed&, std::uint32_t id, std::uint32_t threads, bool waits);
  void block_barrier_completed(const Block&, std::uint32_t id);
  void lanes_exited(const Warp&, LaneMask);
  void block_finished(const Block&);

 private:
  struct Arrival {
    Stamp stamp;
    LaneMask lanes = 0;
    std::uint32_t pc = 0;
  };
  struct Counted {  // an arrival with a number of threads
    Stamp stamp;
    std::uint32_t threads = 0;
  };
  struct Barriers {
    std::unordered_map<std::uint32_t, std::vector<Counted>> counted;  // the last one of each warp
    std::unordered_map<std::uint32_t, std::vector<Arrival>> waiting;  // by barrier, not counted
    std::vector<LaneMask> took_part;                                  // by warp
    Stamp left;  // a thread that had taken part
    bool some_left = false;
    Stamp absent;  // a thread that had not
    bool some_absent = false;
    std::array<Stamp, 2> pair;  // that met at two lines, the first time
    bool paired = false;
  };

  void check_counts(Barriers&, const Executed&, std::uint32_t id, std::uint32_t threads);
  void check_arrivals(const Block&, Barriers&, const std::vector<Arrival>&);

  const States& states_;
  Reporter& reporter_;
  std::unordered_map<std::uint64_t, Barriers> blocks_;  // by serial of the block
};

}  // namespace clcsim::checks
