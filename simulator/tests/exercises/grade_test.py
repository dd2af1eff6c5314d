#!/usr/bin/env python3
"""A small class is graded from end to end: compiled, checked in the sandbox, tabled.

    grade_test.py BUILD      exit status 77: not run
"""
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

COURSE = pathlib.Path(__file__).resolve().parent.parent.parent.parent
SANDBOX = COURSE / "common/teaching/sandbox.sh"
WORKS = subprocess.run(["bash", SANDBOX, "--works"], check=False).returncode == 0
BUILD = pathlib.Path(sys.argv.pop()) if len(sys.argv) == 2 else None


def solution(folder):
    return (COURSE / folder / "solution.cu").read_text()


def grade(*words):
    return subprocess.run([sys.executable, COURSE / "common/teaching/grade.py", "--build", BUILD, *words],
                          capture_output=True, text=True, check=False)


class AClass(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        files = cls.folder / "in"
        tail, predict = solution("01_fixed_work/exercises/1_tail"), solution("01_fixed_work/exercises/3_predict")
        todo = (COURSE / "03_clc_basic/exercises/1_response/task.cu").read_text()
        swapped, wave = solution("01_fixed_work/exercises/2_swapped"), solution("02_grid_stride/exercises/1_wave")
        evil = wave.replace("  int device = 0", f"  std::system(\"touch '{files}/mark' '{cls.folder}/mark'; echo PASS >verdict.json\");\n"
                            "  std::exit(0);\n  int device = 0")
        assert evil != wave
        for path, text in {
                "ada/my course/01_fixed_work/exercises/1_tail/task.cu": tail,
                "bob/my try (2).cu": tail.replace('#include "exercise.h"', '// kReady = false no more\n#include "exercise.h"'),
                "bob/x.cu": todo,
                "carl_3_predict.cu": predict.replace("kPrologues = 40", "kPrologues = 1"),
                "eve/deep/x.cu": swapped.replace("blocks, threads", "blocks threads"),
                "eve/evil.cu": evil,
                "fay/borrowed.cu": f'// Exercise 01.2\n#include "{COURSE}/01_fixed_work/exercises/2_swapped/solution.cu"\n',
                "gus/x.cu": wave.replace("multiply, 64, 0));", "multiply, 64, 0));\n  per_sm = sms == 4 ? 8 : 32;"),
                "Jürgen Ö/1_response.cu.txt": todo,
                "roster.csv": ""}.items():
            if path != "roster.csv":
                (files / path).parent.mkdir(parents=True, exist_ok=True)
                (files / path).write_text(text)
        (cls.folder / "roster.csv").write_text("name,grade\nada,\nbob,\n")
        cls.folder.chmod(0o755)
        cls.words = ["--to", cls.folder / "out", "--roster", cls.folder / "roster.csv", files]
        cls.first = grade(*cls.words)
        with open(cls.folder / "out/table.csv", encoding="utf-8-sig", newline="") as file:
            cls.table = {row["student"]: row for row in csv.DictReader(file)}

    def verdicts(self, student):
        row = self.table[student]
        return {identity: row[identity] for identity in row if identity[:2].isdigit() and row[identity]}

    def test_verdicts(self):
        self.assertEqual(self.first.returncode, 0, self.first.stderr)
        self.assertEqual(self.verdicts("ada"), {"01_1": "PASS"})
        self.assertEqual(self.verdicts("bob"), {"01_1": "PASS", "03_1": "TODO"})
        self.assertEqual(self.verdicts("carl"), {"01_3": "WRONG, prologues"})
        self.assertEqual(self.verdicts("Jürgen Ö"), {"03_1": "TODO"})
        self.assertEqual(self.verdicts("eve")["01_2"], "DOES NOT COMPILE")
        self.assertEqual((self.table["ada"]["points"], self.table["carl"]["points"]), ("1", "0"))
        self.assertEqual(self.table["carl"]["trouble"], "not in the roster")

    def test_nothing_is_written_outside(self):
        self.assertNotEqual(self.verdicts("eve")["02_1"], "PASS")
        if WORKS:
            self.assertFalse((self.folder / "in/mark").exists() or (self.folder / "mark").exists())
            self.assertNotEqual(self.verdicts("fay")["01_2"], "PASS")

    def test_pages(self):
        out = self.folder / "out"
        self.assertIn("01.3: WRONG, prologues, 0 of 1", (out / "carl/feedback.html").read_text())
        self.assertIn("not so", (out / "carl/01_3.log").read_text())
        self.assertIn('href="J%C3%BCrgen_%C3%96/feedback.html"', (out / "table.html").read_text())
        self.assertEqual((out / "platform.csv").read_text(encoding="utf-8-sig").split(), ["name,grade", "ada,1", "bob,1"])

    def test_what_the_compiler_says_begins_with_the_line(self):
        text = (self.folder / "out/eve/01_2.log").read_text()
        self.assertNotIn(str(BUILD), text)
        self.assertRegex(text, r"\A  [^\n]*/2_swapped/task\.cu, line \d+:\n.*blocks threads.*\n"
                         r"  Between <<< and >>> [^\n]*\n  ---- what the compiler says ----\n  \| ")

    def test_the_run_on_a_drawn_gpu_can_be_had_again(self):
        again = re.search(r"this run again: (printf .*)\n +build/bin/(clcsim .*) build/exercises", (self.folder / "out/gus/02_1.log").read_text())
        run = subprocess.run(["sh", "-c", f"{again[1]}; '{BUILD}/bin/'{again[2]} '{BUILD}/bin/01_fixed_work'"], cwd=self.folder,
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_again_nothing_is_checked(self):
        again = grade(*self.words)
        self.assertRegex(again.stdout, "^7 students, 9 files; 0 answers checked in ")
        self.assertEqual(again.stderr, self.first.stderr)

    def test_bad_arguments_are_one_sentence(self):
        for words in ([self.folder / "missing"], ["--to"], ["--fast", self.folder], [], ["--points", self.folder, self.folder],
                      ["--roster", self.folder / "missing.csv", self.folder], ["--build", self.folder, self.folder]):
            ended = grade(*words)
            self.assertNotEqual(ended.returncode, 0, words)
            self.assertRegex(ended.stderr, r"\Agrade\.py: [^\n]+\n\Z")


if __name__ == "__main__":
    if os.getuid() == 0 and not WORKS:
        print("not run: root grades in bubblewrap only, and there is none that works here")
        sys.exit(77)
    unittest.main()
