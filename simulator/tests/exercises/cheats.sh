#!/usr/bin/env bash
# Tries to pass an exercise without doing it: by what the student's file can do to the check that stands behind it.
#   cheats.sh BUILD
# What is tried inside of the exercise stands in NN_*/exercises/*/answers.edits.
set -uo pipefail

build=$1
source=$(cd "$(dirname "$0")/../../.." && pwd)
task=$source/01_fixed_work/exercises/1_tail/task.cu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

compiles() {  # what is added to the exercise as it is shipped; launch() calls its cheat()
  {
    echo 'void cheat();'
    sed 's/kReady = false/kReady = true/; s/const int blocks = 1;/& cheat();/' "$task"
    cat
  } >"$folder/answer.cu"
  (cd "$folder" && bash "$build/exercises/compile.sh" 01_1 answer.cu program) >"$folder/log" 2>&1
}
is_refused() {  # macro
  compiles && { echo "the macro $1 can be compiled"; exit 1; }
  grep -q "your file defines the macro $1," "$folder/log" || { cat "$folder/log"; exit 1; }
}

# Macros that change the check.
is_refused check <<'END'
void check() {}
#define check() unused()
END
is_refused exercise <<'END'
namespace clc { int pass(...) { return 0; } }
#define exercise pass
END
is_refused each_tile_once <<<'#define each_tile_once(...) Counted{}'

# Functions that fit a call of the check better than its own.
compiles <<'END' && { echo "a second clc::compare can be compiled"; exit 1; }
void cheat() {}
namespace clc { template <class A, class B> void compare(const char*, A, B) {} }
END
grep -q 'clc::compare' "$folder/log" || { cat "$folder/log"; exit 1; }

# The word by which the check's verdict is known, and the functions that say it.
compiles <<'END' || { cat "$folder/log"; exit 1; }
#include <unistd.h>
#include <fstream>
#include <iterator>
void leave() {
  std::fflush(nullptr);
  _exit(0);
}
void say(const char* word) {
  if (*word == 'x') return;
  std::printf("check %s: passed\n", word);
  leave();
}
static const int before_main = [] {
  if (const char* word = std::getenv("CLC_EXERCISE_WORD")) say(word);
  std::ifstream file("/proc/self/environ");
  const std::string all((std::istreambuf_iterator<char>(file)), {});
  const std::size_t at = all.find("CLC_EXERCISE_WORD=");
  if (at != all.npos) say(all.c_str() + at + 18);
  return 0;
}();
void cheat() {
  if (clc::exercise({{"none", true, [] {}}}, 0, nullptr) == 0) leave();
  struct Last {
    ~Last() { leave(); }
  };
  static Last last;
  clc::fail(clc::kPass, "passed", "");
}
END
"$build/exercises/check" --json 01_1 "$folder/program" >"$folder/verdict.json"
verdict=$("$build/exercises/check" --words "$folder/verdict.json")
echo "$verdict"
[ "$verdict" = "WRONG, ended" ]
