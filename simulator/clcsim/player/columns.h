// Tables of whole numbers as short text. A row is first a mask of the columns that are other
// numbers than in the row above, 5 columns a digit; then for each of these the difference, in the
// base 64 of source maps: 5 bits a digit, the sign lowest, the sixth bit says that more follow.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace clcsim::player {

class Columns {
 public:
  explicit Columns(std::size_t columns) : above_(columns) {}
  void add(std::initializer_list<std::int64_t> row);
  const std::string& text() const { return text_; }

 private:
  std::vector<std::int64_t> above_;
  std::string text_;
};

}  // namespace clcsim::player
