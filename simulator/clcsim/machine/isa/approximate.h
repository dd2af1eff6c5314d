// The approximations that a GPU computes in its special function unit.
#pragma once

#include "ptx/form.h"

namespace clcsim::machine::isa {

void add_approximations(ptx::FormTable&);  // div.approx rcp sqrt rsqrt sin cos lg2 ex2 tanh

// As the forms of f32 compute them; those of half precision round the result.
float ex2_ftz(float x);
float tanh_approx(float x);

}  // namespace clcsim::machine::isa
