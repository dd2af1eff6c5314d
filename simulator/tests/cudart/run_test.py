"""run_test.py CLCSIM PROGRAMS LIBRARY REAL-RUNTIME FOLDER TESTS...: what takes more than one command to see. Output
files, child processes, closed and limited files, folders with odd names, signals: nothing that was found is lost,
and the exit status tells of it. PROGRAMS is the folder of `hosts` and `endings`; LIBRARY is clcsim's own."""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

CLCSIM, PROGRAMS, LIBRARY, RUNTIME, FOLDER = sys.argv[1:6]
HOSTS, ENDINGS = PROGRAMS + "/hosts", PROGRAMS + "/endings"


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(FOLDER) / self.id()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def run_(self, status, *command, **more):
        """Runs it and compares the exit status; returns all that it said."""
        more = {"stdin": subprocess.DEVNULL, "cwd": self.folder} | more
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
        self.assertEqual(ran.returncode, status, ran.stdout)
        return ran.stdout

    def text(self, name):
        return (self.folder / name).read_text()


class Files(Case):
    def test_names_mean_what_they_meant_at_the_start(self):
        self.run_(86, CLCSIM, "--check-json", "plain.json", "--timeline", "plain.svg", HOSTS, "chdir")
        self.assertIn("out-of-bounds", self.text("plain.json"))
        self.assertIn("<svg", self.text("plain.svg"))
        self.run_(86, CLCSIM, "--explore", "3", "--check-json", "explored.json", HOSTS, "chdir")
        self.assertIn("out-of-bounds", self.text("explored.json"))
        self.assertEqual(list(self.folder.glob("seed-*")), [])

    def test_what_a_child_finds_counts(self):
        self.assertIn("1 finding", self.run_(86, CLCSIM, "--check-json", "a.json", HOSTS, "child-finds"))
        self.run_(86, CLCSIM, "--explore", "2", "--check-json", "b.json", HOSTS, "child-finds")
        for name in "a.json", "b.json":
            self.assertIn("out-of-bounds", self.text(name))

    def test_becoming_another_program(self):
        """What was found before counts where that is a CUDA program; another one has its own status."""
        self.assertIn("out-of-bounds", self.run_(86, CLCSIM, HOSTS, "becomes", HOSTS, "another-thread-stores"))
        self.assertRegex(self.run_(0, CLCSIM, HOSTS, "becomes", "sh", "-c", "echo ran after it"),
                         r"(?s)out-of-bounds.*ran after it")

    def test_end_without_handlers(self):
        said = self.run_(86, CLCSIM, "--explore", "2", HOSTS, "raw-exit")
        self.assertIn("although clcsim reported what is shown above", said)

    def test_closed_and_limited_files(self):
        closed = self.run_(86, "sh", "-c", 'exec "$@" <&-', "-", CLCSIM, "--explore", "2", HOSTS, "raw-exit")
        self.assertIn("error [out-of-bounds]", closed)
        limit = lambda what, most: lambda: resource.setrlimit(what, (most, most))
        self.run_(86, CLCSIM, "--explore", "2", HOSTS, "chdir", preexec_fn=limit(resource.RLIMIT_NOFILE, 24))
        said = self.run_(86, CLCSIM, "--explore", "2", HOSTS, "chdir", preexec_fn=limit(resource.RLIMIT_FSIZE, 0))
        self.assertIn("error [out-of-bounds]", said)
        said = self.run_(86, CLCSIM, "--check-json", "x.json", HOSTS, "chdir",
                         preexec_fn=limit(resource.RLIMIT_FSIZE, 0))
        self.assertIn("x.json can't be written: File too large", said)

    def test_runtime_that_the_loader_would_take_first(self):
        preloaded = pathlib.Path("/tmp") / f"clcsim-{os.getpid()}" / "libcudart.so.13"  # LD_PRELOAD splits at spaces
        preloaded.parent.mkdir()
        preloaded.symlink_to(RUNTIME)
        try:
            said = self.run_(2, CLCSIM, HOSTS, "input", env=os.environ | {"LD_PRELOAD": str(preloaded)})
        finally:
            shutil.rmtree(preloaded.parent)
        self.assertIn(f"LD_PRELOAD makes the loader take {preloaded} before", said)

    def test_without_the_library(self):
        (self.folder / "bin").mkdir()
        shutil.copy(CLCSIM, self.folder / "bin")
        self.assertRegex(self.run_(2, self.folder / "bin/clcsim", HOSTS, "input"), "is missing from .*lib/clcsim")

    def test_a_runtime_that_no_toolkit_here_has(self):
        other = self.folder / "other"
        other.write_bytes(pathlib.Path(HOSTS).read_bytes().replace(b"libcudart.so.1", b"libcudart.so.9"))
        other.chmod(0o755)
        self.assertRegex(self.run_(2, CLCSIM, other, "input"), r"needs libcudart.so.9\d, and this clcsim was built with")

    def test_findings_as_json(self):
        run = CLCSIM, "--seed", "3", "--check-json", self.folder / "a.json", ENDINGS
        self.run_(86, *run, "out-of-bounds")
        first = self.text("a.json")
        (finding,) = json.loads(first)["findings"]
        self.assertEqual([finding[key] for key in ("kind", "name", "count", "line")], ["error", "out-of-bounds", 1, 16])
        self.assertTrue(finding["file"].endswith("endings.cu"))
        self.assertEqual([json.loads(first)[key] for key in ("seed", "failed_call")], [3, "cudaErrorIllegalAddress"])
        self.run_(86, *run, "out-of-bounds", cwd="/")  # the same from any other folder
        self.assertEqual(self.text("a.json"), first)
        self.run_(0, *run, "print")
        self.assertEqual(json.loads(self.text("a.json"))["findings"], [])
        for more in (), ("--explore", "2"):
            self.run_(124, CLCSIM, *run[3:5], *more, "--limit-cycles", "300000", HOSTS, "endless", "2")
            self.assertEqual(json.loads(self.text("a.json"))["stopped"], {"at_limit": True, "in_kernel": True})
        (self.folder / "a.json").write_text("notes")
        for way in "arguments", "status":  # nothing runs: the file is what it was
            self.run_(0, *run, way, "0")
            self.assertEqual(self.text("a.json"), "notes")
        (self.folder / "a.json").unlink()
        self.run_(0, *run, "arguments")
        self.assertFalse((self.folder / "a.json").exists())


