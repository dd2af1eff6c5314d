#!/usr/bin/env python3
"""Checks what students have handed in, and gives points:

    python3 common/teaching/grade.py [--to graded] [--roster FILE] [--points FILE] FOLDER...

FOLDER is what a learning platform gives (its archive, or that unpacked), or a folder with a sub-folder, an archive (.zip,
.tar.gz, ..., .7z) or a file student_1_tail.cu for each student, or one student's. How deep the files lie and what they are
called doesn't matter: an exercise is known by its first line ("// Exercise 01.1"), or else by its place or name.

Writes to "graded": table.html and table.csv; for each student the logs and feedback.html, to give back; alike.html, with
equal and renamed answers side by side; rubric_06_lab.csv, for the points that a person gives (fill it in, start this again);
and, with a roster, platform.csv, to upload. Started again, it checks what is new. Students' code is compiled and run in
sandbox.sh, which says what that keeps away.
"""
import argparse
import dataclasses
import os
import pathlib
import sys
import time

from grading import answers, checking, found, people, points, tables

COURSE = pathlib.Path(__file__).resolve().parent.parent.parent


@dataclasses.dataclass
class Row:
    """One student in the tables."""
    label: str
    number: str
    team: str
    folder: str
    rows: list  # of the roster
    troubles: list
    others: list
    answers: list
    verdicts: dict = dataclasses.field(default_factory=dict)
    texts: dict = dataclasses.field(default_factory=dict)
    filled: dict = dataclasses.field(default_factory=dict)
    points: float = 0.0


def stop(sentence):
    sys.exit(f"grade.py: {sentence}")


def note(sentence):
    print(f"grade.py: {sentence}", file=sys.stderr)


