#!/usr/bin/env bash
# Checks what students have handed in:
#   bash common/teaching/grade.sh [--to FOLDER] [--build BUILD] FOLDER...
# A FOLDER holds a sub-folder or an archive (.zip, .tar.gz) for each student, or files named
# student_1_tail.cu, or is one student's. How deep the files lie and what they are called doesn't matter: an
# exercise is known by its first line ("// Exercise 01.1"), or else by its name.
#
# Writes to FOLDER "graded": table.csv, table.html, and for each student the log of each exercise and
# feedback.html, to give back. One point for each exercise that passes.
#
# Students' code is compiled and run. Where bubblewrap (bwrap) works, it has no network, sees none of your files
# and writes nowhere but into a folder of its own; time, memory, the size of files and the number of processes are
# limited everywhere.
set -uo pipefail

stop() { echo "grade.sh: $1" >&2; exit 2; }
source=$(cd "$(dirname "$0")/../.." && pwd)
self=$source/common/teaching/grade.sh

# ---- One answer: compiled and checked. Called by the loop below. ----

fenced() {  # work folder, then a command
  local work=$1
  shift
  # Within a sandbox its own processes are counted, outside of it all of yours.
  local limits='ulimit -t 60 -f 200000 -v 16000000 -c 0; ulimit -u "$0" 2>/dev/null; exec "$@"'
  # The limit of processes doesn't hold for root, so root becomes nobody: inside, where every folder on the way here
  # can be entered. A user of its own would know no other one to become.
  local as=() apart=(--unshare-all)
  if [ "$(id -u)" = 0 ]; then
    as=(setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs)
    apart=(--unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try --cap-add CAP_SETUID --cap-add CAP_SETGID)
  fi
  chmod -R a+rwX "$work"
  # The folders on the way to what the sandbox sees are empty ones of its own, which every user may enter.
  local path ways=()
  for path in "$source" "$build" "$work"; do
    while path=$(dirname "$path") && [ "$path" != / ]; do
      case $path in /tmp/* | /home/* | /root/*) ways=(--perms 0755 --dir "$path" "${ways[@]}") ;; esac
    done
  done
  if [ -n "${CLC_GRADE_BWRAP:-}" ]; then
    timeout -k 5 150 bwrap --ro-bind / / --dev /dev --proc /proc --perms 1777 --tmpfs /tmp --perms 0755 --tmpfs /home --perms 0755 --tmpfs /root "${ways[@]}" \
      --ro-bind "$source" "$source" --ro-bind "$build" "$build" --perms 0755 --tmpfs "$(dirname "$work")" --bind "$work" "$work" \
      "${apart[@]}" --die-with-parent --clearenv --setenv PATH "$PATH" --setenv HOME /tmp --chdir "$source" \
      "${as[@]}" bash -c "$limits" 200 "$@"
  else
    (cd "$source" && timeout -k 5 150 bash -c "$limits" 4000 "$@")
  fi
}

if [ "${1:-}" = --one ]; then
  build=$2 work=$3
  id=$(basename "$work") && id=${id%%-*}
  {
    read -r _ file _ < <(grep "^$id " "$build/exercises/list.txt")
    cat >"$work/program.cu" <<END
#include "exercise_check.h"
#include "answer.cu"
#include "$source/${file%%/exercises/*}/exercises/checks/$(basename "$file" .cu).h"
int main(int argc, char** argv) { return clc::exercise("$file", kReady, check, argc, argv); }
END
    if fenced "$work" bash "$build/exercises/compile.sh" "$work/program.cu" "$work/program" >"$work/log" 2>&1; then
      echo "TOO SLOW" >"$work/verdict"  # if the check doesn't come to its end
      fenced "$work" "$build/exercises/check" --verdict "$work/verdict" "$id" "$work/program" >"$work/log" 2>&1
    else
      sed -i "s|$work/answer.cu|$(basename "$file")|g" "$work/log"
      echo "DOES NOT COMPILE" >"$work/verdict"
    fi
    rm -f "$work/program"
  } </dev/null
  exit 0
fi

# ---- Who has handed in what ----

to=graded build=$source/build
while [ $# -gt 0 ]; do
  case $1 in
    --to) to=$2; shift 2 ;;
    --build) build=$(cd "$2" && pwd) || exit 2; shift 2 ;;
    --*) stop "unknown option $1" ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || stop "give the folder with what the students have handed in"
list=$build/exercises/list.txt
[ -f "$build/exercises/compile.sh" ] || stop "$build is not configured; bash common/setup.sh tour does it"
[ -x "$build/bin/clcsim" ] || stop "$build/bin/clcsim is missing; bash common/setup.sh tour builds it"
cmake --build "$build" --target clcsim clc_check clc_exercise_check >/dev/null || stop "the simulator can't be built"
mkdir -p "$to" && to=$(cd "$to" && pwd)
rm -rf "$to/.work"
mkdir -p "$to/.work/unpacked" "$to/.work/answers"
export CLC_GRADE_BWRAP=
if bwrap --ro-bind / / --dev /dev --proc /proc --unshare-all true 2>/dev/null; then
  CLC_GRADE_BWRAP=1
elif [ "$(id -u)" = 0 ]; then
  stop "there is no bubblewrap that works here, and root doesn't run students' code without it: apt-get install bubblewrap, or be an ordinary user"
else
  echo "grade.sh: warning: there is no bubblewrap that works here (Debian, Ubuntu: apt-get install bubblewrap)." >&2
  echo "  Students' code, which nobody has read, now runs with your rights: it can read and delete your files and use" >&2
  echo "  the network. Time, memory and the size of files are limited. A container is safer." >&2
fi

ids=$(cut -d' ' -f1 "$list")
declare -A id_of_name=()  # where one exercise only has this name
while read -r id file _; do
  name=$(basename "$file")
  [ -n "${id_of_name[$name]:-}" ] && id_of_name[$name]=- || id_of_name[$name]=$id
done <"$list"

exercise_of() {  # file
  local head chapter
  head=$(head -c 2000 "$1" | grep -om1 '^// \(Exercise [0-9][0-9]\.[0-9]*\|The lab:\)')
  case $head in
    *lab:) echo 06_lab; return ;;
    *Exercise*) head=${head##* }; echo "${head/./_}"; return ;;
  esac
  chapter=$(grep -o '0[1-6]_[a-z_]*/exercises/[0-9a-z]*' <<<"$1" | tail -n 1)
  [ -n "$chapter" ] && { echo "${chapter%%_*}_${chapter##*/}"; return; }
  for name in "${!id_of_name[@]}"; do
    case $(basename "$1") in *"$name") echo "${id_of_name[$name]}"; return ;; esac
  done
}

