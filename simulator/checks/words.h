// What the checks have in common when they report: places, sentences, and how often.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "checks/states.h"

namespace clcsim::checks {

using machine::Finding;

/// "line 44"; "line 44 of queue.h" where that is not the file of `at`; "the kernel" where the
/// program was compiled without -lineinfo.
std::string line_of(const ptx::Program& program, std::uint32_t location, std::uint32_t at);

/// Whether `a` is a later line of the file than `b`.
bool stands_behind(const ptx::Program& program, std::uint32_t a, std::uint32_t b);

machine::Place place_of(const BlockState& block, const Stamp& stamp);

/// "thread (3,0,0)", with its block where that is not `seen_from`.
std::string thread_of(const ClusterState& cluster, const Stamp& stamp, const BlockState& seen_from);

/// Whether the location was inlined from libcu++'s for_each_canceled_block.
bool in_for_each_canceled(const ptx::Program& program, std::uint32_t location);

/// Where findings go.
using Sink = std::function<void(const Finding&)>;

class Reporter {
 public:
  explicit Reporter(Sink sink) : sink_(std::move(sink)) {}

  /// To be asked before a finding is worded: false once this pair of places has been reported so
  /// often that it would only cost time, or where it is the consequence of what was reported of
  /// the block already.
  bool wanted(const BlockState& block, const char* name, std::uint32_t at, std::uint32_t other);

  /// Fills in the rule and, where it is empty, what to do.
  void report(Finding finding);

 private:
  const Sink sink_;
  std::map<std::tuple<const ptx::Program*, std::string_view, std::uint32_t, std::uint32_t>,
           std::uint32_t>
      said_;
};

}  // namespace clcsim::checks
