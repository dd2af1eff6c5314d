// The approximations that a GPU computes in its special function unit.
#pragma once

#include "ptx/form.h"

namespace clcsim::machine::isa {

void add_approximations(ptx::FormTable&);  // div.approx rcp sqrt rsqrt sin cos lg2 ex2 tanh

}  // namespace clcsim::machine::isa
