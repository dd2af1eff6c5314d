#!/usr/bin/env bash
# Holds chapter 05's README, sources and program against each other:
#   [UPDATE=1] pitfalls.sh 05_ub_pitfalls BIN
# Each pitfall that the program lists has a section in the README and a region in a source. The repair
# that the README shows is the difference between the region's two forms, a few lines long. The broken
# form, on clcsim, gives exactly the findings that the program lists, in that order, and clcsim's exit
# status; the report itself is compared by outputs.cmake. No rule of CLC lacks a pitfall.
# UPDATE=1 writes the repairs into the README. Runs where the chapters' folders are.
set -euo pipefail

chapter=$1 bin=$2
readme=$chapter/README.md
most_lines=12  # that a repair may change
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

# The ```diff block of a section of the README.
shown() {  # name
  awk -v head="### $1" '
    /^##/ { inside = $0 == head }
    inside && /^```$/ { block = 0 }
    inside && block
    inside && /^```diff$/ { block = 1 }' "$readme"
}

write() {  # name: puts the repair, from stdin, into its section
  local new
  new=$(cat)
  NEW=$new awk -v head="### $1" '
    /^##/ { inside = $0 == head }
    inside && /^```$/ { block = 0 }
    !block
    inside && /^```diff$/ { block = 1; print ENVIRON["NEW"] }' "$readme" >"$readme.new"
  mv "$readme.new" "$readme"
}

listing=$("$bin/05_ub_pitfalls" | grep '^  ')
names=$(awk '{ print $1 }' <<<"$listing")
[ "$names" = "$(sed -n 's/^### //p' "$readme")" ] ||
  fail "the program's list and the README's sections differ: $(diff <(echo "$names") \
    <(sed -n 's/^### //p' "$readme") || true)"

# Each rule of CLC that clcsim checks has its pitfall.
while read -r rule family _; do
  [ "$family" = clc ] || continue
  grep -q "[[ ]$rule[],]" <<<"$listing" || fail "no pitfall breaks the rule $rule"
done < <("$bin/clcsim" --rules)

count=0
while read -r line; do
  name=${line%% *}
  count=$((count + 1))
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

  findings=$(sed -n 's/.* \[\(.*\)\]$/\1/p' <<<"$line")
  status=0
  out=$("$bin/clcsim" "$bin/05_ub_pitfalls" "$name" --broken 2>&1) || status=$?
  found=$(sed -n 's/.*clcsim: error \[\(.*\)\]: .*/\1/p' <<<"$out" | uniq |
    paste -s -d, | sed 's/,/, /g')
  [ "$found" = "$findings" ] ||
    fail "$name: listed with '$findings', found '$found':"$'\n'"$out"
  expected=1  # a mistake that breaks no rule shows in the result
  [ "$name" = hoarding ] && expected=0  # or in the time only
  if [ -n "$findings" ]; then expected=86; fi
  [ $status = $expected ] || fail "$name: exit status $status, not $expected:"$'\n'"$out"
done <<<"$listing"
echo "$count pitfalls are as the README shows them"
