#include "ptx/decode.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "ptx/signature.h"

namespace clcsim::ptx {
namespace {

constexpr std::uint32_t kLaneAlignment = 64;  // bytes: a vector register of the host

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

Width width_of(ast::ScalarType type) {
  if (type == ast::ScalarType::kPred) return Width::predicate;
  const unsigned size = ast::size_of(type);
  return size <= 4 ? Width::b32 : size == 8 ? Width::b64 : Width::b128;
}

// Functions have addresses, since code that is not optimised passes them along; calls through them
// are refused. No memory lies there.
constexpr std::uint64_t kFunctionAddress = std::uint64_t{1} << 62;

bool defined_elsewhere(const ast::Function& function) {
  return !function.defined;
}

class Decoder {
 public:
  Decoder(const ast::Module& module, std::uint32_t kernel, const FormTable& table)
      : module_(module), kernel_(kernel), table_(table) {}

  Program decode() {
    program_.name = module_.functions[kernel_].name;
    add_locations();
    find_functions(kernel_);
    lay_out_registers();
    lay_out_variables();
    for (const std::uint32_t function : order_) add_function(function);
    for (const Fixup& fixup : fixups_) {
      program_.code[fixup.pc].operand[fixup.entry] = pc_of(fixup.function, fixup.instruction);
    }
    for (const auto& [list, function, instructions] : branch_lists_) {
      for (const std::uint32_t instruction : instructions) {
        program_.branch_lists[list].push_back(pc_of(function, instruction));
      }
    }
    join_at_loop_ends();
    read_directives();
    program_.register_bytes = next_slot_;
    return std::move(program_);
  }

 private:
  struct FunctionLayout {
    std::vector<std::uint32_t> registers;  // slot of each register
    std::vector<std::uint64_t> variables;  // offset of each variable in its space
    std::vector<std::uint32_t> pcs;        // of each instruction; one more for the end
    std::uint32_t return_slot = 0;
  };
  struct Fixup {
    std::uint32_t pc, entry, function, instruction;
  };

  // ---- which functions, and where their registers and variables live ----

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

  std::uint32_t callee_of(const ast::Function& function, const ast::Instruction& call) const {
    const ast::Operand& callee = function.operands_of(call)[1];
    if (callee.kind != ast::Operand::Kind::kFunction) return ast::kNone;
    std::uint32_t index = callee.index;
    while (module_.functions[index].alias_of != ast::kNone) {
      index = module_.functions[index].alias_of;
    }
    return index;
  }

  bool is_call(const ast::Instruction& instruction) const {
    return module_.opcode_of(instruction).parts.front() == "call";
  }

  /// Depth first; a call back into a function that is still open is recursion.
  void find_functions(std::uint32_t index) {
    order_.push_back(index);
    open_.insert(index);
    const ast::Function& function = module_.functions[index];
    for (const ast::Instruction& instruction : function.instructions) {
      if (!is_call(instruction)) continue;
      const std::uint32_t callee = callee_of(function, instruction);
      if (callee == ast::kNone || defined_elsewhere(module_.functions[callee])) continue;
      if (open_.contains(callee)) {
        recursive_.insert(callee);
      } else if (!layouts_.contains(callee)) {
        layouts_[callee];  // reached: not again
        find_functions(callee);
      }
    }
    open_.erase(index);
  }

  std::uint32_t new_slot(Width width) {
    if (width != Width::predicate) next_slot_ = align_up(next_slot_, kLaneAlignment);
    const std::uint32_t slot = next_slot_;
    next_slot_ += bytes_of(width);
    return slot;
  }

  void lay_out_registers() {
    next_slot_ = bytes_of(Width::predicate);       // slot 0: always true
    for (const bool predicates : {true, false}) {  // predicates side by side
      for (const std::uint32_t index : order_) {
        const ast::Function& function = module_.functions[index];
        FunctionLayout& layout = layouts_[index];
        layout.registers.resize(function.registers.size());
        for (std::size_t i = 0; i < function.registers.size(); ++i) {
          const Width width = width_of(function.registers[i].type);
          if ((width == Width::predicate) == predicates) layout.registers[i] = new_slot(width);
        }
        if (predicates) continue;
        layout.return_slot = new_slot(Width::b32);
      }
    }
    scratch_ = new_slot(Width::b128);
  }

