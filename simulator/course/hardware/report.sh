#!/usr/bin/env bash
# Asks this machine's GPU what only a GPU can answer, and writes what it did beside what clcsim predicts, in
# Markdown and in JSON: a file to send back. README.md in this folder says more.
#
#   bash simulator/course/hardware/report.sh [OPTION...]
#     --safe            leaves the dangerous part out: the broken pitfalls, which may hang a GPU's context
#     --danger          runs it without asking
#     --only REGEX      only these probes
#     --repeats N       how often each of the chapters' programs is measured (default: 7)
#     --gpu NAME|FILE   no GPU, but clcsim with this one: how the predictions were made
#     --build FOLDER    where the course was built (default: build)
#     --out FOLDER      where the results go, a file for each probe (default: build/hardware/NAME-OF-THE-GPU)
#
# Each probe is a process of its own with a limit of time. One that fails is noted, and the next one runs. What has
# run is not run again: to continue after Ctrl-C, a crash or a reboot, give the same command; to begin anew, delete
# the folder. Nothing is written elsewhere, no setting of the GPU is changed, nothing is sent.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
stop() { echo "report.sh: $1" >&2; exit 2; }

danger=ask only=. simulated='' repeats=7 build=$root/build out=''
while [ $# -gt 0 ]; do
  case $1 in
    --safe) danger=no ;;
    --danger) danger=yes ;;
    --only | --gpu | --repeats | --build | --out)
      [ $# -ge 2 ] || stop "$1 needs a value"
      case $1 in
        --only) only=$2 ;; --gpu) simulated=$2 ;; --repeats) repeats=$2 ;; --build) build=$2 ;; --out) out=$2 ;;
      esac
      shift ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
  shift
done
bin=$build/bin
[[ $repeats =~ ^[1-9][0-9]?$ ]] || stop "--repeats can't be '$repeats'; give a number from 1 to 99"
[ -x "$bin/hardware_probes" ] && [ -x "$bin/hardware_report" ] ||
  stop "the probes are missing; build them: cmake --preset tour && cmake --build build --target hardware"

# ---- The GPU ------------------------------------------------------------------------------------

if [ -n "$simulated" ]; then
  launcher=(env CLCSIM_CHECK=off "$bin/clcsim" --gpu "$simulated") repeats=1
  [ $danger = no ] || danger=yes
else
  launcher=()
fi
device=$("${launcher[@]}" "$bin/hardware_probes" device) || stop "there is no GPU here that can be used (the line above says why)"
while read -r name _ value; do
  case $name in device.major) capability=$value ;; device.minor) capability+=.$value ;; esac
done <<<"$device"
if [ -n "$simulated" ]; then
  gpu="clcsim $(basename "$simulated")" driver=none
else
  gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
  driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)
fi
out=${out:-$build/hardware/${gpu//[^A-Za-z0-9]/-}}
mkdir -p "$out" || stop "can't write to $out"

case $capability in  # whose predictions
  9.*) like=h200 ;; 10.*) like=b200 ;; 12.*) like=rtx5090 ;; *) like='' ;;
esac
[ -z "$simulated" ] || like=''

# ---- Running a probe ----------------------------------------------------------------------------

at_least() { [ "${capability/./}" -ge "${1/./}" ]; }

# probe NAME NEEDS SECONDS COMMAND...
probe() {
  local name=$1 needs=$2 seconds=$3 status
  shift 3
  grep -qE "$only" <<<"$name" || return 0
  printf '%-28s' "$name"
  if [ -f "$out/$name.txt" ]; then echo "was run before"; return 0; fi
  rm -f "$out/$name".*
  if ! at_least "$needs"; then
    echo "needs compute capability $needs" | tee "$out/$name.skipped"
    return 0
  fi
  [ -z "$simulated" ] || seconds=$((20 * seconds))  # a CPU takes its time
  seconds=${CLC_PROBE_SECONDS:-$seconds}
  local begin=$SECONDS
  timeout -k 5 "$seconds" "$@" >"$out/$name.part" 2>"$out/$name.log" </dev/null
  status=$?
  case $status in
    0) mv "$out/$name.part" "$out/$name.txt"; rm -f "$out/$name.log"; echo "$((SECONDS - begin)) s" ;;
    77) head -n 1 "$out/$name.part" | tee "$out/$name.skipped"; rm -f "$out/$name.part" ;;
    *)
      local why="exit status $status"
      [ $status != 124 ] && [ $status != 137 ] || why="still ran after $seconds s, and was ended"
      echo "$why; $(tail -n 1 "$out/$name.log" | tr -c '[:print:]\n' '?')" >"$out/$name.failed"
      echo "FAILED: $(cat "$out/$name.failed")" ;;
  esac
}

