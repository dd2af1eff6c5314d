#include "ptx/decode.h"

#include <array>
#include <bit>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ptx/call_graph.h"
#include "ptx/layout.h"
#include "ptx/operands.h"
#include "ptx/schedule.h"
#include "ptx/source.h"
#include "ptx/spelling.h"

namespace clcsim::ptx {
namespace {

using ast::ScalarType;
using Kind = ast::Operand::Kind;

std::uint64_t immediate_bits(const ast::Operand& operand, const OperandSpec& spec, Width width) {
  auto bits = static_cast<std::uint64_t>(operand.value);
  if (operand.kind == Kind::kFloat64 && spec.kind == 'f') {
    bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  }
  return width == Width::b32 ? bits & 0xffff'ffff : bits;
}

/// The unit of an instruction as ptxas will leave it: it unrolls loops, so their comparisons and
/// branches go, and it writes constants into the instructions that use them.
Unit unit_of(const Form& form, std::span<const ast::Operand> operands) {
  if (form.facts.action == Action::compare) return Unit::control;
  if (form.facts.action != Action::move || operands.size() != 2) return form.unit;
  const Kind kind = operands[1].kind;
  const bool constant = kind == Kind::kInteger || kind == Kind::kFloat32 || kind == Kind::kFloat64;
  return constant ? Unit::folded : form.unit;
}

/// Fills in the entries of an instruction's operands, one after the other.
class Entries {
 public:
  explicit Entries(Instruction& to) : to_(to) {}
  /// Of an instruction that has too many: they are put into `all`.
  Entries(Instruction& to, std::vector<std::uint32_t>& all) : to_(to), all_(&all) {
    to.operand[0] = static_cast<std::uint32_t>(all.size());
  }
  std::uint32_t next() const { return next_; }
  void put(std::uint32_t value) {
    if (all_ != nullptr) {
      all_->push_back(value);
    } else {
      to_.operand.at(next_) = value;
    }
    ++next_;
  }
  void put_wide(std::uint32_t slot) {
    to_.wide = static_cast<std::uint16_t>(to_.wide | 1u << next_);
    put(slot);
  }
  std::uint32_t operator[](std::uint32_t entry) const {
    return all_ != nullptr ? (*all_)[to_.operand[0] + entry] : to_.operand[entry];
  }

 private:
  Instruction& to_;
  std::vector<std::uint32_t>* all_ = nullptr;
  std::uint32_t next_ = 0;
};

class Decoder {
 public:
  Decoder(const ast::Module& module, std::uint32_t kernel, const FormTable& table)
      : module_(module),
        kernel_(kernel),
        table_(table),
        calls_(module, kernel),
        layout_(module, calls_, program_) {}

  Program decode() {
    program_.name = module_.functions[kernel_].name;
    add_locations();
    for (const std::uint32_t function : calls_.functions) add_function(function);
    for (const Fixup& fixup : fixups_) {
      program_.code[fixup.pc].operand[fixup.entry] = pc_of(fixup.function, fixup.instruction);
    }
    for (const ListFixup& fixup : list_fixups_) {
      std::vector<std::uint32_t>& targets = program_.branch_lists.emplace_back();
      for (const std::uint32_t target : fixup.targets) {
        targets.push_back(pc_of(fixup.function, target));
      }
    }
    add_callees();
    join_at_loop_ends(program_.code);
    read_directives();
    layout_.finish();
    return std::move(program_);
  }

 private:
  /// A pc that is known when all code is decoded.
  struct Fixup {
    std::uint32_t pc, entry, function, instruction;
  };
  struct ListFixup {
    std::uint32_t function;
    std::span<const std::uint32_t> targets;
  };

  void add_locations() {
    for (const std::string_view file : module_.files) program_.files.emplace_back(file);
    for (const ast::Location& location : module_.locations) {
      program_.locations.push_back({.file = location.file,
                                    .line = location.line,
                                    .column = location.column,
                                    .parent = location.parent,
                                    .function = std::string(location.function)});
    }
  }

