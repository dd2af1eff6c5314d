#!/usr/bin/env python3
"""Repeats a row of simulator/README.md's table of suites that others wrote: compiles each program of the suite and runs it
under clcsim. Ends with 0 where as many are right as the table says, and with 77 where the suite can't be had."""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
FLAGS = ["-std=c++17", "-O3", "-lineinfo", "-cudart", "shared", "-w", "-gencode", "arch=compute_100a,code=compute_100a"]

# What a program must be reported for: any of these names; none: it must be silent. `edit`, in a mutant: a file, a text in it
# and what stands there instead.
Program = collections.namedtuple("Program", "path findings arguments edit", defaults=[None])


def indigo(folder):
    """The verdict is in the file's name: each kind of bug has a word of its own."""
    races = ("atomicBug", "guardBug", "raceBug", "syncBug")
    graph = folder / "indigo/input/power_law_200n_1000e.egr"
    for path in sorted(folder.glob("indigo/indigo_sources/*/*.cu")):
        found = {"data-race"} if any(word in path.stem for word in races) else set()
        found |= {"out-of-bounds"} if "boundsBug" in path.stem else set()
        yield Program(path, found, [str(graph), "256", "256"])


def sanitizer(folder):
    """Each is broken; the folder is named after the tool of compute-sanitizer that finds it."""
    for name, found in {"Racecheck/block_error": "data-race", "Racecheck/warp_error": "data-race",
                        "Synccheck/divergent_threads": "block-barrier-divergence deadlock",
                        "Synccheck/illegal_syncwarp": "warp-sync-mask", "Initcheck/memset_error": "uninitialised-read",
                        "Memcheck/memcheck_demo": "out-of-bounds misaligned"}.items():
        yield Program(folder / f"{name}.cu", set(found.split()), [])


def scor(folder):
    """race_ or norace_ in the file's name."""
    for path in sorted(folder.glob("microbenchmarks/src/*.cu")):
        yield Program(path, {"data-race"} if path.name.startswith("race_") else set(), [])


def cutlass(folder):
    """The test of the pipeline must pass in its nine shapes of cluster, and in one of them each mutant of ours is found."""
    test = "test/unit/pipeline/pipeline_cluster_launch_control_async_warp_specialized_blackwell.cu"
    pipeline = "include/cutlass/pipeline/sm100_pipeline.hpp"
    shapes = re.findall(r"Cluster\dx\d_Stage\d", (folder / test).read_text())
    yield Program(folder / test, set(), shapes)
    for found, file, right, broken in (
            ("out-of-bounds", test, "  cute::cluster_sync();\n", ""),
            ("barrier-phase", test, " * cute::size<0>(cluster_shape) * cute::size<1>(cluster_shape)", ""),
            ("barrier-phase", test, "NUM_PRODUCER + NUM_CONSUMERS", "NUM_CONSUMERS"),
            ("barrier-phase", test, "(is_first_block_in_cluster && warp_idx == 0)", "(warp_idx == 0)"),
            ("deadlock", test, "make_producer_start_state<TileSchedulingPipeline>()", "PipelineState<Stages>{}"),
            ("barrier-not-initialised", test, "cute::cluster_wait();", "__syncthreads();"),
            ("response-not-complete", test, "scheduler_pipeline.consumer_wait(scheduler_pipe_state);", ""),
            ("barrier-not-initialised", pipeline, "cutlass::arch::fence_barrier_init();", ""),
            ("deadlock", pipeline, "uint32_t(lane_idx_ < cluster_size_)", "uint32_t(lane_idx_ < 1)"),
            ("response-overwritten", pipeline, "empty_barrier_ptr_[stage].wait(phase);", ""),
            ("deadlock", pipeline, "empty_barrier_ptr_[stage].arrive(params_.producer_blockid)", "empty_barrier_ptr_[stage].arrive()"),
            ("missing-proxy-fence", "include/cutlass/gemm/kernel/sm100_tile_scheduler.hpp", "cutlass::arch::fence_view_async_shared();", "")):
        yield Program(folder / test, {found}, ["Cluster2x2_Stage4"], (file, right, broken))


# Stands for CUTLASS's header of its unit tests, so that nobody needs GoogleTest.
UNIT_TEST = """#include <iostream>
#include <map>
#include <string>
std::map<std::string, void (*)()> tests;
#define TEST(suite, name) static void name(); static const auto add_##name = tests.emplace(#name, name); static void name()
#define EXPECT_TRUE(right) if (!(right)) exit(1)
int main(int, char** names) { while (*++names) tests.at(*names)(); }
"""

