"""What Triton's tutorials compute without tensor cores, each on CLC: right, silent, under several seeds. Needs triton."""

import copy
import sys

import numpy as np
import triton
import triton.language as tl

import clcsim


@triton.jit
def scale(y, x, alpha, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, alpha * tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def softmax(out, x, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    values = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + i, values / tl.sum(values, axis=0), mask=i < columns)


@triton.jit
def layer_norm(out, x, weight, bias, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    mask = i < columns
    values = tl.load(x + row * columns + i, mask=mask, other=0.0)
    centred = tl.where(mask, values - tl.sum(values, axis=0) / columns, 0.0)
    normal = centred / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + 1e-5)
    tl.store(out + row * columns + i, normal * tl.load(weight + i, mask=mask) + tl.load(bias + i, mask=mask), mask=mask)


@triton.jit
def dropout(out, x, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, tl.load(x + i, mask=i < n) / (1 - p), 0.0), mask=i < n)


@triton.jit
def row_scan(out, x, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + i, mask=i < columns, other=0.0)
    tl.store(out + row * columns + i, tl.cumsum(values, axis=0), mask=i < columns)


@triton.jit
def pipelined_softmax(out, x, stride, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        values = tl.load(x + row * stride + i, mask=i < columns, other=-float("inf"))
        values = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + row * stride + i, values / tl.sum(values, axis=0), mask=i < columns)


