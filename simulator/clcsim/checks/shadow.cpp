#include "checks/shadow.h"

#include <algorithm>

namespace clcsim::checks {

Cell* Shadow::split(Cell& cell) {
  if (idle_bytes_.empty()) {
    idle_bytes_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    bytes_.emplace_back();
  }
  const std::uint32_t index = idle_bytes_.back();
  idle_bytes_.pop_back();
  Bytes& bytes = bytes_[index];
  // A set of readers belongs to one cell: the first byte keeps it, which may miss a race with the
  // others, and makes none up.
  for (int i = 0; i < 4; ++i) {
    bytes.cells[i] = cell;
    if (cell.readers.is_readers() && i != 0) bytes.cells[i].readers = {};
  }
  cell = {.write = Ref::bytes(index)};
  return bytes.cells;
}

void Shadow::join(Cell& cell) {
  idle_bytes_.push_back(cell.write.index());
  cell = {};
}

void Shadow::forget(Cell& cell) {
  for_parts(cell, [&](Cell& part) {
    if (part.readers.is_readers()) release_set(part.readers.index());
  });
  if (cell.write.is_bytes()) idle_bytes_.push_back(cell.write.index());
  cell = {};
}

std::uint32_t Shadow::add_record(const Record& record) {
  const std::uint32_t mixed = record.cluster * 37 + record.warp * 5 + record.location;
  std::uint32_t& latest = latest_[mixed % latest_.size()];
  if (records_[latest] == record) return latest;
  if (records_.size() >= collect_at_) collect();
  records_.push_back(record);
  return latest = static_cast<std::uint32_t>(records_.size() - 1);
}

std::uint32_t Shadow::new_set() {
  if (!idle_sets_.empty()) {
    const std::uint32_t index = idle_sets_.back();
    idle_sets_.pop_back();
    return index;
  }
  sets_.emplace_back();
  return static_cast<std::uint32_t>(sets_.size() - 1);
}

void Shadow::add_reader(std::uint32_t set, const Reader& reader) {
  Readers& readers = sets_[set];
  const Record& record = records_[reader.record];
  readers.done.writes |= reader.writes;
  readers.done.weak |= !record.strong;
  readers.done.least = std::min(readers.done.least, record.reaches());
  readers.done.sizes |= record.sizes;
  if (readers.all.empty()) readers.all.reserve(std::min<std::size_t>(most_readers, 4));
  readers.all.push_back(reader);
  ++readers_held_;
}

void Shadow::release_set(std::uint32_t set) {
  readers_held_ -= sets_[set].all.size();
  sets_[set].all.clear();
  sets_[set].done = {};
  idle_sets_.push_back(set);
}

std::size_t Shadow::bytes() const {
  constexpr std::size_t kHeap = 16;  // of an allocation, beside what was asked for
  std::size_t sum = bytes_.capacity() * sizeof(Bytes) + records_.capacity() * sizeof(Record) +
                    sizeof(latest_) + sets_.capacity() * sizeof(Readers);
  for (const Readers& set : sets_) {
    if (set.all.capacity() != 0) sum += set.all.capacity() * sizeof(Reader) + kHeap;
  }
  return sum + (idle_sets_.capacity() + idle_bytes_.capacity()) * sizeof(std::uint32_t);
}

// Forgets records that no cell names, and numbers the others anew.
void Shadow::collect() {
  std::vector<std::uint32_t> moved(records_.size(), 0);
  std::vector<Record> kept(1);
  const auto keep = [&](std::uint32_t record) {
    if (moved[record] == 0) {
      moved[record] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(records_[record]);
    }
    return moved[record];
  };
  const auto renumber = [&](Ref& ref) {
    if (ref.is_access()) ref = Ref::access(keep(ref.record()), ref.lane());
  };
  for_each_cell([&](Cell& cell) {
    if (!cell.write && !cell.readers) return;
    renumber(cell.write);
    renumber(cell.readers);
    if (cell.readers.is_readers()) {
      for (Reader& reader : sets_[cell.readers.index()].all) reader.record = keep(reader.record);
    }
  });
  records_ = std::move(kept);
  latest_ = {};
  collect_at_ = std::max({kFewRecords, most_records_, records_.size() * 2});
}

}  // namespace clcsim::checks
