"""Kernels from Python frontends, compiled without a GPU. The frontends are imported when they are asked for."""

import importlib
import tempfile

from ._kernel import load

# Tried with these; others may work.
TRIED = {"triton": "3.9", "cutlass": "4.8"}


def _need(module, package):
    try:
        return importlib.import_module(module)
    except ImportError as error:
        name = module.split(".")[0]
        raise ImportError(f"this needs {package}, tried with {TRIED[name]}: pip install {package} ({error})") from error


def _compiled(source, signature, options, gpu):
    compiler = importlib.import_module("triton.compiler")
    target = importlib.import_module("triton.backends.compiler").GPUTarget("cuda", gpu, 32)
    compiled = compiler.compile(source, target=target, options=options)
    facts = compiled.metadata
    kernel = load(compiled.asm["ptx"], facts.name, hidden=2)  # scratch memory of Triton's own, unused here
    return kernel.shaped(32 * facts.num_warps, facts.shared, facts.num_ctas if facts.num_ctas > 1 else None,
                         tuple(type for type in signature.values() if type != "constexpr"))


def triton(fn, signature, constexprs=None, num_warps=4, clc=True, **options):
    """The kernel of a function under @triton.jit: kernel[grid](*arguments).

    signature: {"y": "*fp32", "n": "i32", "BLOCK": "constexpr"}; constexprs: {"BLOCK": 256}; options: Triton's own."""
    _need("triton.compiler", "triton")
    source = importlib.import_module("triton.compiler").ASTSource(fn, signature, constexprs or {})
    return _compiled(source, signature, {"num_warps": num_warps, "clc": clc, **options}, 100)


def gluon(fn, signature, constexprs=None, num_warps=4, **options):
    """The same of a function under @gluon.jit."""
    module = _need("triton.experimental.gluon._runtime", "triton")
    source = module.GluonASTSource(fn, signature, constexprs or {})
    return _compiled(source, signature, {"num_warps": num_warps, **options}, 100)


def cute(host, *arguments, shared=0, cluster=None):
    """The kernel that a function under @cute.jit launches: kernel[grid](*arguments). `arguments`: examples of what
    `host` takes, as for cute.compile; shared, cluster: what its launch() says."""
    module = _need("cutlass.cute", "nvidia-cutlass-dsl")
    with tempfile.TemporaryDirectory() as folder:
        wanted = (module.KeepPTX, module.GPUArch("sm_100a"), module.GenerateLineInfo,
                  importlib.import_module("cutlass.base_dsl.compiler").DumpDir(folder))
        ptx = module.compile[wanted](host, *arguments).__ptx__
    kernel = load(ptx.rstrip("\0"))
    return kernel.shaped(kernel._default_block(), shared, cluster)
