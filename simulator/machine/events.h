// Everything that a checker, the statistics or the timeline can see, on one page.
//
// An observer overrides what it needs. With no observer attached the machine spends one test of a
// pointer on each of these.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/clock.h"
#include "machine/grid.h"

namespace clcsim::machine {

/// One CLC request, from try_cancel to its answer.
struct Request {
  std::uint32_t serial = 0;        ///< in its grid, from 1
  Block* block = nullptr;          ///< that asked
  std::uint64_t block_serial = 0;  ///< of that block: it may have exited when the answer comes
  std::uint32_t location = 0;      ///< of the try_cancel, in its program
  std::uint32_t thread = 0;        ///< in the block
  std::uint32_t response = 0;      ///< offset of the 16 bytes, in every receiving block
  std::uint32_t mbarrier = 0;      ///< offset of the mbarrier
  bool multicast = false;
  bool granted = false;  ///< known once answered
  Dim3 stolen;           ///< first block of the cancelled cluster, if granted
  Time issued = 0, answered = 0;
};

/// A place in a program and who was there.
struct Place {
  const ptx::Program* program = nullptr;
  std::uint32_t location = 0;
  Dim3 block;
  Dim3 thread;
  bool has_thread = false;
};

/// A broken rule, or a refusal. report/ turns it into text.
struct Finding {
  std::string name;  ///< "request-after-failure"; empty for a refusal
  std::string what;  ///< one sentence without a full stop
  Place at;
  struct Detail {
    std::string label;  ///< "failed", "waits"
    std::string text;
  };
  std::vector<Detail> details;
  std::string rule;  ///< with its source
  std::string mend;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void grid_started(const Grid&, Time) {}
  virtual void grid_finished(const Grid&, Time) {}
  virtual void block_started(const Block&, Time) {}
  virtual void block_finished(const Block&, Time) {}
  /// The block's first load or store of global memory (atomics, which count or draw tickets, left
  /// out): what it did before is its prologue.
  virtual void prologue_over(const Block&, Time) {}
  virtual void request_issued(const Request&) {}
  virtual void request_answered(const Request&) {}
  /// A successful response was decoded: the block begins another block's work.
  virtual void steal_decoded(const Block&, Dim3 /*stolen*/, Time) {}
  virtual void failure_observed(const Block&, Time) {}
  virtual void finding(const Finding&) {}
};

}  // namespace clcsim::machine
