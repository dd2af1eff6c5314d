"""Compiles and checks each answer once, whoever gave it, in the sandbox."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import time

TEACHING = pathlib.Path(__file__).resolve().parent.parent
KB_OF_A_JOB = 700_000  # of memory: the largest nvcc takes half of it


class CannotCheck(Exception):
    pass


def sandbox(*words, **options):
    return subprocess.run(["bash", TEACHING / "sandbox.sh", *map(str, words)], stdin=subprocess.DEVNULL, check=False, **options)


def jobs():
    with open("/proc/meminfo", encoding="ascii") as file:
        available = next(int(line.split()[1]) for line in file if line.startswith("MemAvailable"))
    return max(1, min(len(os.sched_getaffinity(0)), available // KB_OF_A_JOB))


class Checker:
    def __init__(self, course, build, exercises, memory):
        self.course, self.build, self.exercises, self.memory = course, build, exercises, memory
        self.folder = build / "exercises"
        self.compiling = self.checking = 0.0  # seconds
        self.checked = 0
        sees = self.folder / "sees.txt"
        if not sees.is_file():
            raise CannotCheck(f"{build} is not configured; bash common/setup.sh tour does it")
        made = subprocess.run(["cmake", "--build", build, "--target", "clcsim", "clc_check", "clc_exercise_check"],
                              stdout=subprocess.DEVNULL, check=False)
        if made.returncode != 0:
            raise CannotCheck("the simulator can't be built; bash common/setup.sh tour says why")
        self.sees = sees.read_text().split("\n")[:-1]
        self.version = self.what_checks()

    def what_checks(self):
        """What was checked stays checked as long as none of this has changed."""
        files = [self.folder / "list.txt", self.folder / "compile.sh", self.folder / "check", pathlib.Path(__file__),
                 *(pathlib.Path(line) for line in self.sees if line.endswith(".a")),
                 *sorted((self.build / "lib/clcsim").iterdir()), *sorted((self.course / "common").glob("*.h")),
                 *sorted((self.course / "common").glob("*.cuh")),
                 *sorted(self.course.glob("[0-9]*/exercises/*/check.h")),
                 *sorted(self.course.glob("[0-9]*/exercises/*/hints.txt"))]
        return hashlib.sha256(b"".join(file.read_bytes() for file in files if file.is_file())).hexdigest()

    def place(self, exercise, text):
        exact = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
        return self.memory / f"{exercise}-{exact}"

    def check_all(self, handed):
        """handed: {(exercise, text): its code without comments}. Gives {(exercise, text): verdict}."""
        version = self.memory / "version"
        if not version.is_file() or version.read_text() != self.version:
            shutil.rmtree(self.memory, ignore_errors=True)
            self.memory.mkdir(parents=True)
            version.write_text(self.version)
        verdicts, first, others = {}, {}, []
        for (exercise, text), code in handed.items():
            file = self.place(exercise, text) / "verdict.json"
            if file.is_file():
                verdicts[exercise, text] = json.loads(file.read_text())
            elif (exercise, code) in first:
                others.append((exercise, text))
            else:
                first[exercise, code] = exercise, text
        self.run([answer for answer in first.values() if answer not in verdicts], verdicts)
        again = []
        for answer in others:  # what passes, passes; else the log must name the lines of this one
            like = verdicts[first[answer[0], handed[answer]]]
            if like["verdict"] == "PASS":
                verdicts[answer] = self.keep(*answer, like)
            else:
                again.append(answer)
        self.run(again, verdicts)
        # Real time is limited, and other work may have taken it: what was too slow has the machine for itself now.
        for answer in [*first.values(), *again]:
            if verdicts[answer]["verdict"].startswith("TOO SLOW"):
                verdicts[answer] = self.check(*answer)
        return verdicts

    def run(self, handed, verdicts):
        with concurrent.futures.ThreadPoolExecutor(jobs()) as pool:
            for answer, verdict in zip(handed, pool.map(lambda answer: self.check(*answer), handed)):
                verdicts[answer] = verdict
        self.checked += len(handed)

    def keep(self, exercise, text, verdict):
        place = self.place(exercise, text)
        place.mkdir(exist_ok=True)
        (place / "verdict.json").write_text(json.dumps(verdict))
        return verdict

    def check(self, exercise, text):
        work = self.place(exercise, text)
        shutil.rmtree(work, ignore_errors=True)
        (work / ".git").mkdir(parents=True)  # reports name files as seen from the folder that has it
        (work / "task.cu").write_text(text, encoding="utf-8", errors="surrogatepass")
        # Not the solutions, nor other students' answers.
        folder = self.exercises.files[exercise].parent
        see = [self.course / "CMakeLists.txt", self.course / "common", self.course / "simulator/course/exercises",
               self.course / "simulator/clcsim/cudart/witness.h",  # exercise_check.h includes it
               folder / "check.h", folder / "hints.txt", *self.sees]
        see = [word for path in see for word in ("--see", path)]
        began = time.monotonic()
        with open(work / "log", "wb") as log:
            compiled = sandbox(*see, "--write", work, "--in", work, "bash", self.folder / "compile.sh", exercise,
                               "task.cu", "program", stdout=log, stderr=subprocess.STDOUT)
        self.compiling += time.monotonic() - began
        if compiled.returncode == 0:
            verdict = self.verdict_of(exercise, work, see)
        else:
            slow = compiled.returncode in (124, 137)
            verdict = {"verdict": "TOO SLOW TO COMPILE" if slow else "DOES NOT COMPILE",
                       "text": "It was stopped before it was compiled." if slow else self.compiler_of(exercise, work)}
        shutil.rmtree(work)
        return self.keep(exercise, text, verdict)

    def compiler_of(self, exercise, work):
        """A sentence about the student's line, and what the compiler says."""
        told = subprocess.run([self.folder / "check", "--compiler", exercise, work / "log", work / "task.cu"],
                              capture_output=True, check=False)
        return told.stdout.decode(errors="replace") or "What the compiler says can't be read."

    def verdict_of(self, exercise, work, see):
        check = self.folder / "check"
        began = time.monotonic()
        ended = sandbox(*see, "--see", work, "--in", work, check, "--json", "--answer", work / "task.cu", exercise,
                        work / "program", capture_output=True)
        self.checking += time.monotonic() - began
        (work / "verdict.json").write_bytes(ended.stdout)
        if ended.returncode in (124, 137):
            return {"verdict": "TOO SLOW", "text": "It was stopped before the check was done."}
        try:
            words = json.loads(ended.stdout)["verdict"]
        except (ValueError, KeyError, TypeError):
            words = ""
        # The status is that of the check, too.
        if not words or (words == "PASS") != (ended.returncode == 0):
            return {"verdict": "NOT CHECKED", "text": ended.stderr.decode(errors="replace")}
        told = subprocess.run([check, "--text", work / "verdict.json"], capture_output=True, check=False)
        return {"verdict": words, "text": told.stdout.decode(errors="replace")}