  const ast::Function& function() const { return module_.functions[function_]; }
  std::uint32_t pc() const { return static_cast<std::uint32_t>(program_.code.size()); }
  std::uint32_t pc_of(std::uint32_t function, std::uint32_t instruction) const {
    return pcs_.at(function)[instruction];
  }
  void add(const Instruction& instruction) { program_.code.push_back(instruction); }

  /// Where no line of the source is known, a place of its own for each line of the PTX.
  std::uint32_t location_of(const ast::Instruction& source) {
    std::vector<Location>& all = program_.locations;
    if (all[source.location].line != 0) return source.location;
    const auto line = static_cast<std::uint32_t>(source.position.line);
    if (all.back().ptx_line != line) all.push_back({.ptx_line = line});
    return static_cast<std::uint32_t>(all.size() - 1);
  }

  // ---- instructions ----

  void add_function(std::uint32_t index) {
    function_ = index;
    std::vector<std::uint32_t>& pcs = pcs_[index];  // of each instruction; one more for the end
    const std::set<std::uint32_t> targets(function().labels.begin(), function().labels.end());
    dependences_.forget();
    const std::vector<ast::Instruction>& instructions = function().instructions;
    for (std::uint32_t i = 0; i < instructions.size(); ++i) {
      if (targets.contains(i)) dependences_.join();
      pcs.push_back(pc());
      add_instruction(instructions[i]);
    }
    pcs.push_back(pc());
    add_return({.location = instructions.empty() ? 0 : location_of(instructions.back())});
  }

  void add_instruction(const ast::Instruction& source) {
    const ast::Opcode& opcode = module_.opcode_of(source);
    Instruction result{.location = location_of(source)};
    if (source.guard != ast::kNone) {
      result.guard = layout_.slot_of(function_, source.guard);
      result.guard_flip = source.guard_negated ? kAllLanes : 0;
    }
    if (is_call(module_, source)) return add_call(result, source);
    if (opcode.text == "ret" || opcode.text == "ret.uni") return add_return(result);

    auto operands = function().operands_of(source);
    Spelling spelling = spell(opcode, names_kernel_parameter(operands) ? "::entry" : "::func");
    result.facts.order = spelling.order;
    result.facts.scope = spelling.scope;
    std::vector<ast::Operand> without_policy;
    if (spelling.cache_policy && !operands.empty()) {
      // It is the last operand, but for the mask of cp_mask.
      without_policy.assign(operands.begin(), operands.end());
      const std::size_t after = opcode.parts.back() == "cp_mask" && operands.size() > 1 ? 1 : 0;
      without_policy.erase(without_policy.end() - 1 - static_cast<std::ptrdiff_t>(after));
      operands = without_policy;
    }
    if (opcode.parts.front() == "mov" && operands.size() == 2 &&
        operands[1].kind == Kind::kSpecial) {
      const std::string_view name = module_.special_registers[operands[1].index];
      if (name != "WARP_SZ") {
        note_special(name);
        spelling.name = name;
        operands = operands.first(1);
      }
    }
    if (spelling.name.starts_with("atom.") && spelling.name.find(".v8.") != std::string::npos) {
      return add_halves(result, spelling.name, operands, source);
    }
    add_form(result, spelling.name, operands, source);
  }

  /// Two atoms of four elements in place of one of eight, which has more operands than an
  /// Instruction: the elements are atomic each for itself.
  void add_halves(const Instruction& result, std::string name,
                  std::span<const ast::Operand> operands, const ast::Instruction& source) {
    constexpr std::uint32_t kHalf = 4, kBytes = 2;
    name[name.find(".v8.") + 2] = '0' + kHalf;
    const auto half = [&](std::uint32_t first) {
      std::vector<ast::Operand> result(operands.begin(), operands.end());
      for (ast::Operand& operand : result) {
        if (operand.kind == Kind::kAddress) operand.value += first * kBytes;
        if (operand.kind != Kind::kVector) continue;
        operand.index += first;
        operand.count = operand.count == 2 * kHalf ? kHalf : 0;  // 0 fits no form
      }
      return result;
    };
    const std::vector<ast::Operand> low = half(0), high = half(kHalf);
    for (const ast::Operand& returned : function().parts_of(low.front())) {
      for (const ast::Operand& added : function().parts_of(high.back())) {
        if (added.kind == returned.kind && added.index == returned.index) {
          return add_refusal(result, "the instruction " + name +
                                         " is not modelled for eight "
                                         "elements where a register is both returned and added");
        }
      }
    }
    add_form(result, name, low, source);
    add_form(result, name, high, source);
  }

