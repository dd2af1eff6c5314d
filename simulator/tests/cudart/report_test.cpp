#include <doctest/doctest.h>

#include "report/finding_report.h"
#include "report/finding_text.h"
#include "report/json.h"
#include "report/table.h"

using namespace clcsim;
using namespace clcsim::report;

namespace {

// A program with one line of its own, which inlined a line of a toolkit header.
ptx::Program make_program() {
  ptx::Program program;
  program.name = "_Z5scalePf";
  program.files = {"/home/me/own.cu", "/usr/local/cuda/targets/x86_64-linux/include/cuda/barrier"};
  program.locations = {{.file = 0, .line = 12},
                       {.file = 1, .line = 400, .parent = 0, .function = "_ZN4cuda4waitEv"},
                       {.file = 0, .line = 20}};
  return program;
}

machine::Finding make_finding(const ptx::Program& program, std::uint32_t location) {
  machine::Finding finding{.name = "out-of-bounds", .what = "an access went wrong"};
  finding.at.program = &program;
  finding.at.location = location;
  finding.at.block = {3, 0, 0};
  finding.at.thread = {1, 2, 3};
  finding.at.has_thread = true;
  finding.details = {{"failed", "request of line 44, observed at line 49"}};
  finding.rule = "a rule";
  finding.fix = "a way out";
  return finding;
}

}  // namespace

TEST_SUITE("report") {
  TEST_CASE("a finding names what, where, why and what to do") {
    const ptx::Program program = make_program();
    CHECK(text_of(make_finding(program, 0)) ==
          "========= clcsim: error [out-of-bounds]: an access went wrong\n"
          "=========   at      /home/me/own.cu:12 in scale(float*), block (3,0,0), thread (1,2,3)\n"
          "=========   failed  request of line 44, observed at line 49\n"
          "=========   rule    a rule\n"
          "=========   fix     a way out\n");
  }

  TEST_CASE("a place in a toolkit header is told by the line that called it") {
    const ptx::Program program = make_program();
    CHECK(text_of(make_finding(program, 1).at).starts_with("/home/me/own.cu:12 in scale(float*)"));
  }

  TEST_CASE("without line information, the kernel is named") {
    ptx::Program program = make_program();
    program.locations = {{.line = 0, .ptx_line = 77}};
    CHECK(text_of(make_finding(program, 0).at).find("PTX line 77") == 0);
    CHECK(text_of(make_finding(program, 0).at).find("in scale(float*)") != std::string::npos);
    program.locations.clear();
    CHECK(text_of(make_finding(program, 0).at).starts_with("in scale(float*), block (3,0,0)"));
  }

  TEST_CASE("a refusal has no name and is no finding") {
    std::string text;
    FindingReport report([&](const std::string& part) { text += part; });
    report.add({.name = "", .what = "the instruction foo is not modelled"});
    CHECK(text == "========= clcsim: refused: the instruction foo is not modelled\n");
    CHECK(report.findings() == 0);
    CHECK(report.refusals() == 1);
    report.write_summary();
    CHECK(text.find("finding") == std::string::npos);
  }

  TEST_CASE("one text for each pair of lines, and a count") {
    const ptx::Program program = make_program();
    std::string text;
    FindingReport report([&](const std::string& part) { text += part; });
    machine::Finding finding = make_finding(program, 0);
    report.add(finding);
    const std::string first = text;
    finding.at.block = {4, 0, 0};
    report.add(finding);
    report.add(make_finding(program, 1));  // the same line, reached through the header
    CHECK(text == first);
    CHECK(report.findings() == 1);
    report.add(make_finding(program, 2));  // another line
    finding.details[0].text = "request of line 45, observed at line 49";
    report.add(finding);  // another pair of lines
    CHECK(report.findings() == 3);
    text.clear();
    report.write_summary();
    CHECK(text.starts_with("========= clcsim: 3 findings\n"));
    CHECK(text.find("3 times: [out-of-bounds], first at /home/me/own.cu:12") != std::string::npos);
  }

  TEST_CASE("JSON strings") {
    CHECK(json_string("a\"b\\c\n\x01") == "\"a\\\"b\\\\c\\u000a\\u0001\"");
    CHECK(json_string("α") == "\"α\"");
    CHECK(json_string("\xff\xc0x") == "\"\\ufffd\\ufffdx\"");
    CHECK(json_string("\xed\xa0\x80") == "\"\\ufffd\\ufffd\\ufffd\"");  // half of a pair
    CHECK(json_string("\xce") == "\"\\ufffd\"");
  }

  TEST_CASE("tables") {
    CHECK(table({{"name", "n"}, {"a", "1000"}, {"bcdefg", "7"}}, 1) ==
          "  name       n\n  a       1000\n  bcdefg     7\n");
  }
}
