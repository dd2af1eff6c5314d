// Time grows with the length of the text, not with its square. CPU time is measured, and allowed to
// be four times what it should be; squared it would be sixteen times that.
#include <doctest/doctest.h>

#include <ctime>
#include <functional>
#include <string>

#include "snippets.h"

namespace clcsim::ptx {
namespace {

constexpr int kFew = 1000;
constexpr int kFactor = 16;

// `part(i)` for each i below count.
std::string repeat(int count, const std::function<std::string(const std::string&)>& part) {
  std::string text;
  for (int i = 0; i < count; ++i) text += part(std::to_string(i));
  return text;
}

double time_for(const std::string& declarations) {
  double best = 0;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t start = std::clock();
    parse_module(declarations);
    const auto time = static_cast<double>(std::clock() - start);
    best = i == 0 || time < best ? time : best;
  }
  return best;
}

void check_growth(const std::function<std::string(int)>& text) {
  const double few = time_for(text(kFew));
  const double many = time_for(text(kFew * kFactor));
  CHECK(many < 4 * kFactor * (few + 100));  // the clock's tick is a microsecond
}

TEST_CASE("many instructions, registers and labels") {
  check_growth([](int count) {
    return ".entry k {\n.reg .b32 %r<99999>;\n" +
           repeat(count,
                  [](const std::string& i) {
                    return "L" + i + ": add.s32 %r" + i + ", %r0, 1;\nbra L" + i + ";\n";
                  }) +
           "}\n";
  });
}

TEST_CASE("many scopes") {
  check_growth([](int count) {
    return ".entry k {\n.reg .pred p;\n" +
           repeat(count,
                  [](const std::string&) {
                    return "{ .reg .pred p; .param .b32 a; @p bra out; out: }\n";
                  }) +
           "}\n";
  });
}

TEST_CASE("many functions after one with many lines") {
  check_growth([](int count) {
    return ".entry k {\n" +
           repeat(count, [](const std::string& i) { return ".loc 1 " + i + " 3\n"; }) + "}\n" +
           repeat(count, [](const std::string& i) { return ".func f" + i + " { }\n"; });
  });
}

TEST_CASE("many names of inlined functions") {
  check_growth([](int count) {
    return ".entry k {\n" +
           repeat(count,
                  [](const std::string& i) {
                    return ".loc 1 2 3, function_name names+" + i + ", inlined_at 1 2 3\n";
                  }) +
           "}\n.section .debug_str {\nnames:\n" +
           repeat(count, [](const std::string&) { return ".b8 65\n"; }) + "}\n";
  });
}

TEST_CASE("many variables and elements") {
  check_growth([](int count) {
    return repeat(count,
                  [](const std::string& i) {
                    return ".global .b8 v" + i + "[4] = {1, 2, 0xFF(v0)};\n";
                  }) +
           ".global .u32 array[] = {" +
           repeat(count, [](const std::string& i) { return i + ", "; }) + "0};\n";
  });
}

}  // namespace
}  // namespace clcsim::ptx
