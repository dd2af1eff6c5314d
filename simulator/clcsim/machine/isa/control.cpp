// Branches, calls, exits, sleeps, and the device functions that the toolkit leaves undefined.
// PTX ISA 9.0, 9.7.12 and 9.7.19.
#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "machine/device_printf.h"
#include "machine/isa/bulk.h"
#include "ptx/source.h"

namespace clcsim::machine::isa {
namespace {

Step branch(Warp& warp, const Instruction& in, LaneMask lanes) {
  return warp.jump(lanes, in.operand[0]);
}

/// brx.idx index, list: each lane goes to the label that its index names.
Step branch_indexed(Warp& warp, const Instruction& in, LaneMask lanes) {
  const auto* index = warp.lanes_of<std::uint32_t>(in.operand[0]);
  const auto& list = warp.block->grid->launch.program->branch_lists[in.operand[1]];
  std::uint32_t targets[kLanes] = {};
  for_each_lane(lanes, [&](int lane) {
    if (index[lane] >= list.size()) {
      throw DeviceFault{FaultKind::illegal_instruction, Rule::illegal_instruction,
                        "brx.idx with index " + std::to_string(index[lane]) + " into a list of " +
                            std::to_string(list.size()) + " labels (PTX ISA 9.0, 9.7.12.4)",
                        lane};
    }
    targets[lane] = list[index[lane]];
  });
  return warp.jump_each(lanes, targets);
}

Step exit(Warp& warp, const Instruction&, LaneMask lanes) {
  finish_stores(warp, lanes);
  return warp.exit(lanes);
}

/// Sets where a lane's call of a function returns to. A function's registers and variables have one
/// place each, so a lane can be in it once.
void enter(std::uint32_t* return_pc, int lane, std::uint32_t next) {
  if (return_pc[lane] != 0) {
    throw DeviceFault{FaultKind::unsupported, Rule::none,
                      "a function that is called again before it has returned is not modelled",
                      lane};
  }
  return_pc[lane] = next;
}

/// Entry 0 is the callee's hidden return register, entry 1 its first pc.
Step call(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* return_pc = warp.lanes_of<std::uint32_t>(in.operand[0]);
  const std::uint32_t next = warp.path().pc + 1;
  for_each_lane(lanes, [&](int lane) { enter(return_pc, lane, next); });
  return warp.jump(lanes, in.operand[1]);
}

Step ret(Warp& warp, const Instruction& in, LaneMask lanes) {
  auto* return_pc = warp.lanes_of<std::uint32_t>(in.operand[0]);
  std::uint32_t targets[kLanes] = {};
  for_each_lane(lanes, [&](int lane) { targets[lane] = std::exchange(return_pc[lane], 0); });
  return warp.jump_each(lanes, targets);
}

const ptx::Callee& callee_at(const ptx::Program& program, std::uint64_t address, int lane) {
  const auto callee = std::lower_bound(
      program.callees.begin(), program.callees.end(), address,
      [](const ptx::Callee& callee, std::uint64_t wanted) { return callee.address < wanted; });
  if (callee == program.callees.end() || callee->address != address) {
    throw DeviceFault{FaultKind::illegal_instruction, Rule::illegal_instruction,
                      "a call through a pointer that holds " + hex(address) +
                          ", which is no function's address (PTX ISA 9.0, 9.7.12.5)",
                      lane};
  }
  return *callee;
}

void copy_parameters(Warp& warp, const std::vector<ptx::Parameter>& to,
                     const std::vector<ptx::Parameter>& from, int lane) {
  const auto alike = [](const auto& a, const auto& b) { return a.size == b.size; };
  if (!std::equal(to.begin(), to.end(), from.begin(), from.end(), alike)) {
    throw DeviceFault{
        FaultKind::illegal_instruction, Rule::illegal_instruction,
        "a call through a pointer to a function with other parameters (PTX ISA 9.0, 9.7.12.5)",
        lane};
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    std::memcpy(local_bytes(warp, to[i].offset, to[i].size, lane),
                local_bytes(warp, from[i].offset, from[i].size, lane), to[i].size);
  }
}

/// Entry 0 keeps the address for call_returned, entry 1 holds it, entry 2 is the call's number.
Step call_pointer(Warp& warp, const Instruction& in, LaneMask lanes) {
  const ptx::Program& program = *warp.block->grid->launch.program;
  auto* called = warp.lanes_of<std::uint64_t>(in.operand[0]);
  const auto* pointer = warp.lanes_of<std::uint64_t>(in.operand[1]);
  const ptx::PointerCall& places = program.pointer_calls[in.operand[2]];
  const std::uint32_t next = warp.path().pc + 1;
  std::uint32_t targets[kLanes] = {};
  for_each_lane(lanes, [&](int lane) {
    const ptx::Callee& callee = callee_at(program, pointer[lane], lane);
    copy_parameters(warp, callee.parameters, places.arguments, lane);
    enter(warp.lanes_of<std::uint32_t>(callee.return_slot), lane, next);
    called[lane] = pointer[lane];
    targets[lane] = callee.pc;
  });
  return warp.jump_each(lanes, targets);
}

Step call_returned(Warp& warp, const Instruction& in, LaneMask lanes) {
  const ptx::Program& program = *warp.block->grid->launch.program;
  const auto* called = warp.lanes_of<std::uint64_t>(in.operand[0]);
  const ptx::PointerCall& places = program.pointer_calls[in.operand[1]];
  for_each_lane(lanes, [&](int lane) {
    copy_parameters(warp, places.returns, callee_at(program, called[lane], lane).returns, lane);
  });
  return Step::next;
}

Step trap(Warp&, const Instruction&, LaneMask lanes) {
  throw DeviceFault{FaultKind::trap, Rule::trap, "the kernel executed a trap instruction",
                    std::countr_zero(lanes)};
}

/// `__prof_trigger()`: on a GPU it counts; here it marks the end of the block's prologue.
Step performance_event(Warp& warp, const Instruction&, LaneMask) {
  warp.block->in_prologue = true;  // even where a load has ended it before
  end_prologue(warp);
  return Step::next;
}

Step nanosleep(Warp& warp, const Instruction& in, LaneMask lanes) {
  const auto* duration = warp.lanes_of<std::uint32_t>(in.operand[0]);
  std::uint64_t longest = 0;
  for_each_lane(lanes, [&](int lane) {
    longest = std::max<std::uint64_t>(longest, std::min<std::uint32_t>(duration[lane], 1'000'000));
  });
  const auto khz = static_cast<std::uint64_t>(warp.gpu->profile().clock_khz);
  return warp.sleep_until(lanes, warp.now + longest * khz / 1'000'000);
}

Step refused(Warp& warp, const Instruction& in, LaneMask lanes) {
  throw DeviceFault{FaultKind::unsupported, Rule::none,
                    warp.block->grid->launch.program->refusals[in.operand[0]],
                    std::countr_zero(lanes)};
}

std::uint64_t argument(Warp& warp, const Instruction& in, int index, int lane) {
  std::uint64_t value = 0;
  std::memcpy(&value, local_bytes(warp, in.operand[1 + index], 8, lane), 8);
  return value;
}

/// int vprintf(const char* format, va_list arguments): what printf becomes.
Step vprintf(Warp& warp, const Instruction& in, LaneMask lanes) {
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t arguments = argument(warp, in, 1, lane);
    const std::string format = read_string(warp, argument(warp, in, 0, lane), lane);
    int count = 0;
    warp.gpu->print(format_printf(warp, format, arguments, lane, count));
    if (in.operand[0] != ptx::kAbsent) {
      std::memcpy(local_bytes(warp, in.operand[0], 4, lane), &count, 4);
    }
  }
  return Step::next;
}

/// void* malloc(size_t bytes): a null pointer where the heap has no room (Programming Guide,
/// "Dynamic Global Memory Allocation").
Step device_malloc(Warp& warp, const Instruction& in, LaneMask lanes) {
  for_each_lane(lanes, [&](int lane) {
    const Allocation* made =
        warp.gpu->memory().allocate(argument(warp, in, 0, lane), Allocation::Kind::heap);
    const std::uint64_t address = made == nullptr ? 0 : made->address;
    std::memcpy(local_bytes(warp, in.operand[0], 8, lane), &address, 8);
  });
  return Step::next;
}

/// void free(void* pointer)
Step device_free(Warp& warp, const Instruction& in, LaneMask lanes) {
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t address = argument(warp, in, 0, lane);
    if (address == 0) return;
    const Allocation* found = warp.gpu->memory().find(address);
    const bool ours = found != nullptr && found->kind == Allocation::Kind::heap;
    if (!ours || found->address != address || !warp.gpu->memory().free(address)) {
      throw DeviceFault{FaultKind::illegal_address, Rule::bad_address,
                        "free of " + hex(address) +
                            (ours && found->freed ? ", which was freed before"
                                                  : ", which no malloc on the device has returned"),
                        lane};
    }
  });
  return Step::next;
}

