#include "report/svg.h"

namespace clcsim::report::svg {

std::string tenths(std::int64_t value) {
  const std::int64_t whole = value / 10, rest = value < 0 ? -value % 10 : value % 10;
  std::string text = value < 0 && whole == 0 ? "-0" : std::to_string(whole);
  if (rest != 0) text += "." + std::to_string(rest);
  return text;
}

std::string escape(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        // Names are ASCII, or nearly: what isn't becomes a question mark and not a broken file.
        result += c >= 0x20 && c < 0x7f ? c : '?';
    }
  }
  return result;
}

int text_width(std::string_view text, int font_size) {
  int hundredths = 0;
  for (const char c : text) {
    const bool narrow = std::string_view(" .,:;'|!iljtfr()[]").find(c) != std::string_view::npos;
    hundredths += narrow ? 33 : c >= 'A' && c <= 'Z' ? 70 : 58;
  }
  return hundredths * font_size / 100 + 1;
}

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string box(std::int64_t x, int y, std::int64_t width, int height) {
  return "M" + tenths(x) + " " + std::to_string(y) + "h" + tenths(width) + "v" +
         std::to_string(height) + "h" + tenths(-width) + "z";
}

}  // namespace clcsim::report::svg
