"""CuTe DSL's compiled host functions launch on clcsim: the functions of CUDA that their code calls are answered here, so that grid,
cluster, shared memory and arguments are those that the host function computes."""

import ctypes
import functools
import importlib.util
import inspect
import os
import tempfile
import warnings

import numpy as np

from . import _kernel, _tensor_map
from ._errors import Error
from ._memory import export, is_tensor

CUDA = 2  # DLDeviceType
CLUSTER = 4  # cudaLaunchAttributeClusterDimension
SMS = 4  # of the GPU "mini"
ATTRIBUTES = {8: 49152, 16: SMS, 39: 2048, 75: 10, 76: 0, 81: 233472, 97: 232448}  # cudaDeviceAttr


class Config(ctypes.Structure):
    """cudaLaunchConfig_t"""
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_size_t), ("stream", ctypes.c_void_p),
                ("attributes", ctypes.c_void_p), ("count", ctypes.c_uint)]


class Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("padding", ctypes.c_int), ("value", ctypes.c_uint * 16)]


class Host:
    """Stands in for CUDA's libraries in the code that CuTe DSL compiles."""

    def __init__(self, installed):
        self.installed = installed
        self.compiling = None  # the compiled function whose library is being loaded
        self.loaded, self.raised = [], None  # what a handle means: its number is the place here + 1
        self.functions = {name: kind(self._guarded(getattr(self, name.lstrip("_")))) for name, kind in PROTOTYPES.items()}

    def _guarded(self, function):
        def call(*arguments):
            try:
                return self.raised is None and function(*arguments) or 0
            except BaseException as error:  # which can't pass through compiled code
                self.raised = error
                return 0  # else CuTe DSL would ask CUDA for an error's name
        return call

    def checked(self, result):
        raised, self.raised = self.raised, None
        if raised is not None:
            raise raised
        return result

    def _handle(self, what, to):
        self.loaded.append(what)
        to[0] = len(self.loaded)

    def cudaLibraryLoadData(self, to, *_):
        ptx = self.compiling.__ptx__
        if ptx is not None and os.path.exists(ptx):
            with open(ptx, encoding="utf-8") as file:
                ptx = file.read()
        if not ptx:
            raise Error("CuTe DSL kept no PTX of this function: compile it while clcsim is installed")
        self._handle(ptx.rstrip("\0"), to)

    def cuda_dialect_init_library_once(self, library, load, prepare, *_):
        return 0 if library[0] else load(library) or prepare(library, 0)

    def cudaLibraryGetKernel(self, to, library, name):
        kernel = _kernel.load(self.loaded[library - 1], name.decode())
        self._handle(kernel.shaped(kernel._default_block() if any(kernel._facts["threads"]) else 1, frontend="cute"), to)

    def cuKernelGetAttribute(self, to, attribute, kernel, device):
        to[0] = self.loaded[kernel - 1]._facts["shared"] if attribute == 1 else 0  # CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES

    def cudaDeviceGetAttribute(self, to, attribute, device):
        to[0] = ATTRIBUTES.get(attribute, 1)

    def cudaGetDevice(self, to):
        to[0] = 0

    def cudaGetDeviceCount(self, to):
        to[0] = 1

    def cudaKernelSetAttributeForDevice(self, *_):
        pass

    cudaFuncSetAttribute = cudaDeviceSynchronize = cudaStreamSynchronize = cudaLibraryUnload = cudaSetDevice = cudaKernelSetAttributeForDevice
    cuda_dialect_unload_library_once = cudaKernelSetAttributeForDevice

    def cudaOccupancyMaxActiveBlocksPerMultiprocessor(self, to, *_):
        to[0] = 1

    def cudaLaunchKernel(self, kernel, *rest):
        *sizes, parameters, shared, stream = rest
        self._launch(kernel, sizes[:3], sizes[3:], shared, None, parameters)

    def cudaLaunchKernelEx(self, config, kernel, parameters):
        config = config[0]
        attributes = (Attribute * config.count).from_address(config.attributes) if config.count else ()
        cluster = [tuple(each.value[:3]) for each in attributes if each.id == CLUSTER]
        self._launch(kernel, config.grid, config.block, config.shared, cluster[0] if cluster and cluster[0] != (1, 1, 1) else None, parameters)

    def _launch(self, handle, grid, block, shared, cluster, parameters):
        kernel = self.loaded[handle - 1]
        values = [ctypes.string_at(parameters[index], size) for index, size in enumerate(kernel._facts["parameters"])]
        if "cp.async.bulk.tensor" in kernel.ptx:
            values = [len(value) == 128 and _tensor_map.from_cute(value) or value for value in values]
        self.installed.launched(kernel, kernel._request(tuple(grid), tuple(block), shared, cluster), tuple(values))