/// void __assertfail(message, file, line, function, size of a character)
Step assertfail(Warp& warp, const Instruction& in, LaneMask lanes) {
  const int lane = std::countr_zero(lanes);
  const std::string message = read_string(warp, argument(warp, in, 0, lane), lane);
  const std::string file = read_string(warp, argument(warp, in, 1, lane), lane);
  std::uint32_t line = 0;
  std::memcpy(&line, local_bytes(warp, in.operand[3], 4, lane), 4);
  const std::string function = read_string(warp, argument(warp, in, 3, lane), lane);
  throw DeviceFault{
      FaultKind::assertion, Rule::assertion,
      file + ":" + std::to_string(line) + ": " + function + ": assertion `" + message + "` failed",
      lane};
}

}  // namespace

void add_control(FormTable& table) {
  const auto add = [&](Action action, const char* name, const char* signature,
                       ptx::Handler execute) {
    table.add({name, signature, execute, Unit::control, {action}});
  };
  add(Action::branch, "bra", "L", branch);
  add(Action::branch, "bra.uni", "L", branch);
  add(Action::branch_indexed, "brx.idx", "r B", branch_indexed);
  add(Action::branch_indexed, "brx.idx.uni", "r B", branch_indexed);
  add(Action::exit, "exit", "", exit);
  add(Action::call, "call", "r L", call);
  add(Action::call_pointer, "call pointer", "=l l i", call_pointer);
  table.add({"call returned", "l i", call_returned, Unit::folded, {Action::other}});
  add(Action::ret, "ret", "r", ret);
  add(Action::stop, "trap", "", trap);
  add(Action::other, "brkpt", "", nothing);  // without a debugger
  add(Action::other, "pmevent", "i", performance_event);
  add(Action::other, "nanosleep.u32", "r", nanosleep);
  add(Action::stop, "refused", "i", refused);
  add(Action::other, "call vprintf", "i i i", vprintf);
  add(Action::other, "call malloc", "i i", device_malloc);
  add(Action::other, "call free", "i i", device_free);
  add(Action::stop, "call __assertfail", "i i i i i i", assertfail);
}

}  // namespace clcsim::machine::isa