  static std::uint64_t place(std::uint64_t& end, const ast::Variable& variable) {
    end = align_up(end, std::max(1u, variable.alignment));
    const std::uint64_t offset = end;
    end += variable.size;
    return offset;
  }

  void lay_out_variables() {
    const ast::Function& kernel = module_.functions[kernel_];
    std::uint64_t local_end = 0, parameter_end = 0;
    for (const std::uint32_t index : order_) {
      const ast::Function& function = module_.functions[index];
      FunctionLayout& layout = layouts_[index];
      layout.variables.assign(function.variables.size(), 0);
      for (std::size_t i = 0; i < function.variables.size(); ++i) {
        const ast::Variable& variable = function.variables[i];
        if (variable.space == ast::StateSpace::kShared) continue;
        const bool of_kernel =
            &function == &kernel && i < function.return_count + function.parameter_count;
        layout.variables[i] = place(of_kernel ? parameter_end : local_end, variable);
        if (of_kernel) {
          program_.parameters.push_back({static_cast<std::uint32_t>(layout.variables[i]),
                                         static_cast<std::uint32_t>(variable.size)});
        }
      }
    }
    // The arguments of a call are written to where the callee reads them.
    for (const std::uint32_t index : order_) alias_call_parameters(index);
    program_.parameter_bytes = parameter_end;
    program_.local_bytes = align_up(local_end, 16);
    lay_out_shared();
  }

  void alias_call_parameters(std::uint32_t index) {
    const ast::Function& function = module_.functions[index];
    FunctionLayout& layout = layouts_[index];
    for (const ast::Instruction& instruction : function.instructions) {
      if (!is_call(instruction)) continue;
      const std::uint32_t callee = callee_of(function, instruction);
      if (callee == ast::kNone || defined_elsewhere(module_.functions[callee])) continue;
      const auto operands = function.operands_of(instruction);
      const std::vector<std::uint64_t>& formals = layouts_[callee].variables;
      std::size_t formal = 0;
      for (const int list : {0, 2}) {
        for (const ast::Operand& actual : function.parts_of(operands[list])) {
          if (actual.kind == ast::Operand::Kind::kLocalVariable && formal < formals.size()) {
            layout.variables[actual.index] = formals[formal];
          }
          ++formal;
        }
      }
    }
  }

  /// Static shared memory of the kernel: the variables that its code names, then the unsized one.
  void lay_out_shared() {
    std::uint64_t end = 0;
    std::vector<std::uint64_t*> unsized;
    std::uint64_t alignment = 16;
    const auto place_shared = [&](const ast::Variable& variable, std::uint64_t& offset) {
      alignment = std::max<std::uint64_t>(alignment, variable.alignment);
      if (variable.unsized) {
        unsized.push_back(&offset);
      } else {
        offset = place(end, variable);
      }
    };
    for (const std::uint32_t index : order_) {
      const ast::Function& function = module_.functions[index];
      for (std::size_t i = 0; i < function.variables.size(); ++i) {
        if (function.variables[i].space == ast::StateSpace::kShared) {
          place_shared(function.variables[i], layouts_[index].variables[i]);
        }
      }
      for (const ast::Operand& operand : function.operands) {
        if (operand.kind != ast::Operand::Kind::kModuleVariable) continue;
        const ast::Variable& variable = module_.variables[operand.index];
        if (variable.space == ast::StateSpace::kShared && !module_shared_.contains(operand.index)) {
          place_shared(variable, module_shared_[operand.index]);
        }
      }
    }
    program_.shared_bytes = end;
    program_.shared_align = alignment;
    if (!unsized.empty()) program_.shared_bytes = end = align_up(end, alignment);
    for (std::uint64_t* offset : unsized) *offset = end;
  }

  // ---- constants ----

