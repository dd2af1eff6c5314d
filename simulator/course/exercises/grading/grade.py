#!/usr/bin/env python3
"""Checks what a class has handed in:

    python3 simulator/course/exercises/grading/grade.py [--only 01.1,03.1] [--to graded] FOLDER

FOLDER has a folder or a .zip for each student; its name is the student's. What lies in it may be called anything: an exercise is
known by its first line ("// Exercise 01.1"). Writes to "graded": table.csv, with a row for each student and a word for each
exercise; and NAME.txt, to give back. --only names the exercises that were set: nothing is said of others.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

COURSE = pathlib.Path(__file__).resolve().parents[4]
HEAD = re.compile(r"^// *Exercise (\d+)\.([0-9a-z]+)", re.M)
NOT_READY = re.compile(r"^[^/\n]*kReady *[={] *false", re.M)
OF_THE_COURSE = re.compile(r"(^|/)(\.git|__MACOSX|build[^/]*|simulator|common)/|(^|/)solution\.cu$")
LARGEST = 200_000  # bytes of an answer
RANK = {"PASS": 0, "TODO": 2}  # of several answers to an exercise the best counts
SYSTEM = [folder for folder in ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc") if os.path.exists(folder)]


def stop(sentence):
    sys.exit(f"grade.py: {sentence}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.error = stop
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("--to", default="graded", type=pathlib.Path, help="where the table and the texts go (graded)")
    parser.add_argument("--only", metavar="01.1,03.1", help="the exercises that were set (all)")
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
    return {identity.replace("_", "."): COURSE / file for identity, file, *_ in map(str.split, lines)}


def minutes_of(name, path):
    """As the chapter's page of exercises says; the lab, which a person grades, has none."""
    page = (path.parent.parent / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(name)} [^\n]*\n\s*\*[^*]*?(\d+) minutes\*", page, re.M)
    return int(found[1]) if found else 0


def files_of(path):
    """(name, bytes) of each .cu file, those in archives included. Nothing is unpacked, and no link is followed."""
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            if file.is_symlink() or not file.is_file() or OF_THE_COURSE.search(file.relative_to(path).as_posix()):
                continue
            if file.suffix == ".zip":
                yield from files_of(file)
            elif file.suffix == ".cu":
                with open(file, "rb") as opened:
                    yield file.name, opened.read(LARGEST)
        return
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.filename.endswith(".cu") and not OF_THE_COURSE.search(member.filename):
                with archive.open(member) as file:
                    yield member.filename, file.read(LARGEST)


def read_student(path, known):
    """The answers, each as (exercise, text), and what is in doubt."""
    answers, troubles = [], []
    try:
        for name, data in files_of(path):
            text = data.decode("utf-8-sig", "replace")
            head = HEAD.search(text[:2000])
            exercise = f"{head[1]}.{head[2]}" if head else ""
            if exercise in known:
                answers.append((exercise, text))
            elif head or not re.match(r"\d\d_|minimal", name):  # the chapters' own programs
                troubles.append(f"{name}: its first line names no exercise")
    except (OSError, ValueError, RuntimeError, zipfile.BadZipFile) as error:
        troubles.append(f"{path.name} can't be read ({error})")
    return answers, troubles + ([] if answers else ["no exercise was found"])


def name_identical(students, known):
    """Adds to each student's troubles who has handed in the same file, but for the one that everybody was given. It proves nothing."""
    owners = {}
    for name, (answers, _) in students.items():
        for exercise, text in answers:
            if text.split() != known[exercise].read_text(encoding="utf-8").split():
                owners.setdefault((exercise, *text.split()), []).append(name)
    for (exercise, *_), names in owners.items():
        for name in set(names) if len(set(names)) > 1 else ():
            students[name][1].append(f"{exercise}: the same file as {', '.join(sorted(set(names) - {name}))}")


def sandbox(work, build, hidden):
    """The start of a command that sees the system's programs and the course, writes to `work` alone, and has no network, none of
    `hidden`, and limits."""
    named = [str(COURSE), *(build / "exercises/sees.txt").read_text(encoding="utf-8").splitlines()]
    see = SYSTEM + [path for name in named for path in {name, os.path.realpath(name)}  # a toolkit may be a link to another place
                    if not path.startswith(tuple(folder + "/" for folder in SYSTEM))]
    return ["timeout", "-k", "5", "150", "prlimit", "--as=4000000000", "--fsize=50000000", "bwrap", "--tmpfs", "/tmp",
            *(word for path in see for word in ("--ro-bind", path, path)), "--tmpfs", str(hidden), "--bind", work, work, "--dev", "/dev",
            "--proc", "/proc", "--unshare-all", "--new-session", "--die-with-parent", "--clearenv", "--setenv", "PATH", os.environ["PATH"],
            "--chdir", work]


