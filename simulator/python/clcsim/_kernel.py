"""Kernels: PTX in, launches out."""

import linecache
import os
import re
import reprlib
import sys
import warnings

from . import _library
from ._arguments import pack, short
from ._memory import Memory, is_unwritten, is_written, left_unwritten
from ._errors import Error, Fault, FindingError, FindingWarning, Limit, PtxError, Refused
from ._options import merged, options, words
from ._run import Run, name_addresses


def load(ptx, name="", hidden=0):
    """The kernel `name` of a PTX text; the name may go where there is one entry. `hidden`: so many parameters at the
    end are null pointers, which a launch doesn't give."""
    if isinstance(ptx, bytes):
        ptx = ptx.decode(errors="replace")
    if not isinstance(ptx, str):
        raise TypeError(f"ptx must be a text, not {ptx!r}")
    if ptx.startswith("\x7fELF"):
        raise PtxError("this is machine code (a cubin), and clcsim reads PTX")
    reply = _library.kernels(ptx)
    if reply["error"]:
        raise PtxError(reply["error"]["message"])
    known = {each["name"]: each for each in reply["kernels"]}
    if not name and len(known) == 1:
        name = next(iter(known))
    if name not in known:
        if not known:
            raise ValueError("the PTX has no kernel")
        raise ValueError((f"the PTX has no kernel '{name}'" if name else "the PTX has several kernels: name one") +
                         f"; it has {', '.join(known)}")
    if not 0 <= hidden <= len(known[name]["parameters"]):
        raise ValueError(f"hidden is {hidden}, and {name} has {len(known[name]['parameters'])} parameters")
    return Kernel(ptx, known[name], hidden)


class Kernel:
    """kernel[grid, block, shared, cluster](*arguments, **options) runs it on a simulated GPU and returns a Run.
    grid, block, cluster: a number or a tuple of up to three; shared: bytes of dynamic shared memory."""

    def __init__(self, ptx, facts, hidden=0, shape=(), types=(), constants=None, frontend="", names=()):
        self.ptx, self.name = ptx, facts["name"]
        self._facts, self._hidden, self._shape, self._types = facts, hidden, shape, types
        self._constants, self._frontend, self._names = constants or {}, frontend, tuple(names)
        # A cell of a notebook is on no disk; the findings that are in it show its lines all the same.
        self._sources = {path: "".join(linecache.getlines(path))
                         for path in re.findall(r'^\s*\.file\s+\d+ "([^"]*)"', ptx, re.M) if not os.path.exists(path)}

    def __repr__(self):
        return f"<clcsim kernel {self.name}: {len(self._facts['parameters']) - self._hidden} parameters>"

    def shaped(self, block, shared=0, cluster=None, types=(), constants=None, frontend="", names=()):
        """The same kernel, of which a launch gives only the grid: kernel[grid](...). types: of its arguments, in
        Triton's words ("*fp32", "i32:16"); arrays of another type and other numbers are refused. constants: what a grid
        that is a function is called with. frontend: the language that it comes from; names: of the arguments."""
        return Kernel(self.ptx, self._facts, self._hidden, (block, shared, cluster), types, constants, frontend, names)

    def __getitem__(self, shape):
        given = shape if isinstance(shape, tuple) and not (self._shape and all(map(_is_size, shape))) else (shape,)
        if len(given) == 1:
            given += self._shape or (self._default_block(),)
        if len(given) > 4:
            raise TypeError(f"{self.name}[grid, block, shared, cluster] takes at most four")
        grid, block, shared, cluster = given + (0, None)[len(given) - 2:]
        if callable(grid):  # as Triton's programs launch: lambda meta: (triton.cdiv(n, meta["BLOCK"]),)
            grid = grid(dict(self._constants))
        request = self._request(grid, block, shared, cluster)

        def launch(*arguments, **given):
            named = {name: given.pop(name) for name in self._names[len(arguments):] if name in given}
            return self._warned(self._launch(request, self._in_order(arguments, named), merged(given)))
        return launch

    def _request(self, grid, block, shared, cluster):
        return {
            "ptx": self.ptx, "kernel": self.name, "grid": _dim("grid", grid), "block": _dim("block", block),
            "shared": _whole("shared", shared, 0), "cluster": [0, 0, 0] if cluster is None else _dim("cluster", cluster),
        }

    def _in_order(self, arguments, named):
        names = self._names[len(arguments):]
        missing = [name for name in names[:len(named)] if name not in named]
        if missing:
            raise TypeError(f"{self.name} has no value for {', '.join(map(repr, missing))}")
        return arguments + tuple(named[name] for name in names[:len(named)])

    def _default_block(self):
        if not any(self._facts["threads"]):
            raise TypeError(f"{self.name}[grid, block]: the block is missing, and the kernel doesn't say it")
        return tuple(self._facts["threads"])

    def _launch(self, request, values, chosen, scratch=()):
        """scratch: what the hidden parameters get."""
        if "seeds" in chosen:
            return self._under_seeds(request, values, dict(chosen), scratch)
        wanted = len(self._facts["parameters"]) - self._hidden
        if len(values) != wanted:
            kinds = ", ".join(map(_kind, self._facts["kinds"], self._facts["parameters"][:wanted]))
            raise TypeError(f"{self.name} takes {wanted} arguments ({kinds}), and {len(values)} were given")
        arguments, alive, arrays = pack(short(self.name), self._facts["parameters"], self._facts["kinds"], self._types,
                                        values + (tuple(scratch) or (None,) * self._hidden), self._names)
        timeline = chosen.get("timeline")
        to_file = timeline is not None and not isinstance(timeline, bool)
        if to_file:
            open(timeline, "a", encoding="utf-8").close()  # where it can't be written, nothing runs
        reply = _library.run(
            {**request, "sources": self._sources, "options": words(chosen), "page": bool(timeline) or _in_notebook()}, arguments)
        del alive
        reply = name_addresses(reply, reply.get("addresses", ()), [each and each[1] for each in arrays])
        run = Run(reply, self._frontend)
        for value, (name, *_) in filter(None, arrays):
            if is_unwritten(value):
                run.unwritten[name] = left_unwritten(value)
                is_written(value)
        if to_file and run.page:
            with open(timeline, "w", encoding="utf-8") as file:
                file.write(run.page)
        _raise(reply["error"], run, self._frontend)
        if run.findings and chosen.get("strict"):
            raise FindingError(run.report.strip() or str(run.findings[0]), run)
        return run

    def _under_seeds(self, request, values, chosen, scratch):
        first, seeds = None, chosen.pop("seeds")
        memory = Memory(values)
        for chosen["seed"] in range(seeds):
            memory.restore()
            run = self._launch(request, values, chosen, scratch)
            first = first or run
            if run.findings:
                break
        if first is None:
            raise ValueError(f"seeds is {seeds}: give the number of seeds")
        run.unwritten = first.unwritten
        return run

    @staticmethod
    def _warned(run):
        for finding in run.findings:
            warnings.warn(str(finding), FindingWarning, stacklevel=3)
        return run