class Errors(Case):
    def test_their_names_and_words_are_the_toolkits(self):
        """Those of all errors that both runtimes know: people search for these words."""
        ask = """import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
for function in library.cudaGetErrorName, library.cudaGetErrorString:
    function.restype = ctypes.c_char_p
for error in range(10001):
    print(error, library.cudaGetErrorName(error), library.cudaGetErrorString(error), sep="\t")
"""
        ours, theirs = (self.run_(0, sys.executable, "-c", ask, library).splitlines() for library in (LIBRARY, RUNTIME))
        unknown = "unrecognized error code"
        known = [(a, b) for a, b in zip(ours, theirs) if unknown not in a and unknown not in b]
        self.assertGreater(len(known), 100)
        for a, b in known:
            self.assertEqual(a, b)


class Paths(Case):
    """Folders with spaces are right; where the loader would split or change the path, clcsim names the character."""

    def said_in(self, name, status):
        folder = self.folder / name
        for file, place in (CLCSIM, "bin"), (ENDINGS, "bin"), (LIBRARY, "lib/clcsim"):
            (folder / place).mkdir(parents=True, exist_ok=True)
            shutil.copy(file, folder / place)
        return self.run_(status, folder / "bin/clcsim", folder / "bin/endings", "arguments", "a b")

    def test_folders(self):
        self.assertEqual(self.said_in("a space", 0), "[a b]")
        for character in ":;$":
            self.assertRegex(self.said_in(f"a{character}ORIGIN", 2),
                             rf"\Aclcsim: .*takes no path with '\{character}'.*\n?\Z")


def take_signals():  # also where this test runs in the background, which ignores SIGINT
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Signals(Case):
    """A signal ends a run that would not end, and the run says where it was."""

    def interrupted(self, how, *options):
        with open(self.folder / "said", "w") as said:
            clcsim = subprocess.Popen([CLCSIM, *options, HOSTS, "endless", "3", self.folder], cwd=self.folder,
                                      stdout=said, stderr=said, preexec_fn=take_signals)
        end = time.monotonic() + 60
        # Once the kernel runs, clcsim has a thread of its own in the program: here, or in the run of a seed.
        while time.monotonic() < end:
            children = pathlib.Path(f"/proc/{clcsim.pid}/task/{clcsim.pid}/children").read_text().split()
            if any(len(os.listdir(f"/proc/{process}/task")) > 1 for process in [clcsim.pid, *children[:1]]):
                break
            time.sleep(0.1)
        time.sleep(0.5)
        clcsim.send_signal(how)
        self.assertIn(clcsim.wait(60), (128 + how, -how))
        said = self.text("said")
        self.assertIn("started", said)  # what the program had printed
        self.assertRegex(said, "runs .*hosts.cu:34")
        return said

    def test_run(self):
        for how in signal.SIGINT, signal.SIGTERM:
            said = self.interrupted(how, "--stats", "--timeline", "run.svg")
            self.assertIn(f"stopped by {how.name}, at cycle", said)
            self.assertRegex(said, "runs .*hosts.cu:34 in .*: 6 warps")
            self.assertIn("statistics of mini", said)
            self.assertIn("count", self.text("run.svg"))

    def test_explored_runs(self):
        for how in signal.SIGINT, signal.SIGTERM:
            self.assertIn("stopped under seed 0", self.interrupted(how, "--explore", "4"))
            time.sleep(0.2)
            left = [file for file in pathlib.Path("/proc").glob("[0-9]*/cmdline")
                    if str(self.folder).encode() in file.read_bytes()]
            self.assertEqual(left, [])  # no run outlives clcsim

    def test_sleep_that_ends_early(self):
        """SIGINT ends the program all the same: a shell loop stops then."""
        with open(self.folder / "said", "w") as said:
            clcsim = subprocess.Popen([CLCSIM, HOSTS, "asleep"], stdout=said, stderr=said, preexec_fn=take_signals)
        while "out-of-bounds" not in self.text("said"):
            time.sleep(0.1)
        time.sleep(0.3)
        clcsim.send_signal(signal.SIGINT)
        self.assertIn(clcsim.wait(60), (130, -signal.SIGINT))
        self.assertIn("stopped by SIGINT", self.text("said"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]])
