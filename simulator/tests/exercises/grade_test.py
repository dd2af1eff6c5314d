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
GRADING = COURSE / "simulator/course/exercises/grading"
WORKS = subprocess.run(["bash", GRADING / "sandbox.sh", "--works"], check=False).returncode == 0
BUILD = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else None
TASK = "{}/exercises/{}/{}.cu"


def text_of(chapter, exercise, file="solution"):
    return (COURSE / TASK.format(chapter, exercise, file)).read_text()


def zipped(path, files, link=""):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        if link:
            member = zipfile.ZipInfo(link)
            member.external_attr = 0o120777 << 16
            archive.writestr(member, "/etc/passwd")


def grade(*words, **variables):
    return subprocess.run([sys.executable, GRADING / "grade.py", "--build", BUILD, *words], capture_output=True, text=True, check=False,
                          env=os.environ | variables)


def rows_of(folder):
    with open(folder / "table.csv", encoding="utf-8-sig", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


class AClass(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        given = cls.folder / "in"
        tail, swapped = text_of("01_fixed_work", "1_tail"), text_of("01_fixed_work", "2_swapped")
        predict, wave = text_of("01_fixed_work", "3_predict"), text_of("02_grid_stride", "1_wave")
        todo = text_of("03_clc_basic", "1_response", "task")
        evil = wave.replace("  int device = 0", f"  std::system(\"touch '{given}/mark' '{cls.folder}/mark'; echo PASS >verdict.json\");\n"
                            "  std::exit(0);\n  int device = 0")
        assert evil != wave
        for path, text in {
                "ada/my course/01_fixed_work/exercises/1_tail/task.cu": tail,  # a clone
                "ada/my course/01_fixed_work/exercises/1_tail/solution.cu": "",
                "ada/my course/03_clc_basic/minimal.cu": "",
                "ada/my course/build/simulator/tests/x.cu": swapped,
                "bob/my try (2).cu": tail.replace('#include "exercise.h"', '// kReady = false no more\n#include "exercise.h"'),
                "bob/my try (3).cu": tail.replace("kReady = true", "kReady = false"),
                "bob/notes.cu": "no exercise's",
                "carl/3.cu.txt": predict.replace("kPrologues = 40", "kPrologues = 1"),
                "eve/deep/x.cu": swapped.replace("blocks, threads", "blocks threads"),
                "eve/evil.cu": evil,
                "fay/borrowed.cu": f'// Exercise 01.2\n#include "{COURSE}/01_fixed_work/exercises/2_swapped/solution.cu"\n',
                "left.cu": tail}.items():
            (given / path).parent.mkdir(parents=True, exist_ok=True)
            (given / path).write_text(text)
        (given / "dan").mkdir()
        zipped(given / "dan/all.zip", {"t.cu": b"\xff\xfe" + tail.encode("utf-16-le")})
        (given / "gus.rar.zip").write_bytes(b"Rar!")
        zipped(given / "=Jürgen Ö.zip", {"03_clc_basic/exercises/1_response/task.cu": todo, "__MACOSX/._task.cu": "x"}, link="passwd.cu")
        cls.folder.chmod(0o755)
        cls.words = ["--to", cls.folder / "out", given]
        cls.first = grade(*cls.words)
        cls.table = rows_of(cls.folder / "out")

    def verdicts(self, student):
        row = self.table[student]
        return {identity: row[identity] for identity in row if identity[:2].isdigit() and row[identity]}

    def test_verdicts(self):
        self.assertEqual(self.first.returncode, 0, self.first.stderr)
        self.assertEqual(self.verdicts("ada"), {"01_1": "PASS"})
        self.assertEqual(self.verdicts("bob"), {"01_1": "PASS"})
        self.assertEqual(self.verdicts("carl"), {"01_3": "WRONG, prologues"})
        self.assertEqual(self.verdicts("dan"), {"01_1": "PASS"})
        self.assertEqual(self.verdicts("'=Jürgen Ö"), {"03_1": "TODO"})
        self.assertEqual(self.verdicts("eve")["01_2"], "DOES NOT COMPILE")
        self.assertEqual((self.table["ada"]["passed"], self.table["carl"]["passed"]), ("1", "0"))

    def test_what_could_not_be_read_has_a_word(self):
        self.assertEqual({name: row["trouble"] for name, row in self.table.items() if row["trouble"]}, {
            "bob": "notes.cu: its first line, // Exercise NN.N, is gone",
            "gus.rar": "gus.rar.zip can't be read (File is not a zip file); no exercise was found",
            "left.cu": "is neither a folder nor a .zip",
            "'=Jürgen Ö": "'=Jürgen Ö.zip: passwd.cu is a link: left out"})

    def test_nothing_is_written_outside(self):
        self.assertNotEqual(self.verdicts("eve")["02_1"], "PASS")
        if WORKS:
            self.assertFalse((self.folder / "in/mark").exists() or (self.folder / "mark").exists())
            self.assertNotEqual(self.verdicts("fay")["01_2"], "PASS")

    def test_pages(self):
        page = (self.folder / "out/carl.html").read_text()
        self.assertIn("01.3: WRONG, prologues</h2>", page)
        self.assertIn("not so", page)
        page = (self.folder / "out/eve.html").read_text()
        self.assertNotIn(str(BUILD), page)
        self.assertRegex(page, r"<pre>  [^\n]*/2_swapped/task\.cu, line \d+:\n.*blocks threads.*\n"
                         r"  Between &lt;&lt;&lt; and &gt;&gt;&gt; [^\n]*\n  ---- what the compiler says ----\n  \| ")

    def test_what_was_set(self):
        to = self.folder / "set"
        shutil.copytree(self.folder / "out/.work", to / ".work")
        graded = grade("--only", "01.1,01.3", "--installed", "--to", to, self.folder / "in")
        self.assertRegex(graded.stdout, "; 0 answers checked in ")
        rows = rows_of(to)
        self.assertEqual(rows["ada"], {"student": "ada", "passed": "1", "of": "2", "minutes passed": "10", "minutes set": "17", "trouble": "",
                                       "identical files": "01.1: solution.cu, bob, dan", "01_1": "PASS", "01_3": ""})
        self.assertEqual((rows["carl"]["01_3"], rows["carl"]["identical files"], rows["eve"]["minutes passed"]), ("WRONG, prologues", "", "0"))
        page = (to / "carl.html").read_text()
        self.assertIn("<p class=todo>Not done: 01.1</p>", page)
        self.assertIn("clcsim --gpu mini --seed 0 .clc-exercise/01_3", page)
        self.assertNotIn("build/", page)

    def test_again_nothing_is_checked(self):
        again = grade(*self.words)
        self.assertRegex(again.stdout, "table.csv: 9 students; 0 answers checked in ")
        self.assertEqual(again.stderr, self.first.stderr)

    def test_bad_arguments_are_one_sentence(self):
        for words in ([self.folder / "missing"], ["--to"], ["--fast", self.folder], [], ["--build", self.folder, self.folder],
                      [self.folder / "in/dan/all.zip"], ["--only", "01.1,99.1", self.folder / "in"]):
            ended = grade(*words)
            self.assertNotEqual(ended.returncode, 0, words)
            self.assertRegex(ended.stderr, r"\Agrade\.py: [^\n]+\n\Z")


class WhatTheMachineDid(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.folder.chmod(0o755)
        self.tail = text_of("01_fixed_work", "1_tail")

    def hand_in(self, **answers):
        for student, text in answers.items():
            (self.folder / "in" / student).mkdir(parents=True)
            (self.folder / "in" / student / "task.cu").write_text(text)
        return ["--to", self.folder / "out", self.folder / "in"]

    def test_a_lack_of_memory_is_not_remembered(self):
        words = self.hand_in(ada=self.tail)
        self.assertEqual(grade(*words, CLC_SANDBOX_KB="60000").returncode, 0)
        row = rows_of(self.folder / "out")["ada"]
        self.assertEqual((row["01_1"], row["trouble"]), ("NOT CHECKED", "01.1 could not be checked: it found too little memory, room or processes"))
        self.assertIn("1 answers checked", grade(*words).stdout)
        row = rows_of(self.folder / "out")["ada"]
        self.assertEqual((row["01_1"], row["trouble"]), ("PASS", ""))

    def test_a_fork_bomb_fails_nobody_else(self):
        """Its processes sleep, so that the machine has time for the others."""
        bomb = self.tail.replace("  const long long blocks", "  static int left = 300;\n  for (; left > 0; --left)\n"
                                 "    if (fork() == 0) sleep(60), _exit(0);\n    else if (left == 1) sleep(6);\n  const long long blocks")
        assert bomb != self.tail
        honest = {f"honest_{i}": f"{self.tail}// {i}\n" for i in range(3)}
        grade(*self.hand_in(bomber="#include <unistd.h>\n" + bomb, **honest))
        rows = rows_of(self.folder / "out")
        self.assertEqual({rows[student]["01_1"] for student in honest}, {"PASS"})
        self.assertNotEqual(rows["bomber"]["01_1"], "PASS")


if __name__ == "__main__":
    if os.getuid() == 0 and not WORKS:
        print("not run: root grades in bubblewrap only, and there is none that works here")
        sys.exit(77)
    unittest.main()
