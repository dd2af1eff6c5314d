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
# and what stands there instead. `steals`: blocks must have been stolen.
Program = collections.namedtuple("Program", "path findings arguments edit steals", defaults=[None, False])


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

def gemm_examples(folder):
    """CUTLASS's examples of a GEMM with CLC, which compare the product with that of a plain kernel."""
    size = ["--m=512", "--n=512", "--k=256", "--iterations=0"]
    for path in ("70_blackwell_gemm/70_blackwell_fp16_gemm.cu", "74_blackwell_gemm_streamk/blackwell_gemm_streamk.cu",
                 "73_blackwell_gemm_preferred_cluster/blackwell_gemm_preferred_cluster.cu"):
        yield Program(folder / "examples" / path, set(), size, steals=True)


def cute(folder):
    """CuTe's tutorials compare with a host; in 01, threads store A and B, and no fence follows."""
    for path in sorted(folder.glob("examples/cute/tutorial/blackwell/0*.cu")):
        yield Program(path, {"missing-proxy-fence"} if path.name.startswith("01") else set(), [])


def learn_cuda(folder):
    """A product by each step of a tutorial; the steps have no host but PyTorch's, so they get ours."""
    # v2: a slow warp may miss two phases. v7: its other warps' loads aren't over for the one that frees the columns.
    found = {"v2": {"barrier-phase"}, "v7": {"data-race"}}
    for version in "v1 v2 v3 v4 v5 v6 v7".split():
        yield Program(folder / f"02e_matmul_sm100/matmul_{version}.cu", found.get(version, set()), [])


def thunderkittens(folder):
    yield Program(folder / "kernels/gemm/bf16_b200/bf16_b200_gemm.cu", set(), [], steals=True)


def deepgemm(folder):
    """With two blocks, an address goes through shared memory past a relaxed arrival; with one it is silent."""
    for findings, blocks in ((set(), "1"), ({"data-race"}, "2")):
        yield Program(folder / "deep_gemm/include/deep_gemm/impls/sm100_bf16_gemm.cuh", findings, [blocks])


# A host for kernels that come without one: whole numbers, whose sums are exact in any order.
HOST = """
#include <cstdlib>
#include <vector>
#include <cuda_bf16.h>
template <class F> int compared(F&& product, int m = 512, int n = 512, int k = 512) {
  std::vector<__nv_bfloat16> a(m * k), b(n * k), c(m * n);
  for (auto* matrix : {&a, &b}) for (auto& x : *matrix) x = float(std::rand() % 5 - 2);
  __nv_bfloat16* on[3];
  for (int i = 0; i < 3; ++i) cudaMalloc(&on[i], 2 * std::vector{m * k, n * k, m * n}[i]);
  cudaMemcpy(on[0], a.data(), 2 * a.size(), cudaMemcpyDefault);
  cudaMemcpy(on[1], b.data(), 2 * b.size(), cudaMemcpyDefault);
  product(on[0], on[1], on[2], m, n, k);
  if (cudaMemcpy(c.data(), on[2], 2 * c.size(), cudaMemcpyDefault) != cudaSuccess) return 1;
  const std::vector<float> rows(a.begin(), a.end()), columns(b.begin(), b.end());
  for (int i = 0; i < m * n; ++i) {
    float sum = 0;
    for (int l = 0; l < k; ++l) sum += rows[i / n * k + l] * columns[i % n * k + l];
    if (float(c[i]) != float(__nv_bfloat16(sum))) return 1;
  }
  return 0;
}
"""
TORCH = """#include <cuda_bf16.h>
#include <algorithm>
#include <cstdlib>
#include <tuple>
#define TORCH_CHECK(right, ...) if (!(right)) std::exit(1)
"""
# As csrc/jit_kernels has it for a product of this size on a GPU of which it may use eight SMs.
DEEPGEMM = HOST + """
template <unsigned kBlocks>
void launch(void* a, void* b, void* c, int m, int n, int k) {
  constexpr unsigned kStages = kBlocks == 1 ? 6 : 8, kBytes = 33580 + kStages * (16384 + 16384 / kBlocks);
  const auto map = [&](void* matrix, int rows, int inner, unsigned box) {
    CUtensorMap made;
    const cuuint64_t sizes[] = {cuuint64_t(inner), cuuint64_t(rows)}, strides[] = {2ull * inner};
    const cuuint32_t boxes[] = {64, box}, steps[] = {1, 1};
    cuTensorMapEncodeTiled(&made, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, sizes, strides, boxes, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return made;
  };
  constexpr auto kMajor = cute::UMMA::Major::K;
  const auto kernel = deep_gemm::sm100_bf16_gemm_impl<
      kMajor, kMajor, 0, 0, 0, 128, 128, 64, 1, 128, 128, 128, kStages, 128, 128, kBlocks, false, 8, 128, false, true,
      deep_gemm::GemmType::Normal, false, cutlass::bfloat16_t, 100>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  cudaLaunchAttribute cluster{cudaLaunchAttributeClusterDimension};
  cluster.val.clusterDim = {kBlocks, 1, 1};
  const cudaLaunchConfig_t config{8, 256, kBytes, nullptr, &cluster, 1};
  cudaLaunchKernelEx(&config, kernel, static_cast<int*>(nullptr), unsigned(m), unsigned(n), unsigned(k),
                     map(a, m, k, 128), map(b, n, k, 128 / kBlocks), map(c, m, n, 128));
}
int main(int, char** arguments) { return compared(*arguments[1] == '1' ? launch<1> : launch<2>); }
"""


