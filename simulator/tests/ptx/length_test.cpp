// Time grows with the length of the text, not with its square. CPU time is measured, and allowed to
// be four times what it should be; squared it would be sixteen times that.
#include <doctest/doctest.h>

#include <ctime>
#include <string>

#include "snippets.h"

namespace clcsim::ptx {
namespace {

constexpr int kFew = 1000;
constexpr int kFactor = 16;

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

// `first`, then `part` many times, in which a # is the number of the time, and `last`; the same of
// a second part.
struct Long {
  std::string first, part, last, second_part, second_last;

  std::string text(int count) const {
    std::string result = first;
    const auto repeat = [&](const std::string& repeated) {
      for (int i = 0; i < count; ++i) {
        for (const char c : repeated) c == '#' ? result += std::to_string(i) : result += c;
      }
    };
    repeat(part);
    result += last;
    repeat(second_part);
    return result + second_last;
  }
};

TEST_CASE("instructions, scopes, functions, names and elements: the time grows with their number") {
  const Long texts[] = {
      {".entry k {\n.reg .b32 %r<99999>;\n", "L#: add.s32 %r#, %r0, 1;\nbra L#;\n", "}\n"},
      {".entry k {\n.reg .pred p;\n", "{ .reg .pred p; .param .b32 a; @p bra out; out: }\n", "}\n"},
      {".entry k {\n", ".loc 1 # 3\n", "}\n", ".func f# { }\n"},
      {".entry k {\n", ".loc 1 2 3, function_name names+#, inlined_at 1 2 3\n",
       "}\n.section .debug_str {\nnames:\n", ".b8 65\n", "}\n"},
      {"", ".global .b8 v#[4] = {1, 2, 0xFF(v0)};\n", ".global .u32 array[] = {", "#, ", "0};\n"},
  };
  for (const Long& each : texts) {
    CAPTURE(each.part);
    const double few = time_for(each.text(kFew)), many = time_for(each.text(kFew * kFactor));
    CHECK(many < 4 * kFactor * (few + 100));  // the clock's tick is a microsecond
  }
}

}  // namespace
}  // namespace clcsim::ptx