  /// ld.param and st.param mean two memories: the kernel's parameters and those of calls.
  bool names_kernel_parameter(std::span<const ast::Operand> operands) const {
    if (function_ != kernel_) return false;
    for (const ast::Operand& operand : operands) {
      if (operand.kind != Kind::kAddress) continue;
      const ast::Operand& base = function().parts_of(operand)[0];
      if (base.kind == Kind::kLocalVariable) {
        return base.index < function().return_count + function().parameter_count;
      }
    }
    return true;
  }

  void add_form(Instruction result, const std::string& name, std::span<const ast::Operand> operands,
                const ast::Instruction& source) {
    const std::span<const Form> forms = table_.find(name);
    if (forms.empty()) {
      const char* what = name.starts_with('%') ? "special register " : "instruction ";
      return add_refusal(result, "the " + (what + name) + " is not modelled");
    }
    for (const Form& form : forms) {
      const auto elements = match(form, function(), operands);
      if (!elements) continue;
      use(result, form);
      result.unit = unit_of(form, operands);
      add_operands(result, form, *elements, source);
      return;
    }
    add_refusal(result, "the instruction " + name + " is not modelled with these operands");
  }

  /// Takes over what the form says; an order and a scope that the program has spelled stay.
  void use(Instruction& result, const Form& form) {
    result.execute = form.execute;
    result.unit = form.unit;
    const Facts spelled = result.facts;
    result.facts = form.facts;
    if (spelled.order != Order::weak) result.facts.order = spelled.order;
    if (spelled.scope != Scope::none) result.facts.scope = spelled.scope;
    const auto [entry, added] =
        form_indices_.try_emplace(&form, static_cast<std::uint16_t>(program_.forms.size()));
    if (added) program_.forms.push_back(&form);
    result.form = entry->second;
  }

  void add_refusal(Instruction result, std::string why) {
    use(result, table_.find("refused").front());
    result.operand[0] = static_cast<std::uint32_t>(program_.refusals.size());
    program_.refusals.push_back(std::move(why));
    add(result);
  }

  /// An instruction that PTX does not have, or that has no operands to look at.
  void add_named(Instruction result, const Form& form) {
    use(result, form);
    result.waits_for_loads = dependences_.loading();
    dependences_.forget();
    add(result);
  }

  void add_return(Instruction result) {
    if (function_ == kernel_) return add_named(result, table_.find("exit").front());
    result.operand[0] = layout_.return_slot(function_);
    add_named(result, table_.find("ret").front());
  }

  void add_call(Instruction result, const ast::Instruction& source) {
    const auto operands = function().operands_of(source);
    const std::uint32_t callee = callee_of(module_, function(), source);
    const auto returned = function().parts_of(operands[0]);
    const auto arguments = function().parts_of(operands[2]);
    if (!passes_as_declared(callee, returned, arguments)) {
      return add_refusal(
          result,
          "a call that passes registers for .param, or .param for registers, is not modelled");
    }
    if (callee == ast::kNone) return add_pointer_call(result, operands[1], returned, arguments);
    const std::string name(module_.functions[callee].name);
    if (calls_.recursive.contains(callee)) {
      return add_refusal(result, "the recursive function " + name + " is not modelled");
    }
    if (module_.functions[callee].defined) {
      const std::span<const ast::Variable> formals = module_.functions[callee].parameters();
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (formals[i].is_register) add_argument(result, callee, formals[i], arguments[i]);
      }
      result.operand[0] = layout_.return_slot(callee);
      fixups_.push_back({pc(), 1, callee, 0});
      add_named(result, table_.find("call").front());
      const std::span<const ast::Variable> results = module_.functions[callee].returns();
      for (std::size_t i = 0; i < returned.size(); ++i) {
        if (!results[i].is_register || returned[i].kind != Kind::kRegister) continue;
        const ScalarType type = results[i].type;
        add_move(result, type, layout_.slot_of(function_, returned[i].index),
                 layout_.slot_of(callee, results[i].register_index));
      }
      return;
    }
    const std::span<const Form> forms = table_.find("call " + name);
    if (forms.empty()) {
      return add_refusal(result, "the function " + demangle(name) +
                                     " is declared, and defined nowhere in the program's PTX");
    }
    if (forms.front().operands.size() != 1 + arguments.size()) {
      return add_refusal(result, "the device function " + name + " is not modelled");
    }
    Entries entries(result);
    const auto offset_of = [&](const ast::Operand& variable) {
      return layout_.offset_of(function_, variable.index);
    };
    entries.put(returned.empty() ? kAbsent : offset_of(returned.back()));
    for (const ast::Operand& argument : arguments) entries.put(offset_of(argument));
    add_named(result, forms.front());
  }

