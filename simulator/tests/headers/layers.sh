# layers.sh SIMULATOR: fails unless the folders include each other just as the tables in README.md say. An include of
# "folder/file.h", of "../folder/file.h", or of a file that isn't beside the one that includes it and lies in common/ counts.
set -eu
cd "$1"
said=$(sed -n '/^## Where things are/,/^## The life/s/^| `\([a-z]*\)\/` | .* | \(.*\) |$/\1: \2/p' README.md | tr -d '`')
test -n "$said"
folders=$(echo "$said" | sed 's/:.*//')

# The folders that the files of one include, each with a name as in the tables; those of the course's top as they are called there.
included() {
  find clcsim/"$1" course/"$1" \( -name '*.h' -o -name '*.cpp' -o -name '*.inc' -o -name '*.cu' -o -name '*.cuh' \) -print0 2>/dev/null |
    xargs -0 sed -n 's/^#include "\(.*\)".*/\1/p;T;F' | paste - - | while read -r file from; do
    case $file in
      ../*) realpath -m --relative-to=.. "$(dirname "$from")/$file" | sed 's/^simulator\/[a-z]*\///; s/\/.*//' ;;
      */*) echo "${file%%/*}" ;;
      *) if [ ! -e "$(dirname "$from")/$file" ] && [ -e "../common/$file" ]; then echo common; fi ;;
    esac
  done | sort -u | grep -vx "$1" || true
}

found=$(for folder in $folders; do
  others=$(included "$folder")
  line="$folder:"
  for other in $folders; do
    if echo "$others" | grep -qx "$other"; then line="$line $other"; fi
  done
  for other in $others; do
    if echo "$folders" | grep -qx "$other"; then continue; fi
    if [ -d "../$other" ]; then line="$line $other"; else line="$line $other(?)"; fi
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