# ---- Experiments with the chapters' programs ----------------------------------------------------

fields() { "$bin/json_fields" "$@"; }  # of the JSON object on stdin, with bars between them
quotient() { awk -F '|' "{ printf \"$2\", $1 * \$1 / \$2 }"; }  # FACTOR FORMAT: of the two numbers on stdin

# chapter PROGRAM KERNEL OPTIONS...: its JSON object; nothing where this GPU can't run it.
chapter() {
  local json status
  [ -x "$bin/$1" ] || return 0
  json=$("${launcher[@]}" "$bin/$1" --kernel "$2" --json "${@:3}")
  status=$?
  [ $status != 77 ] || return 0
  [ $status = 0 ] || [ $status = 4 ] || return $status
  [[ $json == *"this GPU can't"* ]] || echo "$json"
}

strategies() { bash "$root/simulator/course/tour/strategies.sh"; }
launches() { if [ -n "$simulated" ]; then echo --warmup 0 --runs 1; else echo --warmup 2 --runs "$1"; fi; }

bandwidth() {  # of each strategy over that of a copy, in percent
  local name program kernel json i
  strategies | while read -r name program kernel; do
    local values=''
    for ((i = 0; i < repeats; i++)); do
      json=$(chapter "$program" "$kernel" --threads 256 --elements 33554432 --tile 2048 $(launches 11)) || exit
      [ -n "$json" ] || continue 2
      values+=" $(fields gigabytes_per_second/bytes_per_cycle copy_gigabytes_per_second/copy_bytes_per_cycle <<<"$json" |
        quotient 100 %.2f)"
    done
    echo "bandwidth.$name.of-copy percent$values"
  done
}

# ratios NAME KEY BASE OPTIONS...: the time KEY of each strategy over that of fixed work, or of its own even tiles.
ratios() {
  local quantity=$1 key=$2 base=$3 name program kernel i j
  shift 3
  local -A bases=()
  strategies | while read -r name program kernel; do
    local values=''
    for ((i = 0; i < repeats; i++)); do
      local json own
      json=$(chapter "$program" "$kernel" --threads 256 --elements 4194304 --tile 1024 "$@" $(launches 5)) || exit
      [ -n "$json" ] || continue 2
      own=$(fields "${key}milliseconds/${key}cycles" <<<"$json")
      if [ "$base" = fixed ]; then
        [ "$name" != fixed ] || bases[$i]=$own
      else
        json=$(chapter "$program" "$kernel" --threads 256 --elements 4194304 --tile 1024 "$@" --shape 4 $(launches 5)) || exit
        bases[$i]=$(fields "${key}milliseconds/${key}cycles" <<<"$json")
      fi
      values+=" $(quotient 1 %.3f <<<"$own|${bases[$i]}")"
    done
    echo "$quantity.$name.over-$base ratio$values"
  done
}

counts_of_the_report() {  # of an RTX 5090: 4096 blocks launched, 1020 started, 3076 stolen
  local json i now stolen_now started='' stolen=''
  for ((i = 0; i < repeats; i++)); do
    json=$(chapter 03_clc_basic basic --elements 1048576 --threads 256 --tile 256 --warmup 0 --runs 1) || return
    IFS='|' read -r now stolen_now < <(fields blocks_started steals <<<"$json")
    started+=" $now" stolen+=" $stolen_now"
  done
  printf '%s\n' "report.started blocks$started" "report.stolen blocks$stolen"
}

company() {  # two processes at a time
  "${launcher[@]}" "$bin/hardware_clc_probes" company >/dev/null &
  "${launcher[@]}" "$bin/hardware_clc_probes" company
  local status=$?
  wait
  return $status
}

# pitfall NAME: what becomes of its broken form, in a word or two.
pitfall() {
  local json status error='' verdict='' what
  # clcsim itself finds a deadlock; the limit is for a kernel that runs on for ever, on a busy machine, too.
  json=$(CLCSIM_LIMIT_SECONDS=300 "${launcher[@]}" "$bin/05_ub_pitfalls" "$1" --i-know --limit 10 --json 2>"$out/pitfall.err")
  status=$?
  IFS='|' read -r error verdict < <(fields error verdict <<<"$json")
  if grep -q 'still ran after' "$out/pitfall.err" || [ $status = 124 ] || [ "$error" = cudaErrorLaunchTimeout ]; then
    what=hangs  # clcsim ends a deadlock with that error, and at its limit with 124
  elif [ -z "$error" ]; then what="ended-with-$status"
  elif [ "$error" != cudaSuccess ]; then what=$error
  else
    case $verdict in WRONG) what=wrong-result ;; INCONCLUSIVE) what=steals-nothing ;; *) what=right-by-luck ;; esac
  fi
  echo "pitfall.$1 text $what"
}

