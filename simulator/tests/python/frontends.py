"""The same y = alpha x in Triton and Gluon, compiled here and run by clcsim; test_cute.py has it in CuTe DSL. Needs triton.

frontends.py [SEEDS]; frontends.py record FOLDER writes their PTX and CuTe DSL's, as tests/library runs it."""

import pathlib
import re
import sys

import numpy as np

import clcsim

N, BLOCK = 65 * 256 - 3, 256
SIGNATURE = {"y": "*fp32", "x": "*fp32", "alpha": "fp32", "n": "i32", "BLOCK": "constexpr"}


def compiled():
    import gluon_scale
    import triton_kernels
    yield "triton", clcsim.triton(triton_kernels.scale, SIGNATURE, {"BLOCK": BLOCK}, clc=True), []
    for name, always, expected in (("gluon", False, []), ("gluon_tutorial", True, ["decode-of-failure"])):
        yield name, clcsim.gluon(gluon_scale.scale, {**SIGNATURE, "ALWAYS": "constexpr"},
                                 {"BLOCK": BLOCK, "ALWAYS": always}), expected


def record(name, ptx, folder):
    """Without debug information, and with the source's name alone. The comments that hold an asm statement stay."""
    ptx = re.sub(r"\n\t?\.section.*?\n\t?\}", "", ptx, flags=re.S)
    ptx = re.sub(r'(\.file\s+\d+ ")[^"]*/', r"\1", ptx)
    lines = [line.rstrip() for line in ptx.rstrip("\0").splitlines() if re.match(r"\s*(?!//)\S|\s*// (begin|end) inline asm", line)]
    (pathlib.Path(folder) / f"{name}_scale.rec").write_text("\n".join(lines) + "\n")


def main(arguments):
    failed = 0
    if arguments[:1] == ["record"]:
        with clcsim.install():
            import cute_scale
            compiled_host = cute_scale.cute.compile(cute_scale.launch, *cute_scale.example())
            record("cute", compiled_host.__ptx__, arguments[1])
    for name, kernel, expected in compiled():
        if arguments[:1] == ["record"]:
            if not name.startswith("gluon"):
                record(name, kernel.ptx, arguments[1])
            continue

        def launch():
            x, y = np.arange(N, dtype=np.float32), np.zeros(N, np.float32)
            return y, kernel[-(-N // BLOCK)](y, x, np.float32(2), N)

        for seed, (y, run) in clcsim.explore(launch, int(arguments[0]) if arguments else 3):
            said = [finding.name for finding in run.findings]
            right = np.array_equal(y, 2 * np.arange(N, dtype=np.float32)) and run.blocks_stolen > 0 and said == expected
            failed += not right
            if seed == 0 or not right:
                print(f"{name}, seed {seed}: {run} {' '.join(said)} {'' if right else 'NOT AS EXPECTED'}")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
