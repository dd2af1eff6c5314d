#!/usr/bin/env python3
"""Checks what a class has handed in:

    python3 simulator/course/exercises/grading/grade.py [--to graded] FOLDER

FOLDER has a folder or a .zip for each student; its name is the student's. What lies in it may be called
anything: an exercise is known by its first line ("// Exercise 01.1").

Writes to "graded": table.csv, with a row for each student and a word for each exercise; and NAME.html, to give back. Started
again, it checks what is new. Students' code is compiled and run in sandbox.sh, which says what that keeps away.
"""
import argparse
import csv
import html
import pathlib
import re
import sys
import time

import checking
import handed_in

COURSE = pathlib.Path(__file__).resolve().parents[4]
STYLE = """<meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>
body{font:15px sans-serif;margin:2em}.pass{background:#cfc}.wrong{background:#fdd}.todo{color:#777}.trouble{color:#a00}
pre{background:#f4f4f4;padding:1em;overflow:auto}</style>
"""


def stop(sentence):
    sys.exit(f"grade.py: {sentence}")


def parse_arguments():
    class Parser(argparse.ArgumentParser):
        def error(self, message):
            stop(message)

    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("--to", default="graded", type=pathlib.Path, help="where the table and the pages go (graded)")
    parser.add_argument("--build", default=COURSE / "build", type=pathlib.Path, help="the course's build folder")
    options = parser.parse_args()
    if not options.folder.is_dir():
        stop(f"there is no folder {options.folder}")
    return options


def exercises_of(build):
    """{id: the file that students edit}, from the list that CMake writes."""
    try:
        lines = (build / "exercises/list.txt").read_text(encoding="utf-8").splitlines()
    except OSError:
        stop(f"{build} is not configured; bash common/setup.sh tour does it")
    return {identity: COURSE / file for identity, file, *_ in map(str.split, lines)}


def check_answers(students, checker):
    """Of several answers to one exercise the best counts: PASS, then what was tried, then TODO."""
    rank = {"PASS": 0, "NOT CHECKED": 1, "TODO": 3}
    told = checker.check_all({(exercise, text) for student in students for exercise, text in student.answers
                              if not handed_in.NOT_READY.search(text)})
    for student in students:
        for exercise, text in student.answers:
            verdict = told.get((exercise, text), {"verdict": "TODO", "text": ""})
            best = student.verdicts.setdefault(exercise, verdict)
            if rank.get(verdict["verdict"], 2) < rank.get(best["verdict"], 2):
                student.verdicts[exercise] = verdict
        student.troubles += [f"{exercise.replace('_', '.')} could not be checked: it found too little memory, room or processes"
                             for exercise, verdict in sorted(student.verdicts.items()) if verdict["verdict"] == "NOT CHECKED"]


def cell(value):
    """A spreadsheet takes a text that begins so for a formula."""
    return "'" + value if isinstance(value, str) and re.match(r"[=+\-@\t\r]", value) else value


def write_table(path, students, exercises):
    rows = [["student", "passed", "of", "trouble", *exercises]]
    for student in students:
        words = [student.verdicts[exercise]["verdict"] if exercise in student.verdicts else "" for exercise in exercises]
        rows.append([student.name, words.count("PASS"), len(words), "; ".join(student.troubles), *words])
    with open(path, "w", encoding="utf-8-sig", newline="") as file:  # with its mark, since Excel takes ö for two characters
        csv.writer(file).writerows([cell(value) for value in row] for row in rows)


def write_page(path, student, exercises):
    title = html.escape(student.name)
    page = [f"<!doctype html><html lang=en><title>{title}</title>{STYLE}<h1>{title}</h1>\n"
            "<p>An exercise passes if the result is right and no rule is broken. Where clcsim reports a finding, a right result "
            "was luck.</p>\n", *(f"<p class=trouble>{html.escape(trouble)}</p>\n" for trouble in student.troubles)]
    for exercise in exercises:
        if exercise in student.verdicts:
            verdict, text = student.verdicts[exercise]["verdict"], student.verdicts[exercise]["text"]
            kind = {"PASS": "pass", "TODO": "todo"}.get(verdict, "wrong")
            page.append(f"<h2 class={kind}>{exercise.replace('_', '.')}: {html.escape(verdict)}</h2>\n"
                        f"<pre>{html.escape(text)}</pre>\n")
    path.write_text("".join(page) + "</html>\n", encoding="utf-8")


def main():
    options = parse_arguments()
    build, began = options.build.resolve(), time.monotonic()
    exercises = exercises_of(build)
    students = handed_in.read_class(options.folder, exercises)
    if not students:
        stop(f"{options.folder} has neither a folder nor a .zip in it: there is nobody to grade")
    try:
        checker = checking.Checker(COURSE, build, exercises, options.to.resolve() / ".work")
    except checking.CannotCheck as error:
        stop(error)
    check_answers(students, checker)
    for student in students:
        for trouble in student.troubles:
            print(f"grade.py: {student.name}: {trouble}", file=sys.stderr)
    write_table(options.to / "table.csv", students, exercises)
    for student in students:
        write_page(options.to / f"{student.name}.html", student, exercises)
    print(f"{options.to}/table.csv: {len(students)} students; {checker.checked} answers checked in "
          f"{time.monotonic() - began:.0f} s. For each student, {options.to}/NAME.html")


if __name__ == "__main__":
    main()
