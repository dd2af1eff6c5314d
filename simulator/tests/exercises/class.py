#!/usr/bin/env python3
"""How long it takes to grade a class, and whether each verdict is right.

    class.py BUILD STUDENTS [EXERCISES]      for instance: class.py build 30 25

Each student packs answers to so many exercises: of ten six are right, three wrong, and one isn't ready. They come from
solution.cu and its other answers, and no two are alike, so that each has to be compiled.
"""
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import zipfile

COURSE = pathlib.Path(__file__).resolve().parent.parent.parent.parent
NOT_READY = "constexpr bool kReady = false;"


def answers_of(build, folder, to):
    """([(text, verdict), ...] of the right ones, the same of the wrong ones)"""
    number = "_".join(part.split("_")[0] for part in (folder.parent.parent.name, folder.name))
    edits = COURSE / f"simulator/course/exercises/answers/{number}.edits"
    subprocess.run([build / "simulator/tests/edits/apply_edits", folder / "solution.cu", edits, to],
                   stdout=subprocess.DEVNULL, check=True)
    right, wrong = [((folder / "solution.cu").read_text(), "PASS")], []
    for name, verdict in re.findall(r"^== ([^:]*): (.*)$", edits.read_text(), re.M):
        file = to / f"{name}.cu"
        if file.is_file():
            (right if verdict.startswith("PASS") else wrong).append((file.read_text(), verdict))
    return right, wrong


def fits(told, verdict):
    """Whether the table's words are those of the .edits: a glob with @(a|b), and perhaps an end that the table leaves out."""
    def expression(part):
        if part[0] == "*":
            return ".*"
        return f"(?:{'|'.join(map(re.escape, part[1].split('|')))})" if part[1] else re.escape(part[0])
    words = re.sub(r"@\(([^)]*)\)|\*|[^@*]+|@", expression, re.sub(r"^open, |: .*", "", verdict))
    return re.match(words, told) is not None


def main(build, students, exercises=20):
    build, students, exercises = pathlib.Path(build).resolve(), int(students), int(exercises)
    subprocess.run(["cmake", "--build", build, "--target", "apply_edits"], stdout=subprocess.DEVNULL, check=True)
    lines = [line.split()[:2] for line in (build / "exercises/list.txt").read_text().splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        given = {identity: answers_of(build, (COURSE / file).parent, folder / "answers" / identity) for identity, file in lines}
        expected, count = {}, 0
        (folder / "in").mkdir()
        for student in range(students):
            with zipfile.ZipFile(folder / f"in/student-{student}.zip", "w") as archive:
                for place in range(exercises):
                    identity, file = lines[(student * 7 + place) % len(lines)]
                    count += 1
                    texts = given[identity][0 if count * 7 % 10 > 2 else 1]
                    text, verdict = texts[(student + count) % len(texts)]
                    if count * 7 % 10 == 3:
                        text, verdict = f"// Exercise {identity.replace('_', '.')}\n{NOT_READY}\n", "TODO"
                    archive.writestr(file, f"{text}\nconstexpr int kAnswer{count} = {count};\n")
                    expected[f"student-{student}", identity] = verdict
        began = time.monotonic()
        subprocess.run([sys.executable, COURSE / "common/teaching/grade.py", "--build", build, "--to", folder / "out", folder / "in"],
                       check=True)
        print(f"{students} students x {exercises} exercises, {os.cpu_count()} cores: {time.monotonic() - began:.0f} s")
        with open(folder / "out/table.csv", encoding="utf-8-sig", newline="") as file:
            table = {row["student"]: row for row in csv.DictReader(file)}
        unlike = [f"{student} {identity}: {table[student][identity]}, not {verdict}"
                  for (student, identity), verdict in expected.items()
                  if not fits(table[student][identity], verdict)]
        print("\n".join(unlike) or "each verdict is the expected one")
        return 1 if unlike or len(table) != students else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
