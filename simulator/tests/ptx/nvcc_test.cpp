// What nvcc makes of data/sample.cu goes through the readers.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "ptx/fatbin.h"
#include "ptx/parser.h"

namespace clcsim::ptx {
namespace {

std::string content_of(const std::string& name) {
  const std::string path = std::string(CLCSIM_TEST_DATA) + "/" + name;
  std::ifstream file(path, std::ios::binary);
  INFO(path);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

bool ends_with_sample(std::string_view path) {
  return path.ends_with("/sample.cu");
}

// The functions inlined around the instructions whose chain ends in sample.cu.
std::set<std::string> inlined_functions(const ast::Module& module) {
  std::set<std::string> names;
  for (const ast::Location& location : module.locations) {
    const ast::Location* outer = &location;
    while (outer->parent != ast::kNone) outer = &module.locations[outer->parent];
    if (outer == &location || outer->file == ast::kNone) continue;
    if (ends_with_sample(module.files[outer->file])) names.emplace(location.function);
  }
  return names;
}

void check_kernel(const ast::Module& module) {
  const std::uint32_t index = module.find_function("_Z6sample4TilePii");
  REQUIRE(index != ast::kNone);
  const ast::Function& kernel = module.functions[index];
  CHECK(kernel.entry);
  CHECK(kernel.defined);
  REQUIRE(kernel.parameters().size() == 3);
  CHECK(kernel.parameters()[0].size == 24);
  CHECK(kernel.find_directive(".maxntid")->values.at(0) == 128);
  CHECK(kernel.find_directive(".reqnctapercluster")->values.at(0) == 2);
  std::set<std::string> opcodes;
  for (const ast::Instruction& instruction : kernel.instructions) {
    opcodes.emplace(module.opcode_of(instruction).text);
    REQUIRE(instruction.location < module.locations.size());
  }
  CHECK(opcodes.contains("mov.b128"));
  const ast::Variable& packed = module.variables[module.find_variable("packed")];
  CHECK(packed.relocations.size() == 8);
  CHECK(module.variables[module.find_variable("managed")].managed);
}

TEST_CASE("with -lineinfo: every instruction leads to a line of the source") {
  const ast::Module module = parse(content_of("lineinfo.ptx"));
  check_kernel(module);
  const ast::Function& kernel = module.functions[module.find_function("_Z6sample4TilePii")];
  for (const ast::Instruction& instruction : kernel.instructions) {
    const ast::Location* location = &module.locations[instruction.location];
    while (location->parent != ast::kNone) location = &module.locations[location->parent];
    CAPTURE(instruction.position.line);
    REQUIRE(location->file != ast::kNone);
    CHECK(ends_with_sample(module.files[location->file]));
    CHECK(location->line > 0);
  }
  // the lambda given to invoke_one, seen through the toolkit's headers
  bool lambda = false;
  for (const std::string& name : inlined_functions(module)) {
    lambda |= name.find("sample4TilePiiENKUlvE_clEv") != std::string::npos;
  }
  CHECK(lambda);
}

TEST_CASE("with -G: local labels, debug sections, calls of everything") {
  const ast::Module module = parse(content_of("debug.ptx"));
  check_kernel(module);
}

TEST_CASE("each way of compressing") {
  for (const std::string name : {"zstd.fatbin", "lz4.fatbin", "stored.fatbin"}) {
    CAPTURE(name);
    const std::string bytes = content_of(name);
    const std::vector<FatbinEntry> entries =
        read_fatbin(std::as_bytes(std::span(bytes.data(), bytes.size())));
    REQUIRE(entries.size() == 3);
    CHECK(describe(entries) == "PTX for 90, 100a and 120f");
    const FatbinEntry* entry = select_ptx(entries, {10, 0});
    REQUIRE(entry);
    CHECK(entry->target() == "100a");
    CHECK((entry->text_size == 0) == (name == "stored.fatbin"));
    const ast::Module module = parse(entry->text());
    CHECK(module.target.text == "sm_100a");
    CHECK(module.find_function("tiny") != ast::kNone);
    CHECK(select_ptx(entries, {12, 1})->target() == "120f");
    CHECK(select_ptx(entries, {9, 0})->target() == "90");
    CHECK(select_ptx(entries, {8, 9}) == nullptr);
  }
}

}  // namespace
}  // namespace clcsim::ptx