  std::uint32_t constant(Width width, std::uint64_t bits) {
    const auto [entry, added] = constants_.try_emplace({width, bits}, 0);
    if (added) {
      entry->second = new_slot(width);
      program_.constants.push_back({entry->second, width, bits});
    }
    return entry->second;
  }

  /// The slot of a variable's address in its own state space.
  std::uint32_t address_constant(const ast::Operand& operand, std::int64_t addend, Width width) {
    const auto shared = [&](std::uint64_t offset) {
      const std::uint32_t slot = new_slot(width);
      program_.shared_constants.push_back(
          {slot, width, static_cast<std::uint32_t>(offset + addend)});
      return slot;
    };
    if (operand.kind == ast::Operand::Kind::kLocalVariable) {
      const ast::Variable& variable = module_.functions[function_].variables[operand.index];
      const std::uint64_t offset = layouts_[function_].variables[operand.index];
      if (variable.space == ast::StateSpace::kShared) return shared(offset);
      return constant(width, offset + addend);
    }
    const ast::Variable& variable = module_.variables[operand.index];
    if (variable.space == ast::StateSpace::kShared) return shared(module_shared_[operand.index]);
    const std::uint32_t slot = new_slot(width);
    program_.symbol_constants.push_back({slot, width, std::string(variable.name), addend});
    return slot;
  }

  // ---- instructions ----

  void add_function(std::uint32_t index) {
    function_ = index;
    const ast::Function& function = module_.functions[index];
    std::vector<std::uint32_t>& pcs = layouts_[index].pcs;
    std::set<std::uint32_t> targets;  // instructions that are branched to
    for (const ast::Label& label : function.labels) targets.insert(label.instruction);
    forget_dependences();
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
      if (targets.contains(i)) join_ = after_join_ = true;
      pcs.push_back(program_.code.size());
      add_instruction(function.instructions[i]);
    }
    pcs.push_back(program_.code.size());
    const std::uint32_t location =
        function.instructions.empty() ? 0 : function.instructions.back().location;
    add_return(Instruction{.location = location});
  }

  std::uint32_t pc_of(std::uint32_t function, std::uint32_t instruction) const {
    return layouts_.at(function).pcs[instruction];
  }

  void add_instruction(const ast::Instruction& source) {
    const ast::Function& function = module_.functions[function_];
    const ast::Opcode& opcode = module_.opcode_of(source);
    Instruction result{.location = source.location};
    if (source.guard != ast::kNone) {
      result.guard = layouts_[function_].registers[source.guard];
      result.guard_flip = source.guard_negated ? kAllLanes : 0;
    }
    auto operands = function.operands_of(source);
    if (opcode.parts.front() == "call") return add_call(result, source);
    if (opcode.text == "ret" || opcode.text == "ret.uni") return add_return(result);

    std::string name = rename(opcode, operands, result);
    if (std::find(opcode.parts.begin(), opcode.parts.end(), "L2::cache_hint") !=
        opcode.parts.end()) {
      operands = operands.first(operands.size() - std::min<std::size_t>(1, operands.size()));
    }
    if (opcode.parts.front() == "mov" && operands.size() == 2 &&
        operands[1].kind == ast::Operand::Kind::kSpecial) {
      name = module_.special_registers[operands[1].index];
      if (name == "WARP_SZ") {
        name = opcode.text;
      } else {
        return add_form(result, name, operands.first(1), source);
      }
    }
    add_form(result, name, operands, source);
  }

  /// The name that the form table knows the instruction by (see form.h).
  std::string rename(const ast::Opcode& opcode, std::span<const ast::Operand> operands,
                     Instruction& result) const {
    const std::string_view base = opcode.parts.front();
    constexpr std::string_view kFamilies[] = {"ld", "st", "atom", "red", "mbarrier", "cp"};
    if (std::find(std::begin(kFamilies), std::end(kFamilies), base) == std::end(kFamilies)) {
      return std::string(opcode.text);
    }
    std::string name;
    for (std::string_view part : opcode.parts) {
      if (is_cache_hint(part) || take_order(part, result) || take_scope(part, result)) continue;
      if (part == "shared::cta") part = "shared";
      if (!name.empty()) name += '.';
      name += part;
      if (part == "param") name += names_kernel_parameter(operands) ? "::entry" : "::func";
    }
    return name;
  }

