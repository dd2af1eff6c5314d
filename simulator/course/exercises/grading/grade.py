#!/usr/bin/env python3
"""Checks what a class has handed in:

    python3 simulator/course/exercises/grading/grade.py [--only 01.1,03.1] [--to graded] [--installed] FOLDER

FOLDER has a folder or a .zip for each student; its name is the student's. What lies in it may be called
anything: an exercise is known by its first line ("// Exercise 01.1").

Writes to "graded": table.csv, with a row for each student and a word for each exercise; and NAME.html, to give back. --only names
the exercises that were set: nothing is said of others. Started again, it checks what is new. Students' code is compiled and run in
bubblewrap: without a network, your files or other students' answers.
"""
import argparse
import concurrent.futures
import csv
import dataclasses
import hashlib
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile
import zlib

COURSE = pathlib.Path(__file__).resolve().parents[4]
HEAD = re.compile(r"^// *Exercise (\d+)\.([0-9a-z]+)", re.M)
NOT_READY = re.compile(r"^[^/\n]*kReady *[={] *false", re.M)
SOURCE = re.compile(r"\.cu(\.txt)?$", re.I)
# What lies in a clone of the course and isn't the student's.
OF_THE_COURSE = re.compile(r"(^|/)(\.git|__MACOSX|build[^/]*|simulator|common)/|/solution\.cu$|(^|/)\d\d_[a-z_]+/[a-z_]+\.cu$")
LARGEST = 200_000  # bytes of an answer
SECONDS, LIMITS = "150", "ulimit -v 4000000 -f 50000 -c 0"  # of a compiler or program
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


def exercises_of(build, only):
    """{id: the file that students edit} of all, from the list that CMake writes, and of those that were set."""
    try:
        lines = (build / "exercises/list.txt").read_text(encoding="utf-8").splitlines()
    except OSError:
        stop(f"{build} is not configured; bash common/setup.sh tour does it")
    known = {identity: COURSE / file for identity, file, *_ in map(str.split, lines)}
    wanted = only.replace(".", "_").split(",") if only else list(known)
    for unknown in set(wanted) - set(known):
        stop(f"there is no exercise {unknown.replace('_', '.')}")
    return known, {identity: known[identity] for identity in known if identity in wanted}


# ---- what was handed in ----

@dataclasses.dataclass
class Student:
    name: str
    answers: list = dataclasses.field(default_factory=list)   # (exercise's id, text)
    troubles: list = dataclasses.field(default_factory=list)  # what could not be read
    verdicts: dict = dataclasses.field(default_factory=dict)  # exercise's id: {verdict, text}


def read_class(folder, exercises):
    students = []
    for path in sorted(path for path in folder.iterdir() if not path.name.startswith(".")):
        student = Student(path.stem if path.suffix.lower() == ".zip" else path.name)
        students.append(student)
        for name, data in files_of(path, student):
            take(student, name, data, exercises)
        if not student.answers:
            student.troubles.append("no exercise was found")
    return students


def files_of(path, student):
    """(name, bytes) of each .cu file, those in archives included. Nothing is unpacked, and no link is followed."""
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        name = file.relative_to(path).as_posix() if file != path else file.name
        if file.is_symlink() or not file.is_file() or OF_THE_COURSE.search(name):
            continue
        if file.suffix.lower() == ".zip":
            try:
                with zipfile.ZipFile(file) as archive:
                    for member in archive.infolist():
                        if SOURCE.search(member.filename) and not OF_THE_COURSE.search(member.filename):
                            with archive.open(member) as opened:
                                yield member.filename, opened.read(LARGEST + 1)  # whatever size it claims to have
            except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError, ValueError) as error:
                student.troubles.append(f"{name} can't be read ({error})")
        elif SOURCE.search(name):
            with open(file, "rb") as opened:
                yield name, opened.read(LARGEST + 1)


def take(student, name, data, exercises):
    text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "replace")
    head = HEAD.search(text[:2000])
    if len(data) > LARGEST:
        student.troubles.append(f"{name} is larger than {LARGEST // 1000} kB: left out")
    elif head is None:
        student.troubles.append(f"{name}: its first line, // Exercise NN.N, is gone")
    elif f"{head[1]}_{head[2]}" not in exercises:
        student.troubles.append(f"{name}: there is no exercise {head[1]}.{head[2]}")
    else:
        student.answers.append((f"{head[1]}_{head[2]}", text))


# ---- checking it ----

