// A reader of as much XML as our pictures use; it accepts nothing that is not well-formed.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace clcsim::test {

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  ///< directly inside
  std::vector<Element> children;

  /// All elements of this name inside, at any depth, in the order of the text.
  std::vector<const Element*> all(const std::string& wanted) const;
  std::string attribute(const std::string& key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? "" : found->second;
  }
};

/// Throws std::runtime_error where the text is not well-formed.
Element read_xml(std::string_view text);

}  // namespace clcsim::test
