"""A launch's arguments, checked against the kernel's parameters and packed for the library."""

import ctypes
import reprlib

import numpy as np

from ._library import Argument
from ._memory import Regions, facts, is_tensor, is_unwritten


def short(name):
    """CuTe DSL's names have hundreds of characters."""
    return name if len(name) <= 60 else name[:57] + "..."


def pack(kernel, sizes, kinds, types, values, names=()):
    """sizes, kinds: of each parameter, bytes and "f", "i" or "b" (as clcsim.h has them); types: a frontend's words for
    them ("*fp32"), or none; names: of the arguments, or none. Returns (the library's arguments, what has to stay alive until
    they are used, [(name, element size, elements) or None])."""
    arguments, alive, arrays, spans = [], [], [], []
    for index, (value, size, kind) in enumerate(zip(values, sizes, kinds)):
        called = f"argument {index + 1} ('{names[index]}')" if index < len(names) else f"argument {index + 1}"
        name = f"{called} of {kernel}"
        wanted, _, multiple = (types[index] if index < len(types) else "").partition(":")
        if isinstance(value, np.ndarray) or is_tensor(value):
            _check_array(name, value, size, wanted)
            address, first, last, element, count = facts(name, value)
            spans.append((first, last, is_unwritten(value)))
            arrays.append((names[index] if index < len(names) else called, element, count))
            arguments.append(address)
            continue
        data = _scalar(name, value, size, kind)
        if multiple == "16" and value is not None and value % 16 != 0:
            raise ValueError(f"{name} is {value}, and was compiled as a multiple of 16 ({wanted}:16)")
        buffer = ctypes.create_string_buffer(data, len(data))
        alive.append(buffer)
        arrays.append(None)
        arguments.append(Argument(ctypes.addressof(buffer), size, 0, 0))
    regions = Regions(spans)
    for index, address in enumerate(arguments):
        if isinstance(address, int):
            first, size, unwritten = regions.of(address)
            arguments[index] = Argument(first, size, 1 + unwritten, address - first)
    return arguments, alive, arrays


# numpy has no bfloat16 and no 8-bit floats: those are not checked.
POINTERS = {"*i1": "bool int8 uint8", "*fp16": "float16", "*fp32": "float32", "*fp64": "float64",
            **{f"*{sign}{bits}": f"int{bits} uint{bits}" for sign in "iu" for bits in (8, 16, 32, 64)}}


def _check_array(name, value, size, wanted):
    if isinstance(value, np.ndarray) and wanted in POINTERS and value.dtype.name not in POINTERS[wanted].split():
        raise TypeError(f"{name} is an array of {value.dtype.name}, and its type is {wanted}")
    if size != 8:
        inside = ("a structure, which holds sizes or strides beside the pointer. Compile the kernel with a static layout, whose "
                  "shape and strides are numbers" if size > 8 else "no room for a pointer")
        raise TypeError(f"{name} is an array, and the parameter has {size} bytes: {inside}")


def _scalar(name, value, size, kind):
    wrong = {"f": (np.integer, np.bool_), "i": (np.floating, float)}.get(kind, ())
    if isinstance(value, wrong):
        meant = "floating-point number" if kind == "f" else "whole number or a pointer" if size == 8 else "whole number"
        given = f"np.{value.dtype.name}({value})" if isinstance(value, np.generic) else value
        raise TypeError(f"{name} is {given}, and the parameter is a {meant}")
    if isinstance(value, np.generic):  # np.float64 is a float, too
        data, given = value.tobytes(), value.dtype.name
    elif value is None:
        data, given = bytes(8), "None, a null pointer"
    elif isinstance(value, int) and size in (1, 2, 4, 8) and kind != "f":
        data, given = _integer(name, value, size), "int"
    elif isinstance(value, (int, float)) and size in (2, 4, 8):
        data, given = np.dtype(f"f{size}").type(value).tobytes(), "float"
    elif isinstance(value, (ctypes.Structure, bytes)):
        data, given = bytes(value), type(value).__name__
    else:
        raise TypeError(f"{name} is {reprlib.repr(value)}, and the parameter has {size} bytes: give an array, a number, a structure"
                        " or None")
    if len(data) != size:
        raise TypeError(f"{name} is {given}, {len(data)} bytes, and the parameter has {size}")
    return data


def _integer(name, value, size):
    try:
        return value.to_bytes(size, "little", signed=value < 0)
    except OverflowError:
        raise ValueError(f"{name} is {value}, and the parameter has {size} bytes") from None