def sandbox(see, work, *words, **options):
    """Runs what nobody has read: it sees the system's programs and `see`, and writes to `work` alone."""
    system = [path for path in ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/nix") if os.path.exists(path)]
    see = [path for each in map(str, see) for path in (each, os.path.realpath(each)) if not path.startswith("/usr/")]
    view = [word for path in [*system, *see] for word in ("--ro-bind", path, path)]
    return subprocess.run(["timeout", "-k", "5", SECONDS, "bwrap", "--tmpfs", "/tmp", *view, "--bind", work, work, "--dev", "/dev", "--proc", "/proc",
                           "--unshare-all", "--new-session", "--die-with-parent", "--clearenv", "--setenv", "PATH", os.environ["PATH"],
                           "--setenv", "HOME", "/tmp", "--chdir", work, "bash", "-c", f"{LIMITS} && exec \"$@\"", "sandbox", *words],
                          stdin=subprocess.DEVNULL, check=False, **options)


class Checker:
    """Checks each answer once, whoever gave it."""

    def __init__(self, build, exercises, memory):
        self.build, self.exercises, self.memory = build, exercises, memory
        memory.mkdir(parents=True, exist_ok=True)
        if shutil.which("bwrap") is None or sandbox([], memory, "true", capture_output=True).returncode != 0:
            stop("students' code runs in bubblewrap, and there is none that works here: apt-get install bubblewrap")
        if subprocess.run(["cmake", "--build", build, "--target", "clcsim", "clc_student", "clc_exercise_check"], stdout=subprocess.DEVNULL,
                          check=False).returncode != 0:
            stop("the simulator can't be built; bash common/setup.sh tour says why")
        self.program = build / "bin/clc-exercise"
        self.sees = [COURSE / "CMakeLists.txt", COURSE / "common", *sorted(COURSE.glob("simulator/course/exercises/*.*h")),
                     COURSE / "simulator/course/exercises/hints.txt", COURSE / "simulator/clcsim/cudart/witness.h",
                     *(build / "exercises/sees.txt").read_text(encoding="utf-8").split("\n")[:-1]]

    def check(self, exercise, text):
        """{verdict, text}: remembered, until clc-exercise is built anew."""
        mark = f"{exercise} {os.stat(self.program).st_mtime_ns} {text}"
        work = self.memory / hashlib.sha256(mark.encode("utf-8", "surrogatepass")).hexdigest()[:24]
        known = work.with_suffix(".json")
        if not known.is_file():
            shutil.rmtree(work, ignore_errors=True)
            (work / ".git").mkdir(parents=True)  # reports name files as seen from the folder that has it
            (work / "task.cu").write_text(text, encoding="utf-8", errors="surrogatepass")
            known.write_text(json.dumps(self.verdict_of(exercise, work)), encoding="utf-8")
            shutil.rmtree(work)
        return json.loads(known.read_text(encoding="utf-8"))

    def verdict_of(self, exercise, work):
        folder = self.exercises[exercise].parent  # without its solution
        see = [*self.sees, folder / "check.h", folder / "hints.txt"]
        with open(work / "log", "wb") as log:
            compiled = sandbox(see, work, "bash", self.build / "exercises/compile.sh", exercise, "task.cu", "program", stdout=log,
                               stderr=subprocess.STDOUT).returncode
        if compiled in (124, 137):
            return {"verdict": "TOO SLOW TO COMPILE", "text": "It was stopped before it was compiled."}
        if compiled != 0:
            told = subprocess.run([self.program, "--compiler", exercise, work / "log", work / "task.cu"], capture_output=True, check=False)
            return {"verdict": "DOES NOT COMPILE", "text": told.stdout.decode(errors="replace")}
        ended = sandbox(see, work, self.program, "--json", exercise, work / "program", capture_output=True)
        try:
            return json.loads(ended.stdout)
        except ValueError:
            return {"verdict": "NOT CHECKED", "text": ended.stderr.decode(errors="replace") or "It was stopped before the check was done."}


def check_answers(students, checker, exercises):
    """Of several answers to one exercise the best counts: PASS, then what was tried, then TODO."""
    rank = {"PASS": 0, "TODO": 2}
    answers = sorted({answer for student in students for answer in student.answers
                      if answer[0] in exercises and not NOT_READY.search(answer[1])})
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        told = dict(zip(answers, pool.map(lambda answer: checker.check(*answer), answers)))
    for student in students:
        for answer in student.answers:
            if answer[0] in exercises:
                verdict = told.get(answer, {"verdict": "TODO", "text": ""})
                best = student.verdicts.setdefault(answer[0], verdict)
                if rank.get(verdict["verdict"], 1) < rank.get(best["verdict"], 1):
                    student.verdicts[answer[0]] = verdict
    return len(answers)


# ---- telling it ----

def minutes_of(identity, path):
    """As the chapter's page of exercises says; the lab, which a person grades, has none."""
    page = (path.parent.parent / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(identity.replace('_', '.'))} [^\n]*\n\s*\*[^*]*?(\d+) minutes\*", page, re.M)
    return int(found[1]) if found else 0


def cell(value):
    """A spreadsheet takes a text that begins so for a formula."""
    return "'" + value if isinstance(value, str) and re.match(r"[=+\-@\t\r]", value) else value


def write_table(path, students, exercises):
    minutes = {identity: minutes_of(identity, file) for identity, file in exercises.items()}
    rows = [["student", "passed", "of", "minutes passed", "minutes set", "trouble", *exercises]]
    if "06_lab" in exercises:
        rows[0].append("lab's points, of 20")  # a person gives them
    for student in students:
        words = [student.verdicts[exercise]["verdict"] if exercise in student.verdicts else "" for exercise in exercises]
        passed = [exercise for exercise, word in zip(exercises, words) if word == "PASS"]
        rows.append([student.name, len(passed), len(words), sum(minutes[exercise] for exercise in passed), sum(minutes.values()),
                     "; ".join(student.troubles), *words])
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
    known, exercises = exercises_of(options.build.resolve(), options.only)
    students = read_class(options.folder, known)
    if not students:
        stop(f"{options.folder} has neither a folder nor a .zip in it: there is nobody to grade")
    checked = check_answers(students, Checker(options.build.resolve(), known, options.to.resolve() / ".work"), exercises)
    for student in students:
        for trouble in student.troubles:
            print(f"grade.py: {student.name}: {trouble}", file=sys.stderr)
        write_page(options.to / f"{student.name}.html", student, exercises, options.installed)
    write_table(options.to / "table.csv", students, exercises)
    print(f"{options.to}/table.csv: {len(students)} students, {checked} answers. For each student, {options.to}/NAME.html")


if __name__ == "__main__":
    main()
