#!/usr/bin/env bash
# Checks what students have handed in:
#   bash common/teaching/grade.sh [--to FOLDER] [--build BUILD] FOLDER...
# A FOLDER holds a sub-folder or an archive (.zip, .tar.gz, ...) for each student, or files named
# student_1_tail.cu, or is one student's. How deep the files lie and what they are called doesn't matter: an
# exercise is known by its first line ("// Exercise 01.1"), or else by its name.
#
# Writes to FOLDER "graded": table.csv, table.html, and for each student the log of each exercise and
# feedback.html, to give back. One point for each exercise that passes. Started again, it checks what is new.
#
# Students' code is unpacked, compiled and run in sandbox.sh, which says what that keeps away.
set -uo pipefail

stop() { echo "grade.sh: $1" >&2; exit 2; }
note() { echo "grade.sh: $1" >&2; }
source=$(cd "$(dirname "$0")/../.." && pwd)
self=$source/common/teaching/grade.sh
sandbox() { bash "$source/common/teaching/sandbox.sh" "$@"; }

# ---- One answer: compiled and checked. Called below. ----

if [ "${1:-}" = --one ]; then
  build=$2 work=$3
  id=$(basename "$work") && id=${id%%-*}
  read -r _ file _ < <(grep "^$id " "$build/exercises/list.txt")
  folder=$source/$(dirname "$file") check=$build/exercises/check
  cd "$work" && mv answer.cu task.cu
  mkdir -p .git  # reports name files as seen from the folder that has it
  # Not the solutions, nor other students' answers.
  see=(--see "$source/CMakeLists.txt" --see "$source/common" --see "$source/simulator/course/exercises"
    --see "$folder/check.h" --see "$folder/hints.txt")
  while read -r path; do see+=(--see "$path"); done <"$build/exercises/sees.txt"
  began=${EPOCHREALTIME/[.,]/}
  sandbox "${see[@]}" --write "$work" --in "$work" bash "$build/exercises/compile.sh" "$id" task.cu program >log 2>&1 </dev/null
  status=$?
  compiled=${EPOCHREALTIME/[.,]/}
  if [ $status = 0 ]; then
    sandbox "${see[@]}" --see "$work" --in "$work" "$check" --json "$id" "$work/program" >verdict.json 2>log </dev/null
    status=$?
    verdict=$("$check" --words verdict.json 2>/dev/null) && "$check" --text verdict.json >log
    # The status is that of the check, too.
    case $status,$verdict in
      0,PASS | [1-9]*,[!P]*) ;;
      124,* | 137,*) verdict="TOO SLOW" && echo "It was stopped before the check was done." >>log ;;
      *) verdict="NOT CHECKED" ;;
    esac
  elif [ $status = 124 ] || [ $status = 137 ]; then
    verdict="TOO SLOW TO COMPILE"
  else
    verdict="DOES NOT COMPILE"
  fi
  rm -f program verdict.json
  echo "$((compiled - began)) $((${EPOCHREALTIME/[.,]/} - compiled))" >microseconds
  echo "$verdict" >verdict
  exit 0
fi

# ---- Before anything is unpacked ----

to=graded build=$source/build
while [ $# -gt 0 ]; do
  case $1 in
    --to | --build) [ $# -gt 1 ] || stop "$1 needs a folder" ;;&
    --to) to=$2; shift 2 ;;
    --build) build=$(cd "$2" 2>/dev/null && pwd) || stop "there is no folder $2"; shift 2 ;;
    --*) stop "unknown option $1" ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || stop "give the folder with what the students have handed in"
for class in "$@"; do [ -d "$class" ] || stop "there is no folder $class"; done
exercises=$build/exercises list=$build/exercises/list.txt
[ -f "$exercises/compile.sh" ] || stop "$build is not configured; bash common/setup.sh tour does it"
cmake --build "$build" --target clcsim clc_check clc_exercise_check >/dev/null ||
  stop "the simulator can't be built; bash common/setup.sh tour says why"
if sandbox --works; then
  sandbox --see "$source/common" cat "$source/common/check.h" >/dev/null ||
    stop "students' code runs as the user nobody, who can't read this folder: chmod -R o+rX '$source'"
elif [ "$(id -u)" = 0 ]; then
  stop "there is no bubblewrap that works here, and root doesn't run students' code without it: apt-get install bubblewrap, or be an ordinary user"
else
  note "warning: there is no bubblewrap that works here (Debian, Ubuntu: apt-get install bubblewrap).
  Students' code, which nobody has read, now runs with your rights: it can read and delete your files and use
  the network. Time, memory and the size of files are limited. A container is safer."
fi

