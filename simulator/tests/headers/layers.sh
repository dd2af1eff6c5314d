# layers.sh SIMULATOR: fails unless the folders include each other just as the table in README.md says.
set -eu
cd "$1"
said=$(sed -n '/<!-- layers -->/,/<!-- \/layers -->/p' README.md |
  sed -n 's/^| `\([a-z]*\)` | \(.*\) |$/\1: \2/p' | tr -d '`')
test -n "$said"
folders=$(echo "$said" | sed 's/:.*//')
found=$(for folder in $folders; do
  place=tests
  for other in clcsim course; do
    if [ -d "$other/$folder" ]; then place=$other; fi
  done
  others=$(find "$place/$folder" -name '*.h' -o -name '*.cpp' -o -name '*.inc' | tr '\n' '\0' |
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
  echo "simulator/README.md, \"Who stands on what\", says:"
  echo "$said"
  echo "the includes say:"
  echo "$found"
  exit 1
fi
