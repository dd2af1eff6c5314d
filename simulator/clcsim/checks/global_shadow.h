// Who last wrote and who has since read each word of global memory that a grid has touched.
//
// Memory is watched in lines of 128 bytes: a line that whole warps access side by side needs one
// cell for all its words. What is pushed out is forgotten: a race may be missed, none is made up.
#pragma once

#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checks/shadow.h"
#include "machine/box.h"

namespace clcsim::checks {

class GlobalShadow : public Shadow {
 public:
  static constexpr std::uint32_t kLine = 128, kWords = kLine / 4, kPage = 1 << 16;
  struct Line {
    Cell whole;               ///< of each access the first lane stands for all
    std::uint32_t words = 0;  ///< number of the words' cells; 0: the line is uniform
  };

  struct Page {
    Line lines[kPage / kLine];
  };
  using Pages = std::vector<std::unique_ptr<Page>>;

  /// `idle`: pages of shadows that are gone.
  explicit GlobalShadow(Pages& idle) : Shadow(4), idle_(idle) {}
  ~GlobalShadow() override;
  /// The line that holds this byte.
  Line& line_at(std::uint64_t address) {
    if (address / kPage != last_number_) find_page(address / kPage);
    return last_page_->lines[address % kPage / kLine];
  }
  /// The line's words, which are told apart from now on; nullptr: no room, the line is forgotten.
  Cell* words_of(Line& line) {
    return line.words != 0 ? words_[line.words]->cells : split_line(line);
  }
  /// Who wrote a word that lies in a line that was written by this.
  Ref part(Ref write, std::uint32_t word) const {
    return write ? Ref::access(write.record(), lane(write.record(), write.lane(), word)) : write;
  }
  /// f(first byte, end, cell, whether it is of the whole line) for the lines of a box that somebody
  /// has touched, or their words.
  template <class F>
  void for_each_touched(const machine::Box& box, F&& f) {
    std::uint64_t number = ~std::uint64_t{0};
    Page* page = nullptr;
    box.for_each_line([&](std::uint64_t address, std::uint32_t) {
      for (const std::uint64_t end = address + box.bytes; address < end;) {
        if (std::exchange(number, address / kPage) != address / kPage) {
          const auto found = pages_.find(number);
          page = found == pages_.end() ? nullptr : found->second.get();
        }
        Line* const line = page == nullptr ? nullptr : &page->lines[address % kPage / kLine];
        const std::uint64_t unit = line == nullptr ? kPage : line->words == 0 ? kLine : 4;
        const std::uint64_t next = std::min(end, (address / unit + 1) * unit);
        if (line != nullptr) {
          f(address, next,
            line->words == 0 ? line->whole : words_[line->words]->cells[address % kLine / 4],
            line->words == 0);
        }
        address = next;
      }
    });
  }
  void for_each_cell(const std::function<void(Cell&)>& f) override;

 private:
  static constexpr std::size_t kMostPages = 4096;       // 256 MB of memory
  static constexpr std::size_t kMostWords = 32 * 1024;  // lines whose words are told apart
  struct Words {
    Cell cells[kWords];
  };
  void hold(std::size_t cells) { most_held_ = most_records_ += cells; }
  void find_page(std::uint64_t number);
  int lane(std::uint32_t record, int first, std::uint32_t word) const {
    return first + static_cast<int>(word * 4 >> this->record(record).shift);
  }
  Cell part(const Cell& whole, std::uint32_t word);
  Cell* split_line(Line& line);
  void forget(Line& line);

  Pages& idle_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;  // by address / kPage
  std::deque<std::uint64_t> order_;                                 // in which they were made
  std::vector<std::unique_ptr<Words>> words_ = std::vector<std::unique_ptr<Words>>(1);
  std::vector<std::uint32_t> idle_words_;
  std::uint64_t last_number_ = ~std::uint64_t{0};
  Page* last_page_ = nullptr;
};

}  // namespace clcsim::checks
