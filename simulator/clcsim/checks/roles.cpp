#include "checks/roles.h"

#include <algorithm>

#include "ptx/form.h"

namespace clcsim::checks {
namespace {

using ptx::Action;
using ptx::Instruction;
using ptx::kAbsent;

// Calls f(spec, entry) for each operand that is a register or a constant. The one of call and ret
// is the decoder's own.
template <class F>
void for_each_slot(const ptx::Program& program, const Instruction& in, F&& f) {
  if (in.facts.action == Action::call || in.facts.action == Action::ret) return;
  for_each_element(program.forms[in.form]->operands,
                   [&](const ptx::OperandSpec& spec, std::uint32_t entry) {
                     if (is_slot(spec)) f(spec, entry);
                   });
}

void add(std::vector<std::uint32_t>& to, std::uint32_t value) {
  if (value != kAbsent && std::find(to.begin(), to.end(), value) == to.end()) to.push_back(value);
}

// A set of registers.
using Bits = std::vector<std::uint64_t>;

bool has(const Bits& bits, std::uint32_t index) {
  return (bits[index / 64] >> (index % 64) & 1) != 0;
}
void set(Bits& bits, std::uint32_t index) {
  bits[index / 64] |= std::uint64_t{1} << (index % 64);
}

// Calls f(pc) for each place that the instruction may jump to.
template <class F>
void for_each_target(const ptx::Program& program, const Instruction& in, F&& f) {
  if (in.facts.action == Action::branch_indexed) {
    for (const std::uint32_t target : program.branch_lists[in.operand[1]]) f(target);
  } else if (in.facts.action == Action::branch) {
    f(in.operand[0]);
  } else if (in.facts.action == Action::call) {
    f(in.operand[1]);
  } else if (in.facts.action == Action::call_pointer) {
    for (const ptx::Callee& callee : program.callees) f(callee.pc);
  }
}

bool is_call(const Instruction& in) {
  return in.facts.action == Action::call || in.facts.action == Action::call_pointer;
}
bool leaves(const Instruction& in) {
  return in.facts.action == Action::ret || in.facts.action == Action::exit;
}
bool jumps(const Instruction& in) {
  return in.facts.action == Action::branch || in.facts.action == Action::branch_indexed;
}

// Instructions of which the first one is jumped to and only the last one jumps.
struct BasicBlock {
  std::uint32_t first = 0, end = 0;
  Bits writes;                      // for sure
  Bits live;                        // at the start; at first what is read before it is written
  std::vector<std::uint32_t> next;  // blocks
};

// Whether a basic block begins there.
std::vector<bool> leaders_of(const ptx::Program& program) {
  std::vector<bool> leader(program.code.size() + 1);
  leader[0] = true;
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const Instruction& in = program.code[pc];
    for_each_target(program, in,
                    [&](std::uint32_t target) { leader[target] = leader[pc + 1] = true; });
    if (leaves(in)) leader[pc + 1] = true;
  }
  return leader;
}

std::vector<BasicBlock> blocks_of(const ptx::Program& program) {
  const auto size = static_cast<std::uint32_t>(program.code.size());
  const std::vector<bool> leader = leaders_of(program);
  std::vector<BasicBlock> blocks;
  std::vector<std::uint32_t> block_at(size, kAbsent), returns;  // where calls come back to
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    if (leader[pc]) {
      block_at[pc] = static_cast<std::uint32_t>(blocks.size());
      blocks.push_back({.first = pc});
    }
    blocks.back().end = pc + 1;
    if (is_call(program.code[pc])) returns.push_back(pc + 1);
  }
  for (BasicBlock& block : blocks) {
    const Instruction& last = program.code[block.end - 1];
    const auto to = [&](std::uint32_t pc) {
      if (pc < size) block.next.push_back(block_at[pc]);
    };
    for_each_target(program, last, to);
    if (last.facts.action == Action::ret) std::for_each(returns.begin(), returns.end(), to);
    if (last.guard != 0 || !(leaves(last) || jumps(last))) to(block.end);
  }
  return blocks;
}

