// The life of an mbarrier: barrier-not-initialised, barrier-reinitialised, barrier-phase, and
// several-leaders where libcu++'s function initialises its mbarrier twice.
#pragma once

#include "checks/reporter.h"

namespace clcsim::checks {

class MbarrierProtocol {
 public:
  MbarrierProtocol(const States& states, Reporter& reporter)
      : states_(states), reporter_(reporter) {}
  void mbarrier_used(const MbarrierUse&);
  /// The likely causes: the mbarriers that are waited for, and what they lack.
  void add_causes(Finding& deadlock) const;

 private:
  void check_init(const MbarrierUse&, const BlockState& owner, const MbarrierState&);
  void check_visible(const MbarrierUse&, const MbarrierState&);
  void check_arrival(const MbarrierUse&, const MbarrierState&);
  void check_wait(const MbarrierUse&, const MbarrierState&);
  Stamp first_stamp(const MbarrierUse&) const;

  const States& states_;
  Reporter& reporter_;
};

}  // namespace clcsim::checks
