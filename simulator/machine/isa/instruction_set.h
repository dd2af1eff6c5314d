// Which file of this folder executes which instructions.
#pragma once

#include <span>

#include "ptx/form.h"

namespace clcsim::machine::isa {

struct Part {
  const char* file;
  void (*add)(ptx::FormTable&);  ///< adds the file's forms
};

std::span<const Part> parts();

/// All forms.
const ptx::FormTable& instruction_set();

}  // namespace clcsim::machine::isa
