// A kernel after decoding: what the machine executes. No names, no text, only slots and numbers.
//
// Every source operand is a slot of the warp's register file. Immediates and the addresses of
// variables are slots too: the last part of the file holds constants, one value repeated for all
// lanes. A handler therefore never asks what kind an operand is.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ptx/facts.h"

namespace clcsim::machine {
class Warp;
}

namespace clcsim::ptx {

using LaneMask = std::uint32_t;
inline constexpr int kLanes = 32;
inline constexpr LaneMask kAllLanes = ~LaneMask{0};

/// What a handler did with the program counter.
enum class Step : std::uint8_t {
  next,   ///< the path goes on with the following instruction
  moved,  ///< the handler set the pc, split, parked or ended the path itself
};

struct Form;
struct Instruction;
/// Executes one instruction for the lanes of `lanes`. Throws machine::DeviceFault.
using Handler = Step (*)(machine::Warp&, const Instruction&, LaneMask lanes);

/// Which unit of an SM an instruction occupies, for the clock. `folded`: none, since ptxas makes no
/// instruction of it.
enum class Unit : std::uint8_t { alu, half_rate, fp64, special, memory, control, folded };

/// Lane storage of a register: a predicate is one mask of 4 bytes, 8- to 32-bit values take 4 bytes
/// a lane, 64-bit values 8 bytes a lane, 128-bit values two 64-bit arrays (low halves first).
enum class Width : std::uint8_t { predicate, b32, b64, b128 };
inline constexpr std::uint32_t bytes_of(Width width) {
  constexpr std::uint32_t kBytes[] = {4, 4 * kLanes, 8 * kLanes, 16 * kLanes};
  return kBytes[static_cast<int>(width)];
}

inline constexpr std::uint32_t kAbsent = ~std::uint32_t{0};  ///< entry of an operand not written

inline constexpr std::uint32_t kShortOperands = 12;  ///< entries that an instruction has room for

struct Instruction {
  Handler execute = nullptr;
  /// Entries in the order of the form's signature (form.h says what each kind of operand takes).
  /// Where a form has more of them, they begin at Program::long_operands[operand[0]].
  std::array<std::uint32_t, kShortOperands> operand{};
  std::uint32_t guard = 0;     ///< slot of the guarding predicate; slot 0 is always true
  LaneMask guard_flip = 0;     ///< all ones where the guard is `@!p`
  std::uint16_t wide = 0;      ///< bit k: the register of entry k < 16 holds 64 bits a lane
  std::uint16_t form = 0;      ///< index into Program::forms
  std::uint32_t location = 0;  ///< index into Program::locations
  Unit unit = Unit::alu;
  Facts facts;
  bool follows = false;          ///< needs the result of the instruction just before it
  bool waits_for_loads = false;  ///< needs, or may need, the result of an earlier load
};

/// A place in the program's source, for messages. `parent` is the place that this one was inlined
/// into, or kNoLocation; walking it outwards leads from a toolkit header to the student's own line.
struct Location {
  std::uint32_t file = 0;  ///< index into Program::files
  std::uint32_t line = 0;  ///< 1-based; 0: unknown
  std::uint32_t column = 0;
  std::uint32_t ptx_line = 0;  ///< line of the PTX text, where that of the source isn't known
  std::uint32_t parent = kAbsent;
  std::string function;  ///< source function that the line belongs to, where known
};
inline constexpr std::uint32_t kNoLocation = kAbsent;

struct Constant {
  std::uint32_t slot;
  Width width;
  std::uint64_t bits;
};

/// A constant that becomes known when the module is loaded: the address of a .global or .const
/// variable.
struct SymbolConstant {
  std::uint32_t slot;
  Width width;
  std::string symbol;
  std::int64_t addend;
};

/// A constant that differs from block to block: the address of a variable in shared memory, whose
/// upper bits hold the block's rank in its cluster.
struct SharedConstant {
  std::uint32_t slot;
  Width width;
  std::uint32_t offset;  ///< from the start of the block's shared memory
};

/// A variable in shared memory, so that messages can name what lies at an address.
struct SharedVariable {
  std::string name;      ///< mangled
  std::uint32_t offset;  ///< as in SharedConstant
  std::uint32_t size;    ///< 0: what the launch gives
};

struct Parameter {
  std::uint32_t offset;
  std::uint32_t size;
};

/// A function that a pointer may lead to. Its returns and parameters lie in local memory.
struct Callee {
  std::uint64_t address;      ///< what a pointer to it holds
  std::uint32_t pc;           ///< its first instruction
  std::uint32_t return_slot;  ///< as in Program::return_slots
  std::vector<Parameter> returns, parameters;
};

/// Where a call through a pointer has its arguments, and where it wants what is returned: in local
/// memory, too.
struct PointerCall {
  std::vector<Parameter> returns, arguments;
};

struct Program {
  std::string name;  ///< mangled
  std::vector<Instruction> code;
  std::vector<const Form*> forms;     ///< each form used; they live in the table
  std::vector<std::string> refusals;  ///< why an instruction of the form "refused" is refused
  std::vector<std::vector<std::uint32_t>> branch_lists;  ///< targets of each brx.idx, as pcs
  std::vector<std::uint32_t> long_operands;  ///< entries of instructions that have too many
  std::vector<Location> locations;
  std::vector<std::string> files;

  std::vector<Callee> callees;  ///< by address
  std::vector<PointerCall> pointer_calls;
  /// Of each function but the kernel: the register that holds where a call returns to; 0: the lane
  /// isn't in the function.
  std::vector<std::uint32_t> return_slots;

  std::uint32_t register_bytes = 0;  ///< size of a warp's register file, constants included
  std::vector<Constant> constants;   ///< slot 0, a predicate that is always true, is not listed
  std::vector<SymbolConstant> symbol_constants;
  std::vector<SharedConstant> shared_constants;
  std::vector<SharedVariable> shared_variables;

  std::vector<Parameter> parameters;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t shared_bytes = 0;  ///< static shared memory of a block
  std::uint32_t local_bytes = 0;   ///< local memory of a thread (locals and call parameters)
  /// It asks where cooperative groups may keep data in the part of shared memory that CUDA
  /// reserves.
  bool uses_reserved_shared = false;

  std::uint32_t max_threads = 0;                    ///< .maxntid or .reqntid, product; 0: not given
  std::array<std::uint32_t, 3> required_threads{};  ///< .reqntid; zeros: not given
  std::array<std::uint32_t, 3> cluster{};           ///< .reqnctapercluster; zeros: not given
  std::uint32_t max_cluster_rank = 0;               ///< .maxclusterrank; 0: not given
};

}  // namespace clcsim::ptx
