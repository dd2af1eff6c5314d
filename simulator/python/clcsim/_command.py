"""The command `clcsim`: the launcher that came with this package, and `clcsim run-python`."""

import os
import runpy
import sys

from ._library import folder
from ._options import from_words

USAGE = """usage: clcsim run-python [options] SCRIPT [arguments]
       clcsim run-python [options] -m MODULE [arguments]

Runs a Python program whose Triton kernels are launched on the simulated GPU. The exit status is the program's own; 86 where that
was 0 but a kernel broke a rule. Options: --gpu, --seed, --check, --refuse, --grants, --limit-cycles, --limit-seconds, --ignore and
--ignore-file as in `clcsim --help`; --strict: the first finding raises an exception; --seeds N: each
launch runs under N seeds; --autotune all or compare: each configuration runs, in place of the first that fits."""


def main():
    if sys.argv[1:2] == ["run-python"]:
        sys.exit(run_python(sys.argv[2:]))
    launcher = folder() / "bin" / "clcsim"
    os.execv(launcher, [str(launcher), *sys.argv[1:]])


def run_python(words):
    try:
        options, rest = from_words(words)
    except (TypeError, ValueError) as error:
        print(f"clcsim run-python: {error}", file=sys.stderr)
        return 2
    as_module = rest[:1] == ["-m"]
    rest = rest[as_module:]
    if not rest or rest[0].startswith("-"):
        print(USAGE, file=sys.stderr)
        return 2
    if not as_module and not os.path.isfile(rest[0]):
        print(f"clcsim run-python: there is no file '{rest[0]}'", file=sys.stderr)
        return 2
    from ._install import install
    try:
        installed = install(**options)
    except (ImportError, TypeError, ValueError) as error:
        print(f"clcsim run-python: {error}", file=sys.stderr)
        return 2
    sys.argv = rest
    status = 0
    sys.path.insert(0, os.getcwd() if as_module else os.path.dirname(os.path.abspath(rest[0])))
    try:
        if as_module:
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(rest[0], run_name="__main__")
    except SystemExit as exit:
        status = exit.code if isinstance(exit.code, int) else 0 if exit.code is None else 1
        if isinstance(exit.code, str):
            print(exit.code, file=sys.stderr)
    finally:
        print(summary(installed), file=sys.stderr, flush=True)
    return status or (86 if installed.findings else 0)


def summary(installed):
    """One line of all launches, and one for each finding that was to be accepted and never came."""
    def counted(number, word, plural="s"):
        return f"{number} {word}{plural if number != 1 else ''}"
    kernels = {run.kernel for run in installed.runs}
    ignored = sum(len(run.ignored) for run in installed.runs)
    not_needed = set.intersection(*(run.not_needed for run in installed.runs)) if installed.runs else ()
    return (f"========= clcsim: {counted(len(installed.runs), 'launch', 'es')} of {counted(len(kernels), 'kernel')}, "
            f"{counted(len(installed.findings), 'finding')}" + (f", {ignored} accepted" if ignored else "") +
            "".join(f"\n========= clcsim: not needed in this run: {each}" for each in sorted(not_needed)))