def parse_arguments():
    class Parser(argparse.ArgumentParser):
        def error(self, message):
            print(f"grade.py: {message}", file=sys.stderr)
            sys.exit(2)

    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("folders", nargs="+", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("--to", default="graded", type=pathlib.Path, help="where the tables go (graded)")
    parser.add_argument("--build", default=COURSE / "build", type=pathlib.Path, help="the course's build folder")
    parser.add_argument("--roster", type=pathlib.Path, help="a CSV with the class: Moodle's grading worksheet, Canvas's "
                        "grade book, or columns name, number, email, team")
    parser.add_argument("--column", help="the roster's column for the points (Grade, or a new one)")
    parser.add_argument("--points", type=pathlib.Path, help="a CSV of lines exercise,points; common/teaching/points.csv is "
                        "one. Without it: 1 for each")
    options = parser.parse_args()
    for folder in options.folders:
        if not folder.exists():
            parser.error(f"there is no folder {folder}")
    if not options.build.is_dir():
        parser.error(f"there is no folder {options.build}")
    return options


def check_sandbox():
    if checking.sandbox("--works").returncode == 0:
        seen = checking.sandbox("--see", COURSE / "common", "cat", COURSE / "common/check.h", capture_output=True)
        if seen.returncode != 0:
            stop(f"students' code runs as the user nobody, who can't read this folder: chmod -R o+rX '{COURSE}'")
    elif os.getuid() == 0:
        stop("there is no bubblewrap that works here, and root doesn't run students' code without it: apt-get install "
             "bubblewrap, or be an ordinary user")
    else:
        note("warning: there is no bubblewrap that works here (Debian, Ubuntu: apt-get install bubblewrap).\n"
             "  Students' code, which nobody has read, now runs with your rights: it can read and delete your files and use\n"
             "  the network. Time, memory and the size of files are limited. A container is safer.")


def rows_of(students, roster):
    """A row for each of the roster, in its order, and then for each who isn't in it."""
    identities = [student.identity for student in students]
    who = people.match(identities, roster) if roster else {identity: ([], "") for identity in identities}
    rows, strangers = [], []
    for person in roster.people if roster else []:
        of_person = [student for student in students if person in who[student.identity][0]]
        answered = [answer for student in of_person for answer in student.answers]
        rows.append(Row(person.name, next((s.identity.number for s in of_person if s.identity.number), ""), person.team, "",
                        [person.row], [trouble for s in of_person for trouble in s.troubles] or
                        ([] if of_person else ["nothing was handed in"]), [o for s in of_person for o in s.others], answered))
    for student in students:
        matched, why = who[student.identity]
        if not matched:
            strangers.append(Row(student.identity.name or "(no name)", student.identity.number, "", "", [],
                                 ([why] if why else []) + student.troubles, student.others, student.answers))
    rows += strangers
    label(rows)
    return rows


def label(rows):
    """Names that occur once: with the number, or else a count, where two have the same."""
    names = [row.label for row in rows]
    used = set()
    for row in rows:
        if names.count(row.label) > 1 and row.number:
            row.label += f" {row.number}"
        name, count = row.label, 1
        while row.label.casefold() in used:
            count += 1
            row.label = f"{name} ({count})"
        used.add(row.label.casefold())
        row.folder = people.plain(row.label).replace(" ", "_").lstrip(".") or "_"


def best_of(answered, verdicts):
    """Of several files for one exercise the best counts: PASS, then what was tried, then TODO."""
    rank = {"PASS": 2, "TODO": 0}
    return max(answered, key=lambda answer: rank.get(verdicts[answer[0], answer[2]]["verdict"], 1))


def check_answers(rows, checker):
    handed, verdicts = {}, {}
    for row in rows:
        for exercise, _, text in row.answers:
            if answers.NOT_READY.search(text):  # is not compiled
                verdicts[exercise, text] = {"verdict": "TODO", "text": ""}
            else:
                handed[exercise, text] = answers.code_of(text)
    verdicts |= checker.check_all(handed)
    for row in rows:
        for exercise in checker.exercises.files:
            mine = [answer for answer in row.answers if answer[0] == exercise]
            if mine:
                verdict = verdicts[exercise, best_of(mine, verdicts)[2]]
                row.verdicts[exercise], row.texts[exercise] = verdict["verdict"], verdict["text"]


def alike(rows, exercises):
    groups = []
    for exercise, file in exercises.files.items():
        handed = [(row.label, text) for row in rows for answer, _, text in row.answers
                  if answer == exercise and not answers.NOT_READY.search(text)]
        teams = {row.label: row.team for row in rows}
        for how, group in answers.alike(handed, file.read_text(encoding="utf-8")):
            if len({teams[label] or label for label, _ in group}) > 1:  # within a team it is meant
                groups.append((exercise, how, group))
    return groups


def give_points(rows, rules, filled):
    for row in rows:
        row.filled = {exercise: filled.get((exercise, row.label), {}) for exercise in row.verdicts}
        row.points = rules.in_all(rules.for_exercise(exercise, verdict, row.filled[exercise])
                                  for exercise, verdict in row.verdicts.items())


def write(folder, rows, roster, options, rules, exercises):
    tables.write_table(folder, rows, exercises, rules)
    for row in rows:
        tables.write_feedback(folder, row, rules)
    tables.write_rubric(folder, rows, rules)
    tables.write_alike(folder, alike(rows, exercises))
    if roster:
        handed_in = {number: row for row in rows for number in row.rows if row.answers or row.troubles != ["nothing was handed in"]}
        tables.write_for_platform(
            folder / "platform.csv", roster, options.column, {number: row.points for number, row in handed_in.items()},
            {number: "; ".join(f"{exercise}: {verdict}" for exercise, verdict in row.verdicts.items())
             for number, row in handed_in.items()}, rules.whole)


def main():
    options = parse_arguments()
    build = options.build.resolve()
    began = time.monotonic()
    try:
        lines = (build / "exercises/list.txt").read_text().splitlines()
    except OSError:
        stop(f"{build} is not configured; bash common/setup.sh tour does it")
    exercises = answers.Exercises(COURSE, lines)
    try:
        roster = people.read_roster(options.roster) if options.roster else None
        rules = points.Points(exercises, options.points)
        filled = points.read_filled(options.to, rules)
        options.to.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        stop(error)
    check_sandbox()
    everything = found.Found(exercises)
    for folder in options.folders:
        everything.read(folder)
    students = everything.finish()
    if not students:
        stop("there is nothing in there that a student has handed in")
    rows = rows_of(students, roster)
    for row in rows:
        for trouble in row.troubles:
            note(f"{row.label}: {trouble}")
    try:
        checker = checking.Checker(COURSE, build, exercises, options.to.resolve() / ".work")
    except checking.CannotCheck as error:
        stop(error)
    check_answers(rows, checker)
    give_points(rows, rules, filled)
    write(options.to, rows, roster, options, rules, exercises)
    files = sum(len(row.answers) for row in rows)
    busy = checker.compiling + checker.checking
    print(f"{len(rows)} students, {files} files; {checker.checked} answers checked in {time.monotonic() - began:.0f} s, "
          f"{100 * checker.compiling / busy if busy else 0:.0f} % of it compiling")
    print(f"{options.to}/table.html, table.csv; for each student a folder with logs and feedback.html")


if __name__ == "__main__":
    main()
