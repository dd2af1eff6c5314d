#include "tests/report/json_reader.h"

#include <charconv>

namespace clcsim::test {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Json all() {
    Json value = read();
    skip_space();
    if (at_ != text_.size()) fail("something follows");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error(what + " at " + std::to_string(at_));
  }
  char peek() {
    skip_space();
    if (at_ == text_.size()) fail("the end");
    return text_[at_];
  }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \n\r\t").find(text_[at_]) < 4) ++at_;
  }
  void expect(char c) {
    if (peek() != c) fail(std::string("no ") + c);
    ++at_;
  }
  bool word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return false;
    at_ += expected.size();
    return true;
  }

  std::string read_string() {
    expect('"');
    std::string result;
    while (true) {
      if (at_ == text_.size()) fail("a string without end");
      const char c = text_[at_++];
      if (c == '"') return result;
      if (static_cast<unsigned char>(c) < 0x20) fail("a control character");
      if (c != '\\') {
        result += c;
        continue;
      }
      const char escaped = at_ < text_.size() ? text_[at_++] : ' ';
      if (escaped == 'u') {
        at_ += 4;
        result += '?';
      } else if (std::string_view("\"\\/bfnrt").find(escaped) != std::string_view::npos) {
        result += escaped;
      } else {
        fail("a bad escape");
      }
    }
  }

  Json read() {
    Json value;
    const char c = peek();
    if (c == '{') {
      value.kind = Json::Kind::object;
      ++at_;
      if (peek() == '}') {
        ++at_;
        return value;
      }
      while (true) {
        peek();
        std::string key = read_string();
        expect(':');
        if (!value.object.emplace(key, read()).second) fail("the key " + key + " twice");
        if (peek() == '}') break;
        expect(',');
      }
      ++at_;
    } else if (c == '[') {
      value.kind = Json::Kind::array;
      ++at_;
      if (peek() == ']') {
        ++at_;
        return value;
      }
      while (true) {
        value.array.push_back(read());
        if (peek() == ']') break;
        expect(',');
      }
      ++at_;
    } else if (c == '"') {
      value.kind = Json::Kind::string;
      value.string = read_string();
    } else if (word("true") || word("false")) {
      value.kind = Json::Kind::boolean;
      value.boolean = c == 't';
    } else if (!word("null")) {
      value.kind = Json::Kind::number;
      const auto [end, error] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), value.number);
      if (error != std::errc()) fail("no value");
      at_ = static_cast<std::size_t>(end - text_.data());
    }
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Json read_json(std::string_view text) {
  return Reader(text).all();
}

}  // namespace clcsim::test
