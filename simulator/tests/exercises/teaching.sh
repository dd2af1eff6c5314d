#!/usr/bin/env bash
# Whether the class's papers agree with each other and with what is there:
#   teaching.sh BUILD
# the plan's minutes, its slides, the exercises and pitfalls that it names; the exercises' minutes; the quizzes' numbers.
set -uo pipefail
list=$1/exercises/list.txt
cd "$(dirname "$0")/../../.."
lesson=common/teaching/lesson.md slides=common/teaching/slides.md teaching=common/TEACHING.md

status=0
wrong() { echo "$1"; status=1; }
ids=$(cut -d' ' -f1 "$list" | tr _ .)
chapters=$(cut -d. -f1 <<<"$ids" | sort -u)
[ -n "$ids" ] || wrong "no exercises in $list"

# The plan: each row begins where the one before ends, and slide follows slide.
mapfile -t notes < <(sed -n 's/^Note: //p' "$slides")
[ "${#notes[@]}" = "$(grep -c '^# ' "$slides")" ] || wrong "$slides: not every slide has a note"
now=0 buffers=0 slide=1
while IFS='|' read -r _ from minutes what range _; do
  [ "$((from))" = $now ] || wrong "$lesson: the row at minute $((from)) begins at $now"
  [[ $what != *Buffer* ]] || buffers=$((buffers + minutes))
  if [[ $range =~ ([0-9]+)(.*[^0-9]([0-9]+))? ]]; then
    [ "${BASH_REMATCH[1]}" = $slide ] || wrong "$lesson: minute $now begins with slide ${BASH_REMATCH[1]}, not with $slide"
    [[ ${notes[slide - 1]} == "Minute $now. "* ]] || wrong "$slides: the note of slide $slide does not begin with minute $now"
    slide=$((${BASH_REMATCH[3]:-${BASH_REMATCH[1]}} + 1))
  fi
  now=$((now + minutes))
done < <(grep -E '^\| [0-9]+ \| [0-9]+ \|' "$lesson")
[ $now = 90 ] || wrong "$lesson: the rows have $now minutes"
[ $((slide - 1)) = "${#notes[@]}" ] || wrong "$lesson: the rows have $((slide - 1)) slides, $slides has ${#notes[@]}"
grep -q "$buffers of the 90 minutes" "$lesson" || wrong "$lesson: the buffers have $buffers minutes"

