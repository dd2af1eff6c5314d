#!/usr/bin/env bash
# Holds chapter 05's README, sources and program against each other:
#   [UPDATE=1] pitfalls.sh 05_ub_pitfalls BIN
# Each pitfall that the program lists has a heading in the README (a variant: a smaller one, under that of
# its pitfall) and a region in a source. The repair that the README shows is the difference between the
# region's two forms, a few lines long. The broken form, on clcsim and under the seed that the program lists,
# gives exactly the findings listed, in that order, and the exit status listed; the reports themselves are
# compared by outputs.cmake. No rule of CLC lacks a pitfall. Each row of the README's index is provoked: what
# stands in `code` on its left must be in the output of each pitfall on its right, under the seed named there.
# Of all reports so gained, each finding says where to read on, and the first one, the cause, names its pitfall.
# "You see" says what is seen: how many findings (a deadlock is said so), a right result, a CUDA error; and its
# numbers are in the output. Every finding that there is stands in the README.
# UPDATE=1 writes the repairs into the README. Runs where the chapters' folders are.
set -euo pipefail

chapter=$1 bin=$2
readme=$chapter/README.md
most_lines=14  # that a repair may change
outputs=$(mktemp -d)
trap 'rm -rf "$outputs"' EXIT
fail() {
  echo "$*" >&2
  exit 1
}

# The two forms of a region as a diff, each change with a line on either side.
repair() {  # name
  awk -v name="$1" '
    function keep(sign) { text[++n] = sign $0 }
    $0 == "// [/" name "]" { inside = 0 }
    inside && /^#ifdef BROKEN$/ { sign = "-"; next }
    inside && /^#ifndef BROKEN$/ { sign = "+"; next }
    inside && /^#else$/ { sign = sign == "-" ? "+" : "-"; next }
    inside && /^#endif$/ { sign = " "; next }
    inside { keep(sign) }
    $0 == "// [" name "]" { inside = 1; sign = " " }
    function changed(i) { return i >= 1 && i <= n && text[i] !~ /^ / }
    END {
      last = 0
      for (i = 1; i <= n; ++i) {
        if (!changed(i - 1) && !changed(i) && !changed(i + 1)) continue
        if (last != 0 && last != i - 1) print "@@"
        print text[i]
        last = i
      }
    }' "$chapter"/*.cuh
}

# The first ```diff block under a heading of the README.
shown() {  # name
  awk -v head="$1" '
    /^##/ { inside = ($0 == "### " head || $0 == "#### " head) }
    inside && /^```$/ { block = 0 }
    inside && block
    inside && /^```diff$/ { block = 1 }' "$readme"
}

write() {  # name: puts the repair, from stdin, under its heading
  local new
  new=$(cat)
  NEW=$new awk -v head="$1" '
    /^##/ { inside = ($0 == "### " head || $0 == "#### " head) }
    inside && /^```$/ { block = 0 }
    !block
    inside && /^```diff$/ { block = 1; print ENVIRON["NEW"] }' "$readme" >"$readme.new"
  mv "$readme.new" "$readme"
}

# Runs a broken form, once for each seed; leaves the output in $outputs/NAME.SEED, and its findings in JSON beside it.
broken() {  # name seed
  local file=$outputs/$1.$2 status=0
  [ ! -e "$file" ] || return 0
  "$bin/clcsim" --seed "$2" --check-json "$file.json" "$bin/05_ub_pitfalls" "$1" >"$file" 2>&1 || status=$?
  echo "$status" >"$file.status"
}

# of_findings NAME.SEED MEMBER...: those members of each finding of a run.
of_findings() { "$bin/json_fields" --each findings "${@:2}" <"$outputs/$1.json"; }

# name|of|seed|status|findings, one pitfall a line
listing=$("$bin/05_ub_pitfalls" --json | "$bin/json_fields" pitfall variant_of seed exit_status findings)
names=$(cut -d'|' -f1 <<<"$listing" | sort)
headings=$(sed -En 's/^####? ([a-z0-9-]+)$/\1/p' "$readme" | sort)
[ "$names" = "$headings" ] || fail "the program's list and the README's headings differ: $(
  diff <(echo "$names") <(echo "$headings") || true)"

# Each rule of CLC that clcsim checks has its pitfall.
while read -r rule family _; do
  grep -Fq "\`[$rule]\`" "$readme" || fail "$readme has no row for [$rule]"
  [ "$family" = clc ] || continue
  cut -d'|' -f5 <<<"$listing" | grep -Eqw -- "$rule" || fail "no pitfall breaks the rule $rule"
done < <("$bin/clcsim" --rules)

count=0
while IFS='|' read -r name of seed expected findings; do
  count=$((count + 1))
  under=$(awk -v head="$name" '/^### /{ of = $2 } /^####? /{ if ($2 == head) print (of == head ? "" : of) }' "$readme")
  [ "$under" = "$of" ] || fail "$name: a variant of '$of', but it stands under '$under' in $readme"
  repair=$(repair "$name")
  [ -n "$repair" ] || fail "$name: no .cuh of $chapter has its two forms"
  lines=$(grep -c '^[-+]' <<<"$repair")
  [ "$lines" -le $most_lines ] ||
    fail "$name: the two forms differ in $lines lines; $most_lines are enough for one mistake"
  if [ -n "${UPDATE:-}" ]; then
    write "$name" <<<"$repair"
  elif [ "$repair" != "$(shown "$name")" ]; then
    fail "$name: $readme doesn't show the repair, which is"$'\n'"$repair"$'\n'"(UPDATE=1 $0 $* writes it)"
  fi

  broken "$name" "$seed"
  out=$outputs/$name.$seed
  found=$(of_findings "$name.$seed" name | uniq | paste -s -d ' ')
  [ "${found// /, }" = "$findings" ] ||
    fail "$name: listed with '$findings', found '$found':"$'\n'"$(cat "$out")"
  status=$(cat "$out.status")
  [ "$status" = "$expected" ] || fail "$name: exit status $status, not $expected:"$'\n'"$(cat "$out")"
