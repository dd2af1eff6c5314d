// The likely causes of a deadlock: mbarriers that are waited for, and what they lack.
#pragma once

#include "checks/reporter.h"

namespace clcsim::checks {

void add_causes(const States& states, Finding& deadlock);

}  // namespace clcsim::checks
