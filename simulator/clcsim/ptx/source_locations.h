// Collects what PTX says about the CUDA source: .file, .loc and the names in .section .debug_str.
// Files and names stand at the end of the text, so they are put in by finish().
//
// Source: PTX ISA 9.0, section 11.5, and what nvcc 13.0 writes with -lineinfo and -G.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/ast.h"

namespace clcsim::ptx {

class SourceLocations {
 public:
  SourceLocations();

  void add_file(std::uint64_t number, std::string_view path) { files_[number] = path; }

  // The function whose body follows; a .loc without function_name lies in it.
  void start_function(std::string_view name);

  struct Place {
    std::uint64_t file = 0;  // number of a .file
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::strong_ordering operator<=>(const Place&) const = default;
  };
  // The index of a location, for Instruction::location.
  std::uint32_t add(Place place);
  // `label` + `offset` is the inlined function's name in .debug_str. The code was inlined at `at`,
  // which is the place of an earlier .loc of the function, and that may be inlined in turn.
  std::uint32_t add_inlined(Place place, std::string_view label, std::uint64_t offset, Place at);

  // A label in .section .debug_str, and bytes behind it.
  void add_debug_label(std::string_view name) { debug_labels_[name] = debug_bytes_.size(); }
  void add_debug_bytes(std::uint64_t value, unsigned size);

  bool has_line(std::uint32_t location) const { return entries_[location].place.line != 0; }

  // Fills files, locations and debug_strings.
  void finish(ast::Module& module);

 private:
  struct Entry {
    Place place;
    std::uint32_t parent = ast::kNone;
    std::uint64_t offset = 0;
    std::string_view label;     // empty: not inlined
    std::string_view function;  // of a place that is not inlined
    std::strong_ordering operator<=>(const Entry&) const = default;
  };

  std::uint32_t add(const Entry& entry);

  std::vector<Entry> entries_;
  std::map<Entry, std::uint32_t> indices_;
  std::map<Place, std::uint32_t> latest_;  // of this function, by place
  std::string_view function_;
  std::unordered_map<std::uint64_t, std::string_view> files_;
  std::unordered_map<std::string_view, std::size_t> debug_labels_;
  std::vector<char> debug_bytes_;
};

}  // namespace clcsim::ptx
