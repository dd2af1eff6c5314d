#include "report/harmless.h"

#include <cstddef>

namespace clcsim::report {

std::string harmless(const std::string& text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string shown;
  const auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned byte = at(i);
    const bool control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
    // U+0080 to U+009F in UTF-8: controls, too.
    const bool wide = byte == 0xc2 && at(i + 1) >= 0x80 && at(i + 1) < 0xa0;
    if (!control && !wide) {
      shown += text[i];
      continue;
    }
    const unsigned shown_byte = wide ? at(++i) : byte;
    shown += {'\\', 'x', kDigits[shown_byte / 16], kDigits[shown_byte % 16]};
  }
  return shown;
}

}  // namespace clcsim::report
