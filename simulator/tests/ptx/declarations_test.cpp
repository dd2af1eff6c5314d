#include <doctest/doctest.h>

#include "snippets.h"

namespace clcsim::ptx {
namespace {

std::vector<int> initial_bytes(const ast::Variable& variable) {
  std::vector<int> bytes;
  for (const std::byte byte : variable.initial) bytes.push_back(static_cast<int>(byte));
  return bytes;
}

using Bytes = std::vector<int>;

TEST_CASE("the target is read, beside version, address size and other words") {
  const ast::Module module = parse(".version 8.7\n.target sm_120f, debug\n.address_size 64\n");
  CHECK(module.target.number == 120);
  CHECK(module.target.variant == 'f');
  CHECK(module.target.text == "sm_120f");
  CHECK(parse(".version 9.0 .target sm_90").target.variant == '\0');
}

TEST_CASE("a text without version or target is refused") {
  CHECK_THROWS_WITH_AS(parse(""),
                       "PTX line 1, column 1: expected a .version, found the end of the "
                       "text",
                       ParseError);
  CHECK_THROWS_WITH_AS(parse(".version 9.0"),
                       "PTX line 1, column 13: expected a .target, found the end of the text",
                       ParseError);
  CHECK_THROWS_AS(parse(".version 9 .target sm_90"), ParseError);
  CHECK_THROWS_AS(parse(".version 9.0 .target sm_x"), ParseError);
  CHECK_THROWS_AS(parse(".version 9.0 .target sm_100ab"), ParseError);
}

TEST_CASE("module variables") {
  const ast::Module module = parse_module(R"(
    .visible .global .align 8 .b8 array[3][4];
    .const .f64 one;
    .extern .shared .align 16 .b8 dynamic[];
    .global .attribute(.managed) .align 4 .u32 managed = 7;
    .global .attribute(.unified(1, 2)) .v4 .f32 quad, second;
    .weak .shared .u16 half[2];
  )");
  REQUIRE(module.variables.size() == 7);
  const ast::Variable& array = module.variables[module.find_variable("array")];
  CHECK(array.linkage == ast::Linkage::kVisible);
  CHECK(array.space == ast::StateSpace::kGlobal);
  CHECK(array.alignment == 8);
  CHECK(array.size == 12);
  CHECK(array.dimensions == std::vector<std::uint64_t>{3, 4});
  CHECK(array.position.line == 5);
  const ast::Variable& one = module.variables[module.find_variable("one")];
  CHECK(one.space == ast::StateSpace::kConst);
  CHECK(one.alignment == 8);
  CHECK(one.size == 8);
  const ast::Variable& dynamic = module.variables[module.find_variable("dynamic")];
  CHECK(dynamic.linkage == ast::Linkage::kExtern);
  CHECK(dynamic.unsized);
  CHECK(dynamic.size == 0);
  CHECK(dynamic.alignment == 16);
  const ast::Variable& managed = module.variables[module.find_variable("managed")];
  CHECK(managed.managed);
  CHECK(initial_bytes(managed) == Bytes{7, 0, 0, 0});
  const ast::Variable& quad = module.variables[module.find_variable("quad")];
  CHECK_FALSE(quad.managed);
  CHECK(quad.vector_width == 4);
  CHECK(quad.size == 16);
  CHECK(quad.alignment == 16);
  CHECK(module.variables[module.find_variable("second")].size == 16);
  CHECK(module.find_variable("nothing") == ast::kNone);
}

TEST_CASE("initialisers become bytes; what they leave out is not stored") {
  const ast::Module module = parse_module(R"(
    .global .b8 text[6] = {104, 105, -1};
    .global .u16 pair[2] = {258, 0x8000};
    .global .f32 floats[4] = {0f3f800000, 1.5, -2, 0dc008000000000000};
    .global .f64 doubles[2] = {1, 0f40000000};
    .global .b32 raw = 0f3f800000;
    .global .u32 open[] = {1, 2};
    .global .u8 rows[2][3] = {{1}, {4, 5, 6}};
    .global .u8 flat[2][3] = {1, 2, 3, 4};
    .global .u64 sum = 1 << 40;
  )");
  const auto initial = [&](std::string_view name) {
    return initial_bytes(module.variables[module.find_variable(name)]);
  };
  CHECK(initial("text") == Bytes{104, 105, 255});
  CHECK(initial("pair") == Bytes{2, 1, 0, 128});
  CHECK(initial("floats") == Bytes{0, 0, 128, 63, 0, 0, 192, 63, 0, 0, 0, 192, 0, 0, 64, 192});
  CHECK(initial("doubles") == Bytes{0, 0, 0, 0, 0, 0, 240, 63, 0, 0, 0, 0, 0, 0, 0, 64});
  CHECK(initial("raw") == Bytes{0, 0, 128, 63});
  CHECK(initial("open") == Bytes{1, 0, 0, 0, 2, 0, 0, 0});
  CHECK(module.variables[module.find_variable("open")].size == 8);
  CHECK_FALSE(module.variables[module.find_variable("open")].unsized);
  CHECK(initial("rows") == Bytes{1, 0, 0, 4, 5, 6});
  CHECK(initial("flat") == Bytes{1, 2, 3, 4});
  CHECK(initial("sum") == Bytes{0, 0, 0, 0, 0, 1, 0, 0});
}

TEST_CASE("addresses in initialisers, also of what is declared later") {
  const ast::Module module = parse_module(R"(
    .global .u64 pointer = generic(target)+12;
    .global .u64 mixed[3] = {1, target-4, function};
    .global .u8 packed[3] = {9, 0xFF(generic(target)), 0xFF00(target+1)};
    .global .b32 target;
    .func function;
  )");
  const auto target = module.find_variable("target");
  const ast::Relocation pointer = module.variables[0].relocations.at(0);
  CHECK(pointer.target == ast::Relocation::Target::kVariable);
  CHECK(pointer.index == target);
  CHECK(pointer.symbol == "target");
  CHECK(pointer.generic);
  CHECK(pointer.addend == 12);
  CHECK(pointer.offset == 0);
  CHECK(pointer.width == 8);
  const ast::Relocation back = module.variables[1].relocations.at(0);
  CHECK_FALSE(back.generic);
  CHECK(back.addend == -4);
  CHECK(back.offset == 8);
  const ast::Relocation function = module.variables[1].relocations.at(1);
  CHECK(function.target == ast::Relocation::Target::kFunction);
  CHECK(function.index == module.find_function("function"));
  CHECK(function.offset == 16);
  CHECK(module.variables[1].initial.size() == 24);
  const ast::Relocation low = module.variables[2].relocations.at(0);
  CHECK(low.width == 1);
  CHECK(low.shift == 0);
  CHECK(low.offset == 1);
  CHECK(low.generic);
  const ast::Relocation high = module.variables[2].relocations.at(1);
  CHECK(high.shift == 8);
  CHECK(high.offset == 2);
  CHECK(high.addend == 1);
}

TEST_CASE("declarations that cannot be") {
  check_errors(error_of, R"(
.global .b8 a[2] = {1, 2, 3};          => 4:27: the initialiser is longer than 'a'
.global .u64 a = missing;              => 4:14: the initialiser of 'a' names 'missing', which is not declared
.global .u32 a;\n.global .u32 a;       => 5:14: 'a' is declared twice
.global .align 3 .u32 a;               => 4:16: the alignment is no power of two
.global .b99 a;                        => 4:9: '.b99' is no type
.global a;                             => 4:9: expected a type, found 'a'
.global .u32 a                         => 4:15: expected ';' after the declaration of 'a', found the end of the text
.global .u8 a = b; .global .u8 b;      => 4:17: the address of 'b' does not fit an element of type .u8
.global .b8 a = 0xf0(b);               => 4:17: the mask of an address must choose one byte of it
.global .b8 a[4294967296][4294967296]; => 4:13: 'a' is larger than 2^40 bytes
.global .b8 a[-1];                     => 4:15: the dimension lies outside of 0 to 1099511627776
.global .b8 a[2][1000000000] = {{1}, {1}}; => 4:13: the initialiser of 'a' skips too many elements
.global .b8 a[2] = {{1}, {1}};         => 4:21: the initialiser of 'a' has more braces than dimensions
.globul .u32 a;                        => 4:1: the directive '.globul' is not known
.func f; .global .u32 f;               => 4:23: 'f' is declared as a function already
)");
}

TEST_CASE("an extern variable may be declared again and defined once") {
  const ast::Module module = parse_module(
      ".extern .global .u32 a;\n.extern .global .u32 a;\n.visible .global .u32 a = 3;\n");
  REQUIRE(module.variables.size() == 1);
  CHECK(module.variables[0].linkage == ast::Linkage::kVisible);
  CHECK(module.variables[0].initial.size() == 4);
}

TEST_CASE("functions: linkage, parameters, declarations") {
  const ast::Module module = parse_module(R"(
    .extern .func (.param .b32 func_retval0) vprintf
    ( .param .b64 vprintf_param_0, .param .b64 vprintf_param_1 )
    ;
    .func helper;
    .weak .func (.param .align 16 .b8 r[20]) helper(.param .b32 a) { ret; }
    .visible .entry kernel(
      .param .align 8 .b8 kernel_param_0[24],
      .param .u64 .ptr .global .align 4 kernel_param_1,
      .param .f32 kernel_param_2
    )
    .maxntid 256, 1, 1
    .minnctapersm 2
    .noreturn
    .reqnctapercluster 2, 1, 1
    .pragma "nounroll";
    { ret; }
    .entry empty() { }
  )");
  REQUIRE(module.functions.size() == 4);
  const ast::Function& vprintf = module.functions[module.find_function("vprintf")];
  CHECK_FALSE(vprintf.defined);
  CHECK(vprintf.returns().size() == 1);
  CHECK(vprintf.parameters().size() == 2);
  const ast::Function& helper = module.functions[module.find_function("helper")];
  CHECK(helper.defined);
  CHECK_FALSE(helper.entry);
  CHECK(helper.returns()[0].size == 20);
  CHECK(helper.returns()[0].alignment == 16);
  CHECK(helper.parameters()[0].name == "a");
  const ast::Function& kernel = module.functions[module.find_function("kernel")];
  CHECK(kernel.entry);
  REQUIRE(kernel.parameters().size() == 3);
  CHECK(kernel.parameters()[0].size == 24);
  CHECK(kernel.parameters()[1].size == 8);
  CHECK(kernel.parameters()[1].alignment == 8);  // not the 4 of what it points to
  REQUIRE(kernel.find_directive(".maxntid"));
  CHECK(kernel.find_directive(".maxntid")->values == std::vector<std::uint64_t>{256, 1, 1});
  CHECK(kernel.find_directive(".reqnctapercluster")->values == std::vector<std::uint64_t>{2, 1, 1});
  CHECK(kernel.find_directive(".noreturn"));
  CHECK_FALSE(kernel.find_directive(".reqntid"));
  CHECK(module.functions[module.find_function("empty")].instructions.empty());
}

TEST_CASE("a declaration after the definition changes nothing") {
  const ast::Module module = parse_module(".func f(.param .b32 a) { ret; }\n.func f;\n");
  REQUIRE(module.functions.size() == 1);
  CHECK(module.functions[0].defined);
  CHECK(module.functions[0].parameters().size() == 1);
  CHECK(module.functions[0].instructions.size() == 1);
}

TEST_CASE("an alias leads to the function it means") {
  const ast::Module module =
      parse_module(".func a;\n.func b { ret; }\n.alias a, b;\n.entry k { call a; ret; }\n");
  CHECK(module.functions[module.find_function("a")].alias_of == module.find_function("b"));
  check_errors(error_of, R"(
.func a;\n.alias a, c;         => 5:11: the alias means the function 'c', which is not defined
.func b { ret; }\n.alias b, b; => 5:8: 'b' is defined already
)");
}

TEST_CASE("functions that cannot be") {
  check_errors(error_of, R"(
.entry k { } .entry k { }              => 4:21: 'k' is defined twice
.entry k(.param .u32 a, .param .u32 a) { } => 4:37: two parameters are named 'a'
.entry k(.reg .u32 a) { }              => 4:10: expected a .param, found '.reg'
.entry k { ret;                        => 4:16: expected the '}' of function 'k', found the end of the text
.entry k .maxntid 99999999999 { }      => 4:19: the value of '.maxntid' lies outside of 0 to 4294967295
)");
}

}  // namespace
}  // namespace clcsim::ptx
