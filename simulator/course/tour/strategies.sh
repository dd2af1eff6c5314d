#!/usr/bin/env bash
# The strategies of all chapters, from their strategies.txt, as lines NAME CHAPTER KERNEL.
cd "$(dirname "$0")/../../.." || exit
awk -F ' *[|] *' '!/^#/ { split(FILENAME, path, "/"); print $1, path[1], $2 }' [0-9]*/strategies.txt