mkdir -p "$to" 2>/dev/null && to=$(cd "$to" && pwd) || stop "can't write to $to"
# What was checked stays checked as long as nothing that checks has changed.
answers=$to/.work/answers
mapfile -t libraries < <(grep '\.a$' "$exercises/sees.txt")
version=$(cat "$list" "$exercises"/{compile.sh,check} "${libraries[@]}" "$build"/lib/clcsim/* "$source"/common/*.{h,cuh} \
  "$source"/[0-9]*/exercises/*/{check.h,hints.txt} "$self" | sha256sum)
[ "$version" = "$(cat "$to/.work/version" 2>/dev/null)" ] || rm -rf "$answers"
rm -rf "$to/.work/unpacked"
mkdir -p "$to/.work/unpacked" "$answers"
echo "$version" >"$to/.work/version"

# ---- Who has handed in what ----

mapfile -t ids < <(cut -d' ' -f1 "$list")
declare -A known=() id_of_name=()  # by its folder's name where one exercise only has it
while read -r id file _; do
  known[$id]=1 name=$(basename "$(dirname "$file")").cu
  [ -n "${id_of_name[$name]:-}" ] && id_of_name[$name]=- || id_of_name[$name]=$id
done <"$list"

exercise_of() {  # file; sets id
  local head
  head=$(head -c 2000 "$1" | tr -d '\0' | grep -om1 '^// *Exercise [0-9]*\.[0-9a-z]*')
  id=none
  if [ -n "$head" ]; then
    id=${head##* } id=${id/./_}
  elif [[ $1 =~ .*/([0-9]+)_[a-z_]*/exercises/([0-9a-z]*) ]]; then
    id=${BASH_REMATCH[1]}_${BASH_REMATCH[2]}
  else
    for name in "${!id_of_name[@]}"; do
      case $(basename "$1") in *"$name" | *"$name.txt") id=${id_of_name[$name]} ;; esac
    done
  fi
}

# The text without comments, in which two answers often are the same.
code_of() { { c++ -x c++ -fpreprocessed -dD -E -P "$1" 2>/dev/null || cat "$1"; } | tr -s ' \t\r\n' ' ' | sha256sum; }

