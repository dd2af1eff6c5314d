#include <doctest/doctest.h>

#include <string>

#include "snippets.h"

namespace clcsim::ptx {
namespace {

// "helper.h:20 (inner) < mine.cu:5 (k)": a location and where it was inlined, outwards.
std::string chain(const ast::Module& module, std::size_t instruction) {
  const ast::Function& function = module.functions[module.find_function("k")];
  std::uint32_t index = function.instructions.at(instruction).location;
  std::string result;
  while (index != ast::kNone) {
    const ast::Location& location = module.locations[index];
    result += (result.empty() ? "" : " < ") +
              (location.file == ast::kNone ? "?" : std::string(module.files[location.file])) + ":" +
              std::to_string(location.line) + ":" + std::to_string(location.column) + " (" +
              std::string(location.function) + ")";
    CHECK((location.parent == ast::kNone || location.parent < index));
    index = location.parent;
  }
  return result;
}

const std::string kTail = R"(
  .file 1 "mine.cu"
  .file 2 "helper.h", 1234567, 89
  .file 7 "unused.h"
  .section .debug_str
  {
  $L__info_string0:
  .b8 105 .b8 110 .b8 110
  .b8 101,114,0
  $L__info_string1:
  .b8 111 .b8 117 .b8 116 .b8 0
  }
)";

TEST_CASE("a place holds until the next .loc; inlined code leads to its caller") {
  const ast::Module module = parse_module(R"(.entry k {
    .loc 1 10 3
    membar.gl;
    .loc 2 20 5, function_name $L__info_string1, inlined_at 1 10 3
    .loc 2 30 7, function_name $L__info_string0, inlined_at 2 20 5
    membar.cta;
    .loc 1 11 1
    membar.sys;
    .loc 2 30 7, function_name $L__info_string0+2, inlined_at 1 11 1
    ret;
  })" + kTail);
  CHECK(chain(module, 0) == "mine.cu:10:3 (k)");
  CHECK(chain(module, 1) == "helper.h:30:7 (inner) < helper.h:20:5 (out) < mine.cu:10:3 (k)");
  CHECK(chain(module, 2) == "mine.cu:11:1 (k)");
  CHECK(chain(module, 3) == "helper.h:30:7 (ner) < mine.cu:11:1 (k)");
  CHECK(module.files == std::vector<std::string_view>{"mine.cu", "helper.h"});
}

// As LLVM writes them for Triton: one for each line of the statement's text, counted upwards.
TEST_CASE("the places inside an asm statement are those of its text, and the statement's holds") {
  const ast::Module module = parse_module(R"(.entry k {
    .loc 1 8 9
    // begin inline asm
    .loc 1 9 9
    membar.gl;
    .loc 1 10 9
    // end inline asm
    membar.cta;
    .loc 1 11 1
    ret;
  })" + kTail);
  CHECK(chain(module, 0) == "mine.cu:8:9 (k)");
  CHECK(chain(module, 1) == "mine.cu:8:9 (k)");
  CHECK(chain(module, 2) == "mine.cu:11:1 (k)");
}

TEST_CASE("the parent is the latest of that place: the same helper inlined twice") {
  const ast::Module module = parse_module(R"(.entry k {
    .loc 1 10 3
    .loc 2 20 5, function_name $L__info_string1, inlined_at 1 10 3
    .loc 2 30 7, function_name $L__info_string0, inlined_at 2 20 5
    membar.gl;
    .loc 1 12 3
    .loc 2 20 5, function_name $L__info_string1, inlined_at 1 12 3
    .loc 2 30 7, function_name $L__info_string0, inlined_at 2 20 5
    ret;
  })" + kTail);
  CHECK(chain(module, 0) == "helper.h:30:7 (inner) < helper.h:20:5 (out) < mine.cu:10:3 (k)");
  CHECK(chain(module, 1) == "helper.h:30:7 (inner) < helper.h:20:5 (out) < mine.cu:12:3 (k)");
}

