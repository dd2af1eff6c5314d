#!/usr/bin/env python3
"""Counts, in the machine code, what each tile costs in chapter 03's loops and in libcu++'s.

    loops.py [--nvcc NVCC] [--nvdisasm NVDISASM] [TARGET...]        default: sm_100a sm_120a

nvdisasm comes with the CUDA toolkit (cuda-nvdisasm-13-0). Without it:
    python3 -m venv /tmp/sass && /tmp/sass/bin/pip install nvidia-cuda-nvdisasm
    loops.py --nvdisasm "$(find /tmp/sass -name nvdisasm -type f)"

The steady-state loop of a kernel is the strongly connected part of its control flow that holds the
request. It includes the loop over the tile's elements, which is the same in all of them. A request
is `peeled` if ptxas has put a loop around it, which sends one for each thread that may want to.

Ends with 1 if a kernel of the chapter that elects one thread is peeled, or costs more than
libcu++'s; with --readme FILE also if FILE names this nvcc and lacks a line of the table.
"""
import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
KERNELS = {  # mangled name's beginning: what the table says
    "_Z14multiply_guideN": "`basic`, but electing as the guide does",
    "_Z8multiplyN": "`basic`",
    "_Z12multiply_ptxN": "`ptx`",
    "_Z15multiply_doubleN": "`double`",
    "_Z19multiply_libcudacxxN": "libcu++",
}
ELECTED = ("`basic`", "`ptx`", "`double`")


def functions(disassembly):
    """name -> [(label or None, predicated, opcode, operands)], in order."""
    result, body = {}, None
    labels = []
    for line in disassembly.splitlines():
        if match := re.match(r"\.text\.(\S+):", line):
            body = result.setdefault(match[1], [])
            labels = []
        elif match := re.match(r"(\.L_x_\d+):", line):
            labels.append(match[1])
        elif body is not None and (
            match := re.match(r"\s+/\*[0-9a-f]+\*/\s+(@!?U?P\w+ )?([A-Z][\w.]*)(.*?);", line)
        ):
            body.append((tuple(labels), match[1] is not None, match[2], match[3]))
            labels = []
    return result


def steady_state(body):
    """The indices of the instructions on the cycle through the request, the tile's own excluded."""
    place = {label: i for i, (labels, *_) in enumerate(body) for label in labels}
    following = collections.defaultdict(set)
    for i, (_, predicated, opcode, operands) in enumerate(body):
        target = re.search(r"\.L_x_\d+", operands)
        if opcode.startswith(("BRA", "BRX")) and target:
            following[i].add(place[target[0]])
        falls = not opcode.startswith(("EXIT", "BRA", "RET", "BPT")) or predicated
        # A branch on an operand predicate or a uniform one falls through as well.
        if opcode.startswith("BRA") and re.search(r"\bU?!?U?P\w*\b|!UP|!P", operands.split(".L_x")[0]):
            falls = True
        if falls and i + 1 < len(body):
            following[i].add(i + 1)

    def reached(start, edges):
        seen, todo = set(), [start]
        while todo:
            for j in edges[todo.pop()]:
                if j not in seen:
                    seen.add(j)
                    todo.append(j)
        return seen

    back = collections.defaultdict(set)
    for i, targets in following.items():
        for j in targets:
            back[j].add(i)
    requests = [i for i, row in enumerate(body) if is_request(row[2])]
    best = set()
    for request in requests:
        loop = reached(request, following) & reached(request, back)
        if len(loop) > len(best):
            best = loop
    return best


def is_peeled(body):
    """Whether a branch back to a request hangs on any thread that is left (BRA.U.ANY)."""
    return any(opcode.startswith("BRA.U.ANY") for _, _, opcode, _ in body)


def is_request(opcode):
    return opcode.startswith(("UGETNEXTWORKID", "GETNEXTWORKID"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("targets", nargs="*", default=["sm_100a", "sm_120a"])
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--nvdisasm", default=shutil.which("nvdisasm"))
    parser.add_argument("--readme", type=pathlib.Path)
    parser.add_argument("--show", action="store_true", help="print the loops")
    options = parser.parse_args()
    if not options.nvdisasm:
        parser.error("no nvdisasm found; --help says how to get it")
    version = subprocess.run([options.nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    nvcc = re.search(r"V([0-9.]+)", version)[1]
    table = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for target in options.targets:
            cubin = f"{folder}/{target}.cubin"
            arch = target.replace("sm_", "compute_")
            subprocess.run(
                [options.nvcc, "-std=c++17", "-O3", "-cubin", "-gencode", f"arch={arch},code={target}",
                 "-I", ROOT / "common", "-I", ROOT / "03_clc_basic", HERE / "loops.cu", "-o", cubin],
                check=True)
            text = subprocess.run([options.nvdisasm, "-c", cubin], capture_output=True, text=True,
                                  check=True).stdout
            for name, body in functions(text).items():
                if name.startswith("_Z14multiply_warpsN") and is_peeled(body):
                    raise SystemExit(f"`warps`, {target}: peeled")
                for start, label in KERNELS.items():
                    if name.startswith(start):
                        loop = steady_state(body)
                        barriers = sum(body[i][2].startswith(("BAR.SYNC", "UBAR")) for i in loop)
                        table[label].append((len(loop), barriers, is_peeled(body)))
                        if options.show:
                            print(label, *(f"{i:4} {body[i]}" for i in sorted(loop)), sep="\n")
    lines = ["| instructions, barriers, peeled |" + "".join(f" {t} |" for t in options.targets)]
    for label in KERNELS.values():
        cells = (f" {n}, {b}, {'yes' if peeled else 'no'} |" for n, b, peeled in table[label])
        lines.append(f"| {label} |" + "".join(cells))
    print(f"nvcc {nvcc}", *lines, sep="\n")

    theirs = table["libcu++"]
    for label in ELECTED:
        for target, our, their in zip(options.targets, table[label], theirs, strict=True):
            if our[2] or our[0] == 0 or our[0] > their[0] or our[1] >= their[1]:
                raise SystemExit(f"{label}, {target}: peeled, or not cheaper than libcu++")
    if options.readme:
        readme = options.readme.read_text()
        missing = [line for line in lines if line not in readme]
        if f"nvcc {nvcc}" in readme and missing:
            raise SystemExit(f"{options.readme} lacks" + "".join(f"\n{line}" for line in missing))


if __name__ == "__main__":
    main()
