# layers.sh SIMULATOR: fails unless the folders include each other just as the tables in README.md say.
set -eu
cd "$1"
said=$(sed -n '/^## Where things are/,/^## The life/s/^| `\([a-z]*\)\/` | .* | \(.*\) |$/\1: \2/p' README.md | tr -d '`')
test -n "$said"
folders=$(echo "$said" | sed 's/:.*//')
found=$(for folder in $folders; do
  others=$(find clcsim/"$folder" course/"$folder" \( -name '*.h' -o -name '*.cpp' -o -name '*.inc' \) -print0 2>/dev/null |
    xargs -0 sed -n 's/^#include "\([a-z_0-9]*\)\/.*/\1/p' | sort -u | grep -vx "$folder" || true)
  line="$folder:"
  for other in $folders; do
    if echo "$others" | grep -qx "$other"; then line="$line $other"; fi
  done
  for other in $others; do
    if ! echo "$folders" | grep -qx "$other"; then line="$line $other(?)"; fi
  done
  if [ "$line" = "$folder:" ]; then line="$line nothing"; fi
  echo "$line"
done)
if [ "$said" != "$found" ]; then
  echo "simulator/README.md, \"Where things are\", says:"
  echo "$said"
  echo "the includes say:"
  echo "$found"
  exit 1
fi
