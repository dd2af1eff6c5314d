// The parts of decoding, each alone: names, operands, places, neighbours.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ptx/call_graph.h"
#include "ptx/decode.h"
#include "ptx/layout.h"
#include "ptx/operands.h"
#include "ptx/schedule.h"
#include "ptx/spelling.h"
#include "ptx/uses.h"
#include "snippets.h"

using namespace clcsim::ptx;

namespace {

FormTable small_table() {
  FormTable table;
  for (const char* name : {"exit", "ret", "call"}) {
    table.add({.name = name, .signature = std::string(name) == "call" ? "r L" : ""});
  }
  table.add({.name = "refused", .signature = "i"});
  table.add({.name = "call vprintf", .signature = "i i i"});
  table.add({.name = "cvt.u32.u64", .signature = "=r l"});
  table.add({.name = "cvt.u16.u32", .signature = "=r r", .truncates = true});
  table.add({.name = "add.u32", .signature = "=r r r"});
  table.add({.name = "ld.global.v2.u32",
             .signature = "=x2 a",
             .unit = Unit::memory,
             .facts = {.action = Action::load, .space = Space::global},
             .loads = true});
  table.add({.name = "fence.acq_rel.gpu",
             .signature = "",
             .facts = {.action = Action::fence, .order = Order::acq_rel, .scope = Scope::gpu}});
  return table;
}

Spelling spelling_of(const std::string& instruction) {
  const ast::Module module = parse_body(".reg .b64 %rd<9>; .reg .b32 %r<9>;\n" + instruction);
  return spell(module.opcode_of(module.functions[0].instructions[0]), "::entry");
}

}  // namespace

TEST_CASE("order, scope and cache hints are taken out of a name") {
  const Spelling load = spelling_of("ld.acquire.gpu.global.L1::no_allocate.u32 %r1, [%rd1];");
  CHECK(load.name == "ld.global.u32");
  CHECK((load.order == Order::acquire));
  CHECK((load.scope == Scope::gpu));
  CHECK_FALSE(load.cache_policy);
  const Spelling hint = spelling_of("ld.shared::cta.L2::cache_hint.u32 %r1, [%rd1], %rd2;");
  CHECK(hint.name == "ld.shared.u32");
  CHECK(hint.cache_policy);
  CHECK(spelling_of("ld.param.u32 %r1, [n];").name == "ld.param::entry.u32");
  CHECK(spelling_of("fence.acq_rel.gpu;").name == "fence.acq_rel.gpu");
}

