"""clcsim.install(): other people's programs launch their kernels on clcsim, unchanged."""

import importlib.util
import sys

from ._errors import Error, Fault, FindingError
from ._library import gpu
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
        self.cycles = 0  # of all launches
        self._told = set()

    @property
    def findings(self):
        """Each once."""
        return list({(each.name, each.file, each.line): each for run in self.runs for each in run.findings}.values())

    @property
    def gpu(self):
        """What programs see: the simulated GPU, as _library.gpu() describes it."""
        return gpu(merged(self.options, under=True).get("gpu", "mini"))

    def launched(self, kernel, *launch):
        raised = None
        try:
            run = kernel._launch(*launch[:2], merged(self.options, under=True), *launch[2:])
        except Error as error:
            run, raised = error.run, error
        if run is not None:
            self.cycles += run.cycles
            self.add(run, raised)
        if raised is not None:
            raise raised

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
    """From now on what Triton, Gluon and CuTe DSL launch runs on clcsim, with tensors of PyTorch (on the CPU, which is what
    device="cuda" means now) or arrays of numpy. Findings are printed.

    autotune: "first" takes the first configuration that fits; "all" runs each and takes the one of fewest cycles; "compare" also raises
    an exception where two of them leave different values.
    options: those of a launch (seed, gpu, check, strict, ignore ...), for all launches. Programs see the compute capability of `gpu`. Where clcsim is installed already, as by
    `clcsim run-python`, they are added to its own."""
    global _now
    if autotune not in (None, "first", "all", "compare"):
        raise ValueError(f'autotune is "first", "all" or "compare", not {autotune!r}')
    merged(options)  # which checks them
    here = {name: importlib.util.find_spec(name) is not None for name in ("triton", "torch", "cutlass")}
    if not here["triton"] and not here["cutlass"]:
        raise ImportError("clcsim.install() stands in for the driver of Triton and of CuTe DSL, and neither is here: pip install triton, or "
                          "nvidia-cutlass-dsl")
    if _now is not None:
        _now.autotune = autotune or _now.autotune
        _now.options.update(options)
        return _now
    _now = Installed(autotune or "first", options)
    try:
        if here["triton"]:
            from . import _triton
            _triton.install(_now)
        if here["torch"]:
            from . import _torch
            _torch.install(_now)
        if here["cutlass"]:
            _when_imported("cutlass", _cute, _now)
    except BaseException:
        uninstall()
        raise
    return _now


def _cute(now):
    from . import _cute as module
    module.install(now)


class _when_imported:
    """Calls `do(now)` when a module has been imported, which takes time, or at once."""

    def __init__(self, name, do, now):
        self.name, self.do, self.now = name, do, now
        if name in sys.modules:
            do(now)
        else:
            sys.meta_path.insert(0, self)
            now.undo.also(lambda: self in sys.meta_path and sys.meta_path.remove(self))

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            self.do(self.now)
        spec.loader.exec_module = exec_module
        return spec


def uninstall():
    """Undoes install()."""
    global _now
    if _now is not None:
        _now.undo.undo()
        _now = None


def installed():
    return _now