  static bool is_cache_hint(std::string_view part) {
    for (const std::string_view hint : {"ca", "cg", "cs", "cv", "lu", "wb", "wt", "nc"}) {
      if (part == hint) return true;
    }
    return part.starts_with("L1::") || part.starts_with("L2::");
  }

  static bool take_order(std::string_view part, Instruction& result) {
    constexpr std::pair<std::string_view, Order> kOrders[] = {
        {"weak", Order::weak},       {"volatile", Order::volatile_}, {"relaxed", Order::relaxed},
        {"acquire", Order::acquire}, {"release", Order::release},    {"acq_rel", Order::acq_rel}};
    for (const auto& [name, order] : kOrders) {
      if (part == name) return result.facts.order = order, true;
    }
    return false;
  }

  static bool take_scope(std::string_view part, Instruction& result) {
    constexpr std::pair<std::string_view, Scope> kScopes[] = {
        {"cta", Scope::cta}, {"cluster", Scope::cluster}, {"gpu", Scope::gpu}, {"sys", Scope::sys}};
    for (const auto& [name, scope] : kScopes) {
      if (part == name) return result.facts.scope = scope, true;
    }
    return false;
  }

  /// ld.param and st.param mean two memories: the kernel's parameters and those of calls.
  bool names_kernel_parameter(std::span<const ast::Operand> operands) const {
    if (function_ != kernel_) return false;
    const ast::Function& function = module_.functions[function_];
    for (const ast::Operand& operand : operands) {
      if (operand.kind != ast::Operand::Kind::kAddress) continue;
      const ast::Operand& base = function.parts_of(operand)[0];
      if (base.kind == ast::Operand::Kind::kLocalVariable) {
        return base.index < function.return_count + function.parameter_count;
      }
    }
    return true;
  }

  void add_form(Instruction result, const std::string& name, std::span<const ast::Operand> operands,
                const ast::Instruction& source) {
    std::span<const Form> forms = table_.find(name);
    truncates_ = name.starts_with("cvt.");
    if (forms.empty()) {
      if (name.starts_with('%')) {
        return add_refusal(result, "the special register " + name + " is not modelled");
      }
      return add_refusal(result, "the instruction " + name + " is not modelled");
    }
    for (const Form& form : forms) {
      if (!fits(form.operands, operands)) continue;
      use(result, form);
      result.unit = unit_of(name, form, operands);
      add_operands(result, form, operands, source);
      return;
    }
    add_refusal(result, "the instruction " + name + " is not modelled with these operands");
  }

  /// The unit of an instruction as ptxas will leave it: it unrolls loops, so their comparisons and
  /// branches go, and it writes constants into the instructions that use them.
  static Unit unit_of(const std::string& name, const Form& form,
                      std::span<const ast::Operand> operands) {
    using Kind = ast::Operand::Kind;
    if (name.starts_with("setp.")) return Unit::control;
    if (!name.starts_with("mov.") || operands.size() != 2) return form.unit;
    const Kind kind = operands[1].kind;
    const bool constant =
        kind == Kind::kInteger || kind == Kind::kFloat32 || kind == Kind::kFloat64;
    return constant ? Unit::folded : form.unit;
  }

  /// Takes over what the form says; an order and a scope that the program has spelled stay.
  void use(Instruction& result, const Form& form) {
    result.execute = form.execute;
    result.unit = form.unit;
    const Facts spelled = result.facts;
    result.facts = form.facts;
    if (spelled.order != Order::weak) result.facts.order = spelled.order;
    if (spelled.scope != Scope::none) result.facts.scope = spelled.scope;
    const auto [entry, added] = form_indices_.try_emplace(&form, program_.forms.size());
    if (added) program_.forms.push_back(&form);
    result.form = entry->second;
  }

