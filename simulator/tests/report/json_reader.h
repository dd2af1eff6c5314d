// A strict reader of JSON, so that a trace is looked at as its readers will.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace clcsim::test {

struct Json {
  enum class Kind { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  double number = 0;
  bool boolean = false;
  std::string string;
  std::vector<Json> array;
  std::map<std::string, Json> object;

  bool has(const std::string& key) const { return object.count(key) != 0; }
  /// Throws where there is none.
  const Json& operator[](const std::string& key) const { return object.at(key); }
  std::uint64_t integer() const {
    if (kind != Kind::number || number < 0 || number != double(std::uint64_t(number))) {
      throw std::runtime_error("not a whole number: " + std::to_string(number));
    }
    return std::uint64_t(number);
  }
};

/// Throws std::runtime_error where the text is no JSON.
Json read_json(std::string_view text);

}  // namespace clcsim::test
