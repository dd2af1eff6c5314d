"""clcsim.install(): other people's programs launch their kernels on clcsim, unchanged."""

import importlib.util
import sys

from ._errors import Fault, FindingError
from ._options import merged

_now = None  # the Installed that is in force


class Undo:
    """Attributes that stand in for others, until undo()."""

    def __init__(self):
        self._steps = []

    def put(self, place, name, value):
        if name in vars(place):
            before = vars(place)[name]
            self.also(lambda: setattr(place, name, before))
        else:
            self.also(lambda: delattr(place, name))
        setattr(place, name, value)

    def also(self, step):
        self._steps.append(step)

    def undo(self):
        while self._steps:
            self._steps.pop()()


class Installed:
    """What install() returns: `runs` has the Run of each launch since then. with clcsim.install(): uninstalls at the end."""

    def __init__(self, autotune, options):
        self.autotune, self.options, self.runs, self.undo = autotune, options, [], Undo()
        self._told = set()

    @property
    def findings(self):
        """Each once."""
        return list({(each.name, each.file, each.line): each for run in self.runs for each in run.findings}.values())

    def add(self, run, raised=None):
        """Keeps the run, and prints what the kernel printed, and each finding and note once, unless an exception tells it."""
        self.runs.append(run)
        print(run.printed, end="", flush=True)
        for each in (*run.findings, *run.notes):
            if (each.name, each.file, each.line) not in self._told:
                self._told.add((each.name, each.file, each.line))
                if isinstance(raised, (Fault, FindingError)):
                    continue
                print(each.text, end="", file=sys.stderr, flush=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        uninstall()


def install(autotune=None, **options):
    """From now on Triton's and Gluon's kernel[grid](...) runs on clcsim, with tensors of PyTorch (on the CPU, which is what
    device="cuda" means now) or arrays of numpy. Findings are printed.

    autotune: "first" takes the first configuration that fits; "all" runs each and takes the one of fewest cycles.
    options: those of a launch (seed, gpu, check, strict, ignore ...), for all launches. Where clcsim is installed already, as by
    `clcsim run-python`, they are added to its own."""
    global _now
    if autotune not in (None, "first", "all"):
        raise ValueError(f'autotune is "first" or "all", not {autotune!r}')
    merged(options)  # which checks them
    if importlib.util.find_spec("triton") is None:
        raise ImportError("clcsim.install() stands in for Triton's driver, and Triton isn't here: pip install triton")
    if _now is not None:
        _now.autotune = autotune or _now.autotune
        _now.options.update(options)
        return _now
    _now = Installed(autotune or "first", options)
    try:
        from . import _triton
        _triton.install(_now)
        if importlib.util.find_spec("torch") is not None:
            from . import _torch
            _torch.install(_now)
    except BaseException:
        uninstall()
        raise
    return _now


def uninstall():
    """Undoes install()."""
    global _now
    if _now is not None:
        _now.undo.undo()
        _now = None


def installed():
    return _now
