// What stops the machine: adds the rule to faults, and the likely cause to a deadlock.
#pragma once

#include "checks/words.h"

namespace clcsim::checks {

class Stopping : public machine::Observer {
 public:
  explicit Stopping(const Order& order) : order_(order) {}
  void stopping(Finding&) override;

 private:
  void explain_deadlock(Finding&);

  const Order& order_;
};

}  // namespace clcsim::checks
