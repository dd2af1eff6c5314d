"""The options of a run: keywords of a launch, or clcsim.options() for all launches inside of it."""

import contextlib
import contextvars
import numbers
import os

# name: the type of its value. Those with a flag are options of the command `clcsim`, which checks them.
KNOWN = {
    "gpu": str,  # "mini", "b200:9", or the path of a GPU's description
    "seed": numbers.Integral,
    "check": str,  # "all", "memory" or "off"
    "refuse": numbers.Integral,  # one request in so many fails, blocks waiting or not
    "grants": str,  # "increasing": blocks are stolen in their order, whatever the seed
    "limit_cycles": numbers.Integral,
    "limit_seconds": numbers.Integral,
    "timeline": (str, os.PathLike, bool),  # path of a page (.html) to write; True: for notebooks only
    "strict": bool,
}
FLAGS = ("gpu", "seed", "check", "refuse", "grants", "limit_cycles", "limit_seconds")

_current = contextvars.ContextVar("clcsim options", default={"limit_seconds": 60})


def merged(given):
    for name, value in given.items():
        if name not in KNOWN:
            raise TypeError(f"a launch has no option '{name}'; there are {', '.join(KNOWN)}. What a kernel is compiled "
                            "with (constexprs, num_warps) goes to clcsim.triton")
        if value is not None and not isinstance(value, KNOWN[name]):
            raise TypeError(f"{name} can't be {value!r}")
    chosen = {**_current.get(), **given}
    return {name: value for name, value in chosen.items() if value is not None}


def words(chosen):
    """As the command line has them."""
    return [word for name in FLAGS if name in chosen for word in ("--" + name.replace("_", "-"), str(chosen[name]))]


@contextlib.contextmanager
def options(**given):
    """with clcsim.options(gpu="b200", seed=3): every launch inside has these options."""
    token = _current.set(merged(given))
    try:
        yield
    finally:
        _current.reset(token)
