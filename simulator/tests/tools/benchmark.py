#!/usr/bin/env python3
"""How fast clcsim is, and whether time and memory grow with the problem.

    benchmark.py [BIN [EARLIER]]     BIN: the folder of the executables, build/bin unless told;
                                     EARLIER: that of another build, to be compared with it
    benchmark.py --scale [BIN]       the second half alone

Speeds are million warp instructions a second of processor time, the median of five rounds; two builds take turns.
`launches` is the difference of two runs, with 1 and with 9 launches, which leaves out what the program does on the host;
`whole` is all of the longer run. Nothing here decides a test.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROUNDS = 5
STREAM = ["--elements", str(1 << 24)]
PROGRAMS = {  # with the options that choose one kernel
    "streaming (02, stride)": ["02_grid_stride", "--kernel", "stride", *STREAM],
    "streaming (03, basic)": ["03_clc_basic", "--kernel", "basic", *STREAM],
    "computing (03, prologue)": ["03_clc_basic", "--kernel", "basic", "--prologue", "50000"],
}
SMALL = ["--tile", "128", "--threads", "32"]
SCALES = {  # what grows, in steps of two: the GPU, the program, elements for each, how many of the first
    "tiles that one wave steals, mini": ("mini", ["03_clc_basic", "--kernel", "basic", *SMALL], 128, 1 << 17),
    "blocks, b200 full of them": ("b200", ["01_fixed_work", *SMALL], 128, 1 << 17),
    "tiles of blocks of 1024, b200": ("b200", ["03_clc_basic", "--kernel", "basic", "--threads", "1024"], 1024,
                                      1 << 11),
    "MiB of data, mini": ("mini", ["01_fixed_work", "--kernel", "fixed"], 1 << 18, 128),
}
STEPS = 4


def processor(command):
    """Runs it: (seconds of processor time, output, most bytes of memory)."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as child:
        output = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"benchmark.py: {' '.join(map(str, command))} ended with {child.returncode}:\n{output}")
    return usage.ru_utime + usage.ru_stime, output, usage.ru_maxrss * 1024


def run(folder, gpu, level, program, launches):
    """Runs it once: (seconds, warp instructions, bytes)."""
    seconds, output, memory = processor(
        [folder / "clcsim", "--gpu", gpu, "--check", level, "--stats", folder / program[0], *program[1:],
         "--warmup", "0", "--runs", str(launches)])
    total = re.search(r"^  total +(?:\d+ +)+?(\d+) +\d+$", output, re.MULTILINE)
    return seconds, int(total.group(1)), memory


def speeds(folder, level, program):
    """Million instructions a second: (of the launches, of the whole run)."""
    few, many = (run(folder, "mini", level, program, launches) for launches in (1, 9))
    return (many[1] - few[1]) / (many[0] - few[0]) / 1e6, many[1] / many[0] / 1e6


def compare(folder, earlier):
    print(f"{'':26}{'check':>6}{'launches':>10}{'whole':>8}" + (f"{'to earlier':>12}" if earlier else ""))
    for name, program in PROGRAMS.items():
        for level in ("off", "all"):
            rounds = []
            for _ in range(ROUNDS):
                now = speeds(folder, level, program)
                before = speeds(earlier, level, program) if earlier else now
                rounds.append((*now, now[1] / before[1]))
            launches, whole, gain = map(statistics.median, zip(*rounds))
            print(f"{name:26}{level:>6}{launches:10.1f}{whole:8.1f}" + (f"{gain:12.2f}" if earlier else ""), flush=True)


def show_growth(folder):
    """Each doubling should double the seconds and what memory there is beyond the start."""
    empty = processor([folder / "clcsim", folder / "01_fixed_work", "--elements", "1", "--runs", "1"])[2]
    for level in ("off", "all"):
        print(f"--check {level}: seconds and MiB, in brackets how much more than for half as many")
        for name, (gpu, program, elements, first) in SCALES.items():
            line, before = "", None
            for step in range(STEPS):
                count = first << step
                seconds, _, memory = run(folder, gpu, level, [*program, "--elements", str(count * elements)], 1)
                memory -= empty
                line += f"  {count}: {seconds:.2f} s, {memory / (1 << 20):.0f} MiB"
                if before:
                    line += f" ({seconds / before[0]:.2f}, {memory / before[1]:.2f})"
                before = seconds, memory
            print(f"  {name}\n   {line}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", action="store_true")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default="build/bin")
    parser.add_argument("earlier", nargs="?", type=pathlib.Path)
    arguments = parser.parse_args()
    for folder in filter(None, (arguments.folder, arguments.earlier)):
        if not (folder / "clcsim").exists():
            sys.exit(f"benchmark.py: there is no {folder}/clcsim; build the course first, or name its folder")
    if not arguments.scale:
        compare(arguments.folder, arguments.earlier)
    show_growth(arguments.folder)


if __name__ == "__main__":
    main()
