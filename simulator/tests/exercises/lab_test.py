#!/usr/bin/env python3
"""The lab's reference report has the numbers that its runs have: cycles, the blocks that start, what is read off the picture.

    lab_test.py CLCSIM PROGRAM         PROGRAM has the lab's solution and its variations
"""
import json
import pathlib
import subprocess
import sys
import tempfile

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


def from_the_timeline(events):
    """The sentences of step 7."""
    begin, ends, late, last = {}, {}, [], None
    for event in events:
        pid, about = event["pid"], event.get("args", {})
        if event.get("cat") == "launch":
            begin[pid] = event["ts"]
        if event.get("cat") not in ("own", "stolen"):
            continue
        tile, end = int(event["name"].split()[1].strip(",")), event["ts"] + event["dur"]
        ends[pid] = max(ends.get(pid, (0, 0)), (end, tile), key=lambda pair: pair[0])
        if event["cat"] == "own" and pid == 2 and event["dur"] > 100_000:
            late.append(str(tile))
        if event["cat"] == "stolen" and tile % 16 == 0 and (last is None or event["ts"] > last[0]):
            last = event["ts"], f"tile {tile}, won at {rounded(about['answered at'] - begin[pid], 100)}, begun at " \
                                f"{rounded(event['ts'] - begin[pid], 100)}"
    (_, of_fixed), (_, of_steal) = ends[1], ends[3]
    both = f"Tile {of_fixed} ends both" if of_fixed == of_steal else f"tiles {of_fixed} and {of_steal} are the last"
    return [f"to the end: blocks {' and '.join(late)}", last[1], both]


def main(clcsim, program):
    report, wrong = REPORT.read_text(), []
    for label, (variant, *options) in ROWS.items():
        ran = launches(clcsim, program, variant, *options)
        row = f"| {label} |" + "".join(f" {rounded(cycles, 1000)} |" for _, _, cycles in ran)
        if len(ran) != 3 or row not in report:
            wrong.append(f"no row: {row}")
        if label.startswith("as given") and [counts[:2] for counts in ran] != [(320, 0), (32, 0), (32, 288)]:
            wrong.append(f"started and stolen: {ran}")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "lab.json"
        subprocess.run([clcsim, "--timeline", path, program, "06_lab.solution"], stdout=subprocess.DEVNULL, check=True)
        wrong += [f"not there: {line}" for line in from_the_timeline(json.loads(path.read_text())["traceEvents"]) if line not in report]
    print("\n".join(f"lab_spmv/README.md: {line}" for line in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
