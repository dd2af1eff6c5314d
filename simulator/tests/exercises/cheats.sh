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

# verdict ARGUMENTS: of a check.
verdict() {
  "$build/exercises/check" --json "$@" >"$folder/verdict.json"
  "$build/exercises/check" --words "$folder/verdict.json"
}

# must NAME VERDICT EXPECTED: a pattern
must() {
  echo "$1: $2"
  [[ $2 == $3 ]] || { echo "  expected $3"; head -n 5 "$folder/log" "$folder/verdict.json"; failures=1; }
}

# cheat NAME VERDICT: what is added to the exercise as it is shipped; launch() calls its cheat(). The verdict is that of the
# program, whatever its file looks like.
cheat() {
  {
    echo '#include <unistd.h>'
    echo 'void cheat();'
    sed 's/kReady = false/kReady = true/; s/const int blocks = 1;.*/const int blocks = 1; cheat();/' "$task"
    cat
  } >"$folder/answer.cu"
  local verdict="DOES NOT COMPILE"
  if (cd "$folder" && bash "$build/exercises/compile.sh" 01_1 answer.cu program) >"$folder/log" 2>&1; then
    verdict=$(verdict 01_1 "$folder/program")
  fi
  local expected=$2
  # Where C++'s library is linked statically, its names stand beside the answer's, and tell nothing.
  readelf -d "$folder/program" 2>/dev/null | grep -q 'NEEDED.*libstdc++' || expected=${2/#WRONG,*/WRONG, *}
  must "$1" "$verdict" "$expected"
}

# line VERDICT TEXT: a file with these lines, of which no program is made.
line() {
  echo "$2" >"$folder/answer.cu"
  must "$2" "$(verdict --answer "$folder/answer.cu" "${3:-01_1}" /bin/true)" "$1"
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
void first() { std::exit(0); }
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
cheat "a macro in the check's place" "DOES NOT COMPILE" <<'END'
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
cheat "the end is announced too early" "WRONG, needless function" <<'END'
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
cheat "the simulator starts with other options" "WRONG, needless function" <<'END'
void cheat() {}
struct First {
  First() { setenv("CLCSIM_CHECK", "off", 1); }
} first;
END
cheat "a file" "WRONG, needless function" <<'END'
#include <fstream>
void cheat() { std::ofstream("y") << 1; }
END
cheat "the environment" "WRONG, needless function" <<'END'
void cheat() { std::printf("%s", environ[0]); }
END
cheat "a new of one's own" "WRONG, replaced function" <<'END'
void* operator new(std::size_t size) { return std::malloc(size); }
void cheat() {}
END
cheat "a function that is chosen before anything runs" "WRONG, replaced function" <<'END'
void nothing() {}
extern "C" void (*choose())() { return nothing; }
void chosen() __attribute__((ifunc("choose")));
void cheat() { chosen(); }
END
cheat "nothing that an answer may not do" "WRONG, tiles not done" <<'END'
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
void cheat() {
  std::mt19937 random(static_cast<unsigned>(std::chrono::steady_clock::now().time_since_epoch().count()));
  std::map<std::string, double> values{{"a", std::pow(std::sin(random()), 2.0)}};
  std::ostringstream text;
  for (const auto& [name, value] : values) text << name << value;
  std::cout << text.str() << *std::make_unique<int>(std::abs(-1)) << std::endl;
  cudaEvent_t event;
  CUDA_CHECK(cudaEventCreate(&event));
  std::fprintf(stderr, "%ld\n", static_cast<long>(time(nullptr)));
}
END

# Whatever way the simulator gets other settings.
echo '#include <stdlib.h>
__attribute__((constructor)) static void first(void) { setenv("CLCSIM_CHECK", "off", 1); }' >"$folder/first.c"
${CC:-cc} -shared -fPIC -o "$folder/first.so" "$folder/first.c"
must "clcsim has other settings" "$(export LD_PRELOAD=$folder/first.so; verdict 01_1 "$folder/program")" "WRONG, other settings"

no="WRONG, no part of an answer" yes="ERROR, call failed"  # that is then said of /bin/true, which keeps no account
line "$no" '#define each_tile_once(...) Counted{}'
line "$no" $'#de\\\nfine /* */ problem 1'
line "$no" '%:define check nothing'
line "$no" '#undef CLC_GPU' 02_3
line "$no" '#define NEW(a, b) a##b'
line "$no" '#include "/etc/passwd"'
line "$no" '#include <../solution.cu>'
line "$no" '#embed "/proc/self/environ"'
line "$no" '#line 7'
line "$no" '#pragma push_macro("CLC_RUN")'
line "$no" 'namespace clc { void set_seed(unsigned long); }'
line "$no" 'namespace of_the_check = clc;'
line "$no" 'int first = clc::draw(0, 9);'
line "$no" 'using namespace clc; int first = draw(0, 9);'
line "$no" 'const char* text = u8'"'\"'"'; int first = clc::draw(0, 9); //"'
line "$no" 'asm(".section .init_array");'
line "$no" 'void go() { asm volatile("mov.b32 %0, 1;\n\t" "x.y: syscall"); }'
line "$no" 'void tell() __asm__("clcsim_account");'
line "$no" '[[gnu::section(".text")]] int code;'
line "$no" '__attribute__((aligned(8), constructor)) void go();'
line "$no" 'void launch_stride(const clc::Problem&, float*, unsigned long long*);' 02_3
line "$no" 'using Function = void(float*, unsigned*); Function stride;' 02_4
line "$no" 'extern __device__ unsigned drawn_by_all;' 02_3
line "$yes" 'extern __shared__ float bytes[]; float wave = 1, stealing; float of(int fixed) { return wave * (fixed); }' 06_5
line "$yes" '__device__ unsigned result_of(int tile);' 06_4
line "$yes" '#define THREADS 64'
line "$yes" '#pragma unroll 4'
line "$yes" $'#include <cuda/ptx>\n#include "exercise.h"\nnamespace ptx = cuda::ptx;\nusing clc::kStarted;'
line "$yes" '__device__ int lane() { int l; asm volatile("{\n\t.reg .pred p; // one\n mov.u32 %0, %%laneid; @p bra L;\nL: }" : "=r"(l)); return l; }'
line "$yes" '__shared__ __attribute__((aligned(128))) char bytes[1'"'"'000]; const char* asm_text = "#define check";'
line "$yes" "#if 0
don't /* clc::draw() */
#endif"
exit $failures
