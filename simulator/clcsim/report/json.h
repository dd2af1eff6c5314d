// The JSON that clcsim writes.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "machine/grid.h"

namespace clcsim::report {

/// A JSON string, quotes included. Bytes that are no UTF-8 are replaced.
std::string json_string(std::string_view text);

/// Writes one JSON text from its beginning to its end, and puts the commas. A value is a text, a
/// number, a truth, a Dim3, a range of values, or a function that writes the members of an object.
class JsonWriter {
 public:
  /// In an object: name, value, name, value ...
  void members(std::string_view name, const auto& it, const auto&... more) {
    key(name);
    value(it);
    if constexpr (sizeof...(more) != 0) members(more...);
  }
  /// `write` writes the values of an array.
  void array(const std::invocable auto& write) {
    open('[');
    write();
    close(']');
  }
  void array(std::string_view name, const std::invocable auto& write) {
    key(name);
    array(write);
  }
  /// What comes next begins a line.
  void new_line() { new_line_ = true; }

  void value(std::string_view text) { raw(json_string(text)); }
  void value(const char* text) { raw(json_string(text)); }
  void value(bool truth) { raw(truth ? "true" : "false"); }
  void value(std::integral auto number) { raw(std::to_string(number)); }
  void value(const machine::Dim3& size) { value(std::array{size.x, size.y, size.z}); }
  void value(const std::invocable auto& write) {
    open('{');
    write();
    close('}');
  }
  template <class Range>
  requires(requires(Range values) { values.begin(); } &&
           !std::convertible_to<Range, std::string_view>) void value(const Range& values) {
    open('[');
    for (const auto& each : values) value(each);
    close(']');
  }
  void key(std::string_view name);
  /// A value that is JSON already.
  void raw(std::string_view json);

  std::string take() { return std::move(text_); }

 private:
  void begin_element();
  void open(char bracket);
  void close(char bracket);

  std::string text_;
  bool follows_ = false;  // on another element of the same array or object
  bool new_line_ = false;
};

}  // namespace clcsim::report
