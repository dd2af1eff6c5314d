// Where a launch stands in the order that its host has made: by streams, events and waits.
//
// Operations of the host are numbered as they are issued, and those of one stream come one after
// the other. So all that comes before an operation is told by one number for each stream.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace clcsim::machine {

/// Operations that come before something.
struct Past {
  std::uint64_t all = 0;  ///< all operations up to this one; and of streams, by their id, up to:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> streams;  ///< sorted

  bool holds(std::uint64_t stream, std::uint64_t operation) const {
    if (operation <= all) return true;
    const auto entry =
        std::lower_bound(streams.begin(), streams.end(), std::pair{stream, operation});
    return entry != streams.end() && entry->first == stream;
  }
  void add(std::uint64_t stream, std::uint64_t operation) {
    const auto entry =
        std::lower_bound(streams.begin(), streams.end(), std::pair{stream, std::uint64_t{0}});
    if (entry == streams.end() || entry->first != stream) {
      streams.insert(entry, {stream, operation});
    } else {
      entry->second = std::max(entry->second, operation);
    }
  }
  void join(const Past& other) {
    all = std::max(all, other.all);
    for (const auto& [stream, operation] : other.streams) add(stream, operation);
    std::erase_if(streams, [&](const auto& entry) { return entry.second <= all; });
  }
};

struct Standing {
  std::uint64_t stream = 0, operation = 0;
  std::shared_ptr<const Past> past;  ///< itself included; nullptr: it comes after all before it
  /// What its threads come after once griddepcontrol.wait has returned; nullptr: nothing more.
  std::shared_ptr<const Past> waited;
};

}  // namespace clcsim::machine
