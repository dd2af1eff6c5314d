#!/usr/bin/env python3
"""Whether the playground's engine says of each kernel of a program what clcsim says of the chapter's executable: every
launch's counts, instructions and cycles, what the player shows of it, the findings, the verdict.

    same.py CLCSIM BIN ENGINE CATALOGUE PROGRAM [SEEDS [GPU...]]
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import threading

COUNTS = ("blocks", "started", "stolen", "refused", "instructions", "cycles")
# What warps and mbarriers did is left out: how much of it is kept depends on the number of launches.
PLAYED = ("kernel", "serial", "submitted", "started", "finished", "rows", "blocks", "requests")
JUDGED = ("steals", "missed", "doubled", "wrong")


def size_of(gpu):
    """Small, and yet more tiles than the GPU holds as blocks."""
    return (3003, 64) if gpu == "mini" else (5003, 1024)


def played(record):
    return [[launch.get(name) for name in PLAYED] for launch in record["launches"]]


def of_engine(engine, program, kernel, gpu, seed, urgent):
    request = {"program": program, "kernel": kernel["id"], "gpu": gpu, "record": True, "seed": seed, "after": 7}
    if "pitfall" not in kernel:
        elements, threads = size_of(gpu)
        request["options"] = {"tile": 16, "prologue": 3, "elements": elements, "threads": threads, "urgent": urgent}
    engine.stdin.write(json.dumps(request) + "\n")
    engine.stdin.flush()
    said = json.loads(engine.stdout.readline())
    if said["error"]:
        return {"verdict": said["error"]["message"]}
    return {"launches": [[launch["kernel"], *(launch[name] for name in COUNTS)] for launch in said["launches"]],
            "played": played(said["record"]), "findings": said["findings"],
            "verdict": [said["word"], *(said[name] for name in JUDGED if said["word"] != "FAILED")]}


def of_executable(clcsim, executable, kernel, gpu, seed, urgent):
    with tempfile.TemporaryDirectory() as folder:
        found, page = f"{folder}/json", f"{folder}/page.html"
        command = [clcsim, "--gpu", gpu, "--seed", str(seed), "--stats", "--check-json", found, "--timeline", page,
                   executable, "--json"]
        if "pitfall" in kernel:
            command += [kernel["pitfall"], "--broken" if kernel["broken"] else "--fixed"]
        else:
            elements, threads = size_of(gpu)
            command += ["--warmup", "0", "--runs", "1", "--tile", "16", "--prologue", "3", "--kernel", kernel["id"],
                        "--elements", str(elements), "--threads", str(threads), "--urgent", str(int(urgent)), "--after", "7"]
        ran = subprocess.run(command, capture_output=True, text=True)
        with open(page) as html, open(found) as findings:
            record = re.search(r'id="record">(.*?)</script>', html.read(), re.S)[1]
            account = {"played": played(json.loads(record)), "findings": json.load(findings)["findings"]}
    # "  1  multiply<2, 1, 1>  64  256  64  8  56  8  1.0  6317  4889": grid, block, and the counts with the waves.
    rows = [words for words in map(str.split, ran.stderr.splitlines()) if len(words) >= 11 and words[0].isdigit()]
    account["launches"] = [[" ".join(words[1:-9]), *(int(words[i]) for i in (-7, -6, -5, -4, -2, -1))] for words in rows]
    said = json.loads(ran.stdout.partition("\n")[0] or '{"error": "nothing was printed"}')
    failed = said.get("error", "cudaSuccess") != "cudaSuccess"
    account["verdict"] = ["FAILED"] if failed else [said["verdict"], *(said[name] for name in JUDGED)]
    return account


def main():
    if len(sys.argv) < 6:
        raise SystemExit(__doc__)
    clcsim, folder, engine, catalogue, program = sys.argv[1:6]
    seeds = range(int(sys.argv[6]) if len(sys.argv) > 6 else 5)
    with open(catalogue) as file:
        kernels = [kernel for each in json.load(file)["programs"] if each["id"] == program for kernel in each["kernels"]]
    cases = [(kernel, gpu, seed, False) for kernel in kernels for gpu in sys.argv[7:] or ("mini", "b200", "rtx5090")
             for seed in seeds]
    cases += [(kernel, "mini", 1, True) for kernel in kernels if "pitfall" not in kernel]
    if not cases:
        print(f"skipped: the playground has no kernel of {program}")
        raise SystemExit(77)
    local, engines = threading.local(), []  # one process of the engine for each thread

    def begin():
        local.engine = subprocess.Popen([engine, catalogue], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        engines.append(local.engine)

    def differs(case):
        kernel, gpu, seed, urgent = case
        got = of_engine(local.engine, program, *case)
        expected = of_executable(clcsim, f"{folder}/{program}", *case)
        # The executable goes on with launches that are timed; the engine stops after the checked one.
        if "pitfall" not in kernel and not urgent and got.get("launches"):
            for part in ("launches", "played"):
                expected[part] = expected[part][: len(got[part])]
        for part in expected:
            if got.get(part) == expected[part]:
                continue
            print(f"{kernel['id']}, {gpu}, seed {seed}{', urgent' * urgent}: {part}", *(
                f"  {who} {str(account.get(part))[:2000]}"
                for who, account in (("clcsim    ", expected), ("playground", got))), sep="\n")
        return got != expected

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count(), initializer=begin) as pool:
        different = sum(pool.map(differs, cases))
    for process in engines:
        process.communicate()
    print(f"{len(cases)} runs of {program} compared, {different} differ")
    raise SystemExit(different != 0)


if __name__ == "__main__":
    main()
