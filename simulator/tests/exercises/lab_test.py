#!/usr/bin/env python3
"""The lab's reference report has the numbers that its runs have: cycles, and the blocks that start.

    lab_test.py CLCSIM PROGRAM         PROGRAM has the lab's solution and its variations
"""
import pathlib
import subprocess
import sys

REPORT = pathlib.Path(__file__).resolve().parents[3] / "06_for_each_canceled_block/exercises/lab_spmv/README.md"
ROWS = {  # of the table: the answer, clcsim's options
    "as given, `mini`, seed 0": ("solution",), "`--gpu b200`": ("solution", "--gpu", "b200"),
    "`--gpu b200:9`": ("solution", "--gpu", "b200:9"), "`kThreads = 256`, `kRows = 8`": ("variation_tiles",),
    "a prologue of ten copies": ("variation_prologue",),
    **{f"`--seed {seed}`": ("solution", "--seed", seed) for seed in "123"}}


def launches(clcsim, program, variant, *options):
    """The three launches in the table of --stats: [(started, stolen, cycles), ...]."""
    ended = subprocess.run([clcsim, "--stats", *options, program, f"06_lab.{variant}"], capture_output=True, text=True, check=False)
    rows = [line.split() for line in (ended.stdout + ended.stderr).splitlines() if line[:3] in ("  1", "  2", "  3")]
    return [(int(row[5]), int(row[6]), int(row[-1])) for row in rows if len(row) == 11]


def rounded(cycles, to):
    return f"{(cycles + to // 2) // to * to:,}"


def main(clcsim, program):
    report, wrong = REPORT.read_text(), []
    for label, (variant, *options) in ROWS.items():
        ran = launches(clcsim, program, variant, *options)
        row = f"| {label} |" + "".join(f" {rounded(cycles, 1000)} |" for _, _, cycles in ran)
        if len(ran) != 3 or row not in report:
            wrong.append(f"no row: {row}")
        if label.startswith("as given") and [counts[:2] for counts in ran] != [(320, 0), (32, 0), (32, 288)]:
            wrong.append(f"started and stolen: {ran}")
    print("\n".join(f"lab_spmv/README.md: {line}" for line in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
