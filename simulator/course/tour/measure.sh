#!/usr/bin/env bash
# The experiments behind the guide's table, the same for every strategy of the chapters.
#
#   measure.sh SIZE BIN JOBS [LAUNCHER...]
#     on a GPU:   measure.sh gpu build/bin 1
#     on clcsim:  measure.sh mini build/bin 2 build/bin/clcsim --gpu mini
#
# SIZE is gpu, mini, b200, part or scale: how much work is worth its time there. Each run becomes a line of
# stdout: experiment, variant, strategy, and the JSON object that the chapter's program printed. A run
# that its GPU can't do leaves no line. EXPERIMENTS and STRATEGIES are regular
# expressions that choose some.
set -euo pipefail
size=$1 bin=$2 jobs=$3
here=$(cd "$(dirname "$0")" && pwd)
launcher=("${@:4}")
export bin

case $size in
  gpu)  # 128 MiB: more than an L2 holds
    copied="--threads 256 --elements 33554432 --tile 2048" costly=2000 runs="--warmup 2 --runs 11"
    uneven="--threads 256 --elements 33554432 --tile 2048 --skew 200"
    long="$uneven --shape 4 --skew 2000" ;;
  mini)
    copied="--threads 256 --elements 614400 --tile 1024" costly=2000 runs="--warmup 0 --runs 1"
    uneven="--threads 256 --elements 663552 --tile 256 --skew 60" ;;
  b200)
    copied="--threads 256 --elements 16777216 --tile 1024" costly=1000 runs="--warmup 0 --runs 1"
    uneven="--threads 64 --elements 12288000 --tile 64 --skew 10" ;;
  part)  # for b200:8, an eighteenth of a b200
    copied="--threads 256 --elements 1048576 --tile 1024" costly=1000 runs="--warmup 0 --runs 1"
    uneven="--threads 64 --elements 442368 --tile 64 --skew 10" ;;
  scale) runs=${RUNS:---warmup 1 --runs 3} ;;
  *) echo "measure.sh: SIZE can't be '$size'; give gpu, mini, b200, part or scale" >&2; exit 2 ;;
esac

experiments() { # experiment variant options...
  if [ "$size" = scale ]; then
    for power in ${POWERS:-6 8 10 12 14 16 18 20 22}; do
      echo "scale $power --threads 32 --tile 32 --elements $((32 << power)) $runs"
    done
    return
  fi
  echo "overheads 16 $copied --prologue 16 $runs"
  echo "overheads $costly $copied --prologue $costly $runs"
  local shape=0 name
  for name in heavy-tail random growing periodic even; do
    echo "balance $name $uneven --shape $shape $runs"
    shape=$((shape + 1))
  done
  echo "preemption even ${long:-$copied} --urgent 1 $runs"
}

run() { # words-of-the-launcher launcher... strategy program kernel experiment variant options...
  local launcher=("${@:2:$1}")
  shift $(($1 + 1))
  local strategy=$1 program=$2 kernel=$3 experiment=$4 variant=$5 out status=0
  shift 5
  [ -x "$bin/$program" ] || return 0  # the toolkit or the target can't hold this chapter
  out=$("${launcher[@]}" "$bin/$program" --kernel "$kernel" --json "$@" 2>&1) || status=$?
  printf . >&2
  case $status in
    0 | 4) [[ $out == *"this GPU can't"* ]] || echo "$experiment $variant $strategy $out" ;;
    77) ;;
    *)
      echo "${launcher[*]} $bin/$program --kernel $kernel $*: exit status $status"$'\n'"$out" >&2
      return 255 ;;
  esac
}
export -f run

lines=$(experiments | grep -E "${EXPERIMENTS:-.}" | while read -r experiment; do
  bash "$here/strategies.sh" | grep -E "${STRATEGIES:-.}" | sed "s/\$/ $experiment/"
done)
echo "$(wc -l <<<"$lines") runs, a dot for each" >&2
CLCSIM_CHECK=off xargs -P "$jobs" -L 1 bash -c 'run "$@"' run ${#launcher[@]} "${launcher[@]}" <<<"$lines"
echo >&2
