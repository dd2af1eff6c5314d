// The abstract syntax tree of one PTX module: what parser.h makes and the decoder reads.
//
// All names are resolved. Operands hold indices, never names: registers and variables into the
// tables of their function, functions and module variables into the tables of the module, labels
// into the instructions of their function. Scopes `{ }` are gone; every declaration in a scope has
// become a separate entry with an index of its own.
//
// A Module owns its text, and every string_view in the tree points into the module. So a module
// can be moved but not copied.
//
// The namespace is apart because the decoded program has an Instruction and a Location too.
//
// Source: PTX ISA 9.0, chapters 4 (syntax), 5 (state spaces and types), 7 (functions), 11
// (directives), and the output of nvcc 13.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace clcsim::ptx::ast {

inline constexpr std::uint32_t kNone = 0xffffffff;  // no register, variable, function, location

// A place in the PTX text. Both count from 1; the column counts bytes.
struct TextPosition {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

enum class StateSpace : std::uint8_t { kGlobal, kConst, kShared, kLocal, kParam };

enum class ScalarType : std::uint8_t {
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kF16x2,
  kBf16,
  kBf16x2,
  kTf32,
  kF32,
  kF64,
  kTexref,
  kSamplerref,
  kSurfref,
};

// Bytes that one element takes in memory. A predicate and the opaque types (texref, samplerref,
// surfref) have no size: 0.
unsigned size_of(ScalarType type);

// As PTX spells it, with the dot: ".f32", ".const".
std::string_view to_string(ScalarType type);
std::string_view to_string(StateSpace space);

enum class Linkage : std::uint8_t { kInternal, kVisible, kExtern, kWeak, kCommon };

// A register that the function uses. Registers that are declared and never used get no index;
// those of a range (`%r<10>`) and single ones are told apart only by their names.
// A vector register (`.reg .v4 .f32 v;`) becomes 2 or 4 consecutive registers, v.x, v.y, ...
struct Register {
  ScalarType type = ScalarType::kB32;
  std::string_view name;  // as spelled: "%r7", "P_OUT", "v.x"
};

// One operand, or one part of a composite operand. A function keeps all of them in one array
// (Function::operands), where the parts of a composite lie side by side.
struct Operand {
  enum class Kind : std::uint8_t {
    kNone,            // the place of an absent operand of `call`
    kRegister,        // index: Function::registers
    kSink,            // `_`
    kInteger,         // value: 64 bits, two's complement
    kFloat32,         // 0fXXXXXXXX; value: the 32 bits
    kFloat64,         // 0dXXXXXXXXXXXXXXXX or decimal (1.5e3); value: the 64 bits
    kSpecial,         // %tid.x, WARP_SZ; index: Module::special_registers
    kModuleVariable,  // its address plus value bytes; index: Module::variables
    kLocalVariable,   // its address plus value bytes; index: Function::variables
    kFunction,        // index: Module::functions
    kLabel,           // index: of the instruction it stands before; may be the number of them all
    kBranchTargets,   // the list of a brx.idx; index: Function::branch_targets
    kPrototype,       // the last operand of an indirect call
    kVector,          // {a, b, ...}; parts: the elements
    kAddress,         // [a + value]; parts: the base, and for [a, b, ...] what follows it.
                      // The base is a kRegister, a variable, a kInteger or kFunction; where it is
                      // a variable, the whole offset is in this operand, not in the base.
    kPair,            // a|b; parts: two
    kList,            // (a, b, ...) of a call; parts: maybe none
  };

