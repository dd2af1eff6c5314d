#include "checks/global_shadow.h"

#include <algorithm>
#include <bit>

namespace clcsim::checks {

GlobalShadow::~GlobalShadow() {
  for (auto& [number, page] : pages_) {
    if (idle_.size() < kMostPages / 4) idle_.push_back(std::move(page));
  }
}

void GlobalShadow::find_page(std::uint64_t number) {
  std::unique_ptr<Page>& page = pages_[number];
  if (page == nullptr && order_.size() >= kMostPages) {
    pages_.erase(number);
    const auto oldest = pages_.find(order_.front());
    for (Line& line : oldest->second->lines) forget(line);
    pages_[number] = std::move(oldest->second);
    pages_.erase(order_.front());
    order_.pop_front();
    order_.push_back(number);
  } else if (page == nullptr) {
    if (idle_.empty()) {
      page = std::make_unique<Page>();
    } else {
      page = std::move(idle_.back());
      idle_.pop_back();
      *page = {};
    }
    order_.push_back(number);
    hold(kPage / kLine);
  }
  last_number_ = number;
  last_page_ = pages_[number].get();
}

void GlobalShadow::forget(Line& line) {
  Shadow::forget(line.whole);
  if (line.words == 0) return;
  for (Cell& cell : words_[line.words]->cells) Shadow::forget(cell);
  idle_words_.push_back(std::exchange(line.words, 0));
}

Cell GlobalShadow::part(const Cell& whole, std::uint32_t word) {
  Cell part{.write = this->part(whole.write, word)};
  const auto alone = [&](std::uint32_t record, LaneMask lanes) {
    return LaneMask{1} << lane(record, std::countr_zero(lanes), word);
  };
  if (whole.readers.is_access()) {
    part.readers = whole.readers;
    part.lanes = alone(whole.readers.record(), whole.lanes);
  } else if (whole.readers.is_readers()) {
    const std::uint32_t set = new_set();
    for (std::size_t i = 0; i < readers(whole.readers.index()).all.size(); ++i) {
      Reader reader = readers(whole.readers.index()).all[i];
      reader.lanes = alone(reader.record, reader.lanes);
      add_reader(set, reader);
    }
    part.readers = Ref::readers(set);
  }
  return part;
}

Cell* GlobalShadow::split_line(Line& line) {
  if (idle_words_.empty()) {
    if (words_.size() > kMostWords) {
      Shadow::forget(line.whole);
      return nullptr;
    }
    idle_words_.push_back(static_cast<std::uint32_t>(words_.size()));
    words_.push_back(std::make_unique<Words>());
    hold(kWords);
  }
  line.words = idle_words_.back();
  idle_words_.pop_back();
  Cell* const cells = words_[line.words]->cells;
  const bool untouched = !line.whole.write && !line.whole.readers;
  for (std::uint32_t word = 0; word < kWords && !untouched; ++word) {
    cells[word] = part(line.whole, word);
  }
  Shadow::forget(line.whole);
  return cells;
}

void GlobalShadow::for_each_cell(const std::function<void(Cell&)>& f) {
  for (const auto& [number, page] : pages_) {
    for (Line& line : page->lines) {
      f(line.whole);
      if (line.words == 0) continue;
      for (Cell& cell : words_[line.words]->cells) for_parts(cell, f);
    }
  }
}

}  // namespace clcsim::checks