  void add_refusal(Instruction result, std::string why) {
    use(result, table_.find("refused").front());
    result.operand[0] = program_.refusals.size();
    program_.refusals.push_back(std::move(why));
    add(result);
  }

  /// PTX writes `d|p` as one operand and `{a, b}` as one: flattened, each element is one.
  struct Flat {
    const ast::Operand* operand = nullptr;  // nullptr: missing
  };

  /// Whether the operands have the shapes that the signature asks for.
  bool fits(const Signature& signature, std::span<const ast::Operand> operands) {
    return match(signature, operands).has_value();
  }

  std::optional<std::vector<const ast::Operand*>> match(const Signature& signature,
                                                        std::span<const ast::Operand> operands) {
    using Kind = ast::Operand::Kind;
    const ast::Function& function = module_.functions[function_];
    std::vector<const ast::Operand*> flat;  // one for each element of the signature's operands
    std::vector<const ast::Operand*> written;
    for (const ast::Operand& operand : operands) {
      if (operand.kind == Kind::kPair) {
        for (const ast::Operand& part : function.parts_of(operand)) written.push_back(&part);
      } else {
        written.push_back(&operand);
      }
    }
    std::size_t missing = signature.size() - std::min(signature.size(), written.size());
    if (written.size() > signature.size()) return std::nullopt;
    std::size_t next = 0;
    for (const OperandSpec& spec : signature) {
      // Which of the optional operands are missing is told by their kinds.
      if (missing > 0 && spec.optional &&
          (next == written.size() || !element_fits(spec, *written[next]))) {
        --missing;
        flat.insert(flat.end(), spec.count, nullptr);
        continue;
      }
      if (next == written.size()) return std::nullopt;
      const ast::Operand& operand = *written[next++];
      if (spec.vector != (operand.kind == Kind::kVector)) return std::nullopt;
      if (spec.vector) {
        const auto parts = function.parts_of(operand);
        if (parts.size() != spec.count) return std::nullopt;
        for (const ast::Operand& part : parts) {
          if (!element_fits(spec, part)) return std::nullopt;
          flat.push_back(&part);
        }
      } else {
        if (!element_fits(spec, operand)) return std::nullopt;
        flat.push_back(&operand);
      }
    }
    if (next != written.size()) return std::nullopt;
    return flat;
  }

  bool element_fits(const OperandSpec& spec, const ast::Operand& operand) const {
    using Kind = ast::Operand::Kind;
    switch (operand.kind) {
      case Kind::kVector:
        return spec.vector;
      case Kind::kSink:
        return spec.destination;
      case Kind::kRegister: {
        const Width width = width_of(module_.functions[function_].registers[operand.index].type);
        if (spec.kind == 'r' && width == Width::b64 && truncates_) return !spec.destination;
        switch (spec.kind) {
          case 'p':
            return width == Width::predicate;
          case 'r':
          case 'f':
            return width == Width::b32;
          case 'l':
          case 'd':
            return width == Width::b64;
          case 'x':
            return width == Width::b32 || width == Width::b64;
          case 'q':
            return width == Width::b128;
          default:
            return false;
        }
      }
      case Kind::kInteger:
        return !spec.destination && spec.kind != 'a' && spec.kind != 'q' && spec.kind != 'L';
      case Kind::kFloat32:
      case Kind::kFloat64:
        return !spec.destination && (spec.kind == 'f' || spec.kind == 'd' || spec.kind == 'x' ||
                                     spec.kind == 'r' || spec.kind == 'l');
      case Kind::kModuleVariable:
      case Kind::kLocalVariable:
        return !spec.destination && (spec.kind == 'l' || spec.kind == 'r' || spec.kind == 'x');
      case Kind::kFunction:
        return !spec.destination && spec.kind == 'l';
      case Kind::kSpecial:
        return !spec.destination && (spec.kind == 'r' || spec.kind == 'l' || spec.kind == 'x');
      case Kind::kAddress:
        return spec.kind == 'a';
      case Kind::kLabel:
        return spec.kind == 'L';
      case Kind::kBranchTargets:
        return spec.kind == 'B';
      default:
        return false;
    }
  }