  Kind kind = Kind::kNone;
  bool negated = false;     // !p
  std::uint16_t count = 0;  // of parts, composites only
  std::uint32_t index = 0;  // see kind; composites: of the first part in Function::operands
  std::int64_t value = 0;   // see kind
};

// The name of an instruction with all its modifiers. Equal spellings share one entry, so a decoder
// needs to look at each spelling once.
struct Opcode {
  std::string_view text;                // "ld.global.v4.f32"
  std::vector<std::string_view> parts;  // "ld", "global", "v4", "f32"; `::` does not split
};

struct Instruction {
  std::uint32_t opcode = 0;     // index into Module::opcodes
  std::uint32_t guard = kNone;  // @p: a register of type .pred
  bool guard_negated = false;   // @!p
  std::uint16_t operand_count = 0;
  std::uint32_t first_operand = 0;  // in Function::operands; use Function::operands_of
  // Index into Module::locations. Where nvcc wrote line 0 ("no line of the source"), this is the
  // location of the next instruction of the function that has a line, else of the one before.
  std::uint32_t location = 0;
  TextPosition position;  // of the opcode in the PTX text
};
// `call` has always exactly four operands, kNone or an empty kList where the text has nothing:
//   0 kList: return variables, 1 kFunction or kRegister: callee, 2 kList: arguments (variables,
//   registers or immediates), 3 kPrototype (an indirect call) or kNone.

// A relocation: bytes of an initialiser that hold an address.
struct Relocation {
  enum class Target : std::uint8_t { kVariable, kFunction };
  Target target = Target::kVariable;
  bool generic = false;      // generic(name): a generic address; else one in the variable's space
  std::uint8_t width = 8;    // bytes to write, little endian
  std::uint8_t shift = 0;    // write (address + addend) >> shift; nonzero only for 0xff00(name)
  std::uint32_t index = 0;   // into Module::variables or Module::functions
  std::string_view symbol;   // the name of that variable or function
  std::uint64_t offset = 0;  // of the first byte to write, from the variable's start
  std::int64_t addend = 0;
};

// A variable of the module or of a function, or a parameter.
struct Variable {
  std::string_view name;
  StateSpace space = StateSpace::kGlobal;
  Linkage linkage = Linkage::kInternal;
  ScalarType type = ScalarType::kB8;
  std::uint8_t vector_width = 1;         // .v2, .v4
  bool managed = false;                  // .attribute(.managed)
  bool unsized = false;                  // name[]: `extern .shared` memory sized at launch
  bool is_register = false;              // a parameter of a function that is declared with .reg
  std::uint32_t register_index = kNone;  // of such a one, where the function has a body
  std::uint32_t alignment = 1;           // bytes; the natural one where none is given
  std::uint64_t size = 0;                // bytes, all dimensions; 0 if unsized
  std::vector<std::uint64_t> dimensions;
  std::vector<std::byte> initial;  // leading bytes of the initialiser; what it leaves is zero
  std::vector<Relocation> relocations;
  TextPosition position;
};

// A directive with its numbers, kept as data: {".maxntid", {256, 1, 1}}.
struct Directive {
  std::string_view name;
  std::vector<std::uint64_t> values;
};

struct Function {
  std::string_view name;  // mangled
  bool entry = false;     // .entry, else .func
  bool defined = false;   // has a body; else `.extern .func vprintf` or a forward declaration
  std::uint32_t alias_of = kNone;  // `.alias`: the function that is meant
  // The return parameters first, then the parameters, then what the body declares: .local, .shared
  // and the .param of its call sequences.
  std::vector<Variable> variables;
  std::uint32_t return_count = 0;
  std::uint32_t parameter_count = 0;
  std::vector<Directive> directives;  // .maxntid, .reqntid, .noreturn, .reqnctapercluster, ...
  TextPosition position;

  std::vector<Register> registers;
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;      // of all instructions; use operands_of and parts_of
  std::vector<std::uint32_t> labels;  // the instructions that they stand before
  std::vector<std::vector<std::uint32_t>> branch_targets;  // instructions, of each `.branchtargets`

  std::span<const Variable> returns() const { return {variables.data(), return_count}; }
  std::span<const Variable> parameters() const {
    return {variables.data() + return_count, parameter_count};
  }
  std::span<const Operand> operands_of(const Instruction& instruction) const {
    return {operands.data() + instruction.first_operand, instruction.operand_count};
  }
  std::span<const Operand> parts_of(const Operand& composite) const {
    return {operands.data() + composite.index, composite.count};
  }
  // nullptr if the function has no such directive; name with its dot.
  const Directive* find_directive(std::string_view directive) const;
};

// A place in the CUDA source, from `.loc`. Inlined code hangs below the place that calls it: walk
// `parent` outwards until a file of the user's own is reached. A parent has a smaller index.
struct Location {
  std::uint32_t file = kNone;  // index into Module::files
  std::uint32_t line = 0;      // 0: the compiler names no line
  std::uint32_t column = 0;
  std::uint32_t parent = kNone;  // where this code was inlined; kNone: nowhere
  // The function that holds this line, mangled: for inlined code the inlined function, else the
  // PTX function. May be empty.
  std::string_view function;
};

struct Target {
  unsigned number = 0;    // 100 of sm_100a
  char variant = '\0';    // 'a', 'f' or '\0'
  std::string_view text;  // "sm_100a"
};

struct Module {
  Module() = default;
  Module(Module&&) = default;
  Module& operator=(Module&&) = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  Target target;
  // Of the modules of a program, so that the addresses of their functions differ. Its owner's.
  std::uint32_t number = 0;

  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<Opcode> opcodes;
  std::vector<std::string_view> special_registers;  // those used: "%tid.x"
  std::vector<std::string_view> files;              // of `.file`, as spelled
  std::vector<Location> locations;                  // the first one is "unknown": no file, line 0

  const Opcode& opcode_of(const Instruction& instruction) const {
    return opcodes[instruction.opcode];
  }
  // Index of the function or variable with this (mangled) name; kNone if there is none.
  std::uint32_t find_function(std::string_view name) const;
  std::uint32_t find_variable(std::string_view name) const;

  // The rest is the parser's: the indices by name, and what the views point into.
  std::unordered_map<std::string_view, std::uint32_t> function_index;
  std::unordered_map<std::string_view, std::uint32_t> variable_index;
  std::vector<char> text;
  std::vector<char> debug_strings;
  std::vector<std::vector<char>> made_names;  // names that do not stand in the text
};

}  // namespace clcsim::ptx::ast
