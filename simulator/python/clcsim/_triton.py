"""A driver for Triton whose GPU is clcsim: Triton's own JIT, heuristics, autotuner and hooks do the rest."""

import os
import sys
import types

import numpy as np
import triton
from triton import knobs
from triton._C import libtriton
from triton.backends.compiler import GPUTarget
from triton.backends.driver import GPUDriver
from triton.compiler.compiler import CompiledKernel, compile
from triton.runtime import driver
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import KernelInterface

from . import _kernel
from ._errors import Error, Refused
from ._memory import Memory, Pointer, elements, is_tensor, scratch
from ._tensor_map import tensor_map

try:
    from triton.backends.driver import _expand_descriptor, decompose_descriptor
except ImportError:  # before 3.9
    def _expand_descriptor(*_):
        raise Refused("a descriptor of a tensor from the host needs Triton 3.9")

# Programs see the compute capability of the simulated GPU. What then needs an instruction that clcsim lacks is compiled for an older one,
# where Triton copies by ordinary loads and makes products of fp8 by those of fp16.
FALLBACK = 80
KEPT = ("num_warps", "num_ctas", "num_stages", "maxnreg", "enable_fp_fusion", "default_dot_input_precision", "sanitize_overflow")
DEVICE = 64  # no machine has so many: Triton keeps kernels by the device's number, and those of a GPU stay apart
SWIZZLES = (0, 32, 64, 128)
REGISTERS = 32  # of a thread, which clcsim does not count; programs divide by it
MILLISECOND = 1e6  # cycles


class Driver(GPUDriver):
    def __init__(self, installed):
        self.installed, self.compiling = installed, None
        self.dry = False  # a launch compiles, and does nothing
        self.utils = types.SimpleNamespace(load_binary=lambda *_: (self, 0, REGISTERS, 0, 1024), unload_module=lambda _: None,
                                           get_device_properties=lambda _: self.properties())
        self.launcher_cls = lambda source, metadata: Launcher(self.compiling, source, metadata)
        self.get_device_capability = lambda device=None: tuple(installed.gpu["capability"])
        self.get_current_device = lambda: DEVICE + self.target()
        self.set_current_device = lambda device: None
        self.get_current_stream = lambda device=None: 0

    @classmethod
    def is_active(cls):
        return True

    def map_python_to_cpp_type(self, ty):
        return ty

    def get_current_target(self):
        return GPUTarget("cuda", self.target(), 32)

    def target(self):
        major, minor = self.installed.gpu["capability"]
        return 10 * major + minor

    def properties(self):
        gpu = self.installed.gpu
        return {"max_shared_mem": gpu["shared"], "multiprocessor_count": gpu["sms"], "max_num_regs": 65536, "warpSize": 32,
                "sm_clock_rate": gpu["clock"], "mem_clock_rate": 1000000, "mem_bus_width": 1024}

    def get_active_torch_device(self):
        import torch
        return torch.device("cuda", 0)

    def get_device_interface(self):
        import torch
        return torch.cuda

    def get_benchmarker(self):
        return self.bench

    def get_empty_cache_for_benchmark(self):
        return None

    def clear_cache(self, cache):
        pass

    def bench(self, call, *_, quantiles=None, return_mode="mean", **__):
        """In place of Triton's do_bench: one run, and the milliseconds are simulated."""
        before = self.installed.cycles
        call()
        time = (self.installed.cycles - before) / MILLISECOND
        return [time] * len(quantiles) if quantiles else [time] if return_mode == "all" else time


class Launcher:
    """One specialisation of a kernel, which Triton keeps: it runs under whatever install() is in force."""

    def __init__(self, compiled, source, metadata):
        kernel, metadata = _loaded(compiled, metadata)
        self.metadata = metadata
        self.cluster = getattr(metadata, "num_ctas", 1)
        threads = max(kernel._facts["threads"]) or 32 * metadata.num_warps
        names = list(source.signature) if isinstance(source.signature, dict) else []
        self.words = list(source.signature.values())
        self.maps = getattr(metadata, "tensordesc_meta", None)
        flat = self._flat(names)
        self.kernel = kernel.shaped(threads, metadata.shared, self.cluster if self.cluster > 1 else None, frontend="gluon" if "Gluon" in type(source).__name__ else "triton",
                                    names=[name for _, name in flat])

    def __call__(self, x, y, z, stream, function, packed, launch_metadata, enter, leave, *arguments):
        if driver.active.dry:
            return
        if enter is not None:
            enter(launch_metadata)
        if x * y * z > 0:  # else there is nothing to do, as on a GPU
            self.launch((x, y, z), arguments)
        if leave is not None:
            leave(launch_metadata)

    def launch(self, grid, arguments):
        installed, blocks = driver.active.installed, grid[0] * grid[1] * grid[2] * self.cluster
        values = tuple(_value(word, value) for word, value in self._flat(arguments))
        sizes = (getattr(self.metadata, "global_scratch_size", 0), getattr(self.metadata, "profile_scratch_size", 0))
        hidden = [scratch(blocks * size) if size else None for size in sizes]
        request = self.kernel._request((grid[0] * self.cluster, *grid[1:]), *self.kernel._shape)
        installed.launched(self.kernel, request, values, hidden)

    def _flat(self, values, words=None, maps=None):
        """[(a type, its value)], or its name. Tuples of Triton are taken apart, descriptors are what Triton's launcher makes of them,
        and constexprs aren't passed."""
        flat, maps = [], iter(self.maps or ()) if maps is None else maps
        for word, value in zip(self.words if words is None else words, values):
            if isinstance(word, tuple):
                flat += self._flat(value if isinstance(value, tuple) else (value,) * len(word), word, maps)
            elif word.startswith("tensordesc"):
                expanded = _expand_descriptor(word, bool(self.maps), "map")
                made = (value,) * len(expanded) if isinstance(value, str) else (
                    [_tensor_map_of(value, next(maps)), *value.shape, *value.strides] if self.maps else decompose_descriptor(value))
                flat += zip(expanded, made)
            elif word != "constexpr":
                flat.append((word, value))
        return flat


