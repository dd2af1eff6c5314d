#include "report/table.h"

#include <algorithm>

namespace clcsim::report {

std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t left) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - row[i].size(), ' ');
      line += "  " + (i < left ? row[i] + gap : gap + row[i]);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string size_text(const machine::Dim3& size) {
  std::string text = std::to_string(size.x);
  if (size.y != 1 || size.z != 1) text += "x" + std::to_string(size.y);
  if (size.z != 1) text += "x" + std::to_string(size.z);
  return text;
}

std::string text_of(const machine::Dim3& index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
         std::to_string(index.z) + ")";
}

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
