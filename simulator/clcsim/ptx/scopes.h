// The names that a function body can see: its registers, variables and labels, in nested scopes.
// Source: PTX ISA 9.0, sections 4.4 and 5.1.1.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/ast.h"

namespace clcsim::ptx {

// Registers and variables. A name hides the same name of an outer scope.
//
// Registers get their index when they are first used, so that a large range (`%r<5000>`) costs
// nothing but its uses.
class Scopes {
 public:
  // Registers are added to `registers`; names of components of vector registers, which stand
  // nowhere in the text, to `made_names`.
  Scopes(std::vector<ast::Register>& registers, std::vector<std::vector<char>>& made_names)
      : registers_(registers), made_names_(made_names) {}

  void open() { starts_.push_back(entries_.size()); }
  void close();
  std::size_t depth() const { return starts_.size(); }

  // False if the innermost scope has that name already. `width` is 1, 2 or 4 (.v2, .v4).
  bool declare_register(std::string_view name, ast::ScalarType type, unsigned width);
  bool declare_variable(std::string_view name, std::uint32_t index);
  // name0, name1, ... name(count - 1).
  bool declare_range(std::string_view name, std::uint64_t count, ast::ScalarType type,
                     unsigned width);

  struct Found {
    enum class Kind : std::uint8_t { kNothing, kRegister, kVariable };
    Kind kind = Kind::kNothing;
    std::uint32_t index = 0;  // of the (first) register or of the variable
    unsigned width = 1;       // of a vector register
  };
  // Also finds the components of a vector register (v.x).
  Found find(std::string_view name);

 private:
  struct Entry {
    enum class Kind : std::uint8_t { kRegister, kVariable, kRange };
    Kind kind;
    ast::ScalarType type;
    std::uint8_t width;
    std::uint32_t index;   // register or variable; kNone: a register without an index yet
    std::size_t depth;     // of its scope
    std::uint32_t hidden;  // entry of the same name in an outer scope, or kNone
    std::uint64_t count;   // of a range
    std::string_view name;
    std::uint32_t serial;  // of a range, never used twice in a function
  };
  using EntryByName = std::unordered_map<std::string_view, std::uint32_t>;

  bool declare(EntryByName& names, Entry entry);
  std::uint32_t add_register(std::string_view name, ast::ScalarType type, unsigned width);
  Found find_whole(std::string_view name);

  std::vector<ast::Register>& registers_;
  std::vector<std::vector<char>>& made_names_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> starts_;  // number of entries before each open scope
  EntryByName names_;
  EntryByName ranges_;
  std::unordered_map<std::uint64_t, std::uint32_t> range_registers_;  // serial and number -> index
  std::uint32_t next_serial_ = 0;
};

// Labels, and what is named like them: a scope sees its own and those of the scopes around it, also
// those that follow in the text.
class Labels {
 public:
  enum class Kind : std::uint8_t { kStatement, kBranchTargets, kPrototype };
  struct Label {
    Kind kind;
    std::uint32_t index;  // into instructions or branch_targets
  };

  void open();
  void close() { current_ = parents_[current_]; }
  std::uint32_t scope() const { return current_; }

  // False if the current scope has a label of that name already.
  bool declare(std::string_view name, Label label);
  // The label that `name` means in `scope`, or nullptr. Only valid after the last declaration.
  const Label* find(std::uint32_t scope, std::string_view name) const;

 private:
  std::map<std::pair<std::uint32_t, std::string_view>, Label> labels_;  // by scope and name
  std::vector<std::uint32_t> parents_ = {ast::kNone};
  std::uint32_t current_ = 0;
};

}  // namespace clcsim::ptx