TEST_CASE("qualifiers that may stand anywhere have one place, and those that say nothing none") {
  const std::string copy = "cp.async.bulk.tensor.2d.", to = "shared::cluster.global.",
                    done = "mbarrier::complete_tx::bytes";
  const std::string both = copy + to + done + ".multicast::cluster.cta_group::2";
  for (const std::string& name :
       {copy + to + done + ".cta_group::2.multicast::cluster",
        copy + "cta_group::2." + to + "tile." + done + ".multicast::cluster.L2::cache_hint"}) {
    CHECK(spelling_of(name + " [%r1];").name == both);
  }
  CHECK(spelling_of(copy + "cta_group::1." + to + "tile." + done + " [%r1];").name ==
        copy + to + done);
  CHECK(spelling_of("ldmatrix.sync.aligned.x4.m8n8.trans.shared::cta.b16 %r1, [%r2];").name ==
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16");
}

TEST_CASE("operands fit a form or don't") {
  const FormTable table = small_table();
  const auto fits = [&](const char* name, const std::string& instruction) {
    const ast::Module module =
        parse_body(".reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<3>;\n" + instruction);
    const ast::Function& kernel = module.functions[0];
    const auto operands = kernel.operands_of(kernel.instructions[0]);
    return match(table.find(name).front(), kernel, operands).has_value();
  };
  CHECK(fits("add.u32", "add.u32 %r1, %r2, 7;"));
  CHECK(fits("add.u32", "add.u32 %r1, %r2, %tid.x;"));
  CHECK_FALSE(fits("add.u32", "add.u32 %r1, %r2;"));
  CHECK_FALSE(fits("add.u32", "add.u32 %r1, %r2, %rd1;"));
  CHECK_FALSE(fits("add.u32", "add.u32 %r1, %r2, %p1;"));
  CHECK(fits("cvt.u16.u32", "cvt.u16.u32 %r1, %rd2;"));  // reads the low half
  CHECK(fits("ld.global.v2.u32", "ld.global.v2.u32 {%r1, %rd2}, [%rd1+8];"));
  CHECK_FALSE(fits("ld.global.v2.u32", "ld.global.v2.u32 %r1, [%rd1];"));
}

TEST_CASE("an address may have coordinates, and an instruction many operands") {
  FormTable table = small_table();
  table.add({.name = "get",
             .signature = "=r16 a,r3 a r?",
             .facts = {.action = Action::load},
             .extra = 77});
  table.add({.name = "put", .signature = "a,r2 r"});
  const std::string head = ".reg .b64 %rd<9>; .reg .b32 %r<99>;\n";
  const std::string values =
      "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9,%r10,%r11,%r12,%r13,%r14,_,%r16}";
  const ast::Module module =
      parse_body(head + "put [%rd1, {%r1, -5}], %r2;\nget " + values +
                 ", [%rd1+8, {%r1, %r2, 7}], [%r40];\nput [%rd1, {%r1}], %r2;\n"
                 "put [%rd1], %r2;\nadd.u32 %r1, %r16, 1;");
  const Program program = decode(module, 0, table);
  REQUIRE(program.code.size() == 6);
  const auto name = [&](int pc) { return program.forms[program.code[pc].form]->name; };
  CHECK(name(0) == "put");
  CHECK(name(1) == "get");
  CHECK(name(2) == "refused");
  CHECK(name(3) == "refused");
  const std::uint32_t* put = entries_of(program, program.code[0]);
  CHECK(put == program.code[0].operand.data());
  CHECK((program.code[0].wide == 1 && put[1] == 0));
  const std::uint32_t* get = entries_of(program, program.code[1]);
  CHECK(program.long_operands.size() == 16 + 2 + 3 + 2 + 1 + 1);
  CHECK(get[0] == put[2]);  // %r1, of which one is a coordinate
  CHECK(get[1] == put[4]);  // %r2
  CHECK(get[17] == 8);      // the displacement
  CHECK(get[18] == put[2]);
  CHECK(get[23] == kAbsent);
  CHECK(get[24] == 77);
  // The instruction behind uses a destination, the sixteenth.
  CHECK(program.code[4].operand[1] == get[15]);
  CHECK(use_of_load(program, program.code[1].location) == program.code[4].location);
}

TEST_CASE("registers and variables have places of their own") {
  const ast::Module module = parse_body(
      ".reg .pred %p<3>; .reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
      ".shared .align 4 .b8 small[4]; .shared .align 32 .b8 large[64]; .local .b8 stack[20];\n"
      "@%p1 mov.u32 %r1, %r2; mov.u64 %rd1, %rd2; mov.pred %p2, %p1;\n");
  const CallGraph calls(module, 0);
  Program program;
  Layout layout(module, calls, program);
  CHECK(program.parameter_bytes == 12);
  CHECK(program.shared_bytes == 96);
  CHECK(program.local_bytes == 32);  // to the next 16
  std::vector<std::uint32_t> slots;
  for (std::uint32_t i = 0; i < module.functions[0].registers.size(); ++i) {
    slots.push_back(layout.slot_of(0, i));
    CHECK(slots.back() != 0);  // which is always true
    if (width_of(module.functions[0].registers[i].type) != Width::predicate) {
      CHECK(slots.back() % 64 == 0);
    }
    for (std::size_t other = 0; other + 1 < slots.size(); ++other) CHECK(slots[other] != slots[i]);
  }
  CHECK(layout.constant(Width::b32, 5) == layout.constant(Width::b32, 5));
  CHECK(layout.constant(Width::b32, 5) != layout.constant(Width::b64, 5));
}

TEST_CASE("what takes 4 GiB is refused, not cut off") {
  const ast::Module module =
      parse_body(".local .b8 one[3000000000]; .local .b8 two[3000000000];\n");
  const CallGraph calls(module, 0);
  Program program;
  CHECK_THROWS((Layout(module, calls, program)));
}

TEST_CASE("where no line of the source is known, the line of the PTX is") {
  const FormTable table = small_table();
  const auto place_of_first = [&](const std::string& loc) {
    const ast::Module module =
        parse_body(".reg .b32 %r<9>;\nadd.u32 %r1, %r1, 1;\nadd.u32 %r2, %r1, 1;\n" + loc + "ret;");
    const Program program = decode(module, 0, table);
    CHECK(program.code[0].location + 1 == program.code[1].location + !loc.empty());
    return program.locations.at(program.code[0].location);
  };
  CHECK(place_of_first("").ptx_line == 8);
  CHECK(place_of_first(".loc 1 33 0\n").line == 33);
  CHECK(place_of_first(".loc 1 33 0\n").ptx_line == 0);
}

TEST_CASE("a function that calls itself is found") {
  const ast::Module module = parse_module(
      ".func leaf() { ret; }\n.func again() { call again; call leaf; ret; }\n"
      ".visible .entry kernel() { call again; call leaf; ret; }\n");
  const CallGraph calls(module, module.find_function("kernel"));
  CHECK(calls.functions.size() == 3);
  CHECK(calls.recursive.contains(module.find_function("again")));
  CHECK_FALSE(calls.recursive.contains(module.find_function("leaf")));
}

TEST_CASE("an instruction has the facts of its form") {
  const FormTable table = small_table();
  const ast::Module module = parse_body(
      ".reg .b64 %rd<9>; .reg .b32 %r<9>;\n"
      "ld.relaxed.sys.global.v2.u32 {%r1, %r2}, [%rd1];\nfence.acq_rel.gpu;\nwhatever.u32 %r1;\n");
  const Program program = decode(module, 0, table);
  REQUIRE(program.code.size() == 4);
  CHECK((program.code[0].facts.action == Action::load));
  CHECK((program.code[0].facts.order == Order::relaxed));
  CHECK((program.code[0].facts.scope == Scope::sys));
  CHECK((program.code[1].facts.order == Order::acq_rel));
  CHECK(program.forms[program.code[1].form]->name == "fence.acq_rel.gpu");
  REQUIRE(program.refusals.size() == 1);
  CHECK(program.refusals[0] == "the instruction whatever.u32 is not modelled");
}

TEST_CASE("a device function with other arguments than the handler's is refused") {
  std::string parameters, declared, passed;
  for (int i = 0; i < 20; ++i) {
    const std::string comma = i == 0 ? "" : ", ", number = std::to_string(i);
    parameters += comma + ".param .b64 a" + number;
    declared += ".param .b64 p" + number + ";\n";
    passed += comma + "p" + number;
  }
  const ast::Module module =
      parse_module(".extern .func (.param .b32 r) vprintf(" + parameters +
                   ");\n.visible .entry kernel() {\n.param .b32 back;\n" + declared +
                   "call.uni (back), vprintf, (" + passed + ");\nret;\n}\n");
  const Program program = decode(module, module.find_function("kernel"), small_table());
  REQUIRE(program.refusals.size() == 1);
  CHECK(program.refusals[0] == "the device function vprintf is not modelled");
}

TEST_CASE("a function that is declared and defined nowhere is refused by its readable name") {
  const ast::Module module = parse_module(
      ".extern .func _Z3bari(.param .b32 n);\n.visible .entry kernel() {\n.param .b32 p;\n"
      "call.uni _Z3bari, (p);\nret;\n}\n");
  const Program program = decode(module, module.find_function("kernel"), small_table());
  REQUIRE(program.refusals.size() == 1);
  CHECK(program.refusals[0] ==
        "the function bar(int) is declared, and defined nowhere in the program's PTX");
}

TEST_CASE("lanes that go back early wait for the others at the loop's end") {
  std::vector<Instruction> code(4);
  code[0].facts.action = code[3].facts.action = Action::other;
  for (const std::size_t pc : {1, 2}) {
    code[pc].facts.action = Action::branch;
    code[pc].unit = Unit::control;
  }
  code[1].guard = 4;  // a branch back by some lanes, and one by the rest
  join_at_loop_ends(code);
  CHECK(code[1].operand[0] == 2);
  CHECK(code[2].operand[0] == 0);
}

TEST_CASE("the clock knows who needs the result before, and who needs a load's") {
  const FormTable table = small_table();
  const Form& load = table.find("ld.global.v2.u32").front();
  const Form& add = table.find("add.u32").front();
  Dependences dependences;
  Instruction first, second, third, fourth;
  dependences.note(first, load, {100}, {200, 300});
  dependences.note(second, add, {400}, {500});
  dependences.note(third, add, {500}, {600});
  dependences.note(fourth, add, {300}, {700});
  CHECK_FALSE(second.follows);
  CHECK_FALSE(second.waits_for_loads);
  CHECK(third.follows);
  CHECK_FALSE(third.waits_for_loads);
  CHECK(fourth.waits_for_loads);
  CHECK_FALSE(dependences.loading());
}
