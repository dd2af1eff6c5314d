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
    for_each_slot(program, in, [&](const ptx::OperandSpec& spec, std::uint32_t entry) {
      if (in.operand[entry] == kAbsent) return;
      const std::uint32_t index = register_at(in.operand[entry]);
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
    for_each_slot(program, in,
                  [&](const ptx::OperandSpec&, std::uint32_t entry) { found(in.operand[entry]); });
  }
}

// Liveness, backwards over basic blocks: what is live where the kernel starts was never written.
void ProgramRoles::find_exposed(const ptx::Program& program) {
  const auto size = static_cast<std::uint32_t>(program.code.size());
  std::vector<bool> leader(size + 1);
  std::vector<std::uint32_t> returns;  // where calls come back to
  leader[0] = true;
  const auto jumps = [&](std::uint32_t pc, auto&& f) {
    const Instruction& in = program.code[pc];
    if (in.facts.action == Action::branch_indexed) {
      for (const std::uint32_t target : program.branch_lists[in.operand[1]]) f(target);
    } else if (in.facts.action == Action::branch) {
      f(in.operand[0]);
    } else if (in.facts.action == Action::call) {
      f(in.operand[1]);
    } else if (in.facts.action == Action::call_pointer) {
      for (const ptx::Callee& callee : program.callees) f(callee.pc);
    }
  };
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    const Action action = program.code[pc].facts.action;
    jumps(pc, [&](std::uint32_t target) { leader[target] = leader[pc + 1] = true; });
    if (action == Action::call || action == Action::call_pointer) returns.push_back(pc + 1);
    if (action == Action::ret || action == Action::exit) leader[pc + 1] = true;
  }
  struct BasicBlock {
    std::uint32_t first = 0, end = 0;
    std::vector<std::uint64_t> reads, writes, live;  // before a write; always; at the start
    std::vector<std::uint32_t> next;
  };
  const std::size_t words = registers / 64 + 1;
  std::vector<BasicBlock> blocks;
  std::vector<std::uint32_t> block_at(size + 1, kAbsent);
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    if (leader[pc]) {
      block_at[pc] = static_cast<std::uint32_t>(blocks.size());
      blocks.push_back({.first = pc});
    }
    blocks.back().end = pc + 1;
  }
  for (BasicBlock& block : blocks) {
    block.reads.assign(words, 0);
    block.writes.assign(words, 0);
    for (std::uint32_t pc = block.first; pc < block.end; ++pc) {
      const Roles& roles = code[pc];
      const auto read = [&](std::uint32_t index) {
        if ((block.writes[index / 64] >> (index % 64) & 1) == 0) {
          block.reads[index / 64] |= std::uint64_t{1} << (index % 64);
        }
      };
      for (const std::uint32_t index : roles.reads) read(index);
      for (const std::uint32_t index : roles.addresses) read(index);
      if (roles.guard != kAbsent) read(roles.guard);
      if (program.code[pc].guard != 0) continue;  // may not be executed
      for (const std::uint32_t index : roles.writes) {
        block.writes[index / 64] |= std::uint64_t{1} << (index % 64);
      }
    }
    block.live = block.reads;
    const std::uint32_t last = block.end - 1;
    const Instruction& in = program.code[last];
    const Action action = in.facts.action;
    const auto to = [&](std::uint32_t pc) {
      if (pc < size) block.next.push_back(block_at[pc]);
    };
    jumps(last, to);
    if (action == Action::ret) {
      for (const std::uint32_t pc : returns) to(pc);
    }
    const bool always_leaves =
        in.guard == 0 && (action == Action::exit || action == Action::ret ||
                          action == Action::branch || action == Action::branch_indexed);
    if (!always_leaves) to(block.end);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
      for (const std::uint32_t next : block->next) {
        for (std::size_t i = 0; i < words; ++i) {
          const std::uint64_t live = block->live[i] | (blocks[next].live[i] & ~block->writes[i]);
          changed |= live != block->live[i];
          block->live[i] = live;
        }
      }
    }
  }
  if (blocks.empty()) return;
  for (std::uint32_t index = 0; index < registers; ++index) {
    if (blocks[0].live[index / 64] >> (index % 64) & 1) exposed.push_back(index);
  }
}

}  // namespace clcsim::checks
