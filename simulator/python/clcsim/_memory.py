"""Arrays of numpy and tensors of PyTorch as a kernel's memory: where they lie, and what their whole memory is."""

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


class Regions:
    """Memory that lies in one piece, for all arrays of a launch: those that share some get one copy."""

    def __init__(self, spans):
        self._merged = []
        for first, last in sorted(spans):
            first -= first % 16  # a GPU's pointer is as much of a multiple of 16 as this one, which Triton looks at
            if self._merged and first < self._merged[-1][1]:
                self._merged[-1][1] = max(last, self._merged[-1][1])
            else:
                self._merged.append([first, last])

    def of(self, address):
        """(first byte, bytes) of the region."""
        inside = [each for each in self._merged if each[0] <= address < each[1]]
        first, last = inside[0] if inside else next(each for each in self._merged if each[0] <= address <= each[1])  # of no bytes
        return first, last - first


def scratch(size):
    """Zeros, at a multiple of 16."""
    buffer = np.zeros(size + 16, np.uint8)
    return buffer[-buffer.ctypes.data % 16:][:size]
