#include "report/json_reader.h"

#include <cmath>
#include <cstdlib>

namespace clcsim::report {

const Json& Json::operator[](std::string_view name) const {
  static const Json kNull;
  const auto found = object().find(name);
  return found == object().end() ? kNull : found->second;
}

bool Json::truth() const {
  const bool* flag = std::get_if<bool>(&value_);
  return flag != nullptr ? *flag : number(0) != 0;
}

double Json::number(double otherwise) const {
  const double* held = std::get_if<double>(&value_);
  return held == nullptr || !std::isfinite(*held) ? otherwise : *held;
}

std::int64_t Json::whole(std::int64_t otherwise) const {
  constexpr double kExact = 9007199254740992.0;  // 2^53: beyond it a double skips numbers
  const double* held = std::get_if<double>(&value_);
  if (held == nullptr || !(std::fabs(*held) <= kExact)) return otherwise;
  return static_cast<std::int64_t>(std::llround(*held));
}

std::uint64_t Json::integer() const {
  const double held = number(-1);
  if (held < 0 || held != std::floor(held)) throw JsonError("no whole number stands there");
  return static_cast<std::uint64_t>(held);
}

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  Json whole() {
    Json value = read(0);
    skip_blanks();
    if (at_ != text_.size()) fail("something follows the value");
    return value;
  }

 private:
  static constexpr int kDeepest = 64;

  [[noreturn]] void fail(const std::string& why) const {
    throw JsonError("the JSON can't be read: at character " + std::to_string(at_) + " " + why);
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_blanks() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r') ++at_;
  }

  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  Json read(int depth) {
    if (depth > kDeepest) fail("values lie too deep in one another");
    skip_blanks();
    Json value;
    if (peek() == '"') {
      value.value_ = read_text();
    } else if (take("[")) {
      value.value_ = read_array(depth);
    } else if (take("{")) {
      value.value_ = read_object(depth);
    } else if (take("true")) {
      value.value_ = true;
    } else if (take("false")) {
      value.value_ = false;
    } else if (!take("null")) {
      value.value_ = read_number();
    }
    return value;
  }

  Json::Array read_array(int depth) {
    Json::Array array;
    skip_blanks();
    if (take("]")) return array;
    for (;;) {
      array.push_back(read(depth + 1));
      skip_blanks();
      if (take("]")) return array;
      if (!take(",")) fail("an array has neither ',' nor ']'");
    }
  }

  Json::Object read_object(int depth) {
    Json::Object object;
    skip_blanks();
    if (take("}")) return object;
    for (;;) {
      skip_blanks();
      if (peek() != '"') fail("an object's member has no name");
      std::string name = read_text();
      skip_blanks();
      if (!take(":")) fail("an object's member has no ':'");
      if (object.count(name) != 0) fail("the member " + name + " stands twice");
      object.emplace(std::move(name), read(depth + 1));
      skip_blanks();
      if (take("}")) return object;
      if (!take(",")) fail("an object has neither ',' nor '}'");
    }
  }

  double read_number() {
    const std::size_t end = text_.find_first_not_of("+-.0123456789eE", at_);
    const std::string word(text_.substr(at_, end - at_));
    char* stop = nullptr;
    const double number = std::strtod(word.c_str(), &stop);
    const std::size_t first = word[0] == '-';
    const auto digit = [&](std::size_t at) { return word[at] >= '0' && word[at] <= '9'; };
    if (*stop != '\0' || word.empty() || !digit(first) || (word[first] == '0' && digit(first + 1)))
      fail("no value stands");
    at_ += word.size();
    return number;
  }

  unsigned read_hex() {
    const std::string word(text_.substr(at_, 4));
    if (word.size() != 4 || word.find_first_not_of("0123456789abcdefABCDEF") != word.npos)
      fail("\\u has no four digits");
    at_ += 4;
    return static_cast<unsigned>(std::strtoul(word.c_str(), nullptr, 16));
  }

  static void append(std::string& text, unsigned code) {
    const auto add = [&](unsigned byte) { text += static_cast<char>(byte); };
    if (code < 0x80) return add(code);
    if (code < 0x800) {
      add(0xc0 | code >> 6);
    } else if (code < 0x10000) {
      add(0xe0 | code >> 12), add(0x80 | (code >> 6 & 0x3f));
    } else {
      add(0xf0 | code >> 18), add(0x80 | (code >> 12 & 0x3f)), add(0x80 | (code >> 6 & 0x3f));
    }
    add(0x80 | (code & 0x3f));
  }

  std::string read_text() {
    std::string text;
    for (++at_;;) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && peek() != '"' && peek() != '\\') {
        if (static_cast<unsigned char>(peek()) < 0x20) fail("a text has a control character");
        ++at_;
      }
      text += text_.substr(begin, at_ - begin);
      if (at_ == text_.size()) fail("a text has no end");
      if (text_[at_++] == '"') return text;
      const char escaped = peek();
      ++at_;
      if (escaped == 'u') {
        unsigned code = read_hex();
        if (code >> 10 == 0x36 && take("\\u")) {  // the first half of a pair
          code = 0x10000 + ((code & 0x3ff) << 10) + (read_hex() & 0x3ff);
        }
        append(text, code);
        continue;
      }
      constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
      const std::size_t which = kNames.find(escaped);
      if (which == kNames.npos) fail("a text has an unknown escape");
      text += kMeanings[which];
    }
  }

  const std::string_view text_;
  std::size_t at_ = 0;
};

Json Json::parse(std::string_view text) {
  return JsonReader(text).whole();
}

}  // namespace clcsim::report
