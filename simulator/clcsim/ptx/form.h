// The table of instruction forms: what the decoder accepts, and the handler that executes it.
//
// A form is an opcode with all its modifiers, as PTX spells it ("mad.lo.s32"), a signature of its
// operands and a handler. Each file of machine/isa adds its own forms; nothing else knows them. The
// list of supported forms, `clcsim --forms`, is printed from this table. What a form does for
// others than its handler, it states as facts (facts.h).
//
// A signature names the operands in the order of the PTX text, separated by spaces:
//
//   p            predicate                              source: slot, flip; destination: slot
//   r  f         32-bit lanes (8- to 32-bit values);    slot
//                f: an immediate is read as float
//   l  d         64-bit lanes; d: as double             slot
//   x            32- or 64-bit lanes, Instruction::wide tells which        slot
//   q            128-bit register                       slot
//   a            address [base+displacement]            slot, displacement (int32)
//   i            integer known when decoding            value (int32)
//   L            label                                  pc
//   B            list of labels (brx.idx)               index into Program::branch_lists
//
//   =k           destination            k?   may be missing, or `_`: the entry is kAbsent
//   k1 ... k128  vector in braces; its elements follow one another (`_`: kAbsent)
//   a,kN         address with a vector of coordinates in its brackets: [base, {x, y}]
//   p|q          PTX's pairs `d|p` are written as two destinations: "=r =p?"
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/program.h"
#include "ptx/signature.h"

namespace clcsim::ptx {

struct Form {
  std::string name;
  std::string signature;
  Handler execute = nullptr;
  Unit unit = Unit::alu;
  Facts facts = {};
  /// For the handler's use: a form's constant, found in Instruction::operand after the operands.
  std::optional<std::uint32_t> extra = {};
  bool loads = false;  ///< the destination arrives later; the path does not wait until it is used
  bool truncates = false;   ///< a source may be wider than its type (cvt; PTX ISA 9.0, 9.4.1)
  Signature operands = {};  ///< the signature, parsed; the table has it
  bool is_long = false;     ///< has more entries than Instruction::operand; the table knows it
};

/// The entries of an instruction, wherever they lie.
inline const std::uint32_t* entries_of(const Program& program, const Instruction& in) {
  return program.forms[in.form]->is_long ? program.long_operands.data() + in.operand[0]
                                         : in.operand.data();
}

// Cache hints, order and scope of ld, st, atom, red, mbarrier and cp are not part of the name: the
// decoder takes the hints (.ca, .nc, .L1::no_allocate, a cache policy) away, and moves order and
// scope (.relaxed.gpu) into the instruction. `.shared::cta` is `.shared`.
//
// Names that PTX does not have, which the decoder makes up:
//
//   %tid.x              reading a special register; signature "=r" or "=l"
//   ld.param::entry...  ld.param of a kernel's parameter; param::func: of a call's
//   call vprintf        a call of a function that has no body; the entries hold the offsets of the
//                       return value (kAbsent: none) and of the arguments in local memory
//   call pointer        a call through a pointer: it sends each lane to its function
//   call returned       after it: takes over what the function has returned
//   refused             an instruction that no form fits; the entry indexes Program::refusals

class FormTable {
 public:
  FormTable() = default;
  FormTable(FormTable&&) = default;  // and no copies: the forms refer to the table's signatures

  /// Adds a form. Two forms may share a name where their signatures differ in the number of
  /// operands; the decoder takes the first one that fits.
  void add(Form form);

  /// Forms named `name`, or an empty span.
  std::span<const Form> find(std::string_view name) const;

  /// Every form, sorted by name: for documentation and for the conformance suite.
  std::vector<const Form*> all() const;

 private:
  std::unordered_map<std::string, std::vector<Form>> forms_;
  std::unordered_map<std::string, std::vector<OperandSpec>> signatures_;  ///< each once
};

}  // namespace clcsim::ptx