def check(exercise, text, build, hidden):
    """{verdict, text} of an answer."""
    if NOT_READY.search(text):
        return {"verdict": "TODO", "text": ""}
    identity, program = exercise.replace(".", "_"), build / "bin/clc-exercise"
    with tempfile.TemporaryDirectory() as work:
        pathlib.Path(work, ".git").mkdir()  # reports name files as seen from the folder that has it
        pathlib.Path(work, "task.cu").write_text(text, encoding="utf-8")
        boxed = sandbox(work, build, hidden)
        compiled = subprocess.run([*boxed, "bash", build / "exercises/compile.sh", identity, "task.cu", "program"], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if compiled.returncode in (124, 137):
            return {"verdict": "TOO SLOW TO COMPILE", "text": "It was stopped before it was compiled."}
        if compiled.returncode != 0:
            log = pathlib.Path(work, "log")
            log.write_bytes(compiled.stdout)
            told = subprocess.run([program, "--compiler", identity, log, f"{work}/task.cu"], capture_output=True, check=False)
            return {"verdict": "DOES NOT COMPILE", "text": told.stdout.decode(errors="replace")}
        ended = subprocess.run([*boxed, program, "--json", identity, f"{work}/program"], stdin=subprocess.DEVNULL, capture_output=True,
                               check=False)
    try:
        return json.loads(ended.stdout)
    except ValueError:
        return {"verdict": "NOT CHECKED", "text": ended.stderr.decode(errors="replace")}


def cell(value):
    """A spreadsheet takes a text that begins so for a formula."""
    return "'" + value if isinstance(value, str) and re.match(r"[=+\-@\t\r]", value) else value


def check_all(work, build, hidden):
    """The verdicts on `work`, which is (student, exercise, text)."""
    if not shutil.which("bwrap") or subprocess.run(["bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"], capture_output=True,
                                                   check=False).returncode != 0:
        stop("students' code runs in bubblewrap, and there is none that works here: apt-get install bubblewrap")
    if subprocess.run(["cmake", "--build", build, "--target", "clcsim", "clc_student", "clc_exercise_check"], stdout=subprocess.DEVNULL,
                      check=False).returncode != 0:
        stop("the simulator can't be built; bash common/setup.sh tour says why")
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(lambda one: check(*one[1:], build, hidden), work))


def main():
    options = parse_arguments()
    build, known = options.build.resolve(), exercises_of(options.build.resolve())
    only = options.only.split(",") if options.only else list(known)
    for unknown in set(only) - set(known):
        stop(f"there is no exercise {unknown}")
    students = {path.stem if path.suffix == ".zip" else path.name: read_student(path, known)
                for path in sorted(options.folder.iterdir()) if not path.name.startswith(".")}
    if not students:
        stop(f"{options.folder} is empty: there is nobody to grade")
    name_identical(students, known)
    work = [(name, exercise, text) for name, (answers, _) in students.items() for exercise, text in answers if exercise in only]
    best = {name: {} for name in students}
    for (name, exercise, _), verdict in zip(work, check_all(work, build, options.folder.resolve())):
        one = best[name].setdefault(exercise, verdict)
        if RANK.get(verdict["verdict"], 1) < RANK.get(one["verdict"], 1):
            best[name][exercise] = verdict
    options.to.mkdir(parents=True, exist_ok=True)
    minutes = {exercise: minutes_of(exercise, known[exercise]) for exercise in only}
    rows = [["student", "passed", "of", "minutes passed", "minutes set", "trouble", *only]]
    for name, verdicts in best.items():
        passed = [exercise for exercise in verdicts if verdicts[exercise]["verdict"] == "PASS"]
        told = [verdicts.get(exercise, {"verdict": "", "text": ""}) for exercise in only]
        rows.append([name, len(passed), len(only), sum(map(minutes.get, passed)), sum(minutes.values()), "; ".join(students[name][1]),
                     *(one["verdict"] for one in told)])
        (options.to / f"{name}.txt").write_text("".join(
            f"{exercise}: {one['verdict'] or 'not done'}\n{one['text']}\n" for exercise, one in zip(only, told)), encoding="utf-8")
    with open(options.to / "table.csv", "w", encoding="utf-8-sig", newline="") as file:  # with its mark, or Excel takes ö for two characters
        csv.writer(file).writerows([cell(value) for value in row] for row in rows)
    print(f"{options.to}/table.csv: {len(students)} students; {len(work)} answers. For each student, {options.to}/NAME.txt")


if __name__ == "__main__":
    main()
