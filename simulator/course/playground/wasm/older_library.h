// What the library of older Emscriptens (Debian 12's 3.1.6) lacks of C++20. Included before every
// source.
#pragma once

#include <bit>
#include <charconv>
#include <cstdlib>
#include <string>

#ifndef __cpp_lib_bit_cast
namespace std {
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}
}  // namespace std
#endif

#ifndef __cpp_lib_to_chars  // it has those for whole numbers alone
namespace std {
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const string text(first, last);  // with an end
  char* end = nullptr;
  value = strtod(text.c_str(), &end);
  return {first + (end - text.c_str()), end == text.c_str() ? errc::invalid_argument : errc()};
}
}  // namespace std
#endif
