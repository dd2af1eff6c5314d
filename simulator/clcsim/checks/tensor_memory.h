// Tensor memory: loads, stores and products run beside the threads that issue them, so who touches
// the cells next must know that they are over. PTX ISA 9.1, 9.7.16.6 and 9.7.16.7.
#pragma once

#include <unordered_map>
#include <vector>

#include "checks/reporter.h"

namespace clcsim::checks {

class TensorMemory {
 public:
  TensorMemory(const States& states, Reporter& reporter) : states_(states), reporter_(reporter) {}

  void tensor_used(const machine::TensorUse&);
  void block_finished(const Block&);

 private:
  struct Touch {
    Stamp issue;
    std::uint32_t number = 0;  ///< ClusterState::number of what runs beside the thread
    LaneMask lanes = 0;        ///< that have issued it; 0: nobody
    machine::TensorUse::Kind kind = machine::TensorUse::Kind::load;
    bool used_at_once = false;  ///< a load that is over, too, for those who know of its thread
  };
  struct Cells {  ///< 16 lanes of a column
    Touch write;
    std::vector<Touch> reads;  ///< since
  };
  struct Run {  ///< of columns
    Stamp issue;
    bool freed = false;
  };
  struct Memory {
    std::vector<Cells> cells;
    std::unordered_map<std::uint32_t, Run> allocated;  ///< by the first column
    Stamp first;                                       ///< that named a .cta_group,
    int group = 0;                                     ///< and which; 0: none has
  };

  struct Toucher;
  void touch(Toucher&, Cells&);
  bool knows(const Toucher&, const Touch&, bool over) const;
  /// `first`: nothing had been written there before.
  void report(Toucher&, const Touch& before, bool first);
  void check_peer(Toucher&, const machine::TensorUse&);
  void check_group(Memory&, const machine::TensorUse&, const Stamp&);
  bool uses_at_once(const ptx::Program&, const ptx::Instruction&);

  const States& states_;
  Reporter& reporter_;
  std::unordered_map<const Block*, Memory> memories_;
  std::unordered_map<const ptx::Instruction*, bool> used_at_once_;
};

}  // namespace clcsim::checks
