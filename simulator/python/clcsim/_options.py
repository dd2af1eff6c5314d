"""The options of a run: keywords of a launch, or clcsim.options() for all launches inside of it."""

import contextlib
import contextvars
import numbers
import os

# name: the type of its value. All but OWN are options of the command `clcsim`, which checks them.
KNOWN = {
    "gpu": str,  # "mini", "b200:9", or the path of a GPU's description
    "seed": numbers.Integral,
    "seeds": numbers.Integral,  # a launch runs under the seeds 0 to this - 1, with the same arrays, until there is a finding
    "check": str,  # "all", "memory" or "off"
    "refuse": numbers.Integral,  # one request in so many fails, blocks waiting or not
    "grants": str,  # "increasing": blocks are stolen in their order, whatever the seed
    "limit_cycles": numbers.Integral,
    "limit_seconds": numbers.Integral,
    "timeline": (str, os.PathLike, bool),  # path of a page (.html) to write; True: for notebooks only
    "strict": bool,
    "ignore": (str, list, tuple, set),  # "RULE" or "RULE@FILE" or "RULE@FILE:LINE": findings that are accepted
    "ignore_file": (str, os.PathLike),  # the path of a list of them, each with a reason
}
OWN = ("seeds", "timeline", "strict", "ignore")
FLAGS = tuple(name for name in KNOWN if name not in OWN)

_current = contextvars.ContextVar("clcsim options", default={})


def merged(given, under=False):
    """The options that are in force and those given, which go before them, or stand under them."""
    for name, value in given.items():
        if name not in KNOWN:
            raise TypeError(f"a launch has no option '{name}'; there are {', '.join(KNOWN)}. What a kernel is compiled "
                            "with (constexprs, num_warps) goes to clcsim.triton")
        if value is not None and not isinstance(value, KNOWN[name]):
            raise TypeError(f"{name} can't be {value!r}")
    first, second = (given, _current.get()) if under else (_current.get(), given)
    chosen = {"limit_seconds": 60, **first, **second}
    return {name: value for name, value in chosen.items() if value is not None}


def words(chosen):
    """As the command line has them."""
    ignore = chosen.get("ignore", ())
    given = [(name, chosen[name]) for name in FLAGS if name in chosen]
    given += [("ignore", each) for each in ((ignore,) if isinstance(ignore, str) else ignore)]
    return [word for name, value in given for word in ("--" + name.replace("_", "-"), str(value))]


def from_words(given):
    """(the options that a command line begins with, the rest); TypeError, ValueError."""
    chosen, given = {}, list(given)
    while given and given[0].startswith("--"):
        word, _, value = given.pop(0).partition("=")
        name = word[2:].replace("-", "_")
        if name == "strict":
            chosen[name] = True
            continue
        if name not in (*FLAGS, "seeds", "ignore", "autotune"):
            raise TypeError(f"no option {word}")
        if not value and not given:
            raise TypeError(f"{word} has no value")
        value = value or given.pop(0)
        if name == "ignore":
            chosen.setdefault(name, []).append(value)
        else:
            chosen[name] = int(value) if KNOWN.get(name) is numbers.Integral else value
    return chosen, given


@contextlib.contextmanager
def options(**given):
    """with clcsim.options(gpu="b200", seed=3): every launch inside has these options."""
    token = _current.set(merged(given))
    try:
        yield
    finally:
        _current.reset(token)
