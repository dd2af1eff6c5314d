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
failures=0

# cheat NAME VERDICT: what is added to the exercise as it is shipped; launch() calls its cheat().
cheat() {
  {
    echo '#include <unistd.h>'
    echo 'void cheat();'
    sed 's/kReady = false/kReady = true/; s/const int blocks = 1;.*/const int blocks = 1; cheat();/' "$task"
    cat
  } >"$folder/answer.cu"
  local verdict="DOES NOT COMPILE"
  if (cd "$folder" && bash "$build/exercises/compile.sh" 01_1 answer.cu program) >"$folder/log" 2>&1; then
    "$build/exercises/check" --json 01_1 "$folder/program" >"$folder/verdict.json"
    verdict=$("$build/exercises/check" --words "$folder/verdict.json")
  fi
  echo "$1: $verdict"
  [ "$verdict" = "$2" ] || { echo "  expected $2"; head -n 5 "$folder/log"; failures=1; }
}

cheat "a constructor says that all is well" "WRONG, ended" <<'END'
void cheat() {}
__attribute__((constructor(101))) void first() {
  std::printf("check: passed\n");
  std::fflush(nullptr);
  _exit(0);
}
END
cheat "code before the constructors" "WRONG, replaced function" <<'END'
void cheat() {}
void first() { _exit(0); }
__attribute__((section(".preinit_array"), used)) void (*const before)() = first;
END
cheat "a dlsym of one's own" "WRONG, replaced function" <<'END'
void cheat() {}
extern "C" void* dlsym(void*, const char*) { return nullptr; }
END
cheat "a write of one's own" "WRONG, replaced function" <<'END'
void cheat() {}
extern "C" ssize_t write(int, const void*, size_t size) { return size; }
END
cheat "a macro in the check's place" "WRONG, check changed" <<'END'
void cheat() {}
void check() {}
#define check() unused()
END
cheat "a macro that is a word of the check" "WRONG, check changed" <<'END'
void cheat() {}
#define each_tile_once(...) Counted{}
END
cheat "main() is called again" "WRONG, tiles not done" <<'END'
void cheat() { clc::exercise({{"none", true, [] {}}}, 0, nullptr); }
END
cheat "the end is announced too early" "WRONG, check changed" <<'END'
#include <dlfcn.h>
void cheat() {
  const auto tell = reinterpret_cast<int (*)(int, const void*, std::size_t)>(dlsym(RTLD_DEFAULT, "clcsim_account"));
  tell(5, nullptr, 0);
  std::exit(0);
}
END
cheat "the program ends, and says that all is well" "WRONG, ended" <<'END'
void cheat() {
  std::printf("check: passed\n");
  std::exit(0);
}
END
exit $failures