  /// A parameter that is declared with .reg takes a register or a number, and .param takes .param.
  bool passes_as_declared(std::uint32_t callee, std::span<const ast::Operand> returned,
                          std::span<const ast::Operand> arguments) const {
    const auto fits = [](std::span<const ast::Operand> actuals,
                         std::span<const ast::Variable> formals) {
      for (std::size_t i = 0; i < actuals.size(); ++i) {
        const Kind kind = actuals[i].kind;
        const bool in_memory = kind == Kind::kLocalVariable;
        const bool passed_as_value = kind == Kind::kRegister || kind == Kind::kSink ||
                                     kind == Kind::kInteger || kind == Kind::kFloat32 ||
                                     kind == Kind::kFloat64;
        const bool in_register = i < formals.size() && formals[i].is_register &&
                                 formals[i].type != ScalarType::kPred &&
                                 ast::size_of(formals[i].type) <= 8;
        if (in_register ? !passed_as_value : !in_memory) return false;
      }
      return true;
    };
    if (callee == ast::kNone) return fits(returned, {}) && fits(arguments, {});
    const ast::Function& called = module_.functions[callee];
    return fits(returned, called.returns()) && fits(arguments, called.parameters());
  }

  void add_argument(const Instruction& call, std::uint32_t callee, const ast::Variable& formal,
                    const ast::Operand& actual) {
    const OperandSpec spec{.kind = formal.type == ScalarType::kF32 ? 'f' : 'r'};
    const Width width = ast::size_of(formal.type) == 8 ? Width::b64 : Width::b32;
    const std::uint32_t from = actual.kind == Kind::kRegister
                                   ? layout_.slot_of(function_, actual.index)
                                   : layout_.constant(width, immediate_bits(actual, spec, width));
    add_move(call, formal.type, layout_.slot_of(callee, formal.register_index), from);
  }

  /// Between registers of two functions, for the lanes of the call.
  void add_move(const Instruction& call, ScalarType type, std::uint32_t to, std::uint32_t from) {
    const bool wide = ast::size_of(type) == 8;
    Instruction move{.guard = call.guard, .guard_flip = call.guard_flip, .location = call.location};
    Entries entries(move);
    wide ? entries.put_wide(to) : entries.put(to);
    wide ? entries.put_wide(from) : entries.put(from);
    add_named(move, table_.find(wide ? "mov.b64" : "mov.b32").front());
  }

  /// Two instructions: one passes the arguments to whichever function the pointer leads to, the
  /// other, where that comes back to, takes over what it has returned.
  void add_pointer_call(const Instruction& call, const ast::Operand& pointer,
                        std::span<const ast::Operand> returned,
                        std::span<const ast::Operand> arguments) {
    PointerCall places;
    for (const ast::Operand& variable : returned) {
      places.returns.push_back(layout_.place_of(function_, variable.index));
    }
    for (const ast::Operand& variable : arguments) {
      places.arguments.push_back(layout_.place_of(function_, variable.index));
    }
    const auto index = static_cast<std::uint32_t>(program_.pointer_calls.size());
    program_.pointer_calls.push_back(std::move(places));
    const std::uint32_t called = layout_.new_slot(Width::b64);
    Instruction begin = call, end = call;
    begin.operand = {called, layout_.slot_of(function_, pointer.index), index};
    end.operand = {called, index};
    add_named(begin, table_.find("call pointer").front());
    add_named(end, table_.find("call returned").front());
  }