# A word in bold is explained on its slide, and stands on none before it, nor in its note.
early=$(awk '
  /^# / { ++slide }
  { said[slide] = said[slide] " " tolower($0)
    for (rest = tolower($0); match(rest, /[*][*][^*]+[*][*]/); rest = substr(rest, RSTART + RLENGTH)) {
      word = substr(rest, RSTART + 2, RLENGTH - 4)
      sub(/s$/, "", word)
      if (!(word in explained)) explained[word] = slide
    } }
  END { for (word in explained) for (i = 1; i < explained[word]; ++i) if (index(said[i], word)) print word " on slide " i ", explained on " explained[word] }
' "$slides")
[ -z "$early" ] || wrong "$slides: $early"

# What it names exists; what the slides run, the plan runs, and so a test does.
for name in $(grep -ohE 'exercise_[0-9]+_[a-z0-9]+' "$lesson" "$slides" "$teaching" | sed 's/exercise_//; s/_/./' | sort -u) \
            $(grep -ohE "\b(${chapters//$'\n'/|})\.[1-9]\b" "$lesson" "$slides" "$teaching" common/teaching/answers_*.md | sort -u); do
  grep -qx "$name" <<<"$ids" || wrong "there is no exercise $name"
done
while read -r command; do
  grep -qxF "$command" "$lesson" || wrong "$slides: $lesson does not have: $command"
done < <(grep '^build/bin/\|^cmake ' "$slides")

for name in $(sed -n '/^## Frequent misunderstandings/,$p' "$teaching" | grep -oE '`[a-z]+(-[a-z]+)+`' | tr -d '`'); do
  grep -qE "^#+ $name\$" 05_ub_pitfalls/README.md || wrong "$teaching: chapter 05 has no $name"
done

while read -r task; do
  grep -qF "title: '$task'" simulator/course/playground/page/steps.js || wrong "$lesson: the playground has no task $task"
done < <(tr '\n' ' ' <"$lesson" | grep -oE 'the tasks \*[^*]+\* and \*[^*]+\*' | grep -oE '\*[^*]{5,}\*' | tr -d '*')

# Each exercise says its minutes; a chapter's sum is that of its page and of the teacher's table.
of_chapter() { grep -hoE "^\*[^*]*, [0-9]+ minutes\*" "$1"*/exercises/README.md | grep -oE '[0-9]+ minutes' | awk '{ n += $1 } END { print n + 0 }'; }
for chapter in $chapters; do
  sum=$(of_chapter $chapter)
  [ "$(grep -cE "^\*[^*]*, [0-9]+ minutes\*" $chapter*/exercises/README.md)" = "$(grep -c "^$chapter\.[0-9]" <<<"$ids")" ] ||
    wrong "chapter $chapter: not every exercise says how many minutes it takes"
  grep -q "about $sum minutes" $chapter*/exercises/README.md || wrong "chapter $chapter: its exercises have $sum minutes"
  told=$(sed -nE "s/^\| $chapter\.[0-9].*\| ([0-9]+) \|$/\1/p" "$teaching" | awk '{ n += $1 } END { print n + 0 }')
  [ "$told" = "$sum" ] || wrong "$teaching: chapter $chapter has $told minutes, its exercises $sum"
done
grep -q "$(wc -l <<<"$ids") exercises" "$teaching" || wrong "$teaching: there are $(wc -l <<<"$ids") exercises"

# The paths: the minutes in parentheses are those of the exercises and chapters, and their sum is the row's.
paths=$(sed -n '/^| you have |/,/^$/p' "$teaching" | tail -n +3)
while IFS='|' read -r _ name what minutes _; do
  sum=$(grep -oE '\([0-9]+\)' <<<"$what" | tr -d '()' | awk '{ n += $1 } END { print n }')
  [ "$((sum))" = "$((minutes))" ] || wrong "$teaching:$name: $sum minutes, not$minutes"
done <<<"$paths"
[ -n "$paths" ] || wrong "$teaching has no paths"
while read -r kind id minutes; do
  case $kind in
    exercise) is=$(awk -v id="$id" '$1 == "##" { inside = $2 == id } inside && match($0, /, [0-9]+ minutes\*/) { print substr($0, RSTART + 2) + 0 }' \
      "${id%.*}"*/exercises/README.md) ;;
    of) is=$(of_chapter "$id") ;;
    reading) is=$(sed -n '1,8p' "$id"*/README.md | grep -oE '[0-9]+ minutes\*\*' | cut -d' ' -f1) ;;
  esac
  [ "$is" = "$minutes" ] || wrong "$teaching: $kind $id takes $is minutes, not $minutes"
done < <(grep -oE '(of |reading )?[0-9]{2}(\.[1-9])? \([0-9]+\)' <<<"$paths" | tr -d '()' | sed -E 's/^[0-9]/exercise &/')

# The lab's rows are the time that it is said to take.
lab=$(awk '/^## Half a day/ { inside = 1 } /^## Exercises/ { inside = 0 } inside && /^\| [0-9]+ \|/ { n += $2 } END { print n }' "$teaching")
grep -qE "^\| 06 lab .*\| $lab \|$" "$teaching" || wrong "$teaching: the lab's rows have $lab minutes"

seeds=$(awk '$1 == "06_lab" { print $4 }' "$list")
grep -q "under all $seeds seeds" 06_for_each_canceled_block/exercises/lab_spmv/README.md || wrong "lab_spmv/README.md: the lab is checked under $seeds seeds"

# Every question has its answer, in order.
numbers() { grep -oE '^\*\*[0-9]+\.\*\*' "$1"; }
while read -r questions answers; do
  [ "$(numbers "$questions")" = "$(numbers "common/teaching/$answers")" ] || wrong "$questions and $answers have different numbers"
  [ "$(numbers "$questions")" = "$(seq "$(numbers "$questions" | wc -l)" | sed 's/.*/**&.**/')" ] || wrong "$questions: a number is missing"
done <<'END'
03_clc_basic/quiz.md answers_quiz_1.md
06_for_each_canceled_block/quiz.md answers_quiz_2.md
common/FINAL_QUIZ.md answers_final_quiz.md
END
grep -q "^$(numbers common/FINAL_QUIZ.md | wc -l) questions" common/FINAL_QUIZ.md || wrong "common/FINAL_QUIZ.md has another number of questions"
exit $status
