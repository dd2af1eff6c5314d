#!/usr/bin/env python3
"""Whether the playground launches each kernel of a program as the chapter's executable does: under a hostile seed both have
the same launches, with the same counts and cycles, the same findings and the same verdict.

    same.py CLCSIM BIN ENGINE CATALOGUE PROGRAM [GPU]
"""
import json
import subprocess
import sys
import tempfile

COUNTS = ("blocks", "started", "stolen", "refused", "instructions", "cycles")
JUDGED = ("steals", "missed", "doubled", "wrong")
SMALL = {"tile": 16, "prologue": 3, "elements": 3003, "threads": 64, "urgent": 1}  # and yet more tiles than resident blocks


def of_engine(said):
    if said["error"]:
        return said["error"]
    return ([[each["kernel"], *(each[name] for name in COUNTS)] for each in said["launches"]], said["findings"],
            [said["word"], *(said[name] for name in JUDGED if said["word"] != "FAILED")])


def of_executable(clcsim, executable, kernel, gpu):
    if "pitfall" in kernel:
        words = [kernel["pitfall"], "--broken" if kernel["broken"] else "--fixed"]
    else:
        words = ["--kernel", kernel["id"], "--warmup=0", "--runs=1", "--after=7"]
        words = [word for pair in words for word in pair.split("=")]
        words += [word for name, value in SMALL.items() for word in (f"--{name}", str(value))]
    with tempfile.NamedTemporaryFile() as found:
        ran = subprocess.run([clcsim, "--gpu", gpu, "--seed", "1", "--stats", "--check-json", found.name, executable, "--json",
                              *words], capture_output=True, text=True)
        findings = json.load(found)["findings"]
    # "  1  multiply<2, 1, 1>  64  256  64  8  56  8  1.0  6317  4889": grid, block, and the counts with the waves.
    rows = [words for words in map(str.split, ran.stderr.splitlines()) if len(words) >= 11 and words[0].isdigit()]
    launches = [[" ".join(words[1:-9]), *(int(words[i]) for i in (-7, -6, -5, -4, -2, -1))] for words in rows]
    said = json.loads(ran.stdout.partition("\n")[0])
    failed = said.get("error", "cudaSuccess") != "cudaSuccess"
    return launches, findings, ["FAILED"] if failed else [said["verdict"], *(said[name] for name in JUDGED)]


def main():
    if len(sys.argv) < 6:
        raise SystemExit(__doc__)
    clcsim, folder, engine, catalogue, program, gpu = (*sys.argv[1:], "mini")[:6]
    with open(catalogue) as file:
        kernels = [kernel for each in json.load(file)["programs"] if each["id"] == program for kernel in each["kernels"]]
    requests = [{"program": program, "kernel": kernel["id"], "gpu": gpu, "seed": 1, "runs": 1, "after": 7,
                 **({} if "pitfall" in kernel else {"options": SMALL})} for kernel in kernels]
    replies = subprocess.run([engine, catalogue], input="".join(json.dumps(each) + "\n" for each in requests),
                             capture_output=True, text=True, check=True).stdout.splitlines()
    different = 0
    for kernel, reply in zip(kernels, replies, strict=True):
        got, expected = of_engine(json.loads(reply)), of_executable(clcsim, f"{folder}/{program}", kernel, gpu)
        if got != expected:
            different += 1
            print(kernel["id"], f"  clcsim     {expected}"[:2000], f"  playground {got}"[:2000], sep="\n")
    print(f"{len(kernels)} kernels of {program} compared, {different} differ")
    raise SystemExit(different != 0 if kernels else 77)


if __name__ == "__main__":
    main()
