"""libclcsim.so, as simulator/clcsim/library/clcsim.h describes it."""

import ctypes
import functools
import json
import os
import pathlib


class Argument(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t), ("memory", ctypes.c_int),
                ("offset", ctypes.c_size_t)]


HOLDS_ADDRESSES, REACHABLE, IN_PLACE = 3, 4, 6  # Argument.memory


def folder():
    """Where bin/clcsim and lib/clcsim/ are: beside this module, or CLCSIM_BUILD (a build folder)."""
    return pathlib.Path(os.environ.get("CLCSIM_BUILD") or pathlib.Path(__file__).parent)


def _open():
    path = folder() / "lib" / "clcsim" / "libclcsim_open.so"
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(f"clcsim's library can't be loaded ({error}); install the package again") from error
    library.clcsim_kernels.argtypes = library.clcsim_gpu.argtypes = [ctypes.c_char_p]
    library.clcsim_run.argtypes = [ctypes.c_char_p, ctypes.POINTER(Argument), ctypes.c_size_t]
    library.clcsim_free.argtypes = [ctypes.c_void_p]
    library.clcsim_kernels.restype = library.clcsim_gpu.restype = library.clcsim_run.restype = ctypes.c_void_p
    library.clcsim_free.restype = None
    return library


_library = _open()


def _reply(address):
    try:
        return json.loads(ctypes.string_at(address))
    finally:
        _library.clcsim_free(address)


def kernels(ptx):
    return _reply(_library.clcsim_kernels(ptx.encode()))


@functools.cache
def gpu(name):
    """What the option gpu names: {"capability": [10, 0], "sms": 4, ...}."""
    reply = _reply(_library.clcsim_gpu(name.encode()))
    if reply["error"]:
        raise ValueError(reply["error"]["message"])
    return reply


def run(request, arguments):
    packed = (Argument * len(arguments))(*arguments)
    return _reply(_library.clcsim_run(json.dumps(request).encode(), packed, len(arguments)))
