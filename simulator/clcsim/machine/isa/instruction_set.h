// Which file of this folder executes which instructions.
#pragma once

#include <span>
#include <string_view>

#include "ptx/form.h"

namespace clcsim::machine::isa {

struct Part {
  const char* file;
  void (*add)(ptx::FormTable&);  ///< adds the file's forms
};

std::span<const Part> parts();

/// All forms.
const ptx::FormTable& instruction_set();

/// Those that may stand in this text: without half.cpp's and product.cpp's where it has no such
/// format and no mma.
const ptx::FormTable& instruction_set_for(std::string_view text);

}  // namespace clcsim::machine::isa
