// set and setp, for the files of the types that they compare.
#pragma once

#include "machine/isa/lanes.h"

namespace clcsim::machine::isa {

void add_comparisons(FormTable& table);       ///< of integers, f32 and f64
void add_half_comparisons(FormTable& table);  ///< of f16 and bf16

}  // namespace clcsim::machine::isa
