#!/usr/bin/env bash
# Whether what the class's papers name is there, and what the slides run is run by a test:
#   teaching.sh BUILD
set -uo pipefail
list=$1/exercises/list.txt
cd "$(dirname "$0")/../../.."
lesson=common/teaching/lesson.md slides=common/teaching/slides.md teaching=common/TEACHING.md

status=0
wrong() { echo "$1"; status=1; }
ids=$(cut -d' ' -f1 "$list" | tr _ .)
chapters=$(cut -d. -f1 <<<"$ids" | sort -u | paste -s -d '|')
[ -n "$ids" ] || wrong "no exercises in $list"

for name in $(grep -ohE 'exercise_[0-9]+_[a-z0-9]+' "$lesson" "$slides" "$teaching" | sed 's/exercise_//; s/_/./' | sort -u) \
            $(grep -ohE "\b($chapters)\.[1-9]\b" "$lesson" "$slides" "$teaching" common/teaching/answers_*.md | sort -u); do
  grep -qx "$name" <<<"$ids" || wrong "there is no exercise $name"
done
while read -r command; do  # page.common/teaching/lesson runs them
  grep -qxF "$command" "$lesson" || wrong "$slides: $lesson does not have: $command"
done < <(grep '^build/bin/\|^cmake ' "$slides")

slides_installed=$(mktemp)
bash common/teaching/slides.sh --installed "$slides_installed" >/dev/null || wrong "slides.sh --installed failed"
! grep -nE 'cmake --build|build/bin|task\.cu' "$slides_installed" || wrong "slides.sh --installed: an installed course has none of these"
rm "$slides_installed"

# Who can't see a picture is told what it shows.
while read -r alternative; do
  [ "$(wc -w <<<"$alternative")" -ge 25 ] || wrong "$slides: too short a text for a picture: $alternative"
done < <(sed -n 's/^!\[\(.*\)\](.*/\1/p' "$slides")

# What is set in four weeks is there, and each exercise has its question.
weeks=common/teaching/four_weeks.md
diff <(tr ' ' . <<<"$ids" | sort) <(sed -n 's/^| \([0-9][0-9]\)[ .]\([0-9a-z]*\) | .* | .* |$/\1.\2/p' "$weeks" | sort) ||
  wrong "$weeks: the questions are not those of the exercises"

# Quizzes to print: no answer in a student's page, all answers in the teacher's.
printed=$(mktemp -d)
python3 common/teaching/quizzes.py --without 1.8,1.10 "$printed" >/dev/null || wrong "quizzes.py failed"
for version in a b; do
  [ "$(grep -c '<li>' "$printed/quiz_1_$version.html")" = 10 ] || wrong "quiz_1_$version: not 10 questions"
  [ "$(grep -c '<li>' "$printed/final_quiz_$version.html")" = 16 ] || wrong "final_quiz_$version: not 16 questions"
  ! grep -l 'build/bin\|the teacher' "$printed"/quiz_?_$version.html "$printed/final_quiz_$version.html" || wrong "an answer is printed for students"
  grep -q 'No thread writes the response' "$printed/answers_quiz_1_$version.html" || wrong "answers_quiz_1_$version: an answer is missing"
done
! cmp -s "$printed/quiz_2_a.html" "$printed/quiz_2_b.html" || wrong "the two versions are alike"
[[ $(python3 common/teaching/quizzes.py --without 4.1 "$printed" 2>&1) == "quizzes.py: there is no question 4.1" ]] || wrong "quizzes.py: an unknown question"
rm -r "$printed"

# Every question has its answer, in order.
numbers() { grep -oE '^\*\*[0-9]+\.\*\*' "$1"; }
while read -r questions answers; do
  [ "$(numbers "$questions")" = "$(numbers "common/teaching/$answers")" ] || wrong "$questions and $answers have different numbers"
done <<'END'
03_clc_basic/quiz.md answers_quiz_1.md
06_for_each_canceled_block/quiz.md answers_quiz_2.md
common/FINAL_QUIZ.md answers_final_quiz.md
END
exit $status