def explore(call, seeds=20):
    """Calls `call` (which launches kernels, on fresh arrays) under the seeds 0 to seeds - 1: in another order of
    blocks, warps and answers each. Returns [(seed, what call returned)]."""
    results = []
    for seed in range(seeds):
        with options(seed=seed):
            results.append((seed, call()))
    return results


# The ways round what is not modelled: a frontend, the instruction's beginning, what to do.
AROUND = ((("triton",), ("tcgen05", "wgmma"),
           "tl.dot of float32 tensors compiles to ordinary arithmetic with TRITON_F32_DEFAULT=ieee in the environment, or with "
           "input_precision=\"ieee\""),)


def _raise(error, run, frontend):
    if not error:
        return
    kind, message = error["kind"], error["message"]
    if kind == "refused" and run.refusals:
        message = str(run.refusals[0]).replace("[] ", "")
        for languages, instructions, way in AROUND:
            if frontend in languages and any(f"instruction {name}" in message for name in instructions):
                message += f". {way}"
    if kind == "fault" and run.report:
        message += "\n" + run.report.rstrip()
    if kind == "argument":
        raise ValueError(message)
    raise {"ptx": PtxError, "refused": Refused, "fault": Fault, "limit": Limit}.get(kind, Error)(message, run)


def _kind(kind, size):
    if kind == "i" and size == 8:
        return "array or i64"
    return f"{size} bytes" if kind == "b" else f"{kind}{8 * size}"


def _is_size(value):
    return isinstance(value, int) and not isinstance(value, bool)


def _whole(name, value, least):
    try:
        number = value.__index__()
    except (AttributeError, TypeError):
        raise TypeError(f"{name} must be a whole number, not {reprlib.repr(value)}") from None
    if not least <= number < 2**31:
        raise ValueError(f"{name} must be from {least} to 2^31 - 1, not {number}")
    return number


def _dim(name, value):
    sizes = value if isinstance(value, tuple) else (value,)
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"{name} has 1 to 3 dimensions, not {len(sizes)}")
    return [_whole(name, size, 1) for size in sizes] + [1] * (3 - len(sizes))


def _in_notebook():
    shell = sys.modules.get("IPython")
    shell = shell.get_ipython() if shell is not None else None
    return shell is not None and hasattr(shell, "kernel")