void find_reads_and_writes(const ptx::Program& program, const ProgramRoles& all,
                           BasicBlock& block) {
  block.live.assign(all.registers / 64 + 1, 0);
  block.writes.assign(all.registers / 64 + 1, 0);
  for (std::uint32_t pc = block.first; pc < block.end; ++pc) {
    const Roles& roles = all.code[pc];
    const auto read = [&](std::uint32_t index) {
      if (index != kAbsent && !has(block.writes, index)) set(block.live, index);
    };
    for (const std::uint32_t index : roles.reads) read(index);
    for (const std::uint32_t index : roles.addresses) read(index);
    read(roles.guard);
    if (program.code[pc].guard != 0) continue;  // may not be executed
    for (const std::uint32_t index : roles.writes) set(block.writes, index);
  }
}

// Backwards: what is live where a block ends is live at its start, but for what it writes.
void spread_liveness(std::vector<BasicBlock>& blocks) {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
      for (const std::uint32_t next : block->next) {
        for (std::size_t i = 0; i < block->live.size(); ++i) {
          const std::uint64_t live = block->live[i] | (blocks[next].live[i] & ~block->writes[i]);
          changed |= live != block->live[i];
          block->live[i] = live;
        }
      }
    }
  }
}

}  // namespace

ProgramRoles::ProgramRoles(const ptx::Program& program) {
  find_registers(program);
  code.resize(program.code.size());
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const Instruction& in = program.code[pc];
    Roles& roles = code[pc];
    if (in.guard != 0) roles.guard = register_at(in.guard);
    if (program.forms[in.form]->name == "and.pred") roles.decides = Roles::Decides::zero;
    if (program.forms[in.form]->name == "or.pred") roles.decides = Roles::Decides::one;
    const std::uint32_t* entries = ptx::entries_of(program, in);
    for_each_slot(program, in, [&](const ptx::OperandSpec& spec, std::uint32_t entry) {
      if (entries[entry] == kAbsent) return;
      const std::uint32_t index = register_at(entries[entry]);
      if (index == kAbsent) return;
      if (spec.destination) {
        roles.writes.push_back(index);
        roles.write_entries.push_back(entry);
      } else {
        add(spec.kind == 'a' ? roles.addresses : roles.reads, index);
      }
    });
  }
  find_exposed(program);
}

void ProgramRoles::find_registers(const ptx::Program& program) {
  by_slot_.assign(program.register_bytes / 4 + 1, kAbsent);
  std::vector<bool> constant(by_slot_.size());
  constant[0] = true;
  for (const ptx::Constant& entry : program.constants) constant[entry.slot / 4] = true;
  for (const ptx::SymbolConstant& entry : program.symbol_constants) constant[entry.slot / 4] = true;
  for (const ptx::SharedConstant& entry : program.shared_constants) constant[entry.slot / 4] = true;
  const auto found = [&](std::uint32_t slot) {
    if (slot == kAbsent || slot / 4 >= by_slot_.size() || constant[slot / 4]) return;
    if (by_slot_[slot / 4] == kAbsent) by_slot_[slot / 4] = registers++;
  };
  for (const Instruction& in : program.code) {
    found(in.guard);
    const std::uint32_t* entries = ptx::entries_of(program, in);
    for_each_slot(program, in,
                  [&](const ptx::OperandSpec&, std::uint32_t entry) { found(entries[entry]); });
  }
}

void ProgramRoles::find_exposed(const ptx::Program& program) {
  if (program.code.empty()) return;
  std::vector<BasicBlock> blocks = blocks_of(program);
  for (BasicBlock& block : blocks) find_reads_and_writes(program, *this, block);
  spread_liveness(blocks);
  // What is live where the kernel starts was never written.
  for (std::uint32_t index = 0; index < registers; ++index) {
    if (has(blocks[0].live, index)) exposed.push_back(index);
  }
}

}  // namespace clcsim::checks