export -f chapter fields quotient strategies launches bandwidth ratios counts_of_the_report company pitfall
own() {  # NAME NEEDS SECONDS FUNCTION ARGUMENTS...: a probe that is a function of this script
  probe "$1" "$2" "$3" bash -c "$(declare -p launcher bin root simulated repeats out); \"\$@\"" bash "${@:4}"
}

# ---- All of them --------------------------------------------------------------------------------

echo "$gpu, compute capability $capability; results in $out"
for program in hardware_probes hardware_clc_probes; do
  [ -x "$bin/$program" ] || continue
  while read -r name needs _; do
    case $name in
      company) own company "$needs" 120 company ;;
      decode) ;;  # with the dangerous part
      *) probe "$name" "$needs" 60 "${launcher[@]}" "$bin/$program" "$name" ;;
    esac
  done < <("$bin/$program" --list)
done
own report 10.0 60 counts_of_the_report
own bandwidth 7.5 120 bandwidth
own prologue 7.5 120 ratios prologue '' fixed --prologue 500
own heavy-tail 7.5 120 ratios heavy-tail '' even --skew 50 --shape 0
own periodic 7.5 120 ratios periodic '' even --skew 50 --shape 3
own preemption 7.5 120 ratios preemption urgent_ fixed --elements 16777216 --skew 100 --shape 4 --urgent 1

pitfalls=$("$bin/05_ub_pitfalls" --json 2>/dev/null | fields pitfall)
if at_least 10.0 && [ -n "$pitfalls" ] && grep -qE "$only" <<<"danger"; then
  if [ "$danger" = ask ]; then
    echo
    echo "The dangerous part runs each of the $(wc -w <<<"$pitfalls") broken pitfalls for up to 10 s. They may hang, and end with an"
    echo "error of the driver; other programs that use this GPU meanwhile may fail. Save your work first."
    read -r -p "Run it? [y/N] " answer </dev/tty 2>/dev/null || answer=n
    [[ $answer == [yY]* ]] && danger=yes
  fi
  if [ "$danger" = yes ]; then
    probe decode 10.0 60 "${launcher[@]}" "$bin/hardware_clc_probes" decode
    for name in $pitfalls; do
      own "pitfall-$name" 10.0 30 pitfall "$name"
      # Does the GPU still work?
      if [ -z "$simulated" ] && ! timeout -k 5 30 "$bin/01_fixed_work" --runs 1 >/dev/null 2>&1; then
        echo "after $name the GPU does not work any more; the other pitfalls are left out" | tee "$out/pitfall-$name.failed"
        rm -f "$out/pitfall-$name.txt"
        break
      fi
    done
  else
    echo "the broken pitfalls were left out" | tee "$out/pitfalls.skipped"
  fi
fi

# ---- The report ---------------------------------------------------------------------------------

find "$out" -name '*.txt' -print0 | sort -z | xargs -0 cat | grep -v '^$' >"$out/observed"
{
  echo "gpu $gpu"
  echo "capability $capability"
  echo "driver $driver"
  nvcc=$(sed -n 's/^CMAKE_CUDA_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt" 2>/dev/null)
  echo "toolkit $("${nvcc:-nvcc}" --version 2>/dev/null | sed -n 's/.*, V\([0-9.]*\)$/\1/p')"
  echo "date $(date -u +%F)"
  echo "course $(git -C "$root" log -1 --format='%h of %cs' 2>/dev/null || echo unknown)"
  echo "system $(uname -sr)"
  echo "mps $(pgrep -f nvidia-cuda-mps-control >/dev/null 2>&1 && echo runs || echo "does not run")"
  echo "predictions ${like:-none}"
} >"$out/machine"
for kind in skipped failed; do
  for file in "$out"/*.$kind; do
    [ ! -f "$file" ] || echo "$kind $(basename "$file" .$kind) $(cat "$file")"
  done
done >"$out/not_run"
predicted=/dev/null
[ -z "$like" ] || predicted=$here/predictions/$like.txt
"$bin/hardware_report" "$here/model.txt" "$out" "$predicted" || stop "the report could not be written"
echo
echo "The report: $out/report.md, and for programs $out/report.json"
[ -n "$simulated" ] || echo "Please send both: see \"You have a Blackwell GPU?\" in README.md"
[ ! -s "$out/not_run" ] || ! grep -q ^failed "$out/not_run"