declare -A handed=() names=()  # student/id: answers; student: how many
files=0
take() {  # student, folder or file
  local student=$1 file exact code answer strange='' most=0
  names[$student]=$((${names[$student]:-0}))
  while IFS= read -r -d '' file; do
    case ${file#"$2"} in */__MACOSX/* | */exercises/*/solution.cu | */build*/* | */simulator/*) continue ;; esac
    exercise_of "$file"
    [ -n "${known[$id]:-}" ] || { strange=$file most=$((most + 1)); continue; }
    [ "$(stat -c %s "$file")" -le 200000 ] || { note "$student: $(basename "$file") is larger than 200 kB: left out"; continue; }
    exact=$(sha256sum <"$file") code=$(code_of "$file")
    answer=$id-${code:0:16}-${exact:0:16}
    handed[$student/$id]+=" $answer"
    names[$student]=$((${names[$student]} + 1)) files=$((files + 1))
    [ -d "$answers/$answer" ] && continue
    mkdir "$answers/$answer" && cp "$file" "$answers/$answer/answer.cu"
    # What isn't said to be ready is not compiled.
    grep -q '^[^/]*kReady *[={] *false' "$file" && echo TODO >"$answers/$answer/verdict"
  done < <(find "$2" -type f \( -iname '*.cu' -o -iname '*.cu.txt' \) -print0)
  [ $most = 0 ] || note "$student: not known as an exercise: $(basename "$strange")$([ $most = 1 ] || echo ", and $((most - 1)) more")"
}

archives=0
unpack() {  # archive; sets folder
  local list
  archives=$((archives + 1)) folder=$to/.work/unpacked/$archives
  mkdir "$folder"
  if ! list=$(CLC_SANDBOX_SECONDS=20 sandbox --see "$1" cmake -E tar tvf "$1" 2>/dev/null); then
    note "$(basename "$1") is no archive that cmake can unpack: left out"
  elif grep -qE '^[lh]|[ /]\.\.(/|$)|(:[0-9]{2}| [0-9]{4}) /' <<<"$list"; then
    note "$(basename "$1") has links in it, or paths that lead out of it: left out"
  else
    CLC_SANDBOX_SECONDS=20 sandbox --see "$1" --write "$folder" --in "$folder" cmake -E tar xf "$1" >/dev/null 2>&1 ||
      note "$(basename "$1") can't be unpacked wholly"
  fi
}

is_archive='\.(zip|tar|tgz|7z|tar\.(gz|bz2|xz))$'
# A name that can be a folder's, without what a learning platform puts behind it.
student_of() {
  sed -E "s/$is_archive//I; s/\.cu(\.txt)?$//I; s/_[0-9]+_assignsubmission_file.*//; s/_?([0-9]+_[a-z_]+|lab_spmv|task)$//" <<<"$1" |
    tr '\001-\011\013-\040"\\/<>&,;:|*?$`'"'" '_'
}

for class in "$@"; do
  class=$(cd "$class" && pwd)
  if [ -n "$(find "$class" -maxdepth 2 -path '*/[0-9]*_*/exercises' -type d)" ]; then  # a clone: one student's
    take "$(student_of "$(basename "$class")")" "$class"
    continue
  fi
  for entry in "$class"/*; do
    name=$(basename "$entry") student=$(student_of "$(basename "$entry")")
    if [ -d "$entry" ]; then
      while IFS= read -r -d '' archive; do
        unpack "$archive"
        take "$student" "$folder"
      done < <(find "$entry" -regextype posix-extended -type f -iregex ".*$is_archive" -print0)
      take "$student" "$entry"
    elif [[ ${name,,} =~ $is_archive ]]; then
      unpack "$entry"
      take "$student" "$folder"
    elif [[ ${name,,} == *.cu || ${name,,} == *.cu.txt ]]; then
      take "${student:-$(student_of "$(basename "$class")")}" "$entry"
    elif [ -e "$entry" ]; then
      note "$name is neither a folder nor an archive nor a .cu file: left out"
    fi
  done
done
[ ${#names[@]} -gt 0 ] || stop "there is nothing in there that a student has handed in"
mapfile -t students < <(printf '%s\n' "${!names[@]}" | sort)
for student in "${students[@]}"; do
  [ "${names[$student]}" != 0 ] || note "$student: no exercise is in what was handed in"
done

# ---- Each answer once, whoever gave it ----

check_all() { [ $# = 0 ] || printf '%s\0' "$@" | xargs -0 -n1 -P "$(nproc)" bash "$self" --one "$build"; }
began=$SECONDS
declare -A first=()  # of those that are alike but for their comments
first_ones=() others=() again=()
for work in "$answers"/*; do
  [ -d "$work" ] || continue
  alike=${work%-*}
  [ -f "$work/verdict" ] || { [ -n "${first[$alike]:-}" ] && others+=("$work") || first_ones+=("$work"); }
  first[$alike]=${first[$alike]:-$work}
done
check_all "${first_ones[@]}"
for work in "${others[@]}"; do  # what passes, passes; else the log must name the lines of this one
  like=${first[${work%-*}]}
  case $(cat "$like/verdict") in PASS) cp "$like"/{verdict,log} "$work" ;; *) again+=("$work") ;; esac
done
check_all "${again[@]}"
compiling=0 checking=0
for work in "${first_ones[@]}" "${again[@]}"; do
  read -r one two <"$work/microseconds" && compiling=$((compiling + one)) checking=$((checking + two))
done

# ---- The tables ----

escape() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' "$@"; }
style='<meta charset="utf-8"><style>body{font:15px sans-serif;margin:2em}td,th{border:1px solid #bbb;padding:.2em .5em}
table{border-collapse:collapse}.pass{background:#cfc}.wrong{background:#fdd}.todo{color:#888}pre{background:#f4f4f4;padding:1em;overflow:auto}</style>'
class_of() { case $1 in PASS) echo pass ;; TODO | "") echo todo ;; *) echo wrong ;; esac; }
{ printf 'student,points'; printf ',%s' "${ids[@]}"; echo; } >"$to/table.csv"
{ echo "<!doctype html><title>Exercises</title>$style<table><tr><th>student<th>points"; printf '<th>%s' "${ids[@]}"; } >"$to/table.html"
for student in "${students[@]}"; do
  mkdir -p "$to/$student"
  rm -f "$to/$student"/*.log
  points=0 row='' cells='' page=''
  for id in "${ids[@]}"; do
    # Of several files for one exercise the best counts: PASS, then whatever was tried, then TODO.
    verdict='' best=
    for answer in ${handed[$student/$id]:-}; do
      this=
      read -r this <"$answers/$answer/verdict"
      case $this in PASS) verdict=PASS best=$answer; break ;; TODO) verdict=${verdict:-TODO} ;; *) verdict=$this best=$answer ;; esac
    done
    [ "$verdict" != PASS ] || points=$((points + 1))
    row+=",\"$verdict\"" cells+="<td class=$(class_of "$verdict")>${verdict:--}"
    [ -n "$best" ] || continue
    cp "$answers/$best/log" "$to/$student/$id.log"
    page+="<h2 class=$(class_of "$verdict")>$id: $verdict</h2><pre>$(escape "$to/$student/$id.log")</pre>"
  done
  echo "$student,$points$row" >>"$to/table.csv"
  echo "<tr><td><a href=\"$student/feedback.html\">$student</a><td>$points$cells" >>"$to/table.html"
  echo "<!doctype html><title>$student</title>$style<h1>$student: $points points</h1>
<p>A point for each exercise that passes. A finding of clcsim costs the point even where the result is right: it was luck.</p>
$page" >"$to/$student/feedback.html"
done
echo "</table>" >>"$to/table.html"
checked=$((${#first_ones[@]} + ${#again[@]}))
echo "${#students[@]} students, $files files; $checked answers checked in $((SECONDS - began)) s, \
$((100 * compiling / (compiling + checking + 1))) % of it compiling"
echo "$to/table.html, table.csv; for each student a folder with logs and feedback.html"
