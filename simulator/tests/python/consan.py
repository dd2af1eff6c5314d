"""Repeats simulator/README.md's row of ConSan's tests: consan.py [SEEDS [FILE]]. Needs triton 3.9; ends with 77 without a network.

Each variant of a test runs twice, with stand-ins for torch, pytest and the subprocess: as the parent, whose assertions say
whether ConSan must find something, and as the child, whose kernel clcsim runs. What needs TMA or tensor cores is left out."""

import collections
import copy
import importlib.util
import inspect
import itertools
import pathlib
import re
import sys
import tempfile
import types
import urllib.error
import urllib.request
import warnings

import numpy as np

import clcsim

FILE = ("https://raw.githubusercontent.com/facebookexperimental/triton/db4666f22c1f8b206584c3f06e3b4a0ff035989e/"
        "python/test/gluon/test_consan.py")
TYPES = {"float16": "*fp16", "float32": "*fp32", "int32": "*i32", "bool": "*i1", "int64": "i32"}
BEYOND = re.compile(r"cp\.async\.bulk\.tensor|tcgen05|PassManager|'stride'")  # what the messages of TMA's and tensor cores' tests say
now = types.SimpleNamespace()  # the child that the parent sees; the findings; the seeds


class Skipped(Exception):
    pass


def skip(reason):
    raise Skipped(reason)


class Mark:
    def skipif(self, *_, **__):
        return lambda test: test

    def parametrize(self, names, values, **_):
        names = [name.strip() for name in names.split(",")]

        def marked(test):
            of_all = [dict(zip(names, value if len(names) > 1 else (value,))) for value in values]
            test.choices = (of_all, *getattr(test, "choices", ()))
            return test
        return marked


def stand_in(name, **contents):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(contents)


def array(*shape, dtype=np.float32, **_):
    return np.zeros(shape[0] if isinstance(shape[0], tuple) else shape, dtype)


def launched(self, *arguments, grid, warmup=False, **named):
    """In place of JITFunction.run: compiles for sm_100a, and runs under clcsim."""
    given = {**dict(zip(self.arg_names, arguments)), **{name: named.pop(name) for name in self.arg_names if name in named}}
    signature = {each.name: "constexpr" if each.is_constexpr else TYPES[np.asarray(given[each.name]).dtype.name] for each in self.params}
    kernel = clcsim.gluon(self, signature, {name: given[name] for name in signature if signature[name] == "constexpr"}, **named)
    for seed in range(now.seeds):
        try:  # Triton's grid counts clusters
            run = kernel[grid[0] * named.get("num_ctas", 1)](
                *(copy.copy(given[name]) for name in signature if signature[name] != "constexpr"), seed=seed)
        except (clcsim.Fault, clcsim.Limit) as fault:
            run = fault.run
        now.findings |= {finding.name for finding in run.findings}


def verdict(test, arguments):
    try:
        test(**arguments, run_wrapper=True)
        must_fail = False
    except AssertionError:
        must_fail = True
    now.findings = set()
    test(**arguments, run_wrapper=False)
    return "right" if must_fail == bool(now.findings) else "missed" if must_fail else "alarm"


def main(seeds=1, file=None):
    now.seeds = int(seeds)
    now.child = types.SimpleNamespace(exc=None, driver_stderr_output="")
    warnings.simplefilter("ignore")
    stand_in("torch", float16=np.float16, float32=np.float32, int32=np.int32, bool=np.bool_, randn=array, empty=array, arange=array,
             empty_like=np.zeros_like, full_like=np.full_like, cuda=types.SimpleNamespace(get_device_capability=lambda: (10, 0)),
             testing=types.SimpleNamespace(assert_close=lambda *_, **__: None))
    stand_in("pytest", mark=Mark(), skip=skip, fixture=lambda *functions, **_: functions[0] if functions else lambda test: test)
    stand_in("triton._internal_testing", is_cuda=lambda: True, run_in_process=lambda *_: now.child)
    ampere = importlib.import_module("triton.experimental.gluon.language.nvidia.ampere").async_copy
    ampere.async_copy_global_to_shared = ampere.async_load  # its name since 3.9
    importlib.import_module("triton.runtime.jit").JITFunction.run = launched
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        if file is None:
            file = pathlib.Path(folder) / "test_consan.py"
            try:
                file.write_bytes(urllib.request.urlopen(FILE, timeout=60).read())
            except urllib.error.URLError as error:
                print(f"not run: ConSan's tests can't be fetched ({error})")
                return 77
        spec = importlib.util.spec_from_file_location("test_consan", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        always = {"device": "cuda", "monkeypatch": types.SimpleNamespace(setenv=lambda *_: None), "fresh_knobs": module.knobs}
        for name, test in vars(module).items():
            # LLVM ends the process where it compiles wgmma for sm_100a.
            if not name.startswith("test_") or "warpgroup_mma" in inspect.getsource(test):
                continue
            wanted = inspect.signature(test).parameters
            choices = [*getattr(test, "choices", ()), [{"num_ctas": n} for n in ((1, 2, 4) if "num_ctas" in wanted else (1,))]]
            for choice in itertools.product(*choices) if "run_wrapper" in wanted else ():
                values = {key: value for part in choice for key, value in part.items() if key in wanted}
                try:
                    came = verdict(test, {**{key: always[key] for key in always if key in wanted}, **values})
                    said = " ".join(now.findings) or "nothing"
                except Skipped:
                    continue
                except Exception as error:  # whatever a frontend raises
                    came, said = "refused", f"{type(error).__name__}: {error}"
                    if BEYOND.search(said):
                        continue
                counts[came] += 1
                if came != "right":
                    print(f"{came} {name} {values}: {said.splitlines()[-1][:160]}", flush=True)
    print(f"consan: {counts.total()} variants: " +
          ", ".join(f"{counts[came]} {came}" for came in ("right", "missed", "alarm", "refused")))
    return 0 if counts["right"] >= 165 and not counts["missed"] else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