def with_main(text):
    name = re.search(r"^void (matmul_v\d[abc]?)\(", text, re.M).group(1)
    return f"{text}\n{HOST}int main() {{ return compared({name}); }}\n"


def smaller(text):
    """ThunderKittens's benchmark has its own reference, and prints how far it is away."""
    text = text.replace("int main() {", "int theirs() {")
    text = text.replace("check_correctness(d_C[0]", "equal(d_C[0]")
    return """#include <cmath>
#include <cstdlib>
#include <vector>
#include <cuda_bf16.h>
void equal(const __nv_bfloat16* got, const __nv_bfloat16* wanted, size_t count) {
  std::vector<__nv_bfloat16> a(count), b(count);
  cudaMemcpy(a.data(), got, 2 * count, cudaMemcpyDefault);
  cudaMemcpy(b.data(), wanted, 2 * count, cudaMemcpyDefault);
  for (size_t i = 0; i < count; ++i) if (!(std::abs(float(a[i]) - float(b[i])) < 0.1f)) std::exit(1);
}
""" + text + """
int main() {
  run_benchmark<config<256, 64, 128, 4, true, 5, 2>>(512, 512, 256, true);
  run_benchmark<config<256, 256, 64, 8, true, 5, 4>>(512, 512, 256, true);
  run_benchmark<config<256, 256, 64, 4, false, 4, 8>>(512, 512, 256, true);
}
"""


