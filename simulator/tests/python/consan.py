"""Repeats simulator/README.md's rows of ConSan's tests: consan.py [SEEDS [FOLDER]]. Needs triton 3.9, PyTorch and pytest; ends with 77
without a network. FOLDER: a checkout of the repository, in place of the network.

Each test tells by its assertions whether ConSan must find something in the kernel that it runs in a process of its own. Here clcsim
runs that kernel, so a test passes where the two agree. Tests of wgmma run on the simulated h200, all others on mini."""

import collections
import inspect
import pathlib
import re
import sys
import tempfile
import types
import urllib.error
import urllib.request

import pytest
import torch
import triton

import clcsim

FROM = "https://raw.githubusercontent.com/facebookexperimental/triton/db4666f22c1f8b206584c3f06e3b4a0ff035989e/"
# What Triton 3.9 calls otherwise than this commit.
RENAMED = ((r"async_copy_global_to_shared", "async_load"), (r"async_copy_shared_to_global", "async_store"), (r"\._reinterpret\(", ".reinterpret("))


def fetched(path, into, folder=None):
    """A file of that repository, for Triton 3.9, in `into`."""
    text = (pathlib.Path(folder, path).read_text() if folder else
            urllib.request.urlopen(FROM + path, timeout=60).read().decode())
    for old, new in RENAMED:
        text = re.sub(old, new, text)
    copy = pathlib.Path(into, pathlib.Path(path).name)
    copy.write_text(text)
    return copy


class Anything(str):
    """The message that the test looks for, whichever it is."""
    __contains__ = lambda *_: True


class Verdicts:
    """A plugin of pytest."""

    def __init__(self, seeds, hopper):
        self.seeds, self.hopper, self.counts, self.found = seeds, hopper, collections.Counter(), ""

    @pytest.fixture
    def device(self):
        return "cuda"

    @pytest.fixture
    def fresh_knobs(self):
        return triton.knobs

    def run_in_process(self, test, arguments):
        quiet = types.SimpleNamespace(setenv=lambda *_: None)  # ConSan isn't compiled in
        findings = set()
        for seed in range(self.seeds):
            with clcsim.install() as now, clcsim.options(seed=seed, gpu="h200" if self.hopper else "mini"):
                try:
                    test(*(quiet if isinstance(each, pytest.MonkeyPatch) else each for each in arguments))
                except (clcsim.Fault, clcsim.Limit):
                    pass
                findings |= {finding.name for finding in now.findings}
        self.found = " ".join(sorted(findings)) or "nothing"
        return types.SimpleNamespace(exc=Anything("device-side assert"), driver_stderr_output=Anything()) if findings else (
            types.SimpleNamespace(exc=None, driver_stderr_output=""))

    def pytest_collection_modifyitems(self, items):
        items[:] = [each for each in items if "run_wrapper" in each.fixturenames
                    and ("warpgroup_mma" in inspect.getsource(each.function)) == self.hopper]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if report.when == "call" and not report.skipped:
            error = call.excinfo and call.excinfo.value
            came = ("right" if error is None else ("missed" if self.found == "nothing" else "alarm") if isinstance(error, AssertionError)
                    else "refused" if isinstance(error, clcsim.Refused) else "not compiled")
            self.counts[came] += 1
            if error is not None:
                print(f"{came} {item.name}: {self.found if isinstance(error, AssertionError) else str(error).splitlines()[-1][:160]}", flush=True)
        return report


def main(seeds=1, folder=None):
    sys.modules["triton._internal_testing"] = testing = types.ModuleType("triton._internal_testing")
    testing.is_cuda, counts = lambda: True, collections.Counter()
    with tempfile.TemporaryDirectory() as into:
        try:
            file = fetched("python/test/gluon/test_consan.py", into, folder)
        except urllib.error.URLError as error:
            print(f"not run: ConSan's tests can't be fetched ({error})")
            return 77
        for hopper, capability in ((False, (10, 0)), (True, (9, 0))):
            verdicts = Verdicts(int(seeds), hopper)
            testing.run_in_process = verdicts.run_in_process
            torch.cuda.get_device_capability = lambda *_: capability
            pytest.main(["-q", "-s", "--tb=no", "--no-header", "--no-summary", "-p", "no:cacheprovider", str(file)], plugins=[verdicts])
            sys.modules.pop("test_consan", None)
            counts += verdicts.counts
            print(f"\nconsan{', wgmma' if hopper else ''}: {verdicts.counts.total()} variants: " + ", ".join(
                f"{verdicts.counts[came]} {came}" for came in ("right", "missed", "alarm", "refused", "not compiled")), flush=True)
    return 0 if counts["right"] >= 300 and counts["missed"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
