#!/usr/bin/env bash
# The sandbox's limits hold, with small ones; and, where bubblewrap works, nothing else is seen or written.
set -uo pipefail
sandbox=$(cd "$(dirname "$0")/../../.." && pwd)/simulator/course/exercises/grading/sandbox.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
mkdir "$folder/mine" "$folder/other"
touch "$folder/other/secret"
failures=0
refused() {  # what, then a command that prints "done" if nothing keeps it from it
  local out
  out=$("${@:2}" 2>&1 </dev/null)
  [[ $out != *"done"* ]] || { echo "not refused: $1"; failures=1; }
}
works() {
  local out
  out=$("${@:2}" 2>&1 </dev/null)
  [[ $out == *"done"* ]] || { echo "$1: $out"; failures=1; }
}
in_it() { bash "$sandbox" --see "$folder/other" --write "$folder/mine" --in "$folder/mine" bash -c "$1"; }
of() { bash "$sandbox" bash -c "$1"; }

export SECRET=secret
works "a file of its own" in_it 'echo x >file && cat file && echo done'
refused "a variable" of '[ -n "${SECRET:-}" ] && echo done'
CLC_SANDBOX_SECONDS=1 refused "time" of 'sleep 3; echo done'
CLC_SANDBOX_FILE_KB=50 refused "a large file" in_it 'head -c 100000 /dev/zero >large && echo done'
CLC_SANDBOX_FILE_KB=50 works "a small file" in_it 'head -c 10000 /dev/zero >small && echo done'
CLC_SANDBOX_KB=100000 refused "memory" of 'x=$(head -c 90000000 /dev/zero | tr "\0" x); echo done'
works "memory that is there" of 'x=$(head -c 9000000 /dev/zero | tr "\0" x); echo done'
if bash "$sandbox" --works; then
  # bash tries again for a while where no process can be had.
  CLC_SANDBOX_PROCESSES=4 CLC_SANDBOX_SECONDS=2 refused "five processes" of 'for i in 1 2 3 4 5; do sleep 5 & done; echo done'
  CLC_SANDBOX_PROCESSES=20 works "five processes, of which twenty may be" of 'for i in 1 2 3 4 5; do sleep 0.1 & done; wait; echo done'
  # Whoever fills the table of processes fills a table of its own.
  CLC_SANDBOX_PROCESSES=20 CLC_SANDBOX_SECONDS=4 of 'for i in $(seq 30); do sleep 3 & done; wait' >/dev/null 2>&1 &
  sleep 1
  CLC_SANDBOX_PROCESSES=20 CLC_SANDBOX_SECONDS=2 works "a process, beside one who takes all" of '/bin/true; echo done'
  wait
  refused "writing to a folder to see" in_it "touch '$folder/other/mark' && echo done"
  works "seeing it" in_it "ls '$folder/other/secret' && echo done"
  refused "seeing others" bash "$sandbox" --see "$folder/mine" bash -c "ls '$folder/other' && echo done"
  if optional=$(mktemp -d /opt/sandbox.XXXXXX 2>/dev/null); then
    chmod 755 "$optional"
    mkdir -p "$optional/tool/bin"
    touch "$optional/solution.cu" "$optional/tool/library"
    refused "seeing /opt" of "ls '$optional/solution.cu' && echo done"
    works "seeing what has programs in /opt" env PATH="$PATH:$optional/tool/bin" bash "$sandbox" bash -c "ls '$optional/tool/library' && echo done"
    works "seeing a folder of /opt" bash "$sandbox" --see "$optional" bash -c "ls '$optional/solution.cu' && echo done"
    rm -r "$optional"
  fi
  refused "seeing homes" of 'ls -d /home /root && echo done'
  refused "the network" of 'grep -v "lo:" /proc/net/dev | grep : && echo done'
  refused "others' processes" of "ls -d /proc/$$ && echo done"
  works "its own memory for files" of 'echo x >/tmp/x && echo done'
  refused "filling that" of 'head -c 40000000 /dev/zero >/tmp/x && head -c 40000000 /dev/zero >/tmp/y && echo done'
else
  echo "without bubblewrap: the limits only"
fi
exit $failures
