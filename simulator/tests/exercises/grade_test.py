#!/usr/bin/env python3
"""A small class is graded from end to end: read, compiled, checked in the sandbox, tabled.

    grade_test.py BUILD      exit status 77: not run
"""
import csv
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

COURSE = pathlib.Path(__file__).resolve().parents[3]
GRADE = COURSE / "simulator/course/exercises/grading/grade.py"
BUILD = pathlib.Path(sys.argv.pop(1))


def text_of(exercise, file="solution"):
    return (COURSE / f"{exercise}/{file}.cu").read_text()


def grade(*words):
    return subprocess.run([sys.executable, GRADE, "--build", BUILD, *words], capture_output=True, text=True, check=False)


class AClass(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        given = cls.folder / "in"
        tail, swapped = text_of("01_fixed_work/exercises/1_tail"), text_of("01_fixed_work/exercises/2_swapped")
        predict, wave = text_of("01_fixed_work/exercises/3_predict"), text_of("02_grid_stride/exercises/1_wave")
        evil = wave.replace("  int device = 0", f"  std::system(\"touch '{given}/mark' '{cls.folder}/mark' '{COURSE}/mark'\");\n"
                            f"  std::system(\"cat '{given}/ada/task.cu' /root/.bashrc; grep : /proc/net/dev\");\n  int device = 0")
        assert evil != wave
        for path, text in {
                "ada/01_fixed_work/exercises/1_tail/task.cu": tail,  # a clone
                "ada/01_fixed_work/exercises/2_swapped/solution.cu": swapped,
                "ada/03_clc_basic/minimal.cu": "",
                "ada/task.cu": "// Exercise 01.3 secret of ada",
                "bob/my try (2).cu": tail,
                "bob/my try (3).cu": tail.replace("kReady = true", "kReady = false"),
                "bob/notes.cu": "no exercise's",
                "carl/3.cu": predict.replace("kPrologues = 40", "kPrologues = 1"),
                "eve/deep/x.cu": swapped.replace("blocks, threads", "blocks threads"),
                "eve/evil.cu": evil,
                "left.zip": "not one"}.items():
            (given / path).parent.mkdir(parents=True, exist_ok=True)
            (given / path).write_text(text)
        with zipfile.ZipFile(given / "=Jürgen Ö.zip", "w") as archive:
            archive.writestr("03_clc_basic/exercises/1_response/task.cu", text_of("03_clc_basic/exercises/1_response", "task"))
        cls.first = grade("--to", cls.folder / "out", "--only", "01.1,01.2,01.3,02.1,03.1", given)
        if cls.first.returncode != 0:
            raise AssertionError(cls.first.stderr)
        with open(cls.folder / "out/table.csv", encoding="utf-8-sig", newline="") as file:
            cls.table = {row["student"]: row for row in csv.DictReader(file)}

    def verdicts(self, student):
        row = self.table[student]
        return {name: row[name] for name in row if name[:2].isdigit() and row[name]}

    def test_verdicts(self):
        self.assertEqual(self.verdicts("bob"), {"01.1": "PASS"})
        self.assertEqual(self.verdicts("carl"), {"01.3": "WRONG, prologues"})
        self.assertEqual(self.verdicts("'=Jürgen Ö"), {"03.1": "TODO"})
        self.assertEqual(self.verdicts("eve")["01.2"], "DOES NOT COMPILE")
        ada = self.table["ada"]
        self.assertEqual((ada["01.1"], ada["01.2"], ada["passed"], ada["of"], ada["minutes passed"], ada["minutes set"]),
                         ("PASS", "", "1", "5", "10", "50"))
        self.assertEqual({name: row["trouble"] for name, row in self.table.items() if row["trouble"]}, {
            "ada": "01.1: the same file as bob",
            "bob": "notes.cu: its first line names no exercise; 01.1: the same file as ada",
            "left": "left.zip can't be read (File is not a zip file); no exercise was found"})

    def test_texts(self):
        told = (self.folder / "out/carl.txt").read_text()
        self.assertIn("01.3: WRONG, prologues\n", told)
        self.assertIn("not so", told)
        self.assertIn("01.1: not done\n", told)
        self.assertRegex((self.folder / "out/eve.txt").read_text(), r"/2_swapped/task\.cu, line \d+:\n.*blocks threads.*\n"
                         r"  Between <<< and >>> [^\n]*\n")

    def test_an_answer_sees_and_writes_nothing_else(self):
        for mark in (self.folder / "in/mark", self.folder / "mark", COURSE / "mark"):
            self.assertFalse(mark.exists(), mark)
        told = (self.folder / "out/eve.txt").read_text()
        self.assertEqual(self.verdicts("eve")["02.1"], "PASS", told)  # it is right beside that
        for seen in ("secret of ada", "eth0", "alias"):
            self.assertNotIn(seen, told)

    def test_bad_arguments_are_one_sentence(self):
        for words in ([self.folder / "missing"], ["--to"], ["--fast", self.folder], [], ["--build", self.folder, self.folder],
                      ["--only", "01.1,99.1", self.folder / "in"]):
            ended = grade(*words)
            self.assertNotEqual(ended.returncode, 0, words)
            self.assertRegex(ended.stderr, r"\Agrade\.py: [^\n]+\n\Z")


if __name__ == "__main__":
    works = shutil.which("bwrap") and subprocess.run(["bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"], check=False).returncode == 0
    if not works:
        print("not run: students' code is graded in bubblewrap only, and there is none that works here")
        sys.exit(77)
    unittest.main()
