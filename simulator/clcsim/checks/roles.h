// Which registers each instruction of a program reads and writes, and which ones a kernel may read
// before it has written them.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/program.h"

namespace clcsim::checks {

/// Registers are counted from 0; constants are none.
struct Roles {
  std::uint32_t guard = ptx::kAbsent;
  std::vector<std::uint32_t> reads;      ///< values
  std::vector<std::uint32_t> addresses;  ///< registers that addresses are made of
  std::vector<std::uint32_t> writes;
  std::vector<std::uint32_t> write_entries;  ///< entry in Instruction::operand of each of `writes`
  /// and.pred, or.pred: an operand of this value decides alone, whatever the other one is.
  enum class Decides : std::uint8_t { neither, zero, one } decides = Decides::neither;
};

struct ProgramRoles {
  explicit ProgramRoles(const ptx::Program& program);

  std::vector<Roles> code;  ///< by pc
  std::uint32_t registers = 0;
  std::vector<std::uint32_t> exposed;  ///< that may be read before they are written
  /// The register in an operand's slot; kAbsent: a constant.
  std::uint32_t register_at(std::uint32_t slot) const {
    return slot / 4 < by_slot_.size() ? by_slot_[slot / 4] : ptx::kAbsent;
  }

 private:
  void find_registers(const ptx::Program& program);
  void find_exposed(const ptx::Program& program);
  std::vector<std::uint32_t> by_slot_;
};

}  // namespace clcsim::checks