TEST_CASE("the latest of a place counts also where it is met for the second time") {
  const ast::Module module = parse_module(R"(.entry k {
    .loc 1 10 3
    .loc 2 20 5, function_name $L__info_string1, inlined_at 1 10 3
    .loc 1 12 3
    .loc 2 20 5, function_name $L__info_string1, inlined_at 1 12 3
    .loc 2 20 5, function_name $L__info_string1, inlined_at 1 10 3
    .loc 2 30 7, function_name $L__info_string0, inlined_at 2 20 5
    ret;
  })" + kTail);
  CHECK(chain(module, 0) == "helper.h:30:7 (inner) < helper.h:20:5 (out) < mine.cu:10:3 (k)");
}

TEST_CASE("a caller is looked for in its own function only") {
  const ast::Module module = parse_module(R"(.func other { .loc 1 10 3
    ret; }
  .entry k {
    .loc 2 20 5, function_name $L__info_string1, inlined_at 1 10 3
    ret;
  })" + kTail);
  CHECK(chain(module, 0) == "helper.h:20:5 (out) < mine.cu:10:3 (k)");
}

TEST_CASE("equal places share an entry, those of another function do not") {
  const std::string body = "{ .loc 1 10 3\nmembar.gl;\n.loc 1 11 3\nret;\n.loc 1 10 3\nret; }\n";
  const ast::Module module =
      parse_module(".func other " + body + ".entry k " + body + ".file 1 \"mine.cu\"\n");
  CHECK(module.locations.size() == 5);  // unknown, and two for each function
  CHECK(chain(module, 2) == "mine.cu:10:3 (k)");
}

TEST_CASE("code without a line takes that of its successor, or else of its predecessor") {
  const ast::Module module = parse_body(R"(
    .loc 1 10 3
    membar.gl;
    .loc 1 0 3
    membar.cta;
    membar.sys;
    .loc 1 12 3
    membar.gl;
    .loc 1 0 3
    ret;)");
  CHECK(chain(module, 1) == "?:12:3 (k)");
  CHECK(chain(module, 2) == "?:12:3 (k)");
  CHECK(chain(module, 4) == "?:12:3 (k)");
}

TEST_CASE("an unknown caller, name or file is left open") {
  const ast::Module module = parse_body(
      ".loc 9 20 5, function_name $L__missing, inlined_at 8 4 1\nret;\n"
      ".loc 9 21 5, function_name $L__missing+99999999, inlined_at 8 4 1\nret;");
  CHECK(chain(module, 0) == "?:20:5 () < ?:4:1 (k)");
}

TEST_CASE("other debug sections are skipped") {
  const ast::Module module = parse_module(R"(.section .debug_info
    {
    .b32 8645
    .b8 2 .b64 $L__tmp5
    .b32 $L__end-$L__start
    .b32 .debug_abbrev
    }
    .entry k { ret; }
    .section .debug_loc { })");
  CHECK(module.functions.size() == 1);
  CHECK(error_of(".section .debug_info { .b8 1") ==
        "PTX line 4, column 29: expected the '}' of section '.debug_info', found the end of the "
        "text");
  CHECK(error_of(".section .debug_str { .b8 x }") ==
        "PTX line 4, column 27: expected a number, found 'x'");
  CHECK(error_of(".section .debug_str { ret") ==
        "PTX line 4, column 26: expected ':' after a label of .debug_str, found the end of the "
        "text");
}

TEST_CASE("a .loc that is none") {
  CHECK(body_error(".loc 1 2;") == "PTX line 7, column 9: expected a number, found ';'");
  CHECK(body_error(".loc 1 2 3, function_nam x") ==
        "PTX line 7, column 13: expected function_name, found 'function_nam'");
  CHECK(body_error(".loc 1 2 3, function_name x, at 1 2 3").find("expected inlined_at") !=
        std::string::npos);
}

}  // namespace
}  // namespace clcsim::ptx
