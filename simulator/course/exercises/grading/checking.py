"""Compiles and checks each answer once, whoever gave it, in the sandbox."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
KB_OF_A_JOB = 700_000  # of memory: the largest nvcc takes half of it
# What the machine says of itself, and not of an answer: in the compiler's output, and in a verdict's text.
LACKS = re.compile(r"cannot (fork|allocate)|resource temporarily unavailable|out of memory|memory exhausted|no space left|\bkilled\b"
                   r"|failed to preprocess host compiler", re.I)
HAS_NO_MORE = re.compile("cannot fork|resource temporarily unavailable|no space left", re.I)
UNSAFE = """grade.py: warning: there is no bubblewrap that works here (Debian, Ubuntu: apt-get install bubblewrap).
  Students' code, which nobody has read, now runs with your rights: it can read and delete your files and use
  the network. Time, memory and the size of files are limited. A container is safer."""


class CannotCheck(Exception):
    pass


def sandbox(*words, **options):
    return subprocess.run(["bash", HERE / "sandbox.sh", *map(str, words)], stdin=subprocess.DEVNULL, check=False, **options)


def check_sandbox(course):
    if sandbox("--works").returncode == 0:
        if sandbox("--see", course / "common", "cat", course / "common/check.h", capture_output=True).returncode != 0:
            raise CannotCheck(f"students' code runs as a user of its own, who can't read this folder: chmod -R o+rX '{course}'")
    elif os.getuid() == 0:
        raise CannotCheck("there is no bubblewrap that works here, and root doesn't run students' code without it: apt-get "
                          "install bubblewrap, or be an ordinary user")
    else:
        print(UNSAFE, file=sys.stderr)


def jobs():
    if sandbox("--works").returncode != 0:
        return 1  # all answers run as one user, whose processes are counted together
    with open("/proc/meminfo", encoding="ascii") as file:
        available = next(int(line.split()[1]) for line in file if line.startswith("MemAvailable"))
    return max(1, min(len(os.sched_getaffinity(0)), available // KB_OF_A_JOB))


class Checker:
    def __init__(self, course, build, exercises, memory):
        check_sandbox(course)
        self.course, self.build, self.exercises, self.memory = course, build, exercises, memory
        self.folder, self.program = build / "exercises", build / "bin/clc-exercise"
        self.checked = 0
        made = subprocess.run(["cmake", "--build", build, "--target", "clcsim", "clc_student", "clc_exercise_check"],
                              stdout=subprocess.DEVNULL, check=False)
        if made.returncode != 0:
            raise CannotCheck("the simulator can't be built; bash common/setup.sh tour says why")
        self.sees = (self.folder / "sees.txt").read_text(encoding="utf-8").split("\n")[:-1]
        # What was checked stays checked as long as what checks has not changed.
        version, mark = self.memory / "version", self.what_checks()
        if not version.is_file() or version.read_text() != mark:
            shutil.rmtree(self.memory, ignore_errors=True)
            self.memory.mkdir(parents=True)
            version.write_text(mark)

    def what_checks(self):
        files = [self.folder / "list.txt", self.folder / "compile.sh", self.program, pathlib.Path(__file__),
                 *(pathlib.Path(line) for line in self.sees if line.endswith(".a")), *sorted((self.build / "lib/clcsim").iterdir()),
                 *sorted(self.course.glob("common/*.*h")), *sorted(self.course.glob("simulator/course/exercises/*.*h")),
                 *sorted(self.course.glob("[0-9]*/exercises/*/check.h")),
                 *sorted(self.course.glob("[0-9]*/exercises/*/hints.txt"))]
        return hashlib.sha256(b"".join(file.read_bytes() for file in files if file.is_file())).hexdigest()

    def place(self, exercise, text):
        return self.memory / f"{exercise}-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"

    def check_all(self, answers):
        """answers: {(exercise's id, text)}. Gives {(id, text): {verdict, text}}."""
        verdicts, new = {}, []
        for answer in sorted(answers):
            known = self.place(*answer) / "verdict.json"
            if known.is_file():
                verdicts[answer] = json.loads(known.read_text(encoding="utf-8"))
            else:
                new.append(answer)
        with concurrent.futures.ThreadPoolExecutor(jobs()) as pool:
            verdicts |= zip(new, pool.map(lambda answer: self.check(*answer), new))
        # Time, memory and processes are limited, and other work may have taken them: what failed for want of them has the machine
        # for itself now. What still lacks them is not known, and is checked again the next time.
        for answer in new:
            if verdicts[answer]["verdict"].startswith(("TOO SLOW", "NOT CHECKED", "ERROR, crash")):
                verdicts[answer] = self.check(*answer)
            if verdicts[answer]["verdict"] != "NOT CHECKED":
                (self.place(*answer) / "verdict.json").write_text(json.dumps(verdicts[answer]), encoding="utf-8")
        self.checked += len(new)
        return verdicts

    def check(self, exercise, text):
        work = self.place(exercise, text)
        shutil.rmtree(work, ignore_errors=True)
        (work / ".git").mkdir(parents=True)  # reports name files as seen from the folder that has it
        (work / "task.cu").write_text(text, encoding="utf-8", errors="surrogatepass")
        # Not the solutions, nor other students' answers.
        folder = self.exercises[exercise].parent
        see = [self.course / "CMakeLists.txt", self.course / "common", self.course / "simulator/course/exercises",
               folder / "check.h", folder / "hints.txt", *self.sees]
        see = [word for path in see for word in ("--see", path)]
        with open(work / "log", "wb") as log:
            compiled = sandbox(*see, "--write", work, "--in", work, "bash", self.folder / "compile.sh", exercise,
                               "task.cu", "program", stdout=log, stderr=subprocess.STDOUT).returncode
        if compiled == 0:
            verdict = self.verdict_of(exercise, work, see)
        elif compiled in (124, 137):
            verdict = {"verdict": "TOO SLOW TO COMPILE", "text": "It was stopped before it was compiled."}
        else:
            told = subprocess.run([self.program, "--compiler", exercise, work / "log", work / "task.cu"], capture_output=True, check=False)
            verdict = {"verdict": "DOES NOT COMPILE", "text": told.stdout.decode(errors="replace")}
            if LACKS.search((work / "log").read_text(errors="replace")):
                verdict["verdict"] = "NOT CHECKED"
        shutil.rmtree(work)
        work.mkdir()
        return verdict

    def verdict_of(self, exercise, work, see):
        ended = sandbox(*see, "--see", work, "--in", work, self.program, "--json", exercise,
                        work / "program", capture_output=True)
        if ended.returncode in (124, 137):
            return {"verdict": "TOO SLOW", "text": "It was stopped before the check was done."}
        try:
            verdict = json.loads(ended.stdout)
        except ValueError:
            return {"verdict": "NOT CHECKED", "text": ended.stderr.decode(errors="replace")}
        if verdict["verdict"] != "PASS" and HAS_NO_MORE.search(verdict["text"]):
            verdict["verdict"] = "NOT CHECKED"
        return verdict
