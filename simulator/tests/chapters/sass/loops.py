#!/usr/bin/env python3
"""Counts, in the machine code, what each tile costs in chapter 03's loops and in libcu++'s.

    loops.py [--nvcc NVCC] [--nvdisasm NVDISASM] [TARGET...]        default: sm_100a sm_120a

nvdisasm comes with the CUDA toolkit (cuda-nvdisasm-13-0). Without it:
    python3 -m venv /tmp/sass && /tmp/sass/bin/pip install nvidia-cuda-nvdisasm
    loops.py --nvdisasm "$(find /tmp/sass -name nvdisasm -type f)"

The steady-state loop of a kernel is the strongly connected part of its control flow that holds the
request. It includes the loop over the tile's elements, which is the same in all of them.
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
    "_Z8multiplyN": "03, basic",
    "_Z12multiply_ptxN": "03, inline PTX",
    "_Z15multiply_doubleN": "03, double-buffered",
    "_Z19multiply_libcudacxxN": "libcu++ for_each_canceled_block",
}


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


def is_request(opcode):
    return opcode.startswith(("UGETNEXTWORKID", "GETNEXTWORKID"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("targets", nargs="*", default=["sm_100a", "sm_120a"])
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--nvdisasm", default=shutil.which("nvdisasm"))
    parser.add_argument("--show", action="store_true", help="print the loops")
    options = parser.parse_args()
    if not options.nvdisasm:
        parser.error("no nvdisasm found; --help says how to get it")
    version = subprocess.run([options.nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    print(f"nvcc {re.search(r'V([0-9.]+)', version)[1]}; instructions in the loop, barriers of the block\n")
    print("| kernel |" + "".join(f" {t} | |" for t in options.targets))
    print("|---|" + "---:|---:|" * len(options.targets))
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
                for start, label in KERNELS.items():
                    if name.startswith(start):
                        loop = steady_state(body)
                        barriers = sum(body[i][2].startswith(("BAR.SYNC", "UBAR")) for i in loop)
                        table[label].append((len(loop), barriers))
                        if options.show:
                            print(label, *(f"{i:4} {body[i]}" for i in sorted(loop)), sep="\n")
    for label in KERNELS.values():
        print(f"| {label} |" + "".join(f" {n} | {b} |" for n, b in table[label]))
    ours, theirs = table["03, double-buffered"], table["libcu++ for_each_canceled_block"]
    if any(o[0] > t[0] or o[1] >= t[1] or o[0] == 0 for o, t in zip(ours, theirs)):
        raise SystemExit("the double-buffered loop is not the cheaper one")


if __name__ == "__main__":
    main()
