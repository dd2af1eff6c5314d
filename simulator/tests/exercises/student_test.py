#!/usr/bin/env python3
"""The course installed for a class: two users, a prefix that nobody can write, a folder with a space; and the watch.

    student_test.py CMAKE BUILD
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

COURSE = pathlib.Path(__file__).resolve().parents[3]
CMAKE, BUILD = sys.argv[1:]
del sys.argv[1:]
TAIL = COURSE / "01_fixed_work/exercises/1_tail"
SECONDS = 200  # that a check may take on a machine with other work


class Clone(unittest.TestCase):
    def test_one_score(self):
        """What passes by its own target counts for the table and for the watch, too."""
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder)
            (build / "bin").mkdir()
            (build / "exercises").mkdir()
            shutil.copy(f"{BUILD}/bin/clc-exercise", build / "bin")
            (build / "bin/clcsim").symlink_to(f"{BUILD}/bin/clcsim")
            (build / "exercises/compile.sh").symlink_to(f"{BUILD}/exercises/compile.sh")
            (build / "exercises/list.txt").write_text("01_1 01_fixed_work/exercises/1_tail/solution.cu mini 2\n"
                                                      "01_2 01_fixed_work/exercises/2_swapped/task.cu mini 2\n")
            for words, expected in ((["--target", "01_1"], r"PASS, under 2 seeds \(compiled in [\d.]+ s, checked in [\d.]+ s\)\n"),
                                    (["--target", "01_1"], r"PASS, under 2 seeds \(as compiled before, checked in [\d.]+ s\)\n"),
                                    (["--target", "01_2"], r"\Aexercise 01_2, .*: TODO: edit\n.*task.cu"), ([], "\n1 of 2 passed"),
                                    (["all"], r"PASS\n01_2 .* TODO\n1 of 2 passed")):
                command = [build / "bin/clc-exercise", *words]
                self.assertRegex(subprocess.run(command, capture_output=True, text=True, check=True).stdout, expected)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.folder.chmod(0o755)
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "the course"
        cls.temporary = cls.folder / "of another"
        cls.temporary.mkdir(mode=0o555)
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", cls.prefix], stdout=subprocess.DEVNULL, check=True)
        subprocess.run(["chmod", "-R", "a-w,a+rX", cls.prefix], check=True)

    def setUp(self):
        self.users = iter((65534, 65533))

    def home(self):
        """A folder of a user of its own, where this is root."""
        home = pathlib.Path(tempfile.mkdtemp(dir=self.folder, prefix="a home "))
        user = next(self.users) if os.getuid() == 0 else os.getuid()
        os.chown(home, user, -1)
        return home, user

    def start(self, home, user, *words, **options):
        return subprocess.Popen([self.prefix / "bin/clc-exercise", *words], cwd=home, user=user, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "TMPDIR": self.temporary},
                                **options)

    def call(self, who, *words):
        process = self.start(*who, *words, stdin=subprocess.DEVNULL)
        out, _ = process.communicate(timeout=SECONDS)
        widths = [len(line) for line in out.splitlines() if not line.startswith("  this run again: ")]  # which is pasted
        self.assertLessEqual(max(widths, default=0), 80 + len(str(who[0])), out)  # a path isn't broken
        return process.returncode, out

    def test_two_users(self):
        one, two = self.home(), self.home()
        for who in (one, two):
            status, out = self.call(who, "01.1")
            self.assertEqual((status, (who[0] / "01_1_tail.cu").read_text()), (0, (TAIL / "task.cu").read_text()))
            self.assertRegex(out, r"Exercise 01\.1: The last tile\s+Fill in, about 6 lines, 10 minutes, 1_tail/task\.cu\.")
        self.assertIn("TODO: edit 01_1_tail.cu", self.call(one, "01.1")[1])
        (one[0] / "01_1_tail.cu").write_text((TAIL / "solution.cu").read_text())
        (two[0] / "01_1_tail.cu").write_text((TAIL / "solution.cu").read_text().replace("blockIdx", "blockIndex"))
        status, out = self.call(one, "01_1")
        self.assertEqual((status, out.splitlines()[0]), (0, "exercise 01_1, 01_1_tail.cu: PASS, under 20 seeds"))
        status, out = self.call(two, "01.1")
        self.assertEqual(status, 1)
        self.assertIn("exercise 01_1: DOES NOT COMPILE", out)
        self.assertIn("  Nothing of the name blockIndex is known here", out)
        self.assertIn("01_1_tail.cu(", out)
        (one[0] / "own.h").write_text("")  # which it might include
        self.assertRegex(self.call(one, "01.1")[1], r"PASS, under 20 seeds \(compiled in ")
        self.assertRegex(self.call(one)[1], r"PASS   01_1  01_1_tail.cu\n(-  .*\n)+1 of \d+ passed")
        self.assertRegex(self.call(two)[1], r"\n0 of \d+ passed")

    def test_a_task_has_the_commands_of_this_course(self):
        who = self.home()
        self.call(who, "03.5")
        text = (who[0] / "03_5_timeline.cu").read_text()
        self.assertNotIn("build", text)
        self.assertIn("\n//   clcsim --gpu mini:3 --timeline eleven.svg .clc-exercise/03_5\n", text)

    def test_nothing_gives_an_answer_away(self):
        names = {file.name for file in self.prefix.rglob("*")}
        self.assertFalse(names & {"solution.cu", "03_1.edits", "answers_quiz_1.md", "grade.py"})
        self.assertTrue(names >= {"task.cu", "check.h", "hints.txt", "03_clc_basic", "clc_basic.cu", "clcsim"})

    def test_a_wrong_prediction_draws_no_page(self):
        home, user = self.home()
        for name, folder, old, new, page in (("01.3", "3_predict", "kPrologues = 40", "kPrologues = 1", False),
                                             ("01.1", "1_tail", " + problem.tile - 1)", ")", True)):
            self.call((home, user), name)
            text = (TAIL.parent / folder / "solution.cu").read_text()
            self.assertIn(old, text)
            file = home / f"{name.replace('.', '_')}{folder[1:]}.cu"
            file.write_text(text.replace(old, new))
            status, out = self.call((home, user), name)
            self.assertEqual(status, 1)
            self.assertEqual(" tiles with " in out, name != "01.3")  # the number of tiles is the answer
            again = out.split("this run again: ")[1].splitlines()[0]
            pasted = subprocess.run(["bash", "-c", again], capture_output=True, text=True, check=False)
            self.assertNotIn("o such file", pasted.stderr)
            self.assertEqual((home / f".clc-exercise/{name.replace('.', '_')}.html").is_file(), page)

    def test_one_sentence(self):
        who = self.home()
        for words in (["99.1"], ["watch", "99.1"], ["01.1", "01.2"]):
            status, out = self.call(who, *words)
            self.assertEqual((status, len(out.splitlines())), (2, 1), out)
        if os.getuid() != 0:
            return
        (who[0] / "shut").mkdir()  # of root
        process = self.start(who[0] / "shut", who[1], "01.1")
        self.assertIn("can't be written: work in a folder of your own", process.communicate()[0])

    def test_watch(self):
        home, user = self.home()
        log = home / "log"
        with open(log, "w") as out:
            watching = subprocess.Popen([self.prefix / "bin/clc-exercise", "watch"], cwd=home, user=user, text=True,
                                        stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT)

        def until(text):
            end = time.monotonic() + SECONDS
            while text not in log.read_text():
                self.assertTrue(time.monotonic() < end and watching.poll() is None, log.read_text())
                time.sleep(0.1)
        until("0 of ")
        self.assertIn("Exercise 01.1: The last tile", log.read_text())
        (home / "01_1_tail.cu").write_text((TAIL / "solution.cu").read_text())
        until("Exercise 01.2: ")
        until("1 of ")
        self.assertTrue((home / "01_2_swapped.cu").is_file())
        watching.stdin.write("n\n")
        watching.stdin.flush()
        until("Exercise 01.3: ")
        watching.communicate("q\n", timeout=20)
        self.assertEqual(watching.returncode, 0)
        self.assertLessEqual(max(map(len, log.read_text().splitlines())), 80 + len(str(self.prefix)))


if __name__ == "__main__":
    unittest.main()