INT, SIZE, POINTER = ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p
INTS, HANDLES = ctypes.POINTER(INT), ctypes.POINTER(SIZE)
PROTOTYPES = {"_" * ("dialect" not in name) + name: ctypes.CFUNCTYPE(INT, *types) for name, types in {
    "cuda_dialect_init_library_once": (HANDLES, ctypes.CFUNCTYPE(INT, HANDLES), ctypes.CFUNCTYPE(INT, HANDLES, INT), POINTER),
    "cuda_dialect_unload_library_once": (POINTER,),
    "cudaLibraryLoadData": (HANDLES, POINTER), "cudaLibraryGetKernel": (HANDLES, SIZE, ctypes.c_char_p),
    "cuKernelGetAttribute": (INTS, INT, SIZE, INT), "cudaDeviceGetAttribute": (INTS, INT, INT), "cudaGetDevice": (INTS,), "cudaSetDevice": (INT,),
    "cudaGetDeviceCount": (INTS,), "cudaKernelSetAttributeForDevice": (SIZE, INT, INT, INT), "cudaFuncSetAttribute": (SIZE, INT, INT),
    "cudaDeviceSynchronize": (), "cudaStreamSynchronize": (POINTER,), "cudaLibraryUnload": (SIZE,),
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": (INTS, SIZE, INT, SIZE),
    "cudaLaunchKernel": (SIZE, *[INT] * 6, ctypes.POINTER(POINTER), SIZE, POINTER),
    "cudaLaunchKernelEx": (ctypes.POINTER(Config), SIZE, ctypes.POINTER(POINTER))}.items()}


