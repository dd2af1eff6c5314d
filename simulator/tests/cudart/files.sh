#!/usr/bin/env bash
# Output files, child processes, limits of files, closed files, other runtimes, and a signal to a host that
# sleeps: nothing that was found is lost, and the exit status tells of it.
#   files.sh CLCSIM PROGRAM REAL-RUNTIME WORK
set -u
clcsim=$1 program=$2 runtime=$3 work=$4
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1

status=0
wrong() {
  echo "$1 (exit status $status)"
  cat out err
  exit 1
}
run() {  # EXPECTED-STATUS command...
  local expected=$1
  shift
  "$@" >out 2>err
  status=$?
  [[ $status == "$expected" ]] || wrong "$*: expected exit status $expected"
}
says() { grep -q -- "$1" out err || wrong "it doesn't say: $1"; }
holds() { grep -q "$2" "$1" || wrong "$1 doesn't hold $2"; }

# Names of files mean what they meant at the start, whichever folder the program goes to.
run 86 "$clcsim" --check-json plain.json --timeline plain.svg "$program" chdir
holds plain.json out-of-bounds
holds plain.svg '<svg'
run 86 "$clcsim" --explore 3 --check-json explored.json "$program" chdir
holds explored.json out-of-bounds
[[ -z $(ls | grep '^seed-') ]] || wrong "files of single seeds are left"

# What a child finds counts, and stays in the file.
run 86 "$clcsim" --check-json child.json "$program" child-finds
says "1 finding"
holds child.json out-of-bounds
run 86 "$clcsim" --explore 2 --check-json child2.json "$program" child-finds
holds child2.json out-of-bounds
# So does what a program has found that becomes another CUDA program; one of another kind has its own status.
run 86 "$clcsim" "$program" becomes "$program" another-thread-stores
says "out-of-bounds"
run 0 "$clcsim" "$program" becomes sh -c 'echo "ran after it"'
says "out-of-bounds"
says "ran after it"
# No handler runs at such an end, so the launcher looks.
run 86 "$clcsim" --explore 2 "$program" raw-exit
says "although clcsim reported what is shown above"

# Closed and limited files.
run 86 "$clcsim" --explore 2 "$program" raw-exit <&-
says "error .out-of-bounds."
run 86 bash -c 'ulimit -n 24; exec "$@"' - "$clcsim" --explore 2 "$program" chdir
run 86 bash -c '(ulimit -f 0; "$@"; echo "status $?") 2>&1 | cat >all; exit 86' - "$clcsim" --explore 2 "$program" chdir
holds all "error .out-of-bounds."
holds all "status 86"
run 86 bash -c '(ulimit -f 0; "$@"; echo "status $?") 2>&1 | cat >all; exit 86' - "$clcsim" --check-json x.json "$program" chdir
holds all "x.json can't be written: File too large"
holds all "status 86"

# A runtime that the loader would take first, by a name without spaces: LD_PRELOAD separates names by them.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$runtime" "$folder/libcudart.so.13"
LD_PRELOAD=$folder/libcudart.so.13 run 2 "$clcsim" "$program" input
says "LD_PRELOAD makes the loader take $folder/libcudart.so.13 before"

# clcsim without its library.
mkdir -p bare/bin && cp "$clcsim" bare/bin/clcsim
run 2 bare/bin/clcsim "$program" input
says "is missing from .*bare/lib/clcsim"

# SIGINT ends the program although its sleep ends early: a shell loop stops then.
set -m
"$clcsim" "$program" asleep >out 2>err &
until grep -q out-of-bounds err; do sleep 0.1; done
sleep 0.3
kill -INT $!
wait $!
status=$?
[[ $status == 130 ]] || wrong "SIGINT: expected exit status 130"
says "stopped by SIGINT"