Suite = collections.namedtuple("Suite", "repository commit programs right options include change")
SUITES = {
    "indigo": Suite("JohnJacobsonIII/HiRace-Artifact-SC24", "44a935f90acfe43c6178b2187ea84c9ab0c01450", indigo, 590, "",
                    ["indigo/indigo_include"], None),
    "sanitizer": Suite("NVIDIA/compute-sanitizer-samples", "1e1fab8e25148127f5dec10210ac70b799d1c36f", sanitizer, 6, "",
                       [], None),
    "cutlass": Suite("NVIDIA/cutlass", "7107b05535f8977f5ecb9d01ee203205b1fd9bc4", cutlass, 13, "--gpu b200 --explore 20",
                     ["include", "tools/util/include"],
                     lambda text: text.replace('#include "../common/cutlass_unit_test.h"', UNIT_TEST)),
    # Volatile accesses are no data races (PTX ISA 9.0, 8.7), so the data is made ordinary; and main waits for the kernel.
    "scor": Suite("csl-iisc/ScoR", "6dc3507ecc419aac6ea3a49ec746b610d5029219", scor, 27, "--explore 20", [],
                  lambda text: re.sub(r"return 0;\s*}\s*$", "cudaDeviceSynchronize(); return 0; }\n",
                                      re.sub(r"\bvolatile (?=unsigned int ?\*)", "", text))),
}


def fetched(suite, folder):
    address = f"https://github.com/{suite.repository}"
    for command in (["init", "-q"], ["fetch", "-q", "--depth", "1", address, suite.commit], ["checkout", "-q", "FETCH_HEAD"]):
        done = subprocess.run(["git", "-C", folder, *command], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"suites.py: can't fetch {suite.repository} from GitHub ({done.stderr.strip().splitlines()[-1]}). Give "
                  f"the folder of a copy, of commit {suite.commit}, as the second argument", file=sys.stderr)
            sys.exit(77)
    return folder


def verdict(options, suite, program, folder, work):
    """(what came of it: right, missed, alarm, refused or failed; the names that were reported)"""
    own = pathlib.Path(tempfile.mkdtemp(dir=work))
    binary = own / "program"
    changed = {program.path: suite.change(program.path.read_text())} if suite.change else {}
    if program.edit:
        file, right, broken = program.edit
        text = changed.get(folder / file) or (folder / file).read_text()
        if right not in text:
            return "failed", [f"{file} has no {right}"]
        changed[folder / file] = text.replace(right, broken)
    for path, text in changed.items():
        copy = own / path.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text)
    source = (own if program.path in changed else folder) / program.path.relative_to(folder)
    include = [base / path for path in suite.include for base in (own, folder)]
    include += [path.parent for path in (program.path, *changed)]
    built = subprocess.run([options.nvcc, *FLAGS, *(f"-I{path}" for path in include), "-o", binary, source],
                           capture_output=True, text=True)
    if built.returncode != 0:
        return "failed", [built.stderr.strip()[:200]]
    try:
        run = subprocess.run([options.build / "bin/clcsim", *suite.options.split(), binary, *program.arguments],
                             capture_output=True, text=True, timeout=300, errors="replace")
    except subprocess.TimeoutExpired:
        return "failed", ["more than 300 seconds"]
    names = sorted(set(re.findall(r"clcsim: error \[([\w-]+)\]", run.stderr + run.stdout)))
    if "is not modelled" in run.stderr + run.stdout:
        return "refused", names
    if not program.findings:
        return ("alarm" if names or run.returncode else "right"), names or [f"exit status {run.returncode}"]
    return ("right" if program.findings & set(names) else "missed"), names


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, help="a copy of the suite; otherwise it is fetched from GitHub")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--nvcc", default="nvcc")
    options = parser.parse_args()
    suite = SUITES[options.suite]
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        if options.folder:
            folder = options.folder.resolve()
        else:
            (work / "suite").mkdir()
            folder = fetched(suite, work / "suite")
        programs = [program for program in suite.programs(folder) if program.path.exists()]
        if not programs:
            print(f"suites.py: {folder} has none of the programs of {suite.repository}", file=sys.stderr)
            return 2
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(lambda program: verdict(options, suite, program, folder, work), programs))
    for program, (came, names) in zip(programs, results):
        if came != "right":
            what = f"mutant of {program.edit[1]}" if program.edit else program.path.relative_to(folder)
            print(f"{came:8} {what}: {' '.join(names) or 'nothing'}")
    counts = collections.Counter(came for came, _ in results)
    print(f"{options.suite}: {len(results)} programs: " +
          ", ".join(f"{counts[came]} {came}" for came in ("right", "missed", "alarm", "refused", "failed")))
    return 0 if counts["right"] >= suite.right else 1


if __name__ == "__main__":
    sys.exit(main())