  void add_callees() {
    for (const std::uint32_t index : calls_.pointed_at) {
      const ast::Function& function = module_.functions[index];
      Callee callee{.address = function_address(module_, index),
                    .pc = pc_of(index, 0),
                    .return_slot = layout_.return_slot(index)};
      for (std::uint32_t i = 0; i < function.return_count + function.parameter_count; ++i) {
        auto& places = i < function.return_count ? callee.returns : callee.parameters;
        places.push_back(layout_.place_of(index, i));
      }
      program_.callees.push_back(std::move(callee));
    }
  }

  // ---- operands ----

  void add_operands(Instruction result, const Form& form,
                    const std::vector<const ast::Operand*>& elements,
                    const ast::Instruction& source) {
    Entries entries = form.is_long ? Entries(result, program_.long_operands) : Entries(result);
    std::size_t next = 0;
    std::vector<std::uint32_t> reads, writes;
    if (result.guard != 0) reads.push_back(result.guard);
    for (const OperandSpec& spec : form.operands) {
      for (std::uint32_t i = 0; i < spec.count; ++i) {
        const ast::Operand* operand = elements[next++];
        const std::uint32_t first = entries.next();
        if (operand == nullptr) {
          entries.put(kAbsent);
          if (entries_of(spec) == 2) entries.put(0);
          continue;
        }
        add_element(entries, spec, *operand, source);
        if (is_slot(spec) && entries[first] != kAbsent) {
          (spec.destination ? writes : reads).push_back(entries[first]);
        }
      }
    }
    if (form.extra) entries.put(*form.extra);
    dependences_.note(result, form, reads, writes);
    add(result);
  }

  void add_element(Entries& entries, const OperandSpec& spec, const ast::Operand& operand,
                   const ast::Instruction& source) {
    switch (spec.kind) {
      case 'i':
        return entries.put(static_cast<std::uint32_t>(operand.value));
      case 'L':
        fixups_.push_back({pc(), entries.next(), function_, operand.index});
        return entries.put(0);
      case 'B':
        entries.put(static_cast<std::uint32_t>(list_fixups_.size()));
        list_fixups_.push_back({function_, function().branch_targets[operand.index]});
        return;
      case 'a':
        return add_address(entries, operand);
      default:
        break;
    }
    if (operand.kind == Kind::kSink) {
      return entries.put(spec.optional ? kAbsent : layout_.scratch());
    }
    if (operand.kind == Kind::kRegister) return add_register(entries, spec, operand, source);
    if (spec.kind == 'p') {  // an immediate: true or false
      entries.put(0);
      return entries.put(operand.value != 0 ? 0 : kAllLanes);
    }
    const bool narrow = spec.kind == 'r' || spec.kind == 'f';
    const std::uint32_t slot = source_slot(operand, spec, narrow ? Width::b32 : Width::b64, source);
    narrow ? entries.put(slot) : entries.put_wide(slot);
  }

  void add_address(Entries& entries, const ast::Operand& operand) {
    const ast::Operand& base = function().parts_of(operand)[0];
    auto displacement = static_cast<std::uint32_t>(operand.value);
    if (base.kind == Kind::kRegister) {
      put_register(entries, base.index);
    } else if (base.kind == Kind::kInteger) {
      entries.put_wide(layout_.constant(Width::b64, static_cast<std::uint64_t>(base.value)));
    } else {
      entries.put_wide(layout_.address(function_, base, operand.value, Width::b64));
      displacement = 0;
    }
    entries.put(displacement);
  }

  void put_register(Entries& entries, std::uint32_t index) {
    const std::uint32_t slot = layout_.slot_of(function_, index);
    const bool wide = width_of(function().registers[index].type) == Width::b64;
    wide ? entries.put_wide(slot) : entries.put(slot);
  }

