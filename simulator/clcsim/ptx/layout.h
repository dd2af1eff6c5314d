// Where a kernel keeps things: registers and constants in slots of a warp's register file,
// variables at offsets of parameter, local and shared memory.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ptx/ast.h"
#include "ptx/call_graph.h"
#include "ptx/program.h"

namespace clcsim::ptx {

Width width_of(ast::ScalarType type);

class Layout {
 public:
  /// Lays out the functions of `calls`, the kernel among them, and writes into `program` what the
  /// machine must know of it. Throws std::length_error where a size needs more than 32 bits.
  Layout(const ast::Module& module, const CallGraph& calls, Program& program);

  std::uint32_t slot_of(std::uint32_t function, std::uint32_t register_index) const {
    return functions_.at(function).registers[register_index];
  }
  /// The hidden register that holds where a call of `function` returns to.
  std::uint32_t return_slot(std::uint32_t function) const {
    return functions_.at(function).return_slot;
  }
  /// The place of a function's variable in its memory.
  Parameter place_of(std::uint32_t function, std::uint32_t variable) const;
  /// The offset of a function's variable in its memory.
  std::uint32_t offset_of(std::uint32_t function, std::uint32_t variable) const {
    return functions_.at(function).variables[variable];
  }
  std::uint32_t scratch() const { return scratch_; }  ///< takes what `_` leaves out

  std::uint32_t new_slot(Width width);
  std::uint32_t constant(Width width, std::uint64_t bits);
  /// The slot that holds the address, in its own state space, of a variable plus `addend` bytes.
  std::uint32_t address(std::uint32_t function, const ast::Operand& variable, std::int64_t addend,
                        Width width);

  /// To be called when all slots are known.
  void finish() { program_.register_bytes = next_slot_; }

 private:
  struct FunctionLayout {
    std::vector<std::uint32_t> registers, variables;
    std::uint32_t return_slot = 0;
  };

  void place_registers(const CallGraph& calls);
  void place_variables(const CallGraph& calls);
  void share_call_parameters(std::uint32_t function);
  void place_shared(const CallGraph& calls);
  std::uint32_t shared_constant(std::uint32_t offset, Width width);

  const ast::Module& module_;
  Program& program_;
  std::map<std::uint32_t, FunctionLayout> functions_;
  std::map<std::uint32_t, std::uint32_t> module_shared_;  // offsets of the module's variables
  std::map<std::pair<Width, std::uint64_t>, std::uint32_t> constants_;
  std::uint32_t next_slot_ = 0, scratch_ = 0;
};

}  // namespace clcsim::ptx
