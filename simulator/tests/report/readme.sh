# readme.sh SIMULATOR: fails unless each file that its README.md names is there.
cd "$1"
named=$(grep -oE '`[a-z_]+/[a-z_/]*[a-z_.]*`' README.md | tr -d '`')
for path in $named; do
  ls -d "$path" ./*/"$path" clcsim/machine/"$path" course/hardware/"$path" 2>/dev/null | grep -q . ||
    { echo "the README names $path, which isn't there"; exit 1; }
done
[ "$(wc -w <<<"$named")" -ge 20 ] || { echo "this test no longer sees what it looks for"; exit 1; }
