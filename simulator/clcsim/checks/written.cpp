#include "checks/written.h"

#include <algorithm>
#include <bit>

namespace clcsim::checks {
namespace {

constexpr std::size_t kMostBitPages = 1 << 18;  // 16 GiB of memory, with 2 GiB of bits at most

bool starts_undefined(const machine::Allocation& allocation) {
  using Kind = machine::Allocation::Kind;
  return allocation.kind == Kind::device || allocation.kind == Kind::heap;
}

}  // namespace

/// Of which the page holds bytes, or nullptr.
const machine::Allocation* Written::allocation_in(std::uint64_t number) const {
  const std::uint64_t begin = number * kPage;
  if (const machine::Allocation* over_the_start = memory_.find(begin)) return over_the_start;
  const machine::Allocation* behind = memory_.first_behind(begin);
  return behind != nullptr && behind->address - begin < kPage ? behind : nullptr;
}

Written::Page& Written::page_of(std::uint64_t number) {
  if (number == last_number_) return *last_page_;
  auto entry = pages_.find(number);
  if (entry == pages_.end()) {
    if (pages_.size() >= forget_at_) forget_freed();
    Page page;
    const machine::Allocation* allocation = allocation_in(number);
    if (allocation != nullptr && starts_undefined(*allocation)) {
      page.missing = kPage;
      page.bits = std::make_unique<std::uint64_t[]>(kPage / 64);
    }
    entry = pages_.emplace(number, std::move(page)).first;
  }
  last_number_ = number;
  last_page_ = &entry->second;
  return entry->second;
}

void Written::forget_freed() {
  last_number_ = ~std::uint64_t{0};
  std::erase_if(pages_, [&](const auto& entry) {
    const machine::Allocation* allocation = allocation_in(entry.first);
    return allocation == nullptr || allocation->freed;
  });
  forget_at_ = std::max<std::size_t>(forget_at_, pages_.size() * 2);
  if (pages_.size() < kMostBitPages) return;
  complete_ = false;
  pages_.clear();
}

template <class F>
void Written::for_each_part(std::uint64_t address, std::uint64_t bytes, F&& f) {
  while (bytes != 0 && complete_) {
    const auto first = static_cast<std::uint32_t>(address % kPage);
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, kPage - first));
    if (!f(page_of(address / kPage), first, first + count)) return;
    address += count;
    bytes -= count;
  }
}

void Written::mark(std::uint64_t address, std::uint64_t bytes) {
  for_each_part(address, bytes, [](Page& page, std::uint32_t first, std::uint32_t end) {
    if (page.bits == nullptr) return true;
    for_each_word(first, end, [&](std::uint32_t word, std::uint64_t bits) {
      page.missing -= static_cast<std::uint32_t>(std::popcount(bits & ~page.bits[word]));
      page.bits[word] |= bits;
    });
    if (page.missing == 0) page.bits.reset();
    return true;
  });
}

void Written::forget(std::uint64_t address, std::uint64_t bytes) {
  for_each_part(address, bytes, [&](Page& page, std::uint32_t first, std::uint32_t end) {
    if (page.bits == nullptr) {
      const machine::Allocation* allocation = allocation_in(address / kPage);
      if (allocation == nullptr || !starts_undefined(*allocation)) return true;
      page.bits = std::make_unique<std::uint64_t[]>(kPage / 64);
      std::fill_n(page.bits.get(), kPage / 64, ~std::uint64_t{0});
    }
    for_each_word(first, end, [&](std::uint32_t word, std::uint64_t bits) {
      page.missing += static_cast<std::uint32_t>(std::popcount(bits & page.bits[word]));
      page.bits[word] &= ~bits;
    });
    return true;
  });
}

bool Written::all(std::uint64_t address, std::uint64_t bytes) {
  bool result = true;
  for_each_part(address, bytes, [&](Page& page, std::uint32_t first, std::uint32_t end) {
    if (page.bits == nullptr) return true;
    for_each_word(first, end, [&](std::uint32_t word, std::uint64_t bits) {
      result &= (bits & ~page.bits[word]) == 0;
    });
    return result;
  });
  return result;
}

bool Written::any(std::uint64_t address, std::uint32_t bytes) {
  if (!complete_) return true;
  const Page& page = page_of(address / kPage);
  const auto first = static_cast<std::uint32_t>(address % kPage);
  return page.bits == nullptr || (page.bits[first / 64] & bit_mask(first % 64, bytes)) != 0;
}

}  // namespace clcsim::checks
