// The signature of a form, parsed. See form.h for the notation.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace clcsim::ptx {

struct OperandSpec {
  char kind = 'r';
  bool destination = false;
  bool optional = false;
  bool vector = false;
  std::uint32_t count = 1;  ///< elements of a vector
};

using Signature = std::vector<OperandSpec>;

/// The text is one of ours: a mistake in it is a bug, and aborts.
Signature parse_signature(std::string_view text);

}  // namespace clcsim::ptx