@triton.jit
def half_layer_norm(out, means, scales, x, weight, bias, stride, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * stride + i, mask=i < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / columns
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        value = tl.load(x + row * stride + i, mask=i < columns, other=0.0).to(tl.float32)
        centred = tl.where(i < columns, value - mean, 0.0)
        total += centred * centred
    scale = 1 / tl.sqrt(tl.sum(total, axis=0) / columns + eps)
    tl.store(means + row, mean)
    tl.store(scales + row, scale)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        mask = i < columns
        value = tl.load(x + row * stride + i, mask=mask, other=0.0).to(tl.float32)
        tl.store(out + row * stride + i,
                 (value - mean) * scale * tl.load(weight + i, mask=mask) + tl.load(bias + i, mask=mask), mask=mask)


@triton.jit
def matmul(out, a, b, rows, columns, depth, TILE: tl.constexpr, DEEP: tl.constexpr):
    r = tl.program_id(0) * TILE + tl.arange(0, TILE)
    c = tl.program_id(1) * TILE + tl.arange(0, TILE)
    k = tl.arange(0, DEEP)
    sum = tl.zeros((TILE, TILE), dtype=tl.float32)
    for start in range(0, depth, DEEP):
        left = tl.load(a + r[:, None] * depth + (start + k)[None, :],
                       mask=(r[:, None] < rows) & ((start + k)[None, :] < depth), other=0.0)
        right = tl.load(b + (start + k)[:, None] * columns + c[None, :],
                        mask=((start + k)[:, None] < depth) & (c[None, :] < columns), other=0.0)
        sum = tl.dot(left, right, sum, input_precision="ieee")
    tl.store(out + r[:, None] * columns + c[None, :], sum, mask=(r[:, None] < rows) & (c[None, :] < columns))


@triton.jit
def add_atomically(out, x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(out + i, tl.load(x + tl.program_id(0) * BLOCK + i))


RNG = np.random.default_rng(7)
N, ROWS, COLUMNS = 65 * 256 - 3, 40, 100
FLAT, OTHER = (RNG.standard_normal(N).astype(np.float32) for _ in range(2))
TABLE = RNG.standard_normal((ROWS, COLUMNS)).astype(np.float32)
WEIGHT, BIAS = (RNG.standard_normal(COLUMNS).astype(np.float32) for _ in range(2))
BLOCKS = -(-N // 256)
ZEROS = np.zeros_like(FLAT)


def case(kernel, types, grid, arguments, expected, constants=None, result=lambda out: out, clc=True, **options):
    """A launch with fresh copies of the arguments, of which the first is the result, and what that must be."""
    constants = constants or {"BLOCK": 256}
    signature = dict(zip(kernel.arg_names, [*types.split(), *("constexpr" for _ in constants)]))
    compiled = clcsim.triton(kernel, signature, constants, **({"clc": True} if clc else {}), **options)

    def launch():
        given = [copy.copy(each) for each in arguments]
        run = compiled[grid](*given)
        return result(given[0]), run
    return launch, expected


def of_rows(kernel, types, out, more, expected):
    # With fused multiply-adds the lanes of layer_norm's second sum store values that differ in the last bit to one word:
    # a data race (FOUND.md).
    return case(kernel, types, ROWS, (out, TABLE, *more, COLUMNS), expected, {"BLOCK": 128}, enable_fp_fusion=False)


def exp_rows():
    values = np.exp(TABLE - TABLE.max(1, keepdims=True))
    return values / values.sum(1, keepdims=True)


def normal_rows(x, weight, bias):
    centred = x - x.mean(1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * weight + bias


# 16-bit numbers, and what they are as floats.
def narrow(values, bfloat):
    return (values.view(np.uint32) + 0x8000 >> 16).astype(np.uint16) if bfloat else values.astype(np.float16)


def wide(halves, bfloat):
    return (halves.astype(np.uint32) << 16).view(np.float32) if bfloat else halves.astype(np.float32)


def of_halves(bfloat):
    """Rows of 16-bit numbers that Triton may take for aligned: 112 columns."""
    type = "*bf16" if bfloat else "*fp16"
    x, weight, bias = (narrow(np.resize(each, shape), bfloat) for each, shape in
                       ((TABLE, (ROWS, 112)), (WEIGHT, (112,)), (BIAS, (112,))))
    expected = normal_rows(*(wide(each, bfloat) for each in (x, weight, bias)))
    sums = np.zeros(ROWS, np.float32)
    return case(half_layer_norm, f"{type} *fp32 *fp32 {type} {type} {type} i32:16 i32:16 fp32", ROWS,
                (np.zeros_like(x), sums, sums, x, weight, bias, 112, 112, np.float32(1e-5)),
                lambda out: np.allclose(out, expected, rtol=2e-2, atol=2e-2), {"BLOCK": 64}, lambda out: wide(out, bfloat),
                num_warps=1, enable_fp_fusion=False)


def of_matmul(stages):
    a, b = RNG.standard_normal((70, 48)).astype(np.float32), RNG.standard_normal((48, 90)).astype(np.float32)
    return case(matmul, "*fp32 *fp32 *fp32 i32 i32 i32:16", lambda meta: (triton.cdiv(70, meta["TILE"]), 3),
                (np.zeros((70, 90), np.float32), a, b, 70, 90, 48), a @ b, {"TILE": 32, "DEEP": 16}, num_stages=stages)


def of_atomics(type, number, size):
    x = RNG.integers(-8, 8, (9, size)).astype(number)
    return case(add_atomically, f"{type} {type}", 9, (np.zeros(size, number), x), x.sum(0), {"BLOCK": size}, clc=False)


def cases():
    rows = np.zeros_like(TABLE)
    yield "scale", *case(scale, "*fp32 *fp32 fp32 i32", BLOCKS, (ZEROS, FLAT, np.float32(2), N), 2 * FLAT)
    yield "softmax", *of_rows(softmax, "*fp32 *fp32 i32", rows, (), exp_rows())
    yield "layer norm", *of_rows(layer_norm, "*fp32 *fp32 *fp32 *fp32 i32", rows, (WEIGHT, BIAS), normal_rows(TABLE, WEIGHT, BIAS))
    yield "dropout", *case(dropout, "*fp32 *fp32 i32 fp32 i32", BLOCKS, (ZEROS, FLAT, N, np.float32(0.5), np.int32(42)),
                           lambda out: np.all((out == 0) | np.isclose(out, 2 * FLAT)) and 0.4 < (out == 0).mean() < 0.6)
    yield "row scan", *of_rows(row_scan, "*fp32 *fp32 i32", rows, (), TABLE.cumsum(1))
    for stages in (2, 4):
        yield f"softmax, {stages} stages", *case(pipelined_softmax, "*fp32 *fp32 i32 i32 i32", 9, (rows, TABLE, COLUMNS, ROWS, COLUMNS),
                                                 exp_rows(), {"BLOCK": 128, "STAGES": stages}, num_warps=2)
        yield f"matmul, {stages} stages", *of_matmul(stages)
    yield "matmul", *of_matmul(1)
    for type, number, size in (("*fp32", np.float32, 256), ("*fp32", np.float32, 512), ("*fp16", np.float16, 1024)):
        yield f"atomics {type[1:]}", *of_atomics(type, number, size)
    for bfloat, name in ((False, "fp16"), (True, "bf16")):
        yield f"layer norm {name}", *of_halves(bfloat)


def main(seeds):
    failed = 0
    for name, launch, expected in cases():
        stolen, said = [], ""
        try:
            for _, (out, run) in clcsim.explore(launch, seeds):
                right = expected(out) if callable(expected) else np.allclose(out, expected, rtol=1e-4, atol=1e-5)
                stolen.append(run.blocks_stolen)
                if not right:
                    said = "wrong"
                if run.findings:
                    said = str(run.findings[0])
        except clcsim.Error as error:
            said = f"{type(error).__name__}: {error}"
        print(f"{name:17} {said or 'right and silent'}; stolen {sum(stolen)}")
        failed += bool(said)
    return failed


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 3))
