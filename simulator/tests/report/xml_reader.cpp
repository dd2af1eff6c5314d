#include "tests/report/xml_reader.h"

#include <cctype>

namespace clcsim::test {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Element all() {
    skip_space();
    Element root = read_element();
    skip_space();
    if (at_ != text_.size()) fail("something follows the root");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error(what + " at " + std::to_string(at_) + ": " +
                             std::string(text_.substr(at_, 40)));
  }
  char peek() {
    if (at_ >= text_.size()) fail("the end");
    return text_[at_];
  }
  void expect(char c) {
    if (peek() != c) fail(std::string("no ") + c);
    ++at_;
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  std::string read_name() {
    const std::size_t first = at_;
    while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '-' || peek() == ':')
      ++at_;
    if (at_ == first) fail("no name");
    return std::string(text_.substr(first, at_ - first));
  }

  std::string read_text(char end) {
    std::string result;
    for (; peek() != end; ++at_) {
      const char c = text_[at_];
      if (c == '<') fail("a < in text");
      if (static_cast<unsigned char>(c) < 0x20 && c != '\n') fail("a control character");
      if (c != '&') {
        result += c;
        continue;
      }
      const std::size_t semicolon = text_.find(';', at_);
      const std::string_view entity = text_.substr(at_, semicolon - at_);
      if (entity == "&amp") {
        result += '&';
      } else if (entity == "&lt") {
        result += '<';
      } else if (entity == "&gt") {
        result += '>';
      } else if (entity == "&quot") {
        result += '"';
      } else {
        fail("an unknown entity");
      }
      at_ = semicolon;
    }
    return result;
  }

  Element read_element() {
    Element element;
    expect('<');
    element.name = read_name();
    for (skip_space(); peek() != '>' && peek() != '/'; skip_space()) {
      const std::string key = read_name();
      expect('=');
      expect('"');
      if (!element.attributes.emplace(key, read_text('"')).second) fail(key + " twice");
      expect('"');
    }
    if (peek() == '/') {
      ++at_;
      expect('>');
      return element;
    }
    expect('>');
    while (true) {
      element.text += read_text('<');
      if (text_.substr(at_, 2) != "</") {
        element.children.push_back(read_element());
        continue;
      }
      at_ += 2;
      if (read_name() != element.name) fail("another element ends than " + element.name);
      expect('>');
      return element;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void collect(const Element& from, const std::string& wanted, std::vector<const Element*>& found) {
  for (const Element& child : from.children) {
    if (child.name == wanted) found.push_back(&child);
    collect(child, wanted, found);
  }
}

}  // namespace

std::vector<const Element*> Element::all(const std::string& wanted) const {
  std::vector<const Element*> found;
  collect(*this, wanted, found);
  return found;
}

Element read_xml(std::string_view text) {
  return Reader(text).all();
}

}  // namespace clcsim::test