Suite = collections.namedtuple("Suite", "repository commit programs right options include change flags files", defaults=["", {}])
CUTLASS = ("NVIDIA/cutlass", "7107b05535f8977f5ecb9d01ee203205b1fd9bc4")
SUITES = {
    "indigo": Suite("JohnJacobsonIII/HiRace-Artifact-SC24", "44a935f90acfe43c6178b2187ea84c9ab0c01450", indigo, 590, "",
                    ["indigo/indigo_include"], None),
    "sanitizer": Suite("NVIDIA/compute-sanitizer-samples", "1e1fab8e25148127f5dec10210ac70b799d1c36f", sanitizer, 6, "",
                       [], None),
    "cutlass": Suite(*CUTLASS, cutlass, 13, "--gpu b200 --explore 20", ["include", "tools/util/include"],
                     lambda text: text.replace('#include "../common/cutlass_unit_test.h"', UNIT_TEST)),
    "cutlass-gemm": Suite(*CUTLASS, gemm_examples, 3, "--explore 6", ["include", "tools/util/include", "examples/common"], None,
                          "-DCUTLASS_ARCH_MMA_SM100_SUPPORTED --expt-relaxed-constexpr"),
    "cute": Suite(*CUTLASS, cute, 5, "--gpu b200 --explore 6", ["include", "tools/util/include", "examples/common"], None,
                  "-DCUTLASS_ARCH_MMA_SM100_SUPPORTED --expt-relaxed-constexpr"),
    "learn-cuda": Suite("gau-nernst/learn-cuda", "1454f8b71499a68eacdbf44c08e36a7003d8ab99", learn_cuda, 7,
                        "--gpu b200 --explore 6", [""], with_main, "--expt-relaxed-constexpr -lcuda", {"torch/library.h": TORCH}),
    "thunderkittens": Suite("HazyResearch/ThunderKittens", "0b55588d2769dde0c7a9a606ffc015b0ca7a9551", thunderkittens, 1,
                            "--explore 6", ["include", "prototype"], smaller,
                            "-std=c++20 --use_fast_math --expt-extended-lambda --expt-relaxed-constexpr -DNDEBUG "
                            "-DKITTENS_BLACKWELL -lcuda"),
    "deepgemm": Suite("deepseek-ai/DeepGEMM", "54e22612409371d6364144b69086735beb54e98b", deepgemm, 2, "--gpu b200 --explore 6",
                      ["deep_gemm/include", "third-party/cutlass/include"], lambda text: "#include <cuda.h>\n" + text + DEEPGEMM,
                      "-std=c++20 -x cu --expt-relaxed-constexpr -lcuda"),
    # Volatile accesses are no data races (PTX ISA 9.0, 8.7), so the data is made ordinary; and main waits for the kernel.
    "scor": Suite("csl-iisc/ScoR", "6dc3507ecc419aac6ea3a49ec746b610d5029219", scor, 27, "--explore 20", [],
                  lambda text: re.sub(r"return 0;\s*}\s*$", "cudaDeviceSynchronize(); return 0; }\n",
                                      re.sub(r"\bvolatile (?=unsigned int ?\*)", "", text))),
}


def fetched(suite, folder):
    address = f"https://github.com/{suite.repository}"
    others = [path.removesuffix("/include") for path in suite.include if path.startswith("third-party/")]
    for command in (["init", "-q"], ["fetch", "-q", "--depth", "1", address, suite.commit], ["checkout", "-q", "FETCH_HEAD"],
                    ["submodule", "-q", "update", "--init", "--depth", "1", *others] if others else ["status", "-s"]):
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
    changed |= {folder / name: text for name, text in suite.files.items()}
    for path, text in changed.items():
        copy = own / path.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text)
    source = (own if program.path in changed else folder) / program.path.relative_to(folder)
    include = [base / path for path in suite.include for base in (own, folder)]
    include += [path.parent for path in (program.path, *changed)]
    built = subprocess.run([options.nvcc, *FLAGS, *suite.flags.split(), *(f"-I{path}" for path in include), "-o", binary, source],
                           capture_output=True, text=True)
    if built.returncode != 0:
        return "failed", [built.stderr.strip()[:200]]
    try:
        run = subprocess.run([options.build / "bin/clcsim", *suite.options.split(), *["--stats"] * program.steals, binary, *program.arguments],
                             capture_output=True, text=True, timeout=300, errors="replace")
    except subprocess.TimeoutExpired:
        return "failed", ["more than 300 seconds"]
    names = sorted(set(re.findall(r"clcsim: error \[([\w-]+)\]", run.stderr + run.stdout)))
    if "is not modelled" in run.stderr + run.stdout:
        return "refused", names
    if program.steals and not re.search(r"^  total +\d+ +\d+ +[1-9]", run.stderr + run.stdout, re.M):
        return "missed", ["nothing was stolen", *names]
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
