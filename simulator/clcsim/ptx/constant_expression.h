// Constant expressions: 12, -0x10, 1 << 4, (2 + 3) * 8U, 1 < 2 ? 3 : 4, (.u64) -1, 0f3f800000,
// -1.5. Source: PTX ISA 9.0, section 4.5.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "ptx/lexer.h"
#include "ptx/token_stream.h"

namespace clcsim::ptx {

// Takes the longest expression at the start of `tokens`. Integers are computed in 64 bits, signed
// unless an operand is unsigned. A floating-point number takes a sign but no other operator.
// Throws ParseError.
Number parse_constant(TokenStream& tokens);

// An integer that must lie in [least, greatest]. `what` names it in the error: "the alignment".
// Comparisons and weaker operators need parentheses, so that the > of `%r<10>` ends it.
std::uint64_t parse_count(TokenStream& tokens, std::string_view what, std::uint64_t least,
                          std::uint64_t greatest);

// The greatest count that the program keeps in 32 bits.
inline constexpr std::uint64_t kGreatest32 = std::numeric_limits<std::uint32_t>::max();

}  // namespace clcsim::ptx
