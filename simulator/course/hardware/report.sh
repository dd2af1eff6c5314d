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
  launcher=("$bin/clcsim" --check off --gpu "$simulated") repeats=1
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

# probe NAME NEEDS SECONDS COMMAND...: what it prints becomes NAME.txt, or NAME$ending.
ending=.txt
probe() {
  local name=$1 needs=$2 seconds=$3 status
  shift 3
  grep -qE "$only" <<<"$name" || return 0
  printf '%-28s' "$name"
  if [ -f "$out/$name$ending" ]; then echo "was run before"; return 0; fi
  rm -f "$out/$name".{part,log,skipped,failed}
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
    0) mv "$out/$name.part" "$out/$name$ending"; rm -f "$out/$name.log"; echo "$((SECONDS - begin)) s" ;;
    77) head -n 1 "$out/$name.part" | tee "$out/$name.skipped"; rm -f "$out/$name.part" ;;
    *)
      local why="exit status $status"
      [ $status != 124 ] && [ $status != 137 ] || why="still ran after $seconds s, and was ended"
      echo "$why; $(tail -n 1 "$out/$name.log" | tr -c '[:print:]\n' '?')" >"$out/$name.failed"
      echo "FAILED: $(cat "$out/$name.failed")" ;;
  esac
}

# measure NAME NEEDS SECONDS: experiments with the chapters' programs, of which clc_measure has a set of that name.
measure() {
  local ending=.measured.json
  probe "$@" "$bin/clc_measure" "$1" --bin "$bin" ${simulated:+--gpu "$simulated"} --repetitions "$repeats"
}

# ---- All of them --------------------------------------------------------------------------------

echo "$gpu, compute capability $capability; results in $out"
for program in hardware_probes hardware_clc_probes; do
  [ -x "$bin/$program" ] || continue
  while read -r name needs _; do
    case $name in
      company)  # two processes at a time
        probe company "$needs" 120 bash -c '"$@" >/dev/null & "$@"; status=$?; wait; exit $status' company \
          "${launcher[@]}" "$bin/$program" company ;;
      decode) ;;  # with the dangerous part
      *) probe "$name" "$needs" 60 "${launcher[@]}" "$bin/$program" "$name" ;;
    esac
  done < <("$bin/$program" --list)
done
measure report 10.0 60
measure bandwidth 7.5 120
measure prologue 7.5 120
measure heavy-tail 7.5 120
measure periodic 7.5 120
measure preemption 7.5 120

pitfalls=''
[ ! -x "$bin/05_ub_pitfalls" ] || pitfalls=$("$bin/hardware_report" pitfalls "$bin/05_ub_pitfalls")
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
      # clcsim itself finds a deadlock; the limit is for a kernel that runs on for ever, on a busy machine, too.
      CLCSIM_LIMIT_SECONDS=300 probe "pitfall-$name" 10.0 30 "$bin/hardware_report" pitfall "$name" "${launcher[@]}" \
        "$bin/05_ub_pitfalls" "$name" --i-know --limit 10 --json
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
predicted=/dev/null
[ -z "$like" ] || predicted=$here/predictions/$like.txt
"$bin/hardware_report" report "$here/model.txt" "$out" "$predicted"
status=$?
[ $status -le 1 ] || stop "the report could not be written"
echo
echo "The report: $out/report.md, and for programs $out/report.json"
[ -n "$simulated" ] || echo "Please send both: see \"You have a Blackwell GPU?\" in README.md"
exit $status
