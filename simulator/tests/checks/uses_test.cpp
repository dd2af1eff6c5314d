// What becomes of a result, found in the text of a kernel.
#include <doctest/doctest.h>

#include "ptx/uses.h"
#include "tests/checks/kernels.h"
#include "tests/machine/harness.h"

using namespace clcsim;
using namespace clcsim::test;

namespace {

const std::string kDeclarations = R"(
.visible .entry kernel(.param .u64 p) {
.reg .pred %done, %won;
.reg .b32 %r<9>;
.reg .b64 %rd<9>;
.reg .b128 %answer;
.shared .align 16 .b8 response[16];
.shared .align 8 .b64 bar;
)";
const std::string kReturn = "ret;\n}\n";
const std::string kWait = "wait| mbarrier.try_wait.parity.shared::cta.b64 %done, [bar], 0;\n";

// The name of the line of a place; "" for none.
std::string line_at(const Template& text, std::uint32_t (*find)(const ptx::Program&)) {
  Harness harness(text.module());
  const ptx::Program& program = *harness.module.kernel("kernel");
  const std::uint32_t location = find(program);
  return location == ptx::kNoLocation ? "" : text.name(program.locations[location].line);
}

std::uint32_t use_of_first_load(const ptx::Program& program) {
  for (const ptx::Instruction& in : program.code) {
    if (in.facts.action == ptx::Action::load) return ptx::use_of_load(program, in.location);
  }
  return ptx::kNoLocation;
}

}  // namespace

TEST_CASE("a response is used where it is queried, not where it is moved") {
  const Template text(kDeclarations + R"(
read| ld.shared.v2.u64 {%rd1, %rd2}, [response];
other| add.u32 %r1, %r2, 1;
pack| mov.b128 %answer, {%rd1, %rd2};
query| clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %won, %answer;
again| clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r3, %answer;
)" + kReturn);
  CHECK(line_at(text, use_of_first_load) == "query");
}

TEST_CASE("what nobody uses") {
  CHECK(line_at(Template(kDeclarations + "ld.shared.u32 %r1, [response];\nadd.u32 %r2, %r3, 1;\n" +
                         kReturn),
                use_of_first_load) == "");
}

TEST_CASE("a wait whose answer decides nothing") {
  CHECK(line_at(Template(kDeclarations + kWait + kReturn), ptx::ignored_wait) == "wait");
  CHECK(line_at(Template(kDeclarations + kWait +
                         "selp.u32 %r1, 1, 0, %done;\nadd.u32 %r2, %r1, 1;\n" + kReturn),
                ptx::ignored_wait) == "wait");
  CHECK(line_at(Template(kDeclarations + "AGAIN:\n" + kWait + "@!%done bra AGAIN;\n" + kReturn),
                ptx::ignored_wait) == "");
  CHECK(line_at(Template(kDeclarations + "AGAIN:\n" + kWait +
                         "selp.u32 %r1, 1, 0, %done;\nsetp.eq.u32 %won, %r1, 0;\n@%won bra "
                         "AGAIN;\n" +
                         kReturn),
                ptx::ignored_wait) == "");
}

TEST_CASE("the index of stolen blocks, and the block's own") {
  const auto lacks = [](const std::string& lines) {
    Harness harness(
        Template(kDeclarations + "ld.shared.b128 %answer, [response];\n" + lines + kReturn)
            .module());
    const ptx::Program& program = *harness.module.kernel("kernel");
    bool found = false;
    for (const ptx::Instruction& in : program.code) {
      if (in.facts.action == ptx::Action::decode) found |= ptx::foreign_axis(program, in) == 'y';
    }
    return found;
  };
  const std::string name = "clusterlaunchcontrol.query_cancel.get_first_ctaid";
  const std::string y = name + "::y.b32.b128 %r1, %answer;\n";
  const std::string use = "st.shared.u32 [response], %r1;\n";
  CHECK(lacks(y + use));
  CHECK(lacks("mov.u32 %r2, %ctaid.x;\n" + y + "add.u32 %r1, %r1, %r2;\n" + use));
  CHECK_FALSE(lacks("mov.u32 %r2, %ctaid.y;\n" + y + use));
  CHECK_FALSE(lacks(y));
  CHECK_FALSE(lacks(name + ".v4.b32.b128 {%r1, %r2, %r3, _}, %answer;\n" + use));
}
