#!/usr/bin/env python3
"""Writes the course without what only the teacher should have:

    python3 common/teaching/student_edition.py FOLDER

FOLDER, which must not be there yet, gets a tree that builds and checks as this one does: without solutions, other answers,
the quizzes' keys, the lab's reference report, grading and tests. Each task.cu is as it was committed, so an exercise that you
have done here isn't handed out solved. In a page, what stands between <!-- for teachers --> and
<!-- /for teachers --> is left out, and a link to what is left out becomes text.
"""
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys

COURSE = pathlib.Path(__file__).resolve().parents[2]
LEFT_OUT = re.compile(r"\d+_[^/]+/exercises/[^/]+/solution\.cu$|simulator/course/exercises/(answers|grading)/|common/TEACHING\.md$"
                      r"|common/teaching/(?!sheet\.md/?$)|simulator/tests/(?!tools/)|CONTRIBUTING\.md$|\.(ci|github|devcontainer)/")
FOR_TEACHERS = re.compile(r"<!-- for teachers -->.*?<!-- /for teachers -->\n?", re.S)
RUNS_TESTS = re.compile(r"^bash common/setup\.sh test\b.*\n", re.M)  # in a block, where a mark would be seen
LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)[^)]*\)")


def stop(sentence):
    sys.exit(f"student_edition.py: {sentence}")


def git(*words):
    done = subprocess.run(["git", "-C", COURSE, *words], capture_output=True, check=False)
    if done.returncode != 0:
        stop(f"{COURSE} is no git clone, so what students get can't be told from what you wrote: {done.stderr.decode().splitlines()[0]}")
    return done.stdout


def is_left_out(path):
    return LEFT_OUT.match(path) or LEFT_OUT.match(path + "/")


def for_students(page, text):
    """`page`: its path from the course's folder."""
    text = RUNS_TESTS.sub("", FOR_TEACHERS.sub("", text))
    if "for teachers -->" in text:
        stop(f"{page}: a mark <!-- for teachers --> has no <!-- /for teachers -->, or the other way round")
    folder = posixpath.dirname(page)

    def without(link):
        target = posixpath.normpath(posixpath.join(folder, link[2]))
        return link[1] if "://" not in link[2] and is_left_out(target) else link[0]
    return LINK.sub(without, text)


def main(words):
    if len(words) != 1 or words[0].startswith("-"):
        stop("give the folder that is to be written: student_edition.py ../course-for-students")
    to = pathlib.Path(words[0])
    if to.exists():
        stop(f"{to} is there already: name a folder that isn't")
    listed = git("ls-files", "-z").decode()
    count = 0
    for path in listed.split("\0")[:-1]:
        if is_left_out(path) or not (COURSE / path).is_file():
            continue
        (to / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(COURSE / path, to / path)
        if path.endswith("/task.cu"):
            (to / path).write_bytes(git("show", f"HEAD:{path}"))
        if path.endswith(".md"):
            (to / path).write_text(for_students(path, (COURSE / path).read_text(encoding="utf-8")), encoding="utf-8")
        count += 1
    print(f"{to}: {count} files")


if __name__ == "__main__":
    main(sys.argv[1:])
