#include "player/columns.h"

namespace clcsim::player {
namespace {

constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void append(std::string& text, std::int64_t value) {
  const auto magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
  std::uint64_t rest = magnitude << 1 | (value < 0);
  do {
    const std::uint64_t digit = rest & 31;
    rest >>= 5;
    text += kDigits[digit | (rest != 0 ? 32 : 0)];
  } while (rest != 0);
}

}  // namespace

void Columns::add(std::initializer_list<std::int64_t> row) {
  std::string differences;
  std::size_t column = 0;
  unsigned mask = 0;
  for (const std::int64_t value : row) {
    if (value != above_[column]) {
      mask |= 1u << column % 5;
      append(differences, value - above_[column]);
      above_[column] = value;
    }
    if (++column % 5 == 0 || column == above_.size()) {
      text_ += kDigits[mask];
      mask = 0;
    }
  }
  text_ += differences;
}

}  // namespace clcsim::player