done <<<"$listing"

# The index: rows between <!-- index --> and <!-- /index -->, | `what is seen` ... | [name](#name) --seed N, ... |
rows=0
indexed=
while IFS= read -r row; do
  cells=${row#| }
  left=${cells%% | *} right=${cells#* | }
  rows=$((rows + 1))
  targets=0
  while read -r name _ seed; do
    [ -n "$name" ] || continue
    targets=$((targets + 1))
    indexed+=" $name "
    broken "$name" "${seed:-0}"
    out=$outputs/$name.${seed:-0}
    while IFS= read -r text; do
      grep -Fq -- "$text" "$out" ||
        fail "the index has '$text' for $name, seed ${seed:-0}, which prints"$'\n'"$(cat "$out")"
    done < <(grep -o '`[^`]*`' <<<"$left" | tr -d '`')
    if [[ $left == *"no finding"* ]] && [ -n "$(of_findings "$name.${seed:-0}" name)" ]; then
      fail "the index has no finding for $name, seed ${seed:-0}, which prints"$'\n'"$(cat "$out")"
    fi
  done < <(grep -oE '\]\(#[a-z0-9-]+\)( `--seed [0-9]+`)?' <<<"$right" |
    sed -E 's/\]\(#([a-z0-9-]+)\)/\1/; s/`//g')
  [ $targets -gt 0 ] || fail "the index leads nowhere: $row"
done < <(sed -n '/^<!-- index -->$/,/^<!-- \/index -->$/p' "$readme" | grep '^| .*](#')
[ $rows -ge 20 ] || fail "the index of $readme has $rows rows"
for name in $names; do
  [[ $indexed == *" $name "* ]] || fail "nothing in the index leads to $name"
done

# What is said to be seen, under the seed that the program lists.
while IFS='|' read -r name of seed _; do
  out=$outputs/$name.$seed
  see=$(awk -v head="$name" '
    /^##/ { inside = ($0 ~ "^####? " head "$") }
    inside && /^\*\*You see:/ { on = 1 }
    on && /^$/ { exit }
    on' "$readme" | tr '\n' ' ')
  said() { grep -Eq -- "$1" <<<"$see"; }
  shows() { grep -Eq -- "$1" "$out"; }
  names_found=$(of_findings "$name.$seed" name)
  findings=$(grep -cvx 'deadlock\|' <<<"$names_found" || true)
  case $see in
    *" two findings"*) [ "$findings" = 2 ] ;;
    *" a finding"*) [ "$findings" = 1 ] ;;
    *) [ "$findings" = 0 ] ;;
  esac || fail "$name has $findings findings, but:$see"
  if grep -qx deadlock <<<"$names_found"; then said deadlock; else ! said deadlock; fi || fail "a deadlock? $name:$see"
  if shows 'cudaError' && ! shows Timeout; then said 'CUDA error|cudaError'; else ! said 'CUDA error|cudaError'; fi ||
    fail "a CUDA error? $name:$see"
  broken "$name" 0
  if said 'right result'; then grep -q '^verdict: PASS' "$outputs/$name.0" || fail "not right: $name:$see"; fi
  for number in $(sed -E 's/`--seed [0-9]+`//g' <<<"$see" | grep -oE '\b[0-9]+\b' || true); do
    grep -Eqw "$number" "$outputs/$name".*[0-9] && continue
    "$bin/clcsim" "$bin/05_ub_pitfalls" "$name" --fixed 2>&1 | grep -Eqw "$number" ||
      fail "no output of $name has the number $number of:$see"
  done
done <<<"$listing"

# From a report to its pitfall: "more    05_ub_pitfalls, NAME [or NAME]".
while IFS='|' read -r name of _; do
  for out in "$outputs/$name".*[0-9]; do
    mapfile -t more < <(of_findings "${out##*/}" pitfall)
    [ ${#more[@]} != 0 ] || continue
    [[ " ${more[*]/#/-} " != *" - "* ]] || fail "a finding does not say where to read on:"$'\n'"$(cat "$out")"
    more=" ${more[0]} "
    [[ $more == *" $name "* || $more == *" ${of:-$name} "* ]] ||
      fail "the first finding of $name leads to$more:"$'\n'"$(cat "$out")"
  done
done <<<"$listing"

# How many forms give the right result under the natural schedule, which the README states.
right=0
for name in $names; do
  broken "$name" 0
  if grep -q '^verdict: PASS' "$outputs/$name.0"; then right=$((right + 1)); fi
done
tr '\n' ' ' <"$readme" | sed 's/ > / /g' |
  grep -q " $count ways .* natural schedule $right of them give the right result" ||
  fail "$readme doesn't say that there are $count ways and that $right of them give the right result"
echo "$count pitfalls are as the README shows them, and $rows rows of its index lead to them"
