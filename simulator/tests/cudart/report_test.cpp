#include <doctest/doctest.h>

#include "ptx/source.h"
#include "report/finding_report.h"
#include "report/finding_text.h"
#include "report/json.h"
#include "report/rules.h"
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
  machine::Finding finding{.rule = machine::Rule::decode_of_failure,
                           .what = machine::What::decodes_failure};
  finding.at.program = &program;
  finding.at.location = location;
  finding.at.block = {3, 0, 0};
  finding.at.thread = {1, 2, 3};
  finding.at.has_thread = true;
  finding.details = {
      {machine::Role::failed, machine::Note::failure_observed, finding.at, finding.at}};
  finding.details[0].place.location = 0;
  finding.details[0].second.location = 2;
  return finding;
}

}  // namespace

TEST_SUITE("report") {
  TEST_CASE("a finding names what, where, why and what to do") {
    const ptx::Program program = make_program();
    CHECK(text_of(resolve(make_finding(program, 0))) ==
          "========= clcsim: error [decode-of-failure]: the block index of a failed response is "
          "taken: "
          "it is undefined\n"
          "=========   at      /home/me/own.cu:12 in scale(float*), block (3,0,0), thread (1,2,3)\n"
          "=========   failed  request of line 12, observed at line 20\n"
          "=========   rule    PTX ISA 9.0, 9.7.13.18, clusterlaunchcontrol.query_cancel: "
          "get_first_ctaid is undefined for a failed response\n"
          "=========   fix     ask is_canceled first, and take the index only where it is true\n"
          "=========   more    05_ub_pitfalls, decode-first\n");
  }

  TEST_CASE("a place in a toolkit header is told by the line that called it") {
    const ptx::Program program = make_program();
    CHECK(text_of(resolve(make_finding(program, 1)).at)
              .starts_with("/home/me/own.cu:12 in scale(float*)"));
  }

  TEST_CASE("inlined calls, the innermost first; a library's in short") {
    ptx::Program program = make_program();
    program.name = "_Z4mainPf";
    program.locations = {
        {.file = 0, .line = 40},
        {.file = 0, .line = 12, .parent = 0, .function = "_Z5scalePf"},
        {.file = 1, .line = 400, .parent = 1, .function = "_ZN4cuda4waitIiEEvv"},
        {.file = 1, .line = 77, .parent = 2, .function = "_ZZN4cuda4waitEvENKUliE_clEi"}};
    const std::string text = text_of(resolve(make_finding(program, 3)));
    CHECK(text.find("=========   in      operator() (barrier:77) < wait (barrier:400), library\n"
                    "=========   at      /home/me/own.cu:12 in scale(float*), block (3,0,0), "
                    "thread (1,2,3)\n"
                    "=========   from    /home/me/own.cu:40 in main(float*)\n") !=
          std::string::npos);
    FindingReport report([](const std::string&) {});
    report.add(make_finding(program, 3));
    const std::string json = report.json();
    const std::string file = "{\"file\":\"" + program.files[1] + "\",\"line\":";
    CHECK(json.find("\"line\":12,\"function\":\"scale(float*)\"") != std::string::npos);
    CHECK(json.find("\"chain\":[" + file + "77,") != std::string::npos);
    CHECK(json.find(file + "400,\"function\":\"void cuda::wait<int>()\",\"library\":true},"
                           "{\"file\":\"/home/me/own.cu\",\"line\":12,") != std::string::npos);
    CHECK(json.find("\"line\":40,\"function\":\"main(float*)\",\"library\":false}]") !=
          std::string::npos);
    CHECK(json.find("\"pitfall\":\"decode-first\"") != std::string::npos);
  }

  TEST_CASE("the kernel of a library is told by its own line") {
    ptx::Program program = make_program();
    program.locations = {{.file = 1, .line = 40},
                         {.file = 1, .line = 50, .parent = 0, .function = "_ZN4cuda4waitEv"}};
    CHECK(text_of(resolve(make_finding(program, 1)))
              .find("in      wait (barrier:50), library\n=========   at      " + program.files[1] +
                    ":40 in scale(float*)") != std::string::npos);
  }

  TEST_CASE("whose file it is") {
    for (const char* path :
         {"/usr/local/cuda/bin/../targets/x86_64-linux/include/cooperative_groups.h",
          "/usr/local/cuda-13.0/include/cccl/cuda/__ptx/instructions/generated/mbarrier_init.h",
          "/home/me/env/nvidia/cu13/include/cuda_fp16.h", "/usr/include/c++/12/cmath",
          "/home/me/build/setup/cuda/bin/..//include/device_atomic_functions.hpp",
          "/home/me/cccl/cub/cub/device/dispatch/kernels/kernel_scan.cuh",
          "/home/me/cccl/libcudacxx/include/cuda/barrier",
          "/home/me/env/lib/python3.11/site-packages/triton/language/standard.py"}) {
      CAPTURE(path);
      CHECK(ptx::in_library(path));
    }
    for (const char* path :
         {"/home/me/own.cu", "/home/me/cuda-project/include/mine.h", "/home/me/include/mine.h",
          "/home/me/cccl/libcudacxx/test/libcudacxx/cuda/barrier/arrive_tx.pass.cpp",
          "/home/me/cccl/cub/test/catch2_test_device_scan.cu", "/home/me/triton/kernels.py",
          "own.cu"}) {
      CAPTURE(path);
      CHECK_FALSE(ptx::in_library(path));
    }
  }

  TEST_CASE("the fix is the case's own") {
    machine::Finding finding{.rule = machine::Rule::barrier_phase,
                             .what = machine::What::waits_for_passed,
                             .numbers = {1}};
    CHECK(resolve(finding).fix == "flip the parity after each wait");
    finding.numbers = {2};
    CHECK(resolve(finding).fix ==
          "flip the parity after each wait for that mbarrier: where several take turns, not in "
          "each round");
    finding.what = machine::What::starts_with_wrong_parity;
    finding.numbers = {1};
    CHECK(resolve(finding).fix == "begin with parity 0; then flip it after each wait");
    finding = {.rule = machine::Rule::response_not_complete,
               .what = machine::What::read_of_response,
               .details = {{.role = machine::Role::cause, .note = machine::Note::ended_unarmed},
                           {.role = machine::Role::wait, .note = machine::Note::waited_for}}};
    CHECK(resolve(finding).fix.starts_with("let mbarrier.arrive.expect_tx expect the bytes"));
    CHECK(resolve(finding).more == "no-expect-tx");
    finding.details[0].note = machine::Note::result_ignored;
    CHECK(resolve(finding).fix.ends_with("while (!try_wait(...)) {}"));
  }

  TEST_CASE("without line information, the kernel is named") {
    ptx::Program program = make_program();
    program.locations = {{.line = 0, .ptx_line = 77}};
    // With -G, too, some instructions have no line: the advice would be wrong.
    CHECK(
        text_of(resolve(make_finding(program, 0)).at).starts_with("PTX line 77 in scale(float*)"));
    program.files.clear();
    CHECK(text_of(resolve(make_finding(program, 0)).at)
              .starts_with("PTX line 77 (compile with -lineinfo for the source line) in scale"));
    program.locations.clear();
    CHECK(text_of(resolve(make_finding(program, 0)).at)
              .starts_with("in scale(float*), block (3,0,0)"));
  }

  TEST_CASE("a refusal has no name and is no finding") {
    std::string text;
    FindingReport report([&](const std::string& part) { text += part; });
    report.add({.text = "the instruction foo is not modelled"});
    CHECK(text == "========= clcsim: refused: the instruction foo is not modelled\n");
    CHECK(report.findings() == 0);
    CHECK(report.refusals() == 1);
    report.write_summary();
    CHECK(text.find("finding") == std::string::npos);
  }

  TEST_CASE("a note of the host's is told apart by its words and place, and counted apart") {
    std::string text;
    FindingReport report([&](const std::string& part) { text += part; });
    machine::Finding note{.rule = machine::Rule::stolen_block_dropped,
                          .what = machine::What::leaves_block,
                          .text = "cudaMalloc",
                          .host = "main.cu:3 in main"};
    report.add(note);
    CHECK(text.starts_with("========= clcsim: note [stolen-block-dropped]: "));
    CHECK(text.find("\n=========   at      main.cu:3 in main\n") != text.npos);
    report.add(note);
    note.host = "main.cu:4 in main";
    report.add(note);
    note.text = "cudaFree";
    report.add(note);
    report.add(make_finding(make_program(), 0));
    CHECK(report.entries().size() == 4);
    CHECK(report.findings() == 1);
    CHECK(report.refusals() == 0);
    text.clear();
    report.write_summary();
    CHECK(text.starts_with("========= clcsim: 1 finding, 3 notes\n"));
    CHECK(text.find("2 times: [stolen-block-dropped], at main.cu:3 in main\n") != text.npos);
    CHECK(report.json().find("\"kind\":\"note\",\"name\":\"stolen-block-dropped\"") !=
          std::string::npos);
    CHECK(report.json().find("\"host\":\"main.cu:4 in main\"") != std::string::npos);
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
    finding.details[0].place.location = 2;
    report.add(finding);  // another pair of lines
    CHECK(report.findings() == 3);
    text.clear();
    report.write_summary();
    CHECK(text.starts_with("========= clcsim: 3 findings\n"));
    CHECK(text.find("3 times: [decode-of-failure], first at /home/me/own.cu:12") !=
          std::string::npos);
  }

  TEST_CASE("a name can't command the terminal, and only regular files are quoted") {
    ptx::Program program = make_program();
    program.files[0] = "/dev/zero";
    CHECK(text_of(resolve(make_finding(program, 0))).find("12 |") == std::string::npos);
    program.files[0] = "/home/me/\x1b[31mred.cu";
    CHECK(text_of(resolve(make_finding(program, 0))).find("/home/me/?[31mred.cu:12") !=
          std::string::npos);
  }

  TEST_CASE("every row of the table is a sentence, with no brace left") {
    using machine::Note, machine::Role, machine::Rule, machine::What;
    const ptx::Program program = make_program();
    const machine::Place place{.program = &program, .location = 0};
    const auto check = [](const std::string& text) {
      CAPTURE(text);
      CHECK_FALSE(text.empty());
      CHECK(text.find_first_of("{|}") == std::string::npos);
    };
#define RULE(id, ...) check(std::string(text_of(Rule::id).name));
#define WHAT(id, ...) check(resolve(machine::Finding{.what = What::id, .text = "told"}).what);
#define NOTE(id, ...) \
  check(resolve(machine::Finding::Detail{Role::wait, Note::id, place, place}, place).text);
#include "machine/findings.def"
    CHECK(text_of(Rule::none).name.empty());
    CHECK(resolve(machine::Finding{.what = What::host_pointer, .text = "told"}).what == "told");
  }

  TEST_CASE("numbers and places in a sentence") {
    const ptx::Program program = make_program();
    machine::Place here{
        .program = &program, .location = 0, .thread = {1, 0, 0}, .has_thread = true};
    machine::Place there = here;
    there.location = 2;
    there.block = {7, 0, 0};
    const auto text = [&](const machine::Finding::Detail& detail) {
      return resolve(detail, here).text;
    };
    CHECK(text({.note = machine::Note::who, .place = there}) ==
          "line 20, thread (1,0,0) of block (7,0,0)");
    CHECK(text({.note = machine::Note::phases_known, .numbers = {1, 2, 0}}) ==
          "this thread knows of 1 end, 2 phases are over, and it waits for parity 0");
    CHECK(text({.note = machine::Note::for_block_barrier, .place = there, .numbers = {2, 5, 1}}) ==
          "/home/me/own.cu:20 in scale(float*): 2 warps (the first: block (7,0,0), warp 5) wait at "
          "block barrier 1");
  }

  TEST_CASE("JSON strings") {
    CHECK(json_string("a\"b\\c\n\x01") == "\"a\\\"b\\\\c\\u000a\\u0001\"");
    CHECK(json_string("α") == "\"α\"");
    CHECK(json_string("\xff\xc0x") == "\"\\ufffd\\ufffdx\"");
    CHECK(json_string("\xed\xa0\x80") == "\"\\ufffd\\ufffd\\ufffd\"");  // half of a pair
    CHECK(json_string("\xce") == "\"\\ufffd\"");
  }

  TEST_CASE("JSON objects, arrays and lines") {
    JsonWriter json;
    json.value([&] {
      json.members("a", 1, "b", "x\"", "c", true, "d", machine::Dim3{3, 2, 1}, "e", [] {});
      json.new_line();
      json.array("f", [&] {
        json.value(std::vector<std::string>{"y", "z"});
        json.new_line();
        json.value([&] { json.members("g", -1); });
        json.new_line();
      });
    });
    CHECK(json.take() ==
          "{\"a\":1,\"b\":\"x\\\"\",\"c\":true,\"d\":[3,2,1],\"e\":{},\n"
          "\"f\":[[\"y\",\"z\"],\n{\"g\":-1}\n]}");
  }

  TEST_CASE("tables") {
    CHECK(table({{"name", "n"}, {"a", "1000"}, {"bcdefg", "7"}}, 1) ==
          "  name       n\n  a       1000\n  bcdefg     7\n");
  }

  TEST_CASE("control characters are shown and not obeyed") {
    CHECK(harmless("plain \t text\n") == "plain \t text\n");
    CHECK(harmless("\x1b[31mred\x7f\r") == "\\x1b[31mred\\x7f\\x0d");
    CHECK(harmless("\xc2\x9b"
                   "2J") == "\\x9b2J");  // U+009B begins a command, too
    CHECK(harmless("gr\xc3\xbc\xc3\x9f"
                   "e \xc2\xb5") ==
          "gr\xc3\xbc\xc3\x9f"
          "e \xc2\xb5");
    CHECK(harmless(std::string("a\0b", 3)) == "a\\x00b");
  }
}
