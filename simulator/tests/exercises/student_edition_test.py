#!/usr/bin/env python3
"""The student's edition gives no answer away, and can be configured.

    student_edition_test.py CMAKE NVCC      exit status 77: this is no git clone
"""
import pathlib
import re
import subprocess
import sys
import tempfile

COURSE = pathlib.Path(__file__).resolve().parents[3]
MAKE = [sys.executable, COURSE / "common/teaching/student_edition.py"]
NO_NAME = {"solution.cu", "03_1.edits", "grade.py", "lesson.md", "TEACHING.md"}


def lines_of(text):
    return {" ".join(line.split()) for line in text.splitlines()} - {""}


def given_away(tree):
    """Each line that makes a solution out of its task, as `path: line`, where it stands in the tree; short ones say nothing."""
    texts = {path: lines_of(path.read_text(errors="replace")) for path in tree.rglob("*")
             if path.is_file() and path.suffix in (".cu", ".cuh", ".h", ".md", ".txt")}
    for solution in COURSE.glob("[0-9]*/exercises/*/solution.cu"):
        own = {line for line in lines_of(solution.read_text()) - lines_of((solution.parent / "task.cu").read_text())
               if len(line) > 50 and not line.startswith("//")}
        for path, lines in texts.items():
            if path.parent.name == solution.parent.name and path.parent.parent.name == "exercises":
                yield from (f"{path}: {line}" for line in own & lines)


def hands_out(committed, edited):
    """What students get of a task.cu that the teacher has edited."""
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "course/common/teaching/student_edition.py")
        task = pathlib.Path(folder, "course/01_a_chapter/exercises/1_name/task.cu")
        for file, text in ((script, MAKE[1].read_text()), (task, committed)):
            file.parent.mkdir(parents=True)
            file.write_text(text)
        git = ["git", "-C", script.parents[2], "-c", "user.name=a", "-c", "user.email=a"]
        for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
            subprocess.run([*git, *words], check=True)
        task.write_text(edited)
        subprocess.run([sys.executable, script, f"{folder}/edition"], stdout=subprocess.DEVNULL, check=True)
        return pathlib.Path(folder, "edition", task.relative_to(script.parents[2])).read_text()


def main(cmake, nvcc):
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder) / "for students"
        made = subprocess.run([*MAKE, tree], capture_output=True, text=True, check=False)
        if "is no git clone" in made.stderr:
            print(made.stderr)
            return 77
        wrong += [] if (tree / "common/teaching/sheet.md").is_file() else ["sheet.md is missing"]
        if hands_out("kReady = false", "kReady = true") != "kReady = false":
            wrong.append("a task that the teacher has solved is handed out solved")
        names = {path.name for path in tree.rglob("*")}
        wrong += sorted(name for name in names if name in NO_NAME or name.startswith("answers"))
        wrong += given_away(tree)
        pages = {path: path.read_text() for path in tree.rglob("*.md")}
        wrong += [f"{path}: {word}" for path, text in pages.items() for word in ("reference report", "for teachers", "solution.cu", "TEACHING.md")
                  if re.search(rf"^## .*{word}|<!-- /?{word}|[`/]{re.escape(word)}", re.sub(r"https://[^)\s]+", "", text), re.M)]
        wrong += [f"{path}: a link to {link}" for path, text in pages.items()
                  for link in re.findall(r"\]\(([^)#:\s]*[./][^)#:\s]*)[^):]*\)", text) if not (path.parent / link).exists()]
        again = subprocess.run([*MAKE, tree], capture_output=True, text=True, check=False)
        if again.returncode == 0 or not re.fullmatch(r"student_edition\.py: .* is there already: [^\n]*\n", again.stderr):
            wrong.append(f"a folder that is there: {again.stderr}")
        # What has been refused leaves nothing behind: the tour is configured afterwards, too.
        for words, status in ((["tour"], 0), (["course"], 1), (["tour"], 0), (["tour", "-DCLC_EXERCISES_FROM=solution"], 1), (["tour"], 0)):
            configured = subprocess.run([cmake, "--preset", *words, f"-DCMAKE_CUDA_COMPILER={nvcc}"], cwd=tree,
                                        capture_output=True, text=True, check=False)
            if (configured.returncode != 0) != status or status and "a student's edition" not in configured.stderr:
                wrong.append(f"--preset {' '.join(words)}: {configured.stdout[-500:]}{configured.stderr[-2000:]}")
        tests = subprocess.run(["bash", tree / "common/setup.sh", "test"], capture_output=True, text=True, check=False)
        if tests.returncode != 1 or not re.fullmatch(r"setup\.sh: this is a student's edition[^\n]*\n", tests.stderr):
            wrong.append(f"setup.sh test: {tests.stderr}")
        wrong += [f"{path}: setup.sh test" for path, text in pages.items() if re.search(r"^bash common/setup.sh test\b", text, re.M)]
        wrong += [f"{path}: {words}" for path, text in pages.items() for words in ("runs all tests", "are on another page") if words in text]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
