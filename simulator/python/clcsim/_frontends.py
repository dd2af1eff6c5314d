"""Kernels from Python frontends, compiled without a GPU. The frontends are imported when they are asked for."""

import contextlib
import importlib
import os
import re
import sys
import tempfile

from ._kernel import load

def _need(module):
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"this needs triton, tried with 3.5 to 3.9: pip install triton ({error})") from error


# A type, and behind a colon what its value is a multiple of: "*fp32", "i32:16".
WORD = re.compile(r"(\*?[iu](?:1|8|16|32|64)|\*?(?:fp|f|bf)\d+\w*|constexpr|tensordesc.*?)(?::(1|16))?")


def _types(fn, signature, constexprs):
    """({name: type}, {index: what it is a multiple of}), checked. Triton's JIT looks at each argument; here pointers are
    multiples of 16, as every array of a launch is, and numbers where the signature says so."""
    name = getattr(fn, "__name__", repr(fn))
    if not hasattr(fn, "arg_names") or not hasattr(fn, "cache_key"):
        inner = getattr(fn, "fn", None)
        raise TypeError(f"{name} is no function under @triton.jit or @gluon.jit" if inner is None else
                        f"{getattr(inner, '__name__', name)} is autotuned or has heuristics: give its .fn, and the "
                        "constexprs of one configuration")
    for each in fn.arg_names:
        if each not in signature:
            raise TypeError(f"the signature of {name} has no type for '{each}'")
    types, multiples = {}, {}
    for each, word in signature.items():
        if each not in fn.arg_names:
            raise TypeError(f"{name} has no parameter '{each}'; it has {', '.join(fn.arg_names)}")
        match = WORD.fullmatch(word) if isinstance(word, str) else None
        if match is None:
            raise TypeError(f"the type of '{each}' is {word!r}; Triton's words are \"*fp32\", \"i32\", \"constexpr\"")
        types[each] = match[1]
        if types[each] == "constexpr" and each not in constexprs:
            raise TypeError(f"'{each}' is a constexpr of {name}, and constexprs has no value for it")
        if match[2] == "16" or (match[2] is None and word.startswith("*")):
            multiples[(fn.arg_names.index(each),)] = [["tt.divisibility", 16]]
    return types, multiples


@contextlib.contextmanager
def _diagnostics_unless_translated(clc):
    """The pass of clc=True answers an early return with a hundred lines of its own language."""
    if not clc:
        yield
        return
    sys.stderr.flush()
    with tempfile.TemporaryFile() as said, open(os.dup(2), "wb") as stderr:
        os.dup2(said.fileno(), 2)
        translated = False
        try:
            yield
        except RuntimeError as error:
            if "PassManager" not in str(error):
                raise
            translated = True
            raise ValueError("Triton's clc=True can't compile this kernel: its pass takes no early return. "
                             "Compile it with clc=False, or put the rest under an if") from error
        finally:
            os.dup2(stderr.fileno(), 2)
            said.seek(0)
            stderr.write(b"" if translated else said.read())


def _compiled(source, signature, constants, options, frontend):
    compiler = importlib.import_module("triton.compiler")
    known = importlib.import_module("triton.backends.nvidia.compiler").CUDAOptions.__dataclass_fields__
    for name in options:
        if name not in known:
            raise TypeError(f"Triton has no option '{name}'; there are {', '.join(known)}")
    target = importlib.import_module("triton.backends.compiler").GPUTarget("cuda", 100, 32)
    with _diagnostics_unless_translated(options.get("clc")):
        compiled = compiler.compile(source, target=target, options=options)
    facts = compiled.metadata
    kernel = load(compiled.asm["ptx"], facts.name, hidden=2)  # scratch memory of Triton's own, unused here
    return kernel.shaped(32 * facts.num_warps, facts.shared, facts.num_ctas if facts.num_ctas > 1 else None,
                         tuple(type for type in signature.values() if type != "constexpr"), constants, frontend, [name for name, type in signature.items() if type != "constexpr"])


def triton(fn, signature, constexprs=None, num_warps=4, clc=False, **options):
    """The kernel of a function under @triton.jit: kernel[grid](*arguments).

    signature: {"y": "*fp32", "n": "i32", "BLOCK": "constexpr"}, in the function's order. "i32:16": a multiple of 16, as
    pointers are; "*fp32:1": not known to be one. constexprs: {"BLOCK": 256}; clc: the kernel steals blocks (Triton 3.9);
    options: Triton's own."""
    _need("triton.compiler")
    types, multiples = _types(fn, signature, constexprs or {})
    source = importlib.import_module("triton.compiler").ASTSource(fn, types, constexprs or {}, multiples)
    return _compiled(source, signature, constexprs or {}, {"num_warps": num_warps, **({"clc": True} if clc else {}), **options}, "triton")


def gluon(fn, signature, constexprs=None, num_warps=4, **options):
    """The same of a function under @gluon.jit."""
    module = _need("triton.experimental.gluon._runtime")
    types, multiples = _types(fn, signature, constexprs or {})
    source = module.GluonASTSource(fn, types, constexprs or {}, multiples)
    return _compiled(source, signature, constexprs or {}, {"num_warps": num_warps, **options}, "gluon")
