"""Tensor maps, which tell a copy by TMA about a tensor: what cuTensorMapEncodeTiled makes of an array."""

import ctypes
import functools

import numpy as np

from ._library import folder
from ._memory import export, facts, reached

# CUtensorMapDataType of a dtype's name, of numpy or of PyTorch; 8-bit floats are bytes to it.
TYPES = {"uint8": 0, "int8": 0, "bool": 0, "float8_e4m3fn": 0, "float8_e5m2": 0, "uint16": 1, "int16": 1, "uint32": 2, "int32": 3,
         "uint64": 4, "int64": 5, "float16": 6, "float32": 7, "float64": 8, "bfloat16": 9}
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}  # bytes


@functools.cache
def _driver():
    return ctypes.CDLL(str(folder() / "lib" / "clcsim" / "libcuda.so.1"))


def _encoded(type, address, sizes, strides, box, swizzle):
    """The 128 bytes, or None where the driver refuses. Numbers are as cuTensorMapEncodeTiled has them, the innermost first."""
    memory = np.zeros(192, np.uint8)
    map = memory[-memory.ctypes.data % 64:][:128]
    lists = [np.array(sizes, np.uint64), np.array(strides or [16], np.uint64), np.array(box, np.uint32), np.ones(len(sizes), np.uint32)]
    pointers = [ctypes.c_void_p(each.ctypes.data) for each in lists]
    failed = _driver().cuTensorMapEncodeTiled(ctypes.c_void_p(map.ctypes.data), type, len(sizes), ctypes.c_void_p(address), *pointers,
                                              0, swizzle, 0, 0)
    return None if failed else map.tobytes()


# Of an element's type in the 128 bytes that CuTe DSL writes by itself: bytes, and CUtensorMapDataType.
CUTE_TYPES = {0: (1, 0), 2: (4, 2), 4: (8, 4), 6: (2, 6), 7: (4, 7), 10: (2, 9)}


def from_cute(data):
    """CuTe DSL's host code writes a GPU's own 128 bytes, without a driver. The same map as clcsim has it, or None where a part of them
    means what we haven't seen (4.8.1: what its code writes for each type, swizzle and size)."""
    words = np.frombuffer(data, np.uint32, 16)  # nothing is behind them
    flags = int(words[2])
    rank, kind, swizzle = (flags >> 4 & 7) + 1, flags >> 7 & 15, flags >> 13 & 3
    if flags & ~0x2067f0 != 0x40002 or kind not in CUTE_TYPES or rank > 5 or int(words[13]) & 0xffffff:
        return None
    strides = [(int(low) + ((int(words[7]) >> 4 * index & 15) << 32)) * 16 for index, low in enumerate(words[3:7])]
    box = [int(words[13]) >> 24, *(int(words[14]) >> shift & 255 for shift in (0, 8, 16, 24))]
    sizes = [int(size) + 1 for size in words[8:13]][:rank]
    address = (int(np.frombuffer(data, np.uint64, 1)[0]) + 2**56) % 2**57 - 2**56  # of 57 bits, and maybe before its array
    before = [address + size * stride for size, stride in zip(sizes[1:], strides)]  # by a whole dimension
    arrays = () if address > 0 and reached([address]) else reached([each for each in before if 0 < each])
    encoded = _encoded(CUTE_TYPES[kind][1], address % 2**64, sizes, strides[:rank - 1], [each + 1 for each in box][:rank], swizzle)
    return TensorMap(arrays[0][0], encoded, stays=True) if encoded and arrays else encoded


class TensorMap:
    """What tensor_map() returns: an argument of a launch. The kernel copies from and to `array`."""

    def __init__(self, array, data, stays=False):
        """stays: the array keeps its address, into which the map doesn't point."""
        self.array, self._data, self.stays = array, data, stays

    def __bytes__(self):
        return self._data


def tensor_map(array, box, swizzle=0, shape=None, strides=None):
    """An argument for a kernel's `const __grid_constant__ CUtensorMap`: boxes of `box` elements of an array of numpy or a tensor of
    PyTorch, with the array's dimensions in its own order (the last one lies in one piece). swizzle: 0, 32, 64 or 128 bytes.
    shape, strides: in place of the array's own, in elements."""
    export(array)
    address, _, _, size, _ = facts("the array of a tensor map", array)
    shape = tuple(array.shape if shape is None else shape)
    if strides is None:
        strides = array.stride() if hasattr(array, "stride") else [each // size for each in array.strides]
    box, strides = tuple(box), tuple(strides)
    name = str(array.dtype).removeprefix("torch.")
    if name not in TYPES:
        raise TypeError(f"a tensor map has no elements of {name}")
    if len(box) != len(shape) or len(strides) != len(shape) or not 1 <= len(shape) <= 5:
        raise ValueError(f"a tensor map has 1 to 5 dimensions, and as many numbers in its box: the array has {len(shape)}, the box {len(box)}")
    if swizzle not in SWIZZLES:
        raise ValueError(f"swizzle is {swizzle!r}: give 0, 32, 64 or 128 (bytes)")
    if strides[-1] != 1:
        raise ValueError(f"the last dimension has a stride of {strides[-1]} elements: a tensor map needs 1")
    data = _encoded(TYPES[name], address, shape[::-1], [each * size for each in strides[-2::-1]], box[::-1], SWIZZLES[swizzle])
    if data is None:
        raise ValueError(f"cuTensorMapEncodeTiled refuses a box of {box} of an array of {shape}, strides {strides}, {name}, swizzle {swizzle}: "
                         "it needs addresses and strides that are multiples of 16 bytes, boxes of 1 to 256 elements in each dimension, whose last "
                         "one is a multiple of 16 bytes and no wider than the swizzle")
    return TensorMap(array, data)
