// The life of an mbarrier: barrier-not-initialised, barrier-reinitialised, barrier-phase, and
// several-leaders where libcu++'s function initialises its mbarrier twice.
#pragma once

#include "checks/words.h"

namespace clcsim::checks {

class MbarrierProtocol : public machine::Observer {
 public:
  explicit MbarrierProtocol(Reporter& reporter) : reporter_(reporter) {}
  unsigned watches() const override { return machine::kOrder; }
  void mbarrier_used(const MbarrierUse&) override;

 private:
  void check_init(const MbarrierUse&, const BlockState& owner, const MbarrierState&);
  void check_visible(const MbarrierUse&, const MbarrierState&);
  void check_arrival(const MbarrierUse&, const MbarrierState&);
  void check_wait(const MbarrierUse&, const MbarrierState&);

  Reporter& reporter_;
};

}  // namespace clcsim::checks