def install(installed):
    import cutlass.cute.runtime
    import cutlass.cute.testing
    import cutlass.testing
    import cutlass.utils
    from cuda.bindings import driver
    from cutlass._mlir_helpers import op
    from cutlass.base_dsl import jit_executor
    from cutlass.cutlass_dsl import CuTeDSL, cuda_jit_executor
    host, put = Host(installed), installed.undo.put
    folder = tempfile.TemporaryDirectory()
    installed.undo.also(folder.cleanup)
    settings = CuTeDSL._get_dsl().envar
    put(settings, "arch", os.environ.get("CUTE_DSL_ARCH", "sm_100a"))
    for name, value in (("lineinfo", True), ("keep_ptx", True), ("dump_dir", folder.name), ("disable_file_caching", True)):
        put(settings, name, value)

    class Engine(cutlass._mlir.execution_engine.ExecutionEngine):
        def __init__(self, *arguments, **named):
            super().__init__(*arguments, **named)
            for name, function in host.functions.items():
                self.raw_register_runtime(name, ctypes.cast(function, POINTER))
    put(cutlass._mlir.execution_engine, "ExecutionEngine", Engine)
    for name, *answer in (("cuInit",), ("cuDeviceGetCount", 1)):  # by which programs ask for a GPU
        put(driver, name, lambda *_, answer=answer: (driver.CUresult.CUDA_SUCCESS, *answer))

    compiled = cuda_jit_executor.CudaDialectJitCompiledFunction
    load = compiled._load_cuda_library

    def load_library(self):
        host.compiling = self
        return host.checked(load(self))
    put(compiled, "_load_cuda_library", load_library)
    put(compiled, "num_devices", 1)
    put(cuda_jit_executor.CudaDialectJitModule, "unload", lambda self: None)  # would ask for the driver in the middle of a collection
    for place in (cutlass.testing, cutlass.cute.testing):
        put(place, "benchmark", functools.partial(_benchmark, installed))
    for name, answer in (("__init__", lambda self, device_id=0: None), ("get_device_multiprocessor_count", lambda self: SMS),
                         ("get_max_active_clusters", lambda self, cluster_size, stream=None: max(1, SMS // cluster_size)),
                         ("get_l2_cache_size_in_bytes", lambda self: 1 << 20)):
        put(cutlass.utils.HardwareInfo, name, answer)
    warnings.filterwarnings("ignore", "Cache is disabled as user wants to generate")

    put(op, "_FRAMEWORK_MODULE_PREFIXES", (*op._FRAMEWORK_MODULE_PREFIXES, __package__))  # whose lines aren't the user's
    put(CuTeDSL, "mangle_name", lambda self, name, *_: name)  # else hundreds of characters, of all argument types

    def naming(place, method, signature):
        before = getattr(place, method)

        def call(self, first, *rest, **named):
            parameters, arguments = signature(self, first, rest)
            for name, value in zip(parameters, arguments):
                if hasattr(value, "_clcsim_source"):
                    export(value._clcsim_source, name)
            return before(self, first, *rest, **named)
        put(place, method, call)
    naming(CuTeDSL, "_func", lambda self, function, arguments: (inspect.signature(function).parameters, arguments))
    naming(jit_executor.ExecutionArgs, "generate_execution_args", lambda self, arguments, _: (self.signature.parameters, arguments))

    run = jit_executor.JitExecutor.run_compiled_program

    def run_program(self, arguments):
        return host.checked(run(self, arguments))
    put(jit_executor.JitExecutor, "run_compiled_program", run_program)

    if importlib.util.find_spec("tvm_ffi") is not None:
        _install_ffi(host, put)
    tensor = cutlass.cute.runtime._Tensor
    make = tensor.__init__

    def make_tensor(self, source, *arguments, **named):
        make(self, source, *arguments, **named)
        if hasattr(source, "data_ptr") or hasattr(source, "ctypes"):
            export(source)
            self._clcsim_source = source  # alive as long as this is
            _say_cuda(self._dlpack_data)
    put(tensor, "__init__", make_tensor)


def _install_ffi(host, put):
    """What is compiled with --enable-tvm-ffi, which takes tensors as they are."""
    import tvm_ffi
    from cutlass.cutlass_dsl import tvm_ffi_provider

    def create(self):  # theirs makes another engine, in which CUDA's functions can't be answered
        if self.engine is None:
            return None
        packed = ctypes.CFUNCTYPE(None, POINTER)(self.engine.raw_lookup("__tvm_ffi_" + self.function_name))  # takes pointers to arguments

        def call(*arguments):
            values = [kind(value) for kind, value in zip((POINTER, POINTER, INT, POINTER, INT), (*arguments, 0))]
            packed((POINTER * 5)(*map(ctypes.addressof, values)))
            return values[-1].value
        function = ctypes.CFUNCTYPE(INT, POINTER, POINTER, INT, POINTER)(call)
        return tvm_ffi.Function.__from_extern_c__(ctypes.cast(function, POINTER).value, keep_alive_object=(function, self.engine))
    put(tvm_ffi_provider.TVMFFIJitCompiledFunctionBase, "_create_tvm_ffi_function", create)

    def on_gpu(value):
        if isinstance(value, np.ndarray) or is_tensor(value):
            return tvm_ffi.from_dlpack(OnGpu(value))
        if isinstance(value, (tuple, list)):
            values = map(on_gpu, value)
            return type(value)(*values) if hasattr(value, "_fields") else type(value)(values)
        return value
    for kind in (tvm_ffi_provider.TVMFFIJitCompiledFunction, tvm_ffi_provider.TVMFFIJitCompiledFunctionWithKwargs):
        def call(self, *arguments, before=kind.__call__, **named):
            host.compiling = self
            return host.checked(before(self, *on_gpu(arguments), **{name: on_gpu(value) for name, value in named.items()}))
        put(kind, "__call__", call)


class OnGpu:
    """A tensor of the CPU that says that it lies on a GPU."""

    def __init__(self, of):
        export(of)
        self._of = of

    def __dlpack__(self, **_):
        capsule = self._of.__dlpack__()
        _say_cuda(capsule)
        return capsule

    def __dlpack_device__(self):
        return CUDA, 0


def _benchmark(installed, call, *, workspace_generator=None, kernel_arguments=None, **_):
    """In place of CuTe DSL's: one run, and the microseconds are simulated cycles."""
    arguments = workspace_generator() if workspace_generator else kernel_arguments
    before = installed.cycles
    call(*getattr(arguments, "args", ()), **getattr(arguments, "kwargs", {}))
    return max(installed.cycles - before, 1) / 1000


def _say_cuda(capsule):
    """CuTe DSL tells a GPU's memory from the host's by the device of a DLPack."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = POINTER, (ctypes.py_object, ctypes.c_char_p)
    try:
        address = get(capsule, b"dltensor")
    except ValueError:
        return  # another kind of capsule
    ctypes.c_int32.from_address(address + 8).value = CUDA
