"""Arrays of numpy and tensors of PyTorch as a kernel's memory: where they lie, and what their whole memory is."""

import ctypes

import numpy as np


class Pointer:
    """An array of numpy, as Triton's JIT looks at tensors."""

    def __init__(self, array):
        self.array, self.dtype, self.shape = array, array.dtype.name, array.shape

    def data_ptr(self):
        return self.array.ctypes.data

    def element_size(self):
        return self.array.itemsize

    def stride(self, dimension=None):
        strides = tuple(each // self.array.itemsize for each in self.array.strides)
        return strides if dimension is None else strides[dimension]


def is_tensor(value):
    return hasattr(value, "data_ptr") and hasattr(value, "dtype")


def facts(name, value):
    """(address, first and last byte + 1 of the memory that it is a part of, element size, elements) of an array or a tensor."""
    value = getattr(value, "array", value)
    if isinstance(value, np.ndarray):
        return _of_array(name, value)
    while not hasattr(value, "untyped_storage") and is_tensor(getattr(value, "base", None)):
        value = value.base  # triton.reinterpret
    if not hasattr(value, "untyped_storage"):
        raise TypeError(f"{name} is a {type(value).__name__}: give an array of numpy or a tensor of PyTorch")
    storage = value.untyped_storage()
    if storage.device.type != "cpu":
        raise TypeError(f"{name} is on the device {storage.device}, and clcsim reads the CPU's memory: give a tensor that is there")
    return value.data_ptr(), storage.data_ptr(), storage.data_ptr() + storage.nbytes(), value.element_size(), value.numel()


def _of_array(name, array):
    if not array.flags.writeable:
        raise ValueError(f"{name} is read-only, and a kernel may write to it: give a copy")
    if array.dtype.hasobject:
        raise TypeError(f"{name} is an array of Python objects")
    whole = array
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    first = last = whole.ctypes.data
    for size, stride in zip(whole.shape, whole.strides):
        first += min(0, (size - 1) * stride)
        last += max(0, (size - 1) * stride)
    last = last + whole.itemsize if whole.size else first
    return array.ctypes.data, first, last, array.itemsize, array.size


class Unwritten(np.ndarray):
    """What empty() makes."""
    unwritten = True

    def __array_finalize__(self, other):
        self.unwritten = other is None  # not of what is computed from it

    def __setitem__(self, *given):
        self.unwritten = False
        super().__setitem__(*given)


def empty(shape, dtype=np.float32):
    """An array of which the first launch that gets it counts each element as never written: a kernel that reads one is found, and
    the run's `unwritten` says how many elements are left."""
    array = np.empty(shape, dtype).view(Unwritten)
    array.unwritten = True
    return array


def is_unwritten(value):
    return getattr(getattr(value, "array", value), "unwritten", False) is True


def is_written(value):
    getattr(value, "array", value).unwritten = False


def _filling(size):
    """Bytes that make small numbers of every floating-point type."""
    return np.random.default_rng(size).integers(0x38, 0x40, size, np.uint8)


class Regions:
    """Memory that lies in one piece, for all arrays of a launch: those that share some get one copy."""

    def __init__(self, spans):
        """spans: [(first byte, behind the last one, whether it counts as never written)]"""
        self._merged = []
        for first, last, unwritten in sorted(spans):
            first -= first % 16  # a GPU's pointer is as much of a multiple of 16 as this one, which Triton looks at
            if self._merged and first < self._merged[-1][1]:
                before = self._merged[-1]
                before[1], before[2] = max(last, before[1]), before[2] and unwritten
            else:
                self._merged.append([first, last, unwritten])
        for first, last, unwritten in self._merged:
            if unwritten:  # with bytes that are known again if nobody writes them
                ctypes.memmove(first, _filling(last - first).tobytes(), last - first)

    def of(self, address):
        """(first byte, bytes, whether it counts as never written) of the region."""
        inside = [each for each in self._merged if each[0] <= address < each[1]]
        first, last, unwritten = (inside or [each for each in self._merged if each[0] <= address <= each[1]])[0]  # or of no bytes
        return first, last - first, unwritten


def left_unwritten(value):
    """Elements that are what Regions has put there; those of few bytes may be so by chance, and aren't counted."""
    address, first, last, size, count = facts("", value)
    first -= first % 16
    if size < 4 or address != first or last - first < size * count:
        return 0
    now = np.frombuffer(ctypes.string_at(first, size * count), np.uint8)
    return int((now == _filling(last - first)[:size * count]).reshape(count, size).all(1).sum())


def scratch(size):
    """Zeros, at a multiple of 16."""
    buffer = np.zeros(size + 16, np.uint8)
    return buffer[-buffer.ctypes.data % 16:][:size]
