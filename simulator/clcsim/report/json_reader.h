// Reads JSON, strictly.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace clcsim::report {

/// The text is no JSON. what() is one sentence.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One value. Questions about what isn't there, or is of another kind, get the answer of null.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json, std::less<>>;

  Json() = default;
  /// Throws JsonError.
  static Json parse(std::string_view text);

  /// The member of an object, or null.
  const Json& operator[](std::string_view name) const;
  const Array& array() const { return as<Array>(); }
  const Object& object() const { return as<Object>(); }
  const std::string& text() const { return as<std::string>(); }
  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_text() const { return std::holds_alternative<std::string>(value_); }
  /// Throws JsonError unless it is a whole number, 0 or more.
  std::uint64_t integer() const;
  /// True for true and for numbers but 0.
  bool truth() const;
  /// `otherwise` unless it is a number that a whole one of this range is near.
  std::int64_t whole(std::int64_t otherwise) const;
  double number(double otherwise) const;

 private:
  friend class JsonReader;
  template <class T>
  const T& as() const {
    static const T kNone{};
    const T* held = std::get_if<T>(&value_);
    return held == nullptr ? kNone : *held;
  }
  std::variant<std::monostate, bool, double, std::string, Array, Object> value_;
};

}  // namespace clcsim::report
