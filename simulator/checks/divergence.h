// Block barriers that some threads of the block never reach: block-barrier-divergence.
#pragma once

#include <unordered_map>
#include <vector>

#include "checks/words.h"

namespace clcsim::checks {

class Divergence : public machine::Observer {
 public:
  explicit Divergence(Reporter& reporter) : reporter_(reporter) {}
  unsigned watches() const override { return machine::kLaunches | machine::kOrder; }

  void block_barrier_arrived(const Executed&, std::uint32_t id, bool counted, bool waits) override;
  void block_barrier_completed(const Block&, std::uint32_t id) override;
  void lanes_exited(const Warp&, LaneMask) override;
  void block_finished(const Block&, machine::Time) override;

 private:
  struct Arrival {
    Stamp stamp;
    LaneMask lanes = 0;
    std::uint32_t pc = 0;
  };
  struct Barriers {
    std::unordered_map<std::uint32_t, std::vector<Arrival>> waiting;  // by barrier, not counted
    std::vector<LaneMask> took_part;                                  // by warp
    Stamp left;  // a thread that had taken part
    bool some_left = false;
  };

  Reporter& reporter_;
  std::unordered_map<std::uint64_t, Barriers> blocks_;  // by serial of the block
};

}  // namespace clcsim::checks
