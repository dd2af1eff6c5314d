"""Arrays of numpy and tensors of PyTorch as a kernel's memory: where they lie, and what their whole memory is."""

import ctypes
import weakref

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


_exported = {}  # id: (a weak reference, name) of the arrays whose address the program has got


def export(value, name=""):
    """The address of this array or tensor may lie where a kernel finds it: in a structure, or in another array."""
    if len(_exported) % 1024 == 1023:
        for key in [key for key, (reference, _) in _exported.items() if reference() is None]:
            del _exported[key]
    _exported[id(value)] = weakref.ref(value), name or _exported.get(id(value), (None, ""))[1]


def words_of(data):
    return list(np.frombuffer(data, np.uint64, len(data) // 8))


def reached(words):
    """[(array, (name, element size, elements))] of those into which one of the words points."""
    found, words = [], np.sort(np.array(words, np.uint64))
    for reference, name in list(_exported.values()) if len(words) else ():
        value = reference()
        if value is None:
            continue
        _, first, last, *sizes = facts("", value)
        at = np.searchsorted(words, np.uint64(first))
        if at < len(words) and words[at] < last:
            found.append((value, (name or "an array", *sizes)))
    return found


def pointers_in(value):
    """What may be addresses among the elements of an array: small ones, too, where Python was linked for a fixed address."""
    address, _, _, size, count = facts("", value)
    if not str(value.dtype).endswith("int64") or count > 1 << 16:
        return []
    return [word for word in words_of(ctypes.string_at(address, size * count)) if word >= 1 << 16]


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
        """spans: [(first byte, behind the last one, whether it counts as never written, whether it keeps its address)]"""
        self.merged = []
        for first, last, unwritten, stays in sorted(spans):
            first -= first % 16  # a GPU's pointer is as much of a multiple of 16 as this one, which Triton looks at
            if self.merged and first < self.merged[-1][1]:
                before = self.merged[-1]
                before[1:] = max(last, before[1]), before[2] and unwritten, before[3] or stays
            else:
                self.merged.append([first, last, unwritten, stays])
        for first, last, unwritten, _ in self.merged:
            if unwritten:  # with bytes that are known again if nobody writes them
                ctypes.memmove(first, _filling(last - first).tobytes(), last - first)

    def of(self, address):
        """(first byte, bytes, whether it counts as never written, whether it keeps its address) of the region."""
        inside = [each for each in self.merged if each[0] <= address < each[1]]
        first, last, unwritten, stays = (inside or [each for each in self.merged if each[0] <= address <= each[1]])[0]  # or of no bytes
        return first, last - first, unwritten, stays


class Memory:
    """What lies in the memory of arrays and tensors now, to put it back."""

    def __init__(self, values):
        spans = [facts("", value)[1:3] for value in values if isinstance(value, np.ndarray) or is_tensor(value)]
        self._kept = [(first, ctypes.string_at(first, last - first)) for first, last in spans]

    def restore(self):
        for first, data in self._kept:
            ctypes.memmove(first, data, len(data))


def elements(value):
    """A copy, as double precision."""
    return np.array(value.array if hasattr(value, "array") else value.detach().double().numpy(), np.float64)


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
