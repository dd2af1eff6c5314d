#!/usr/bin/env bash
# RULES.md against clcsim: rules.sh RULES.md BIN PROGRAMS
# It has a row for each rule that `clcsim --rules` lists, in that order and with the same section. The
# command in the column "found" gives that finding; the one in the column "silent" gives none, under
# three seeds. Those of chapter 05 are run by its own tests, with what its list says of them.
set -euo pipefail

page=$1 bin=$2 programs=$3
fail() {
  echo "$*" >&2
  exit 1
}
rows=$(grep '^| `' "$page")
column() { awk -F ' *[|] *' -v n="$1" '{ print $(n + 1) }' | tr -d '`'; }

listed=$("$bin/clcsim" --rules)
diff <(cut -d' ' -f1 <<<"$listed") <(column 1 <<<"$rows") ||
  fail "$page and clcsim --rules name other rules, or in another order"
version=$(grep -o 'PTX ISA [0-9.]*' <<<"$listed" | sort -u)
grep -q "sections are those of the $version" "$page" || fail "$page is not about $version"

pitfalls=$("$bin/05_ub_pitfalls" --json | "$bin/json_fields" pitfall seed findings)
run() { "$bin/clcsim" --seed "$seed" "$programs/$@" 2>&1; }
while IFS= read -r row; do
  rule=$(column 1 <<<"$row")
  section=$(column 4 <<<"$row")
  read -r _ _ source < <(grep "^$rule " <<<"$listed")
  if [[ "$source" == "PTX ISA"* ]]; then
    [[ "$source" == "$version, $section,"* ]] || fail "$rule: section $section, but $source"
  else
    [[ "$section" != [0-9]* ]] || fail "$rule: section $section, but clcsim names none"
  fi
  read -ra found <<<"$(column 5 <<<"$row")"
  read -ra silent <<<"$(column 6 <<<"$row")"
  if [ "${found[0]}" = 05_ub_pitfalls ]; then
    grep -Eq "^${found[*]:1}\|0\|(.*, )?$rule(,|$)" <<<"$pitfalls" || fail "${found[*]} does not give $rule"
  else
    seed=0
    said=$(run "${found[@]}" || true)
    grep -q "error \[$rule\]" <<<"$said" || fail "${found[*]} does not give $rule:"$'\n'"$said"
  fi
  if [ "${silent[0]}" = 05_ub_pitfalls ]; then
    [ "${silent[2]}" = --fixed ] && grep -q "^${silent[1]}|" <<<"$pitfalls" || fail "${silent[*]} is not silent"
    continue
  fi
  for seed in 0 1 2; do
    said=$(run "${silent[@]}") || fail "${silent[*]}, seed $seed:"$'\n'"$said"
    if grep -q "^=========" <<<"$said"; then
      fail "${silent[*]}, seed $seed, is not silent:"$'\n'"$said"
    fi
  done
done <<<"$rows"
echo "$(wc -l <<<"$rows") rules are found and silent as $page says"
