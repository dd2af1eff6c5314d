#include "ptx/source_locations.h"

#include <algorithm>
#include <utility>

namespace clcsim::ptx {
namespace {

// The string at start + offset, up to the next of `ends`; empty if that lies outside.
std::string_view string_at(const std::vector<char>& bytes, const std::vector<std::size_t>& ends,
                           std::size_t start, std::uint64_t offset) {
  if (start >= bytes.size() || offset >= bytes.size() - start) return {};
  start += offset;
  const std::size_t end = *std::lower_bound(ends.begin(), ends.end(), start);
  return {bytes.data() + start, end - start};
}

}  // namespace

SourceLocations::SourceLocations() : entries_(1) {}

void SourceLocations::start_function(std::string_view name) {
  function_ = name;
  latest_.clear();
}

std::uint32_t SourceLocations::add(const Entry& entry) {
  const auto [found, is_new] =
      indices_.try_emplace(entry, static_cast<std::uint32_t>(entries_.size()));
  if (is_new) entries_.push_back(entry);
  latest_[entry.place] = found->second;
  return found->second;
}

std::uint32_t SourceLocations::add(Place place) {
  Entry entry;
  entry.place = place;
  entry.function = function_;
  return add(entry);
}

std::uint32_t SourceLocations::add_inlined(Place place, std::string_view label,
                                           std::uint64_t offset, Place at) {
  const auto known = latest_.find(at);
  Entry entry;
  entry.place = place;
  entry.parent = known == latest_.end() ? add(at) : known->second;
  entry.label = label;
  entry.offset = offset;
  return add(entry);
}

void SourceLocations::add_debug_bytes(std::uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; ++i) {
    debug_bytes_.push_back(static_cast<char>(i < 8 ? value >> 8 * i : 0));
  }
}

void SourceLocations::finish(ast::Module& module) {
  debug_bytes_.push_back('\0');
  module.debug_strings = std::move(debug_bytes_);
  std::vector<std::size_t> ends;  // of the strings
  for (std::size_t i = 0; i < module.debug_strings.size(); ++i) {
    if (module.debug_strings[i] == '\0') ends.push_back(i);
  }
  std::unordered_map<std::uint64_t, std::uint32_t> file_indices;
  for (const Entry& entry : entries_) {
    ast::Location& location = module.locations.emplace_back();
    location.line = entry.place.line;
    location.column = entry.place.column;
    location.parent = entry.parent;
    location.function = entry.function;
    if (const auto label = debug_labels_.find(entry.label); label != debug_labels_.end()) {
      location.function = string_at(module.debug_strings, ends, label->second, entry.offset);
    }
    const auto file = files_.find(entry.place.file);
    if (file == files_.end()) continue;
    const auto next = static_cast<std::uint32_t>(module.files.size());
    const auto [place, is_new] = file_indices.try_emplace(entry.place.file, next);
    if (is_new) module.files.push_back(file->second);
    location.file = place->second;
  }
}

}  // namespace clcsim::ptx
