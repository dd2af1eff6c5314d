#!/usr/bin/env python3
"""A small class is graded from end to end: read, compiled, checked in the sandbox, tabled.

    grade_test.py BUILD      exit status 77: not run
"""
import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

COURSE = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else None


def text_of(chapter, exercise, file="solution"):
    return (COURSE / f"{chapter}/exercises/{exercise}/{file}.cu").read_text()


def grade(*words, **variables):
    return subprocess.run([sys.executable, COURSE / "simulator/course/exercises/grading/grade.py", "--build", BUILD, *words],
                          capture_output=True, text=True, check=False, env=os.environ | variables)


def rows_of(folder):
    with open(folder / "table.csv", encoding="utf-8-sig", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


class AClass(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        given = cls.folder / "in"
        tail, swapped, wave = text_of("01_fixed_work", "1_tail"), text_of("01_fixed_work", "2_swapped"), text_of("02_grid_stride", "1_wave")
        evil = wave.replace("  int device = 0", f"  std::system(\"touch '{given}/mark'; cat '{given}/bob/my try (2).cu' | wc -l; "
                            "grep -v lo: /proc/net/dev | grep : ; echo PASS >verdict.json\");\n  std::exit(0);\n  int device = 0")
        assert evil != wave
        for path, text in {
                "ada/my course/01_fixed_work/exercises/1_tail/task.cu": tail,  # a clone
                "ada/my course/01_fixed_work/exercises/1_tail/solution.cu": "",
                "ada/my course/03_clc_basic/minimal.cu": "",
                "bob/my try (2).cu": tail.replace('#include "exercise.h"', '// kReady = false no more\n#include "exercise.h"'),
                "bob/my try (3).cu": tail.replace("kReady = true", "kReady = false"),
                "bob/notes.cu": "no exercise's",
                "carl/3.cu.txt": text_of("01_fixed_work", "3_predict").replace("kPrologues = 40", "kPrologues = 1"),
                "eve/deep/x.cu": swapped.replace("blocks, threads", "blocks threads"),
                "eve/evil.cu": evil,
                "fay/borrowed.cu": f'// Exercise 01.2\n#include "{COURSE}/01_fixed_work/exercises/2_swapped/solution.cu"\n'}.items():
            (given / path).parent.mkdir(parents=True, exist_ok=True)
            (given / path).write_text(text)
        (given / "gus.rar.zip").write_bytes(b"Rar!")
        with zipfile.ZipFile(given / "=Jürgen Ö.zip", "w") as archive:
            archive.writestr("03_clc_basic/exercises/1_response/task.cu", text_of("03_clc_basic", "1_response", "task"))
            archive.writestr("t.cu", b"\xff\xfe" + tail.encode("utf-16-le"))
            archive.writestr("__MACOSX/._task.cu", "x")
        cls.words = ["--to", cls.folder / "out", given]
        cls.first = grade(*cls.words)
        cls.table = rows_of(cls.folder / "out")

    def verdicts(self, student):
        row = self.table[student]
        return {identity: row[identity] for identity in row if identity[:2].isdigit() and row[identity]}

    def test_verdicts_and_troubles(self):
        self.assertEqual(self.first.returncode, 0, self.first.stderr)
        self.assertEqual(self.verdicts("ada"), {"01_1": "PASS"})
        self.assertEqual(self.verdicts("bob"), {"01_1": "PASS"})
        self.assertEqual(self.verdicts("carl"), {"01_3": "WRONG, prologues"})
        self.assertEqual(self.verdicts("'=Jürgen Ö"), {"01_1": "PASS", "03_1": "TODO"})
        self.assertEqual(self.verdicts("eve")["01_2"], "DOES NOT COMPILE")
        self.assertEqual((self.table["ada"]["passed"], self.table["carl"]["passed"]), ("1", "0"))
        self.assertEqual({name: row["trouble"] for name, row in self.table.items() if row["trouble"]}, {
            "bob": "notes.cu: its first line, // Exercise NN.N, is gone",
            "gus.rar": "gus.rar.zip can't be read (File is not a zip file); no exercise was found"})

    def test_nothing_outside_is_written_or_read(self):
        self.assertEqual(self.verdicts("eve")["02_1"], "WRONG, ended")
        self.assertFalse((self.folder / "in/mark").exists())
        self.assertEqual(self.verdicts("fay")["01_2"], "DOES NOT COMPILE")

    def test_pages(self):
        page = (self.folder / "out/carl.html").read_text()
        self.assertIn("01.3: WRONG, prologues</h2>", page)
        self.assertIn("not so", page)
        page = (self.folder / "out/eve.html").read_text()
        self.assertNotIn(str(BUILD), page)
        self.assertRegex(page, r"<pre>  [^\n]*/2_swapped/task\.cu, line \d+:\n.*blocks threads.*\n"
                         r"  Between &lt;&lt;&lt; and &gt;&gt;&gt; [^\n]*\n  ---- what the compiler says ----\n  \| ")

    def test_what_was_set_and_nothing_twice(self):
        to = self.folder / "set"
        shutil.copytree(self.folder / "out/.work", to / ".work")
        before = {file: file.stat().st_mtime_ns for file in (to / ".work").iterdir()}
        grade("--only", "01.1,01.3", "--installed", "--to", to, self.folder / "in")
        self.assertEqual(before, {file: file.stat().st_mtime_ns for file in (to / ".work").iterdir()})
        self.assertEqual(rows_of(to)["ada"], {"student": "ada", "passed": "1", "of": "2", "minutes passed": "10", "minutes set": "17",
                                              "trouble": "", "01_1": "PASS", "01_3": ""})
        page = (to / "carl.html").read_text()
        self.assertIn("<p class=todo>Not done: 01.1</p>", page)
        self.assertIn("clcsim --gpu mini --seed 0 .clc-exercise/01_3", page)
        self.assertNotIn("build/", page)

    def test_bad_arguments_are_one_sentence(self):
        for words in ([self.folder / "missing"], ["--to"], ["--fast", self.folder], [], ["--build", self.folder, self.folder],
                      ["--only", "01.1,99.1", self.folder / "in"]):
            ended = grade(*words)
            self.assertNotEqual(ended.returncode, 0, words)
            self.assertRegex(ended.stderr, r"\Agrade\.py: [^\n]+\n\Z")
        self.assertIn("and there is none that works here", grade(*self.words, PATH=str(pathlib.Path(sys.executable).parent)).stderr)


if __name__ == "__main__":
    if shutil.which("bwrap") is None:
        print("not run: students' code is graded in bubblewrap only, which isn't installed")
        sys.exit(77)
    unittest.main()