students=$to/.work/students.tsv  # student, id, sha, file
: >"$students"
: >"$to/.work/names"
take() {  # student, folder or file
  local student=$1 file id sha
  echo "$student" >>"$to/.work/names"
  while IFS= read -r -d '' file; do
    case $file in */__MACOSX/* | */solutions/* | */checks/*) continue ;; esac
    id=$(exercise_of "$file")
    grep -qx "${id:-none}" <<<"$ids" || { echo "grade.sh: $file: not known as an exercise" >&2; continue; }
    sha=$(sha256sum <"$file") && sha=${sha:0:16}
    printf '%s\t%s\t%s\n' "$student" "$id" "$sha" >>"$students"
    [ -d "$to/.work/answers/$id-$sha" ] && continue
    mkdir "$to/.work/answers/$id-$sha"
    cp "$file" "$to/.work/answers/$id-$sha/answer.cu"
  done < <(find "$2" -type f -name '*.cu' -size -200k -print0)
}
unpack() {  # archive; prints the folder
  local folder
  folder=$to/.work/unpacked/$(basename "$1")
  mkdir -p "$folder"
  (cd "$folder" && cmake -E tar xf "$1") >/dev/null 2>&1 || echo "grade.sh: $1 can't be unpacked" >&2
  echo "$folder"
}
plain() { tr -c 'A-Za-z0-9._\n-' '_' <<<"$1"; }  # a name that is a file's

for class in "$@"; do
  class=$(cd "$class" && pwd) || stop "there is no folder $class"
  if [ -n "$(find "$class" -maxdepth 1 -name '0[1-6]_*' -type d)" ]; then  # a clone: one student's
    take "$(plain "$(basename "$class")")" "$class"
    continue
  fi
  for entry in "$class"/*; do
    name=$(plain "$(basename "$entry")")
    case $entry in
      *.zip | *.tar | *.tar.gz | *.tgz) take "$(sed -E 's/\.(zip|tar|tar\.gz|tgz)$//' <<<"$name")" "$(unpack "$entry")" ;;
      *.cu)
        student=$(sed -E 's/_?([0-9]+_[a-z_]+|lab_spmv)\.cu$//' <<<"$name")
        take "${student:-$(plain "$(basename "$class")")}" "$entry" ;;
      *)
        [ -d "$entry" ] || continue
        while IFS= read -r -d '' archive; do unpack "$archive" >/dev/null && take "$name" "$(unpack "$archive")"
        done < <(find "$entry" -type f \( -name '*.zip' -o -name '*.tar.gz' -o -name '*.tgz' \) -print0)
        take "$name" "$entry" ;;
    esac
  done
done
sort -u -o "$to/.work/names" "$to/.work/names"
[ -s "$to/.work/names" ] || stop "there is nothing in there that a student has handed in"

# ---- Each answer once, whoever gave it ----

began=$SECONDS
shipped=0
while read -r id file _; do  # as shipped: nothing to check
  sha=$(git -C "$source" show "HEAD:${file/solutions\//}" 2>/dev/null | sha256sum) && sha=${sha:0:16}
  [ -d "$to/.work/answers/$id-$sha" ] && echo TODO >"$to/.work/answers/$id-$sha/verdict" && shipped=$((shipped + 1))
done <"$list"
for work in "$to"/.work/answers/*; do
  grep -q 'kReady = false' "$work/answer.cu" && echo TODO >"$work/verdict"
done
find "$to/.work/answers" -mindepth 1 -maxdepth 1 -type d '!' -exec test -e '{}/verdict' ';' -print0 |
  xargs -0 -r -n1 -P "$(nproc)" bash "$self" --one "$build"

# ---- The tables ----

escape() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' "$@"; }
style='<meta charset="utf-8"><style>body{font:15px sans-serif;margin:2em}td,th{border:1px solid #bbb;padding:.2em .5em}
table{border-collapse:collapse}.pass{background:#cfc}.todo{color:#888}pre{background:#f4f4f4;padding:1em;overflow:auto}</style>'
class_of() { case $1 in PASS*) echo pass ;; TODO | "") echo todo ;; *) echo wrong ;; esac; }
word_of() { case $1 in PASS*) echo PASS ;; *) echo "$1" ;; esac; }
{
  printf 'student,points'
  printf ',%s' $ids
  echo
} >"$to/table.csv"
{
  echo "<!doctype html><title>Exercises</title>$style<table><tr><th>student<th>points"
  printf '<th>%s' $ids
} >"$to/table.html"
while read -r student; do
  mkdir -p "$to/$student"
  rm -f "$to/$student"/*.log
  points=0 row='' cells='' page=''
  for id in $ids; do
    # Of several files for one exercise the best counts: PASS, then whatever was tried, then TODO.
    verdict='' best=
    while IFS=$'\t' read -r _ _ sha; do
      this=$(cat "$to/.work/answers/$id-$sha/verdict" 2>/dev/null || echo "NOT CHECKED")
      case $this in PASS*) verdict=$this best=$sha; break ;; TODO) verdict=${verdict:-TODO} ;; *) verdict=$this best=$sha ;; esac
    done < <(awk -F'\t' -v s="$student" -v i="$id" '$1 == s && $2 == i' "$students")
    word=$(word_of "$verdict")
    case $verdict in PASS*) points=$((points + 1)) ;; esac
    row+=",\"$word\"" cells+="<td class=$(class_of "$verdict")>$(escape <<<"${word:--}")"
    [ -n "$best" ] || continue
    cp "$to/.work/answers/$id-$best/log" "$to/$student/$id.log" 2>/dev/null || continue
    page+="<h2 class=$(class_of "$verdict")>$id: $(escape <<<"$verdict")</h2><pre>$(escape "$to/$student/$id.log")</pre>"
  done
  echo "$student,$points$row" >>"$to/table.csv"
  echo "<tr><td><a href=\"$student/feedback.html\">$student</a><td>$points$cells" >>"$to/table.html"
  echo "<!doctype html><title>$student</title>$style<h1>$student: $points points</h1>
<p>A point for each exercise that passes. A finding of clcsim costs the point even where the result is right: it was luck.</p>
$page" >"$to/$student/feedback.html"
done <"$to/.work/names"
echo "</table>" >>"$to/table.html"
answers=$(find "$to/.work/answers" -mindepth 1 -maxdepth 1 | wc -l)
echo "$(wc -l <"$to/.work/names") students, $(wc -l <"$students") files, $answers different answers: $((SECONDS - began)) s"
echo "$to/table.html, table.csv; for each student a folder with logs and feedback.html"
