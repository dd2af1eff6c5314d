# A signal ends a run that would not end, and the run says where it was.
#   signal.sh clcsim folder-of-programs INT|TERM
clcsim=$1 programs=$2 signal=$3
set -u
cd "$(mktemp -d)" || exit 1
trap 'rm -rf "$PWD"' EXIT

fail() {
  echo "$1"
  cat out err
  exit 1
}

# Waits until the kernel runs (then clcsim has a thread of its own in the program), sends the signal, and leaves its status in $status.
interrupt() {
  "$@" >out 2>err &
  local program=$! tries=0
  until [[ $(ls "/proc/$program/task" | wc -l) -ge 2 ]]; do
    ((++tries < 600)) || fail "it doesn't start"
    sleep 0.1
    [[ $* != *--explore* ]] || program=$(pgrep -P $! | head -n 1)  # seed 0
  done 2>/dev/null
  sleep 0.5
  kill -s "$signal" $!
  wait $!
  status=$?
}

[[ $signal == INT ]] && expected=130 || expected=143

set -m  # else background processes ignore SIGINT
interrupt "$clcsim" --stats --timeline run.svg "$programs/hosts" endless 3
[[ $status == "$expected" ]] || fail "status $status, expected $expected"
grep -q "stopped by SIG$signal, at cycle" err || fail "it doesn't say that it was stopped"
grep -q "runs .*hosts.cu:34 in .*: 6 warps" err || fail "it doesn't say where"
grep -q "started" out || fail "what the program had printed is lost"
grep -q "statistics of mini" err || fail "no statistics"
grep -q "count" run.svg || fail "no timeline"

# Under --explore: what seed 0 has said is shown, and no run outlives clcsim.
interrupt "$clcsim" --explore 4 "$programs/hosts" endless 3 "$PWD"  # a mark of this test's own
[[ $status == "$expected" ]] || fail "explore: status $status, expected $expected"
grep -q "stopped under seed 0" err || fail "explore: it doesn't say under which seed"
grep -q "runs .*hosts.cu:34" err || fail "explore: it doesn't say where"
grep -q "started" out || fail "explore: output is lost"
sleep 0.2
pgrep -f "endless 3 $PWD" >left && fail "explore: runs are left: $(cat left)"
exit 0