def _loaded(compiled, metadata):
    """(the kernel, its metadata), compiled for an older GPU where clcsim lacks an instruction of this one."""
    kernel = _kernel.load(compiled.asm["ptx"], metadata.name, hidden=2)
    refusals = kernel._facts["refusals"]
    if not refusals or "Gluon" in type(compiled.src).__name__ or metadata.num_ctas > 1:
        return kernel, metadata  # and is refused where it comes to the instruction
    options = {name: getattr(metadata, name) for name in KEPT if hasattr(metadata, name)}
    try:
        older = compile(compiled.src, target=GPUTarget("cuda", FALLBACK, 32), options=options)
    except Exception:
        return kernel, metadata
    print(f"clcsim: {metadata.name} is compiled for sm_{FALLBACK}: {refusals[0]}", file=sys.stderr)
    return _kernel.load(older.asm["ptx"], older.metadata.name, hidden=2), older.metadata


def _tensor_map_of(descriptor, facts):
    if descriptor.padding == "nan" or facts["fp4_padded"] or facts.get("is_im2col"):
        raise Refused("a descriptor whose padding is NaN, of fp4 or of im2col is not modelled")
    return tensor_map(descriptor.base, facts["block_size"], SWIZZLES[facts["swizzle"]], descriptor.shape, descriptor.strides)


def _value(word, value):
    """As the kernel's parameter takes it: an array, a tensor, None, or bytes."""
    if word == "map":
        return value
    if word.startswith("*"):
        return value if is_tensor(value) or isinstance(value, np.ndarray) or value is None else _integer(value, 8)
    if word == "bf16":
        return (np.float32(value).view(np.uint32) >> 16).astype(np.uint16).tobytes()
    if word.startswith("f"):
        return np.dtype(f"f{int(word.lstrip('fp')) // 8}").type(value).tobytes()
    return _integer(value, max(1, int(word[1:]) // 8))


def _integer(value, size):
    return (int(value) % 2 ** (8 * size)).to_bytes(size, "little")


def install(installed):
    ours = Driver(installed)
    undo = installed.undo
    undo.put(driver, "_active", ours)

    handles = CompiledKernel._init_handles

    def init_handles(self):
        ours.compiling = self
        return handles(self)
    undo.put(CompiledKernel, "_init_handles", init_handles)

    def with_grid(self, grid):
        return lambda *arguments, **named: self.run(*map(_tensor_of, arguments), grid=grid, warmup=False,
                                                    **{name: _tensor_of(value) for name, value in named.items()})
    undo.put(KernelInterface, "__getitem__", with_grid)

    bench = Autotuner._bench
    chosen = {}  # of each autotuner, the launch for which it has a configuration
    results = {}  # likewise: the launch, a configuration, and what that has left in its tensors

    def compared(self, arguments, config, meta):
        tensors = {name: value for name, value in self.nargs.items() if is_tensor(value)}
        before = Memory(tensors.values())
        times = bench(self, *arguments, config=config, **meta)
        if times[0] != float("inf"):
            came = {name: elements(value) for name, value in tensors.items()}
            of, other, others = results.setdefault(id(self), (self.nargs, config, came))
            if of is not self.nargs:
                results[id(self)] = self.nargs, config, came
            else:
                for name in came:
                    wrong = ~np.isclose(came[name], others[name], rtol=1e-2, atol=1e-3, equal_nan=True)
                    if wrong.any():
                        raise Error(f"the configurations ({other}) and ({config}) of {self.base_fn.__name__} differ in {wrong.sum()} of "
                                    f"{wrong.size} elements of {name!r}")
        before.restore()
        return times

    def first_that_fits(self, *arguments, config, **meta):
        if installed.autotune == "all":
            return bench(self, *arguments, config=config, **meta)
        if installed.autotune == "compare":
            return compared(self, arguments, config, meta)
        if chosen.get(id(self)) is self.nargs:
            return [float("inf")] * 3
        ours.dry = True
        try:
            times = bench(self, *arguments, config=config, **meta)
        finally:
            ours.dry = False
        if times[0] != float("inf"):
            chosen[id(self)] = self.nargs
        return times
    undo.put(Autotuner, "_bench", first_that_fits)

    if "TRITON_DEFAULT_FP_FUSION" not in os.environ and hasattr(knobs.language, "default_fp_fusion"):
        undo.put(knobs.language, "default_fp_fusion", False)  # else sums differ between lanes that store to one word
    if hasattr(libtriton.nvidia, "cublas"):
        undo.put(libtriton.nvidia.cublas, "CublasLt", Cublas)
    import triton.testing
    undo.put(triton.testing, "do_bench", ours.bench)
    undo.put(triton.testing, "do_bench_cudagraph", ours.bench)
    undo.put(triton.testing.Mark, "run", lambda self, *_, **__: print("clcsim: a benchmark of triton.testing is left out"))


class Cublas:
    """Triton's handle of cuBLAS, with which programs compare."""

    def __init__(self, workspace):
        pass

    def matmul(self, a, b, c):
        c.copy_(a.float() @ b.float().T)


def _tensor_of(value):
    return Pointer(value) if isinstance(value, np.ndarray) else value
