// clcsim_forms write FILE | check FILE
//
// FILE is simulator/FORMS.md: the instruction forms that clcsim executes, made from the decoder's
// own table. `check` compares, so that the list can't rot.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "machine/isa/instruction_set.h"
#include "tools/form_groups.h"

namespace {

using namespace clcsim;

constexpr const char* kIntroduction = R"(# The PTX that clcsim executes

Made from the decoder's table by `cmake --build build --target forms`; a test compares it. Anything
else in a kernel is refused by name, with its source line, and only when it is about to be executed.

Each heading is the file in `machine/isa/` that has the code. `{a,b}` is a choice, `[.a]` may be
left out. Not part of a name, and accepted wherever PTX allows them:

- on ld, st, atom, red, mbarrier, cp: the order (weak, volatile, relaxed, acquire, release, acq_rel) and the scope (cta, cluster, gpu, sys);
- on the same: cache hints (.ca .cg .cs .cv .lu .wb .wt .nc .L1::* .L2::*), which change nothing;
- `.shared::cta`, which is `.shared` there, and guards `@p`, `@!p`.

`ld.param::entry` reads a kernel's parameter and `.param::func` belongs to a call; in PTX both are `.param`. `call
vprintf`, `call __assertfail`, `call malloc` and `call free` are what printf, assert, new and delete become; `call pointer`
and `call returned` are the two halves of a call through a pointer.
)";

std::string forms_text() {
  std::string lists;
  std::size_t count = 0;
  for (const machine::isa::Part& part : machine::isa::parts()) {
    ptx::FormTable table;
    part.add(table);
    std::set<std::string> names;
    for (const ptx::Form* form : table.all()) {
      if (form->name != "refused") names.insert(form->name);
    }
    count += names.size();
    lists += std::string("\n## ") + part.file + "\n\n```\n";
    for (const tools::Pattern& pattern : tools::group({names.begin(), names.end()})) {
      lists += tools::text_of(pattern) + "\n";
    }
    lists += "```\n";
  }
  return kIntroduction + ("\n" + std::to_string(count) + " forms.\n") + lists;
}

// Prints the lines that only one of the two texts has.
void print_differences(const std::string& old_text, const std::string& new_text) {
  const auto lines_of = [](const std::string& text) {
    std::set<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.insert(line);
    return lines;
  };
  const std::set<std::string> olds = lines_of(old_text), news = lines_of(new_text);
  for (const std::string& line : olds) {
    if (news.count(line) == 0) std::printf("-%s\n", line.c_str());
  }
  for (const std::string& line : news) {
    if (olds.count(line) == 0) std::printf("+%s\n", line.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 3 ? argv[1] : "";
  if (what != "write" && what != "check") {
    std::fputs("usage: clcsim_forms write FILE | check FILE\n", stderr);
    return 2;
  }
  const std::string text = forms_text();
  if (what == "write") {
    std::ofstream file(argv[2], std::ios::binary);
    file << text << std::flush;
    return file ? 0 : 2;
  }
  std::ifstream file(argv[2], std::ios::binary);
  const std::string old((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (old == text) return 0;
  print_differences(old, text);
  std::printf("%s is not what the decoder accepts; cmake --build build --target forms remakes it\n",
              argv[2]);
  return 1;
}