  void add_operands(Instruction result, const Form& form, std::span<const ast::Operand> operands,
                    const ast::Instruction& source) {
    const auto flat = match(form.operands, operands);
    std::uint32_t entry = 0;
    std::size_t next = 0;
    std::vector<std::uint32_t> reads, writes;
    if (result.guard != 0) reads.push_back(result.guard);
    for (const OperandSpec& spec : form.operands) {
      for (std::uint32_t i = 0; i < spec.count; ++i) {
        const ast::Operand* operand = (*flat)[next++];
        const std::uint32_t first = entry;
        add_element(result, entry, spec, operand, source);
        const bool is_register =
            operand != nullptr && is_slot(spec) && result.operand[first] != kAbsent;
        if (is_register) (spec.destination ? writes : reads).push_back(result.operand[first]);
      }
    }
    if (form.has_extra) result.operand[entry++] = form.extra;
    note_dependences(result, form, reads, writes);
    add(result);
  }

  void add_element(Instruction& result, std::uint32_t& entry, const OperandSpec& spec,
                   const ast::Operand* operand, const ast::Instruction& source) {
    using Kind = ast::Operand::Kind;
    const auto put = [&](std::uint32_t value) { result.operand[entry++] = value; };
    const std::uint32_t first = entry;
    if (operand == nullptr) {
      put(kAbsent);
      if (spec.kind == 'a' || (spec.kind == 'p' && !spec.destination)) put(0);
      return;
    }
    switch (spec.kind) {
      case 'i':
        return put(static_cast<std::uint32_t>(operand->value));
      case 'L':
        fixups_.push_back(
            {static_cast<std::uint32_t>(program_.code.size()), entry, function_, operand->index});
        return put(0);
      case 'B':
        put(program_.branch_lists.size());
        branch_lists_.emplace_back(
            program_.branch_lists.size(), function_,
            module_.functions[function_].branch_targets[operand->index].instructions);
        program_.branch_lists.emplace_back();
        return;
      case 'a': {
        const ast::Operand& base = module_.functions[function_].parts_of(*operand)[0];
        std::int64_t displacement = operand->value;
        if (base.kind == Kind::kRegister) {
          put(layouts_[function_].registers[base.index]);
          const ast::Register& reg = module_.functions[function_].registers[base.index];
          if (width_of(reg.type) == Width::b64) result.wide |= 1u << first;
        } else {
          if (base.kind == Kind::kInteger) {
            put(constant(Width::b64, static_cast<std::uint64_t>(base.value)));
          } else {
            put(address_constant(base, displacement, Width::b64));
            displacement = 0;
          }
          result.wide |= 1u << first;
        }
        return put(static_cast<std::uint32_t>(displacement));
      }
      default:
        break;
    }
    if (operand->kind == Kind::kSink) return put(spec.optional ? kAbsent : scratch_);
    if (operand->kind == Kind::kRegister) {
      const ast::Register& reg = module_.functions[function_].registers[operand->index];
      const std::uint32_t slot = layouts_[function_].registers[operand->index];
      if (spec.kind == 'r' && width_of(reg.type) == Width::b64) return put(truncate(slot, source));
      put(slot);
      if (width_of(reg.type) == Width::b64) result.wide |= 1u << first;
      if (spec.kind == 'p' && !spec.destination) put(operand->negated ? kAllLanes : 0);
      return;
    }
    if (spec.kind == 'p') {  // an immediate: true or false
      put(0);
      return put(operand->value != 0 ? 0 : kAllLanes);
    }
    const Width width = spec.kind == 'r' || spec.kind == 'f' ? Width::b32 : Width::b64;
    if (width == Width::b64) result.wide |= 1u << first;
    switch (operand->kind) {
      case Kind::kModuleVariable:
      case Kind::kLocalVariable:
        return put(address_constant(*operand, operand->value, width));
      case Kind::kFunction:
        return put(constant(width, kFunctionAddress + operand->index));
      case Kind::kSpecial:
        return put(read_special(*operand, width, source));
      default:
        return put(constant(width, immediate_bits(*operand, spec, width)));
    }
  }

