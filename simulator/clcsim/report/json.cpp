#include "report/json.h"

#include <cstdio>

namespace clcsim::report {
namespace {

// Length of the UTF-8 sequence at the front of `text`, or 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 && first < 0xf5   ? 4
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xc2 && first < 0xe0 ? 2
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Too long a form, half of a surrogate pair, or beyond the last code point.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0) ||
      (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90)) {
    return 0;
  }
  return length;
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text.front();
    if (length == 0) {
      result += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      result += escape;
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result + "\"";
}

void JsonWriter::begin_element() {
  if (follows_) text_ += ',';
  if (new_line_) text_ += '\n';
  follows_ = new_line_ = false;
}

void JsonWriter::open(char bracket) {
  begin_element();
  text_ += bracket;
}

void JsonWriter::close(char bracket) {
  follows_ = false;
  begin_element();
  text_ += bracket;
  follows_ = true;
}

void JsonWriter::key(std::string_view name) {
  raw(json_string(name));
  text_ += ':';
  follows_ = false;
}

void JsonWriter::raw(std::string_view json) {
  begin_element();
  text_ += json;
  follows_ = true;
}

}  // namespace clcsim::report
