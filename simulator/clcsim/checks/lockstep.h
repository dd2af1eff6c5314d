// Loads whose place among the other lanes' stores only lockstep gives: volatile or relaxed ones
// whose value reaches memory or another lane without ever having been looked at.
//
// Such accesses are strong, so PTX sees no race between two lanes. But a lane that waits for
// another one, or takes what comes, looks at what it has read: it branches on it. One that adds up
// what lies there relies on when the other lane has stored it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ptx/program.h"

namespace clcsim::checks {

class Lockstep {
 public:
  /// By location, whether a load there is of this kind; empty: none is.
  const std::vector<bool>& loads(const ptx::Program& program) {
    if (latest_ != &program) of_latest_ = &find(latest_ = &program);
    return *of_latest_;
  }

 private:
  const std::vector<bool>& find(const ptx::Program* program);
  std::unordered_map<const ptx::Program*, std::vector<bool>> programs_;
  const ptx::Program* latest_ = nullptr;
  const std::vector<bool>* of_latest_ = nullptr;
};

}  // namespace clcsim::checks
