"""Repeats a part of simulator/python/README.md's row of Gluon's tutorials: tutorials.py [SEEDS [FOLDER]]. Needs what consan.py needs, and fetches likewise.

Their own tests run in their own text, but for what Triton 3.9 calls otherwise. What torch.randn makes are
whole numbers, whose products are exact in whatever order they are added. A mistake must be found at its line."""

import os
import re
import subprocess
import sys
import tempfile
import urllib.error

from consan import fetched

TUTORIALS, EXAMPLES = "python/tutorials/gluon/", "python/examples/gluon/"
NO_INDEX = "decode-of-failure@12-cluster-launch-control.py"
ROWS = (  # file, its tests, findings to accept, and edits: a pattern, what stands there instead
    (TUTORIALS + "06-tcgen05.py", "(small_mma and 8-) or (matmul and 208 and 8-)"),
    (TUTORIALS + "07-persistence.py", "pipelined and 208 and 4-3", "request-in-flight-at-exit@07-persistence.py"),
    (TUTORIALS + "08-warp-specialization.py", "208-416 and 4-3"),
    (TUTORIALS + "12-cluster-launch-control.py", "1000", NO_INDEX),
    (EXAMPLES + "03-matmul-multicta.py", "2-4 and 0-64-128-64"),
)
MISTAKES = (  # likewise, and the rule
    (TUTORIALS + "12-cluster-launch-control.py", "True-1000", NO_INDEX, (r"mbarrier\.wait\(self\.barrier, self\.phase\)", "pass"),
     r"response-not-complete.*\n.*12-cluster-launch-control.py:85 "),
)
PLUGIN = """
import pytest, torch
from triton.backends.compiler import GPUTarget
from clcsim._install import installed
GPUTarget.is_cuda_backend = lambda self: True

def randn(*shape, dtype=None, **_):
    return torch.zeros(*shape).random_(-2, 3).to(dtype or torch.float32).cuda()
torch.randn = randn

@pytest.fixture(autouse=True)
def stolen():
    yield
    print("stolen:", *(run.blocks_stolen for run in installed().runs))
"""


def run(folder, seeds, file, tests, accepted=None, edit=None):
    """(the exit status of pytest, what it printed)"""
    if edit is not None:
        text, count = re.subn(*edit, file.read_text())
        assert count > 0, f"{file.name} has no {edit[0]}"
        file.write_text(text)
    command = [sys.executable, "-W", "ignore", "-m", "pytest", "-q", "-rP", "--tb=short", "-p", "no:cacheprovider", "-p", "plugin", "-p", "clcsim._pytest",
               "--clcsim", "--clcsim-seeds", str(seeds), file.name, "-k", tests]
    if accepted:
        command += ["-o", "clcsim_ignore=" + accepted]
    # What a scheduler's class does isn't in the key of Triton's cache.
    cache = {"TRITON_CACHE_DIR": os.path.join(folder, "cache")} if edit else {}
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": path, **cache}, capture_output=True, text=True)
    return done.returncode, done.stdout


def main(seeds=1, sources=None):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "plugin.py"), "w") as plugin:
            plugin.write(PLUGIN)
        try:
            for path, *row in (*ROWS, *MISTAKES):
                for name in ("03-async-copy", "04-tma", "05-wgmma", "07-persistence"):  # others import them
                    fetched(f"{TUTORIALS}{name}.py", folder, sources)
                rule = row.pop() if len(row) == 4 else None
                status, said = run(folder, 1 if rule else seeds, fetched(path, folder, sources), *row)
                stolen = sum(int(number) for line in re.findall(r"^stolen: (.*)", said, re.M) for number in line.split())
                right = re.search(rule, said) is not None if rule else status == 0 and (stolen > 0 or "clc" not in said)
                failed += not right
                print(f"{'ok' if right else 'FAILED'} {path} {rule or ''}: {said.strip().splitlines()[-1]}, {stolen} blocks stolen" +
                      ("" if right else "\n" + said[-2000:]), flush=True)
        except urllib.error.URLError as error:
            print(f"not run: Gluon's tutorials can't be fetched ({error})")
            return 77
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