  void add_register(Entries& entries, const OperandSpec& spec, const ast::Operand& operand,
                    const ast::Instruction& source) {
    const ast::Register& reg = function().registers[operand.index];
    if (spec.kind == 'r' && width_of(reg.type) == Width::b64) {
      return entries.put(truncate(layout_.slot_of(function_, operand.index), source));
    }
    put_register(entries, operand.index);
    if (entries_of(spec) == 2) entries.put(operand.negated ? kAllLanes : 0);
  }

  std::uint32_t source_slot(const ast::Operand& operand, const OperandSpec& spec, Width width,
                            const ast::Instruction& source) {
    switch (operand.kind) {
      case Kind::kModuleVariable:
      case Kind::kLocalVariable:
        return layout_.address(function_, operand, operand.value, width);
      case Kind::kFunction:
        return layout_.constant(width, function_address(module_, operand.index));
      case Kind::kSpecial:
        return read_special(operand, width, source);
      default:
        return layout_.constant(width, immediate_bits(operand, spec, width));
    }
  }

  /// The low half of a 64-bit register, for an instruction that reads 32 bits of it.
  std::uint32_t truncate(std::uint32_t wide_slot, const ast::Instruction& source) {
    Instruction result{.location = location_of(source)};
    use(result, table_.find("cvt.u32.u64").front());
    result.operand[0] = layout_.new_slot(Width::b32);
    result.operand[1] = wide_slot;
    add(result);
    return result.operand[0];
  }

  void note_special(std::string_view name) {
    if (name == "%reserved_smem_offset_1") program_.uses_reserved_shared = true;
  }

  /// A special register as a source of something else than mov: read into a scratch register first.
  std::uint32_t read_special(const ast::Operand& operand, Width width,
                             const ast::Instruction& source) {
    const std::string name(module_.special_registers[operand.index]);
    if (name == "WARP_SZ") return layout_.constant(width, kLanes);
    note_special(name);
    const std::uint32_t slot = layout_.new_slot(width);
    Instruction read{.wide = static_cast<std::uint16_t>(width == Width::b64),
                     .location = location_of(source)};
    const std::span<const Form> forms = table_.find(name);
    if (forms.empty()) {
      add_refusal(read, "the special register " + name + " is not modelled");
      return slot;
    }
    use(read, forms.front());
    read.operand[0] = slot;
    add(read);
    return slot;
  }

  void read_directives() {
    const ast::Function& kernel = module_.functions[kernel_];
    const auto three = [&](std::string_view name) {
      std::array<std::uint32_t, 3> result{};
      if (const ast::Directive* directive = kernel.find_directive(name)) {
        result = {1, 1, 1};
        for (std::size_t i = 0; i < directive->values.size() && i < 3; ++i) {
          result[i] = static_cast<std::uint32_t>(directive->values[i]);
        }
      }
      return result;
    };
    program_.required_threads = three(".reqntid");
    program_.cluster = three(".reqnctapercluster");
    const auto most =
        program_.required_threads[0] != 0 ? program_.required_threads : three(".maxntid");
    program_.max_threads = most[0] * most[1] * most[2];
    const ast::Directive* rank = kernel.find_directive(".maxclusterrank");
    if (rank != nullptr && !rank->values.empty()) {
      program_.max_cluster_rank = static_cast<std::uint32_t>(rank->values[0]);
    }
  }

  const ast::Module& module_;
  const std::uint32_t kernel_;
  const FormTable& table_;
  Program program_;
  const CallGraph calls_;
  Layout layout_;
  std::uint32_t function_ = 0;  // being decoded
  Dependences dependences_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> pcs_;  // of each function's instructions
  std::map<const Form*, std::uint16_t> form_indices_;
  std::vector<Fixup> fixups_;
  std::vector<ListFixup> list_fixups_;
};

}  // namespace

Program decode(const ast::Module& module, std::uint32_t kernel, const FormTable& table) {
  return Decoder(module, kernel, table).decode();
}

}  // namespace clcsim::ptx