  static std::uint64_t immediate_bits(const ast::Operand& operand, const OperandSpec& spec,
                                      Width width) {
    std::uint64_t bits = static_cast<std::uint64_t>(operand.value);
    if (operand.kind == ast::Operand::Kind::kFloat64 && spec.kind == 'f') {
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
    }
    return width == Width::b32 ? bits & 0xffff'ffff : bits;
  }

  /// The low half of a 64-bit register, for an instruction that reads 32 bits of it: PTX lets the
  /// source of cvt be wider than its type (PTX ISA 9.0, 9.4.1).
  std::uint32_t truncate(std::uint32_t wide_slot, const ast::Instruction& source) {
    Instruction result{.location = source.location};
    use(result, table_.find("cvt.u32.u64").front());
    result.operand[0] = new_slot(Width::b32);
    result.operand[1] = wide_slot;
    add(result);
    return result.operand[0];
  }

  /// A special register as a source of something else than mov: read into a scratch register first.
  std::uint32_t read_special(const ast::Operand& operand, Width width,
                             const ast::Instruction& source) {
    const std::string name(module_.special_registers[operand.index]);
    if (name == "WARP_SZ") return constant(width, kLanes);
    const std::uint32_t slot = new_slot(width);
    Instruction read{.wide = static_cast<std::uint16_t>(width == Width::b64),
                     .location = source.location};
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

  void add_return(Instruction result) {
    if (function_ == kernel_) return add_named(result, "exit");
    result.operand[0] = layouts_[function_].return_slot;
    add_named(result, "ret");
  }

  void add_named(Instruction result, const std::string& name) {
    use(result, table_.find(name).front());
    result.waits_for_loads = !loading_.empty();
    forget_dependences();
    add(result);
  }

  void add_call(Instruction result, const ast::Instruction& source) {
    const ast::Function& function = module_.functions[function_];
    const auto operands = function.operands_of(source);
    const std::uint32_t callee = callee_of(function, source);
    if (callee == ast::kNone) {
      return add_refusal(result, "a call through a function pointer is not modelled");
    }
    const std::string name(module_.functions[callee].name);
    if (recursive_.contains(callee)) {
      return add_refusal(result, "the recursive function " + name + " is not modelled");
    }
    for (const int list : {0, 2}) {
      for (const ast::Operand& argument : function.parts_of(operands[list])) {
        if (argument.kind != ast::Operand::Kind::kLocalVariable) {
          return add_refusal(result, "a call whose arguments are registers is not modelled");
        }
      }
    }
    if (!defined_elsewhere(module_.functions[callee])) {
      result.operand[0] = layouts_[callee].return_slot;
      fixups_.push_back({static_cast<std::uint32_t>(program_.code.size()), 1, callee, 0});
      return add_named(result, "call");
    }
    if (table_.find("call " + name).empty()) {
      return add_refusal(result, "the device function " + name + " is not modelled");
    }
    std::uint32_t entry = 0;
    result.operand[entry++] = kAbsent;
    for (const int list : {0, 2}) {
      for (const ast::Operand& argument : function.parts_of(operands[list])) {
        const std::uint32_t at = list == 0 ? 0 : entry++;
        result.operand[at] = layouts_[function_].variables[argument.index];
      }
    }
    add_named(result, "call " + name);
  }

  // ---- loops ----

  /// At the end of a loop some lanes may branch back to its head while the others have something
  /// left to do. On a GPU they meet before the next round; but the path with the lowest pc would
  /// start it alone. So those lanes are sent to the others' branch at the end instead.
  void join_at_loop_ends() {
    for (std::uint32_t pc = 0; pc < program_.code.size(); ++pc) {
      Instruction& back = program_.code[pc];
      if (back.facts.action != Action::branch || back.guard == 0 || back.operand[0] > pc) continue;
      std::uint32_t end = pc + 1;
      while (end < program_.code.size() && program_.code[end].unit != Unit::control) ++end;
      if (end == program_.code.size() || program_.code[end].facts.action != Action::branch)
        continue;
      const Instruction& last = program_.code[end];
      if (last.guard == 0 && last.operand[0] == back.operand[0]) back.operand[0] = end;
    }
  }

  // ---- dependences, for the clock ----

  void forget_dependences() {
    previous_.clear();
    loading_.clear();
    join_ = after_join_ = false;
  }

  /// Marks what the clock needs: whether the instruction uses the result of the one before it, and
  /// whether it may use the result of a load that is under way. Loads are waited for at the latest
  /// where paths join or part. Where paths join, as at the head of a loop, the instruction before
  /// is not known: it is taken to be needed.
  void note_dependences(Instruction& result, const Form& form,
                        const std::vector<std::uint32_t>& reads,
                        const std::vector<std::uint32_t>& writes) {
    const auto uses = [&](const std::vector<std::uint32_t>& slots) {
      const auto in = [&](std::uint32_t slot) {
        return std::find(slots.begin(), slots.end(), slot) != slots.end();
      };
      return std::any_of(reads.begin(), reads.end(), in) ||
             std::any_of(writes.begin(), writes.end(), in);
    };
    result.follows = after_join_ || uses(previous_);
    const bool parts = form.unit == Unit::control;
    if (!loading_.empty() && (join_ || parts || uses(loading_))) {
      result.waits_for_loads = true;
      loading_.clear();
    }
    join_ = false;
    if (result.unit != Unit::folded) previous_ = writes;
    if (result.unit != Unit::folded && result.unit != Unit::control) after_join_ = false;
    if (form.loads) loading_.insert(loading_.end(), writes.begin(), writes.end());
  }

  void add(const Instruction& instruction) { program_.code.push_back(instruction); }

  void read_directives() {
    const ast::Function& kernel = module_.functions[kernel_];
    const auto three = [&](std::string_view name) {
      std::array<std::uint32_t, 3> result{};
      if (const ast::Directive* directive = kernel.find_directive(name)) {
        result = {1, 1, 1};
        for (std::size_t i = 0; i < directive->values.size() && i < 3; ++i) {
          result[i] = directive->values[i];
        }
      }
      return result;
    };
    const auto maximum = three(".maxntid");
    program_.required_threads = three(".reqntid");
    program_.cluster = three(".reqnctapercluster");
    program_.max_threads = maximum[0] * maximum[1] * maximum[2];
    if (program_.required_threads[0] != 0) {
      program_.max_threads = program_.required_threads[0] * program_.required_threads[1] *
                             program_.required_threads[2];
    }
    if (const ast::Directive* rank = kernel.find_directive(".maxclusterrank")) {
      program_.max_cluster_rank = rank->values.empty() ? 0 : rank->values[0];
    }
  }

  const ast::Module& module_;
  const std::uint32_t kernel_;
  const FormTable& table_;
  Program program_;
  std::vector<std::uint32_t> order_;  // functions, the kernel first
  std::set<std::uint32_t> open_, recursive_;
  std::map<std::uint32_t, FunctionLayout> layouts_;
  std::map<std::uint32_t, std::uint64_t> module_shared_;
  std::map<std::pair<Width, std::uint64_t>, std::uint32_t> constants_;
  std::map<const Form*, std::uint16_t> form_indices_;
  std::vector<Fixup> fixups_;
  std::vector<std::tuple<std::size_t, std::uint32_t, std::vector<std::uint32_t>>> branch_lists_;
  std::uint32_t next_slot_ = 0, scratch_ = 0;
  std::uint32_t function_ = 0;  // being decoded
  std::vector<std::uint32_t> previous_, loading_;
  bool join_ = false, after_join_ = false;
  bool truncates_ = false;  // the instruction being decoded may read half of a register
};

}  // namespace

Program decode(const ast::Module& module, std::uint32_t kernel, const FormTable& table) {
  return Decoder(module, kernel, table).decode();
}

}  // namespace clcsim::ptx
