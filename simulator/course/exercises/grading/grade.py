#!/usr/bin/env python3
"""Checks what a class has handed in:

    python3 simulator/course/exercises/grading/grade.py [--only 01.1,03.1] [--to graded] [--installed] FOLDER

FOLDER has a folder or a .zip for each student; its name is the student's. What lies in it may be called
anything: an exercise is known by its first line ("// Exercise 01.1").

Writes to "graded": table.csv, with a row for each student and a word for each exercise; and NAME.html, to give back. --only names
the exercises that were set: nothing is said of others. Started again, it checks what is new. Students' code is compiled and run in sandbox.sh, which says what that keeps away.
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
pre{background:#f4f4f4;padding:1em;white-space:pre-wrap}</style>
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
    parser.add_argument("--only", metavar="01.1,03.1", help="the exercises that were set (all)")
    parser.add_argument("--installed", action="store_true", help="the class works with an installed course: the pages have its commands")
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


def that_were_set(exercises, only):
    wanted = only.replace(".", "_").split(",") if only else list(exercises)
    for unknown in set(wanted) - set(exercises):
        stop(f"there is no exercise {unknown.replace('_', '.')}")
    return {identity: exercises[identity] for identity in exercises if identity in wanted}


def minutes_of(identity, path):
    """As the chapter's page of exercises says; the lab, which a person grades, has none."""
    page = (path.parent.parent / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(identity.replace('_', '.'))} [^\n]*\n\s*\*[^*]*?(\d+) minutes\*", page, re.M)
    return int(found[1]) if found else 0


def note_identical(students, exercises):
    """Files that are alike but for comments and spaces. Predictions are alike if they are right."""
    said = {}
    for identity, path in exercises.items():
        if re.search("_(predict|timeline)$", path.parent.name):
            continue
        alike = {code_of(path.read_text(encoding="utf-8")): None}
        if path.with_name("solution.cu").is_file():
            alike[code_of(path.with_name("solution.cu").read_text(encoding="utf-8"))] = ["solution.cu"]
        for student in students:
            for code in {code_of(text) for exercise, text in student.answers if exercise == identity}:
                if (group := alike.setdefault(code, [])) is not None:
                    group.append(student.name)
        for group in filter(None, alike.values()):
            for name in group:
                others = [other for other in group if other != name]
                if others:
                    said.setdefault(name, []).append(f"{identity.replace('_', '.')}: {', '.join(others)}")
    for student in students:
        student.identical = said.get(student.name, [])


def code_of(text):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    return re.sub(r"\s+|kReady[ ={]*(true|false)", "", text)


def check_answers(students, checker, exercises):
    """Of several answers to one exercise the best counts: PASS, then what was tried, then TODO."""
    rank = {"PASS": 0, "NOT CHECKED": 1, "TODO": 3}
    told = checker.check_all({(exercise, text) for student in students for exercise, text in student.answers
                              if exercise in exercises and not handed_in.NOT_READY.search(text)})
    for student in students:
        for exercise, text in student.answers:
            if exercise not in exercises:
                continue
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
    minutes = {identity: minutes_of(identity, file) for identity, file in exercises.items()}
    rows = [["student", "passed", "of", "minutes passed", "minutes set", "trouble", "identical files", *exercises]]
    if "06_lab" in exercises:
        rows[0].append("lab's points, of 20")  # a person gives them
    for student in students:
        words = [student.verdicts[exercise]["verdict"] if exercise in student.verdicts else "" for exercise in exercises]
        passed = [exercise for exercise, word in zip(exercises, words) if word == "PASS"]
        rows.append([student.name, len(passed), len(words), sum(minutes[exercise] for exercise in passed), sum(minutes.values()),
                     "; ".join(student.troubles), "; ".join(student.identical), *words])
    with open(path, "w", encoding="utf-8-sig", newline="") as file:  # with its mark, since Excel takes ö for two characters
        csv.writer(file).writerows([cell(value) for value in row] for row in rows)


def write_page(path, student, exercises, installed):
    title = html.escape(student.name)
    page = [f"<!doctype html><html lang=en><title>{title}</title>{STYLE}<h1>{title}</h1>\n"
            "<p>An exercise passes if the result is right and no rule is broken. Where clcsim reports a finding, a right result "
            "was luck.</p>\n", *(f"<p class=trouble>{html.escape(trouble)}</p>\n" for trouble in student.troubles)]
    todo = []
    for exercise in exercises:
        name = exercise.replace("_", ".")
        if exercise not in student.verdicts or student.verdicts[exercise]["verdict"] == "TODO":
            todo.append(name)
            continue
        verdict, text = student.verdicts[exercise]["verdict"], student.verdicts[exercise]["text"]
        if installed:
            text = text.replace("build/bin/clcsim", "clcsim").replace("build/exercises/", ".clc-exercise/")
        page.append(f"<h2 class={'pass' if verdict == 'PASS' else 'wrong'}>{name}: {html.escape(verdict)}</h2>\n"
                    f"<pre>{html.escape(text)}</pre>\n")
    if todo:
        page.append(f"<p class=todo>Not done: {', '.join(todo)}</p>\n")
    path.write_text("".join(page) + "</html>\n", encoding="utf-8")


def main():
    options = parse_arguments()
    build, began = options.build.resolve(), time.monotonic()
    known = exercises_of(build)
    exercises = that_were_set(known, options.only)
    students = handed_in.read_class(options.folder, known)
    if not students:
        stop(f"{options.folder} has neither a folder nor a .zip in it: there is nobody to grade")
    try:
        checker = checking.Checker(COURSE, build, known, options.to.resolve() / ".work")
    except checking.CannotCheck as error:
        stop(error)
    check_answers(students, checker, exercises)
    note_identical(students, exercises)
    for student in students:
        for trouble in student.troubles:
            print(f"grade.py: {student.name}: {trouble}", file=sys.stderr)
    write_table(options.to / "table.csv", students, exercises)
    for student in students:
        write_page(options.to / f"{student.name}.html", student, exercises, options.installed)
    print(f"{options.to}/table.csv: {len(students)} students; {checker.checked} answers checked in "
          f"{time.monotonic() - began:.0f} s. For each student, {options.to}/NAME.html")


if __name__ == "__main__":
    main()
