"""While clcsim is installed, PyTorch's device "cuda" is the CPU: what asks for it gets the CPU's memory, and tensors say "cuda"."""

import contextlib
import types

import torch
from torch.overrides import TorchFunctionMode

from ._memory import export

DEVICE = torch.device("cuda", 0)
DEVICE_OF, IS_CUDA_OF = torch.Tensor.device.__get__, torch.Tensor.is_cuda.__get__
CPU = torch.device("cpu")
EMPTY = (torch.empty, torch.empty_like, torch.empty_strided, torch.Tensor.new_empty, torch.Tensor.new_empty_strided)
# What tells of a tensor and neither writes nor passes on its memory.
LOOKS = {*(getattr(torch.Tensor, name) for name in ("size", "stride", "numel", "dim", "data_ptr", "element_size", "is_contiguous",
                                                    "storage_offset", "untyped_storage", "get_device", "is_floating_point")),
         *(getattr(torch.Tensor, name).__get__ for name in ("shape", "device", "dtype", "is_cuda", "layout", "requires_grad", "ndim",
                                                            "itemsize", "nbytes"))}


def _is_cuda(value):
    return isinstance(value, torch.device) and value.type == "cuda" or isinstance(value, str) and value.split(":")[0] == "cuda"


class CudaIsCpu(TorchFunctionMode):
    """A copy to or from the device makes a new tensor, as it would on a GPU, unless the tensor was made on the device."""

    def __init__(self):
        super().__init__()
        self.active = True

    def __torch_function__(self, function, types, arguments=(), named=None):
        named = named or {}
        if not self.active:
            return function(*arguments, **named)
        if function not in LOOKS:
            for value in (*arguments, *named.values()):
                for each in value if isinstance(value, (list, tuple)) else (value,):
                    if isinstance(each, torch.Tensor) and "unwritten" in vars(each):
                        each.unwritten = False
        result = self.answer(function, arguments, named)
        if function in EMPTY:
            result.unwritten = True
        return result

    def answer(self, function, arguments, named):
        if function == DEVICE_OF:
            return DEVICE
        if function == IS_CUDA_OF:
            return True
        if function is torch.Tensor.get_device:
            return 0
        if function is torch.Tensor.data_ptr:
            export(arguments[0])
        if function is torch.Tensor.__dlpack__:
            with torch._C.DisableTorchFunction():
                return torch.utils.dlpack.to_dlpack(arguments[0].detach())
        if function is torch.Tensor.cuda:
            return self._moved(arguments[0])
        if function is torch.Tensor.cpu or function is torch.Tensor.to and "cpu" in map(str, (*arguments[1:], named.get("device"))):
            return function(*arguments, **named).clone()
        if function is torch.Tensor.pin_memory:
            return arguments[0]
        asks = _is_cuda(named.get("device"))
        if asks:
            named = {**named, "device": CPU}
        if function is torch.Tensor.to and any(map(_is_cuda, arguments[1:])):
            asks, arguments = True, tuple(CPU if _is_cuda(value) else value for value in arguments)
        result = function(*arguments, **named)
        if not asks or not isinstance(result, torch.Tensor):
            return result
        return self._moved(result) if function is torch.Tensor.to and result is arguments[0] else self._mark(result)

    def _moved(self, tensor):
        return tensor if getattr(tensor, "_clcsim_device", False) else self._mark(tensor.clone())

    @staticmethod
    def _mark(tensor):
        tensor._clcsim_device = True
        return tensor


class Stream:
    cuda_stream = device_index = 0

    def __init__(self, *_, **__):
        self.device = DEVICE

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def synchronize(self):
        pass

    wait_event = wait_stream = record_event = lambda self, *_, **__: None

    def query(self):
        return True


class Device(contextlib.nullcontext):
    idx = 0


class Event:
    """Its time is the cycles of all launches so far."""

    def __init__(self, *_, **__):
        self.cycles = 0

    def record(self, *_):
        from ._install import installed
        self.cycles = installed().cycles

    def elapsed_time(self, end):
        from ._triton import MILLISECOND
        return max(end.cycles - self.cycles, 1) / MILLISECOND

    synchronize = wait = lambda self, *_: None

    def query(self):
        return True


def _gpu():
    from ._install import installed
    return installed().gpu


def _properties(*_):
    gpu = _gpu()
    major, minor = gpu["capability"]
    return types.SimpleNamespace(name="clcsim", major=major, minor=minor, multi_processor_count=gpu["sms"], total_memory=gpu["memory"],
                                 max_threads_per_multi_processor=gpu["threads"], warp_size=32, regs_per_multiprocessor=65536,
                                 L2_cache_size=1 << 20, shared_memory_per_block=49152, shared_memory_per_block_optin=gpu["shared"],
                                 shared_memory_per_multiprocessor=gpu["shared_of_sm"])


ANSWERS = {  # each a function of its own, as torch._dynamo's tables need it
    "is_available": lambda: True, "device_count": lambda: 1, "current_device": lambda: 0, "is_initialized": lambda: True,
    "get_device_capability": lambda *_: tuple(_gpu()["capability"]), "get_device_name": lambda *_: "clcsim", "get_device_properties": _properties,
    "is_bf16_supported": lambda *_, **__: True, "is_current_stream_capturing": lambda: False,
    "current_stream": lambda *_: Stream(), "default_stream": lambda *_: Stream(), "Stream": Stream, "Event": Event,
    "stream": lambda *_: contextlib.nullcontext(), "device": Device, "device_of": lambda *_: Device(),
    **{name: lambda *_, **__: None for name in ("init", "set_device", "synchronize", "empty_cache", "manual_seed", "manual_seed_all", "set_stream",
                                   "reset_peak_memory_stats", "reset_max_memory_allocated", "ipc_collect")},
    **{name: (lambda *_: 0) for name in ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved")},
}


def install(installed):
    for name, answer in ANSWERS.items():
        installed.undo.put(torch.cuda, name, answer)
    installed.undo.put(torch._C, "_cuda_getCurrentRawStream", lambda *_: 0)
    # Compiled functions are called as they are: the compiler asks CUDA's libraries by itself.
    installed.undo.put(torch, "compile", lambda model=None, **_: model if model is not None else lambda function: function)
    mode = CudaIsCpu()
    mode.__enter__()

    installed.undo.also(lambda: _leave(mode))


def _leave(mode):
    mode.active = False
    stack = torch.overrides._get_current_function_mode_stack()
    if stack and stack[-1] is mode:
        mode.__exit__(None, None, None)
