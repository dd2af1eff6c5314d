#!/usr/bin/env python3
"""How fast clcsim is: warp instructions a second, start-up time and memory.

    benchmark.py [BIN]        BIN: the folder of the executables, build/bin unless told

A speed is the difference of two runs, with 1 and with 9 measured launches: what the program does beside, on
the host, is left out. The best of three; the last column is a ratio, the other figures are this machine's.
"""
import os
import pathlib
import re
import subprocess
import sys
import time

LEVELS = ("off", "memory", "all")
PROGRAMS = {  # with the options that choose one kernel
    "02_grid_stride, stride": ["02_grid_stride", "--kernel", "stride"],
    "02_grid_stride, queue": ["02_grid_stride", "--kernel", "queue"],
    "03_clc_basic, basic": ["03_clc_basic", "--kernel", "basic"],
    "03_clc_basic, double": ["03_clc_basic", "--kernel", "double"],
    "04_clc_cluster, quads": ["04_clc_cluster", "--kernel", "quads"],
}
ELEMENTS = 1 << 24
MEBI = 1 << 20


def run(folder, level, program, elements, launches):
    """Runs it once: (seconds, warp instructions, most bytes of memory)."""
    command = [folder / "clcsim", "--check", level, "--stats", folder / program[0], *program[1:],
               "--elements", str(elements), "--warmup", "0",
               "--runs", str(launches)]
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as child:
        output = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begin
    if child.returncode != 0:
        sys.exit(f"benchmark.py: {' '.join(map(str, command))} ended with {child.returncode}:\n{output}")
    total = re.search(r"^  total +(?:\d+ +)+?(\d+) +\d+$", output, re.MULTILINE)
    return seconds, int(total.group(1)), usage.ru_maxrss * 1024


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/bin")
    if not (folder / "clcsim").exists():
        sys.exit(f"benchmark.py: there is no {folder}/clcsim; build the course first, or name its folder")
    print(f"{ELEMENTS} elements; million warp instructions a second, peak memory in MiB")
    print(f"{'':24}" + "".join(f"{level:>9}{'MiB':>6}" for level in LEVELS) + f"{'off/all':>9}")
    for name, program in PROGRAMS.items():
        speed, memory = {}, {}
        for level in LEVELS:
            few = [run(folder, level, program, ELEMENTS, 1) for _ in range(3)]
            many = [run(folder, level, program, ELEMENTS, 9) for _ in range(3)]
            instructions = many[0][1] - few[0][1]
            speed[level] = instructions / (min(many)[0] - min(few)[0]) / 1e6
            memory[level] = max(m for _, _, m in many) / MEBI
        print(f"{name:24}" + "".join(f"{speed[l]:9.1f}{memory[l]:6.0f}" for l in LEVELS) +
              f"{speed['off'] / speed['all']:9.1f}", flush=True)
    print(f"start-up, one element of 01_fixed_work: "
          f"{1e3 * min(run(folder, 'all', ['01_fixed_work'], 1, 1)[0] for _ in range(5)):.0f} ms")


if __name__ == "__main__":
    main()
