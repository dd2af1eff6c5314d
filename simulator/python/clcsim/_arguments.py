"""A launch's arguments, checked against the kernel's parameters and packed for the library."""

import ctypes

import numpy as np

from ._library import Argument


def pack(kernel, parameters, values):
    """`parameters`: bytes of each. Returns (the library's arguments, what has to stay alive until they are used)."""
    if len(values) != len(parameters):
        raise TypeError(f"{kernel} has {len(parameters)} parameters, and {len(values)} arguments were given")
    arguments, alive, arrays = [], [], []
    for index, (value, size) in enumerate(zip(values, parameters)):
        name = f"argument {index + 1} of {kernel}"
        if isinstance(value, np.ndarray):
            arguments.append(_array(name, value, size, arrays))
            continue
        data = _scalar(name, value, size)
        buffer = ctypes.create_string_buffer(data, len(data))
        alive.append(buffer)
        arguments.append(Argument(ctypes.addressof(buffer), size, 0))
    return arguments, alive


def _array(name, array, size, arrays):
    if size != 8:
        raise TypeError(f"{name} is an array, and the parameter has {size} bytes: no room for a pointer")
    if not array.flags.c_contiguous:
        raise ValueError(f"{name} is not contiguous: give numpy.ascontiguousarray() of it")
    if not array.flags.writeable:
        raise ValueError(f"{name} is read-only, and a kernel may write to it: give a copy")
    if array.dtype.hasobject:
        raise TypeError(f"{name} is an array of Python objects")
    for other_name, other in arrays:
        same = other.ctypes.data == array.ctypes.data and other.nbytes == array.nbytes
        if not same and np.may_share_memory(other, array):
            raise ValueError(f"{name} overlaps {other_name}: give the same array, or a copy")
    arrays.append((name, array))
    return Argument(array.ctypes.data, array.nbytes, 1)


def _scalar(name, value, size):
    if isinstance(value, np.generic):  # np.float64 is a float, too
        data, kind = value.tobytes(), value.dtype.name
    elif value is None:
        data, kind = bytes(8), "None, a null pointer"
    elif isinstance(value, int) and size in (1, 2, 4, 8):
        data, kind = _integer(name, value, size), "int"
    elif isinstance(value, float) and size in (2, 4, 8):
        data, kind = np.dtype(f"f{size}").type(value).tobytes(), "float"
    elif isinstance(value, (ctypes.Structure, bytes)):
        data, kind = bytes(value), type(value).__name__
    else:
        raise TypeError(f"{name} is {value!r}, and the parameter has {size} bytes: give an array, a number, a structure "
                        "or None")
    if len(data) != size:
        raise TypeError(f"{name} is {kind}, {len(data)} bytes, and the parameter has {size}")
    return data


def _integer(name, value, size):
    try:
        return value.to_bytes(size, "little", signed=value < 0)
    except OverflowError:
        raise ValueError(f"{name} is {value}, and the parameter has {size} bytes") from None
