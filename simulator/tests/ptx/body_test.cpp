#include <doctest/doctest.h>

#include <string>

#include "snippets.h"

namespace clcsim::ptx {
namespace {

const ast::Function& kernel_of(const ast::Module& module) {
  return module.functions[module.find_function("k")];
}

TEST_CASE("operands of every kind") {
  const ast::Module module = parse_module(R"(
    .global .b32 table[4];
    .func helper;
    .entry k(.param .u64 p) {
      .local .align 8 .b8 depot[16];
      .reg .pred %p<3>;
      .reg .b32 %r<9>;
      .reg .b64 %rd<9>;
      .reg .f32 %f<3>;
      .reg .b128 wide;
      add.s32 %r1, %r2, -3;
      mov.f32 %f1, 0f3F800000;
      mov.f64 %rd1, 0d3ff0000000000000;
      mov.f32 %f1, 1.0;
      mov.u32 %r1, %tid.x;
      mov.u32 %r1, WARP_SZ;
      mov.u64 %rd1, table+8;
      mov.u64 %rd1, depot;
      mov.u64 %rd1, helper;
      ld.param.u64 %rd1, [p];
      ld.global.v2.u32 {%r1, _}, [%rd1+-4];
      ld.global.u32 %r1, [table+4];
      ld.shared.u32 %r1, [16];
      ld.global.u32 %r1, [%rd1-8];
      setp.lt.and.s32 %p1|_, %r1, 0x10, !%p2;
      mov.b128 wide, {%rd1, %rd2};
      cp.async.bulk.tensor.2d.shared::cta.global.tile [%r1], [%rd1, {%r2, %r3}], [%r4];
      bar.sync 0;
      ret;
    })");
  CHECK(show(module, 0) == "add.s32 %r1, %r2, -3");
  CHECK(show(module, 1) == "mov.f32 %f1, f32:1065353216");
  CHECK(show(module, 2) == "mov.f64 %rd1, f64:4607182418800017408");
  CHECK(show(module, 3) == "mov.f32 %f1, f64:4607182418800017408");
  CHECK(show(module, 4) == "mov.u32 %r1, special %tid.x");
  CHECK(show(module, 5) == "mov.u32 %r1, special WARP_SZ");
  CHECK(show(module, 6) == "mov.u64 %rd1, global table+8");
  CHECK(show(module, 7) == "mov.u64 %rd1, local depot");
  CHECK(show(module, 8) == "mov.u64 %rd1, function helper");
  CHECK(show(module, 9) == "ld.param.u64 %rd1, [local p]");
  CHECK(show(module, 10) == "ld.global.v2.u32 {%r1,_}, [%rd1+-4]");
  CHECK(show(module, 11) == "ld.global.u32 %r1, [global table+4]");
  CHECK(show(module, 12) == "ld.shared.u32 %r1, [0+16]");
  CHECK(show(module, 13) == "ld.global.u32 %r1, [%rd1+-8]");
  CHECK(show(module, 14) == "setp.lt.and.s32 %p1|_, %r1, 16, !%p2");
  CHECK(show(module, 15) == "mov.b128 wide, {%rd1,%rd2}");
  CHECK(show(module, 16) ==
        "cp.async.bulk.tensor.2d.shared::cta.global.tile [%r1], [%rd1,{%r2,%r3}], [%r4]");
  CHECK(show(module, 17) == "bar.sync 0");
  CHECK(show(module, 18) == "ret");
}

TEST_CASE("opcodes are shared and split at their dots") {
  const ast::Module module = parse_body(
      ".reg .b32 %r<3>;\nld.shared::cta.u32 %r1, [0];\nld.shared::cta.u32 %r2, [4];\nmov .u32 %r1, "
      "%r2;\nret;");
  CHECK(module.opcodes.size() == 3);
  CHECK(module.opcodes[0].parts == std::vector<std::string_view>{"ld", "shared::cta", "u32"});
  CHECK(kernel_of(module).instructions[0].opcode == kernel_of(module).instructions[1].opcode);
  CHECK(show(module, 2) == "mov.u32 %r1, %r2");  // white space before a modifier
  CHECK(kernel_of(module).instructions[0].position.line == 8);
  CHECK(kernel_of(module).instructions[0].position.column == 1);
}

TEST_CASE("only registers in use get an index") {
  const ast::Module module = parse_body(
      ".reg .b32 %r<4000000000>; .reg .b64 %rd<7>; .reg .pred unused;\n"
      "add.s32 %r3999999999, %r7, %r7;\nret;");
  const ast::Function& kernel = kernel_of(module);
  REQUIRE(kernel.registers.size() == 2);
  CHECK(kernel.registers[0].name == "%r3999999999");
  CHECK(kernel.registers[0].type == ast::ScalarType::kB32);
}

TEST_CASE("names repeat in scopes: each is a register of its own") {
  const ast::Module module = parse_body(R"(
    .reg .b32 t; .reg .b32 %r<3>;
    mov.u32 t, 1;
    { .reg .pred P; .reg .b64 t; setp.eq.u64 P, t, 0; @P bra done; mov.u64 t, 2; done: }
    { .reg .pred P; .reg .f32 %r<2>; setp.eq.u32 P, t, %r2; mov.f32 %r1, 1.0; }
    mov.u32 %r1, t;
    ret;)");
  const ast::Function& kernel = kernel_of(module);
  const auto first = [&](std::size_t instruction) {
    return kernel.operands_of(kernel.instructions[instruction])[0].index;
  };
  const auto source = [&](std::size_t instruction) {
    return kernel.operands_of(kernel.instructions[instruction])[1].index;
  };
  CHECK(first(0) != first(3));  // outer t, inner t
  CHECK(kernel.registers[first(0)].type == ast::ScalarType::kB32);
  CHECK(kernel.registers[first(3)].type == ast::ScalarType::kB64);
  CHECK(first(1) != first(4));                                      // the two P
  CHECK(source(4) == first(0));                                     // t of the outer scope again
  CHECK(kernel.registers[first(5)].type == ast::ScalarType::kF32);  // inner %r1
  CHECK(kernel.registers[first(6)].type == ast::ScalarType::kB32);  // outer %r1
  CHECK(source(6) == first(0));
  // the inner range ends at %r1, so %r2 is the outer one
  const std::uint32_t second = kernel.operands_of(kernel.instructions[4])[2].index;
  CHECK(kernel.registers[second].type == ast::ScalarType::kB32);
}

TEST_CASE("an inner range hides an outer single register, and the other way round") {
  const ast::Module module = parse_body(R"(
    .reg .b32 %r1; .reg .b64 %s<9>;
    { .reg .f32 %r<3>; .reg .pred %s2; mov.f32 %r1, 1.0; setp.eq.u32 %s2, 1, 1; }
    mov.u32 %r1, 1;
    mov.u64 %s2, 1;)");
  const ast::Function& kernel = kernel_of(module);
  const auto type = [&](std::size_t instruction) {
    return kernel.registers[kernel.operands_of(kernel.instructions[instruction])[0].index].type;
  };
  CHECK(type(0) == ast::ScalarType::kF32);
  CHECK(type(1) == ast::ScalarType::kPred);
  CHECK(type(2) == ast::ScalarType::kB32);
  CHECK(type(3) == ast::ScalarType::kB64);
}

TEST_CASE("special registers are known by name") {
  const ast::Module module = parse_body(
      "mov.u32 _, %envreg31;\nmov.u32 _, %cluster_ctarank;\nmov.u32 _, %envreg31;\n"
      "mov.u64 _, %pm7_64;\nmov.u32 _, %cluster_nctaid.z;");
  CHECK(module.special_registers == std::vector<std::string_view>{"%envreg31", "%cluster_ctarank",
                                                                  "%pm7_64", "%cluster_nctaid.z"});
  for (const std::string name :
       {"%envreg32", "%envreg", "%pm8", "%pm_64", "%laneid.x", "%tid.xy"}) {
    CAPTURE(name);
    CHECK(body_error("mov.u32 _, " + name + ";") ==
          "PTX line 7, column 12: the name '" + name + "' is not declared");
  }
}

TEST_CASE("a register may have the name of a special one") {
  const ast::Module module = parse_body(".reg .b32 %clock;\nmov.u32 %clock, %clock;");
  CHECK(show(module, 0) == "mov.u32 %clock, %clock");
  CHECK(module.special_registers.empty());
}

TEST_CASE("labels belong to their scope") {
  const ast::Module module = parse_body(R"(
    again:
    { again: bra again; bra out; }
    { bra again; { again: bra again; } }
    bra.uni again;
    out:)");
  CHECK(show(module, 0) == "bra to 0");  // the inner one, which stands at the same place
  CHECK(show(module, 1) == "bra to 5");  // outwards and forwards; the end of the body
  CHECK(show(module, 2) == "bra to 0");
  CHECK(show(module, 3) == "bra to 3");
  CHECK(show(module, 4) == "bra.uni to 0");
  CHECK(kernel_of(module).labels.size() == 4);
  CHECK(body_error("{ inner: ret; }\nbra inner;") ==
        "PTX line 8, column 5: there is no label 'inner' in this scope");
}

TEST_CASE("a label is no variable, even where one of that name exists") {
  const ast::Module module =
      parse_module(".global .u32 done;\n.entry k { bra done; trap; done: ret; }");
  CHECK(show(module, 0) == "bra to 2");
}

TEST_CASE("a call always has four operands") {
  const ast::Module module = parse_module(R"(
    .extern .func (.param .b32 r) f(.param .b64 a, .param .b64 b);
    .func g;
    .entry k {
      .reg .b64 %rd<4>; .reg .b32 %r<4>;
      { // callseq 0, 0
      .param .b64 param0;
      .param .b64 param1;
      .param .b32 retval0;
      call.uni (retval0),
      f,
      (
      param0,
      param1
      );
      ld.param.b32 %r1, [retval0];
      } // callseq 0
      { .param .b32 param0; .param .b32 retval0;
      prototype_3 : .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[12], .param .b64 _);
      call (retval0), %rd1, (param0), prototype_3; }
      call.uni g;
      call g, (%r1, 5);
      ret;
    })");
  CHECK(show(module, 0) ==
        "call.uni (local retval0), function f, (local param0,local param1), none");
  CHECK(show(module, 2) == "call (local retval0), %rd1, (local param0), prototype");
  CHECK(show(module, 3) == "call.uni (), function g, (), none");
  CHECK(show(module, 4) == "call (), function g, (%r1,5), none");
  const ast::Function& kernel = kernel_of(module);
  CHECK(kernel.variables.size() == 5);  // param0 and retval0 of each sequence are different ones
  const auto argument = [&](std::size_t call) {
    const ast::Operand& list = kernel.operands_of(kernel.instructions[call])[2];
    return kernel.parts_of(list)[0].index;
  };
  CHECK(argument(0) != argument(2));
}

TEST_CASE("an indexed branch has a list of targets") {
  const ast::Module module = parse_body(R"(
    .reg .b32 %r<2>;
    ts: .branchtargets A, B, A;
    brx.idx %r1, ts;
    A: trap;
    B: ret;)");
  CHECK(show(module, 0) == "brx.idx %r1, targets 0");
  CHECK(kernel_of(module).branch_targets.at(0) == std::vector<std::uint32_t>{1, 2, 1});
  CHECK(body_error(".reg .b32 i; A: brx.idx i, A;") ==
        "PTX line 7, column 28: there is no list of branch targets 'A' in this scope");
}

TEST_CASE("vector registers are taken apart") {
  const ast::Module module = parse_body(
      ".reg .v4 .f32 v; .reg .v2 .b32 %w<3>;\nmov.v4.f32 v, {1.0, _, v.x, v.a};\nadd.s32 %w2.y, 1, "
      "2;\nret;");
  CHECK(show(module, 0) == "mov.v4.f32 {v.x,v.y,v.z,v.w}, {f64:4607182418800017408,_,v.x,v.w}");
  CHECK(show(module, 1) == "add.s32 %w2.y, 1, 2");
  CHECK(body_error(".reg .v2 .f32 v; mov.f32 v.z, 1.0;") ==
        "PTX line 7, column 26: the name 'v.z' is not declared");
}

TEST_CASE("shared and local variables of a function, pragmas") {
  const ast::Module module = parse_body(R"(
    .shared .align 16 .b8 result[16];
    .reg .b32 %r<2>;
    mov.u32 %r1, result;
    .pragma "nounroll";
    ret;)");
  const ast::Function& kernel = kernel_of(module);
  REQUIRE(kernel.variables.size() == 3);
  CHECK(kernel.variables[2].space == ast::StateSpace::kShared);
  CHECK(kernel.parameters().size() == 2);
  CHECK(show(module, 0) == "mov.u32 %r1, local result");
  CHECK(show(module, 1) == "ret");
}

TEST_CASE("constant expressions as immediates") {
  const ast::Module module =
      parse_body(".reg .b32 %r<2>;\nadd.s32 %r1, (1 << 3) + 2, -1;\nst.shared.u32 [8*4+1], 5|2;");
  CHECK(show(module, 0) == "add.s32 %r1, 10, -1");
  CHECK(show(module, 1) == "st.shared.u32 [0+33], 7");
}

TEST_CASE("errors name the place and what was found there") {
  check_errors(body_error, R"(
add.s32 %r9, 1, 2;                    => 7:9: the name '%r9' is not declared
.reg .b32 %r<9>;\nadd.s32 %r9, 1, 2;  => 8:9: the name '%r9' is not declared
.reg .b32 %r<9>;\nadd.s32 %r01, 1, 2; => 8:9: the name '%r01' is not declared
{ .reg .b32 a; }\nmov.u32 a, 1;       => 8:9: the name 'a' is not declared
bra nowhere;                          => 7:5: there is no label 'nowhere' in this scope
.reg .b32 a;\n.reg .b64 a;            => 8:11: 'a' is declared twice in this scope
.reg .b32 a<2>, a<3>;                 => 7:17: 'a' is declared twice in this scope
l: ret;\nl: ret;                      => 8:1: 'l' is declared twice in this scope
.reg .b32 a;\n@a ret;                 => 8:2: the guard 'a' is no predicate register
.reg .b32 a;\nmov.u32 a 1;            => 8:11: expected ';' or ',' after an operand of 'mov.u32', found '1'
.reg .b32 a;\nmov.u32 a, ;            => 8:12: expected an operand, found ';'
.reg .b32 a;\nld.u32 a, [a;           => 8:13: expected ']' after an address, found ';'
ld.u32 _, [%tid.x];                   => 7:12: '%tid.x' is no address
mov.u32 _, %tid.q;                    => 7:12: the name '%tid.q' is not declared
.maxntid 4;                           => 7:1: the directive '.maxntid' has no meaning in a function
}                                     => 8:1: expected a function, a variable or another directive, found '}'
setp.eq.u32 _|5, 1, 2;                => 7:15: expected a register after '|', found '5'
x: .calltargets k;                    => 7:1: lists of call targets (.calltargets) are not supported
)");
}

TEST_CASE("deep nesting is an error, not a crash") {
  CHECK(body_error(std::string(100000, '{')) ==
        "PTX line 7, column 63: the scopes are nested too deeply");
  CHECK(body_error("mov.u32 " + std::string(100000, '{')) ==
        "PTX line 7, column 18: the operand is nested too deeply");
  CHECK(body_error("mov.u32 " + std::string(100000, '[')).find("expected a number") !=
        std::string::npos);
  CHECK(body_error("mov.u32 _, " + std::string(100000, '!')) ==
        "PTX line 7, column 21: the operand is nested too deeply");
  CHECK(body_error("mov.u32 _, " + std::string(100000, '(')).find("too deeply") !=
        std::string::npos);
}

}  // namespace
}  // namespace clcsim::ptx
