"""A launch's arguments, checked against the kernel's parameters and packed for the library."""

import ctypes
import reprlib

import numpy as np

from ._library import HOLDS_ADDRESSES, IN_PLACE, REACHABLE, Argument
from ._memory import Regions, export, facts, is_tensor, is_unwritten, pointers_in, reached, words_of
from ._tensor_map import TensorMap


def short(name):
    """CuTe DSL's names have hundreds of characters."""
    return name if len(name) <= 60 else name[:57] + "..."


def pack(kernel, sizes, kinds, types, values, names=()):
    """sizes, kinds: of each parameter, bytes and "f", "i" or "b" (as clcsim.h has them); types: a frontend's words for
    them ("*fp32"), or none; names: of the arguments, or none. Returns (the library's arguments, what has to stay alive until
    they are used, for each of them None or an array and (name, element size, elements))."""
    arguments, alive, arrays, words, staying = [], [], [], [], []
    for index, (value, size, kind) in enumerate(zip(values, sizes, kinds)):
        called = f"argument {index + 1} ('{names[index]}')" if index < len(names) else f"argument {index + 1}"
        name = f"{called} of {kernel}"
        wanted, _, multiple = (types[index] if index < len(types) else "").partition(":")
        if isinstance(value, np.ndarray) or is_tensor(value):
            _check_array(name, value, size, wanted)
            arguments.append(facts(name, value))
            arrays.append((value, (names[index] if index < len(names) else called, *arguments[-1][3:])))
            continue
        if isinstance(value, TensorMap):
            if value.stays:
                staying.append(facts(name, value.array)[0])
            else:
                export(value.array, names[index] if index < len(names) else called)
            value = bytes(value)
        data = _scalar(name, value, size, kind)
        if multiple == "16" and value is not None and value % 16 != 0:
            raise ValueError(f"{name} is {value}, and was compiled as a multiple of 16 ({wanted}:16)")
        structure = isinstance(value, (ctypes.Structure, bytes))
        words += words_of(data) if structure else []
        buffer = ctypes.create_string_buffer(data, len(data))
        alive.append(buffer)
        arrays.append(None)
        arguments.append(Argument(ctypes.addressof(buffer), size, HOLDS_ADDRESSES if structure else 0, 0))
    behind = reached(words)
    in_place = reached(staying + [word for each in (*filter(None, arrays), *behind) for word in pointers_in(each[0])])
    regions = Regions([(*facts("", value)[1:3], is_unwritten(value), any(value is each for each, _ in in_place))
                       for value, _ in (*filter(None, arrays), *behind, *in_place)])
    for index, fact in enumerate(arguments):
        if isinstance(fact, tuple):
            first, size, unwritten, stays = regions.of(fact[0])
            pointer = ctypes.c_uint64(fact[0])
            alive.append(pointer)
            arguments[index] = (Argument(ctypes.addressof(pointer), 8, 0, 0) if stays else
                                Argument(first, size, 1 + unwritten, fact[0] - first))
    arguments += [Argument(first, last - first, IN_PLACE, 0) for first, last, _, stays in regions.merged if stays]
    arrays += [None] * (len(arguments) - len(arrays))
    for value, fact in behind:
        address = facts("", value)[0]
        first, size, unwritten, stays = regions.of(address)
        if not stays:
            arguments.append(Argument(first, size, REACHABLE + unwritten, address - first))
            arrays.append((value, fact))
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
        if size == 128:
            inside = "as a tensor map has: give clcsim.tensor_map(array, box)"
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
