"""clcsim.install(): Triton's own launches, of PyTorch's tensors and numpy's arrays. Needs triton and torch; 77 without them."""

import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import clcsim

try:
    import torch
    import triton
    import triton.language as tl
except ImportError as error:
    print(f"not run: {error}")
    sys.exit(77)


@triton.jit
def scale(out, x, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, factor * tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def unguarded(out, x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i), mask=i < n)


@triton.jit
def column(out, x, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i * stride))


@triton.jit
def accumulate(out, x, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(out + i) + tl.load(x + i))


@triton.jit
def everywhere(out):
    tl.store(out, tl.program_id(0))


@triton.jit
def squares(out, x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    values = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=0.0)
    away = tl.where(i < n, values - tl.sum(values, axis=0) / n, 0.0)
    tl.store(out + tl.program_id(0), tl.sum(away * away, axis=0))


@triton.jit
def product(out, a, b, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    tl.store(out + at, tl.dot(tl.load(a + at), tl.load(b + at)))


@triton.jit
def transposed(out, of, N: tl.constexpr):
    row, column = tl.program_id(0) * N, tl.program_id(1) * N
    out.store([column, row], of.load([row, column]).T)


@triton.jit
def transposed_by_pointers(out, of, rows, columns, N: tl.constexpr):
    to = tl.make_tensor_descriptor(out, [columns, rows], [rows, 1], [N, N])
    transposed(to, tl.make_tensor_descriptor(of, [rows, columns], [columns, 1], [N, N]), N)


@triton.jit
def gathered(out, pointers, BLOCK: tl.constexpr):
    of = tl.load(pointers + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0) * BLOCK + i, tl.load(of + i))


tuned = triton.autotune([triton.Config({"BLOCK": block}) for block in (64, 128, 256)], key=["n"])(scale)
forgetful = triton.autotune([triton.Config({"BLOCK": block}) for block in (256, 128)], key=["n"])(unguarded)
guessed = triton.heuristics({"BLOCK": lambda arguments: 32 if arguments["n"] < 100 else 128})(scale)
too_large = triton.autotune([triton.Config({"BLOCK": 128, "MANY": many}) for many in (False, True)], key=["n"])


class Installed(unittest.TestCase):
    def setUp(self):
        self.told = io.StringIO()
        with contextlib.redirect_stderr(self.told):
            self.clcsim = clcsim.install()
        self.addCleanup(clcsim.uninstall)
        self.n = 1000
        self.grid = lambda meta: (triton.cdiv(self.n, meta["BLOCK"]),)

    def check_scaled(self, kernel, **named):
        x = torch.arange(self.n, dtype=torch.float32, device="cuda")
        out = torch.zeros_like(x)
        kernel[self.grid](out, x, 2.0, self.n, **named)
        self.assertTrue(torch.equal(out, 2 * x))
        return self.clcsim.runs[-1].blocks_launched

    def test_tensors(self):
        self.assertEqual(self.check_scaled(scale, BLOCK=256), 4)

    def test_arrays_and_half_tensors(self):
        for dtype in (np.float32, np.float16, np.float64):
            x, out = np.arange(self.n).astype(dtype), np.zeros(self.n, dtype)
            scale[self.grid](out, x, 2.0, n=self.n, BLOCK=256)
            np.testing.assert_array_equal(out, 2 * x)
        x = torch.arange(256, dtype=torch.bfloat16)
        out = torch.zeros_like(x)
        scale[(1,)](out, x, 2, 256, BLOCK=256)
        self.assertTrue(torch.equal(out, 2 * x))

    def test_views_share_their_memory(self):
        table = torch.arange(64 * 100, dtype=torch.float32).reshape(64, 100)
        out = torch.zeros(64)
        column[(1,)](out, table[:, 7], table.stride(0), BLOCK=64)
        self.assertTrue(torch.equal(out, table[:, 7]))
        column[(1,)](out, table.T, table.T.stride(1), BLOCK=64)
        self.assertTrue(torch.equal(out, table[:, 0]))
        array, last = table.numpy(), np.zeros(64, np.float32)
        column[(1,)](last, array[::-1], -100, BLOCK=64)  # from the last row upwards
        np.testing.assert_array_equal(last, array[::-1, 0])
        whole = torch.zeros(128)
        scale[(1,)](whole[64:], whole[:64] + 1, 3.0, 64, BLOCK=64)
        self.assertEqual(whole.tolist(), [0.0] * 64 + [3.0] * 64)

    def test_autotuned_takes_the_first_that_fits_or_runs_all(self):
        self.assertEqual(self.check_scaled(tuned), 16)
        self.assertEqual(len(self.clcsim.runs), 1)
        tuned.cache.clear()
        self.clcsim.autotune = "all"
        self.check_scaled(tuned)
        self.assertEqual(sorted(run.blocks_launched for run in self.clcsim.runs[1:-1]), [4, 8, 16])
        best = min(self.clcsim.runs[1:-1], key=lambda run: run.cycles)
        self.assertEqual(self.clcsim.runs[-1].blocks_launched, best.blocks_launched)
        tuned.cache.clear()
        self.clcsim.autotune = "compare"
        self.check_scaled(tuned)
        out = torch.zeros(512)
        with self.assertRaisesRegex(clcsim.Error, "BLOCK: 256.*BLOCK: 128.* of unguarded differ in 256 of 512 elements of 'out'"):
            forgetful[(2,)](out, torch.ones(512), 512)
        with self.assertRaisesRegex(ValueError, "autotune"):
            clcsim.install(autotune="some")

    def test_heuristics_and_hooks(self):
        self.assertEqual(self.check_scaled(guessed), 8)
        seen = []
        hooks = [lambda data: seen.append("before"), lambda data: seen.append("after")]
        knobs = triton.knobs.runtime
        knobs.launch_enter_hook.add(hooks[0]) if hasattr(knobs.launch_enter_hook, "add") else setattr(knobs, "launch_enter_hook", hooks[0])
        knobs.launch_exit_hook.add(hooks[1]) if hasattr(knobs.launch_exit_hook, "add") else setattr(knobs, "launch_exit_hook", hooks[1])
        try:
            self.check_scaled(scale, BLOCK=512)
        finally:
            for place, hook in ((knobs.launch_enter_hook, hooks[0]), (knobs.launch_exit_hook, hooks[1])):
                if hasattr(place, "remove"):
                    place.remove(hook)
        self.assertEqual(seen, ["before", "after"])

    def test_a_launch_under_many_seeds(self):
        x = torch.ones(64)
        with clcsim.options(seeds=5):
            accumulate[(2,)](x, torch.ones(64), BLOCK=32)
        self.assertEqual((x.unique().tolist(), len(self.clcsim.runs)), ([2], 1))

    def test_a_sum_of_squares(self):
        squares[(4,)](torch.empty(4), torch.randn(4, 100), 100, BLOCK=128)
        self.assertEqual(self.clcsim.findings, [])

    def test_an_empty_grid_does_nothing(self):
        scale[(0,)](torch.zeros(1), torch.zeros(1), 1.0, 0, BLOCK=32)
        self.assertEqual(self.clcsim.runs, [])

    def test_findings_are_told_once_ignored_or_raised(self):
        out = torch.zeros(1, dtype=torch.int32)
        with contextlib.redirect_stderr(self.told):
            for _ in range(3):
                everywhere[(8,)](out)
        line = f"test_installed.py:{everywhere.fn.__code__.co_firstlineno + 2} in everywhere"
        self.assertEqual(self.told.getvalue().count("error [data-race]"), 1)
        self.assertIn(line, self.told.getvalue())
        self.assertEqual(len(self.clcsim.findings), 1)
        with clcsim.options(ignore=["data-race@other.py", "data-race@python/test_installed.py"]):
            everywhere[(8,)](out)
        self.assertEqual((self.clcsim.runs[-1].findings, len(self.clcsim.runs[-1].ignored)), ([], 1))
        with clcsim.options(strict=True), contextlib.redirect_stderr(self.told), self.assertRaises(clcsim.FindingError):
            everywhere[(8,)](out)

    def test_memory_that_nobody_has_written(self):
        x = torch.ones(512, device="cuda")
        for made, found in ((torch.zeros_like(x), False), (torch.empty_like(x).zero_(), False), (torch.empty_like(x), True),
                            (torch.empty(512, device="cuda"), True), (x.new_empty(512), True)):
            with contextlib.redirect_stderr(self.told):
                accumulate[(4,)](made, x, BLOCK=128)
            self.assertEqual([each.name for each in self.clcsim.runs[-1].findings], ["uninitialised-read"] * found)
            accumulate[(4,)](made, x, BLOCK=128)
            self.assertEqual(self.clcsim.runs[-1].findings, [])
        out = torch.empty_like(x)
        scale[(3,)](out, x, 2.0, 512, BLOCK=128)
        self.assertEqual((self.clcsim.runs[-1].findings, self.clcsim.runs[-1].unwritten), ([], {"out": 128}))

    def test_a_fault_names_argument_and_element(self):
        with contextlib.redirect_stderr(self.told), self.assertRaises(clcsim.Fault) as caught:
            unguarded[self.grid](torch.zeros(self.n), torch.zeros(self.n), self.n, BLOCK=256)
        self.assertIn("(x, element 1000 of 1000)", str(caught.exception))
        self.assertEqual(self.clcsim.findings[0].name, "out-of-bounds")

    def test_cuda_is_answered(self):
        self.assertTrue(torch.cuda.is_available())
        for gpu, capability, sms in (("mini", (10, 0), 4), ("rtx5090", (12, 0), 170)):
            with clcsim.options(gpu=gpu):
                self.assertEqual((torch.cuda.get_device_capability(), torch.cuda.get_device_properties(0).multi_processor_count),
                                 (capability, sms))
                self.assertEqual(triton.runtime.driver.active.get_current_target().arch, 10 * capability[0])
        x = torch.ones(4, device=torch.device("cuda"))
        self.assertTrue(x.is_cuda and x.device == triton.runtime.driver.active.get_active_torch_device())
        copy, host = torch.zeros(4).cuda(), x.cpu()
        x += 1
        self.assertEqual(host.tolist(), [1.0] * 4)
        self.assertIs(x.to("cuda"), x)
        self.assertIsNot(copy.to("cpu"), copy)
        self.assertEqual(torch.nn.Linear(2, 2).to("cuda", torch.float16).weight.dtype, torch.float16)
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        self.check_scaled(scale, BLOCK=256)
        end.record()
        torch.cuda.synchronize()
        self.assertGreater(begin.elapsed_time(end), 0)
        self.assertGreater(triton.testing.do_bench(lambda: self.check_scaled(scale, BLOCK=256)), 0)

    def test_compiled_functions_run_as_they_are(self):
        twice = torch.compile(lambda x: 2 * x, backend="eager")
        plus = torch.compile(dynamic=True)(lambda x: x + 1)
        self.assertEqual(torch.compiler.disable(lambda: plus(twice(torch.ones(1, device="cuda"))))().tolist(), [3.0])
        self.assertEqual((torch.cuda.device(0).idx, torch._C._cuda_getCurrentRawStream(0)), (0, 0))

    def test_a_second_install_adds_to_the_first(self):
        self.assertIs(clcsim.install(seed=5, strict=True), self.clcsim)
        self.assertEqual((self.clcsim.autotune, self.clcsim.options), ("first", {"seed": 5, "strict": True}))

    def test_uninstall(self):
        clcsim.uninstall()
        self.assertEqual(torch.zeros(1).device.type, "cpu")
        self.assertFalse(torch.cuda.is_available() and torch.cuda.get_device_name() == "clcsim")
        self.assertIsNone(triton.runtime.driver._active)
        with clcsim.install() as self.clcsim:
            self.check_scaled(scale, BLOCK=256)
        self.assertIsNone(triton.runtime.driver._active)


class Tensors(unittest.TestCase):
    """Products, descriptors of tensors, and pointers that lie in memory; Triton 3.9."""
    setUp = Installed.setUp

    def test_a_product(self):
        for dtype in (torch.float16, torch.bfloat16, torch.int8, torch.float8_e5m2):
            a, b = (torch.randint(-3, 4, (128, 128)).to(dtype) for _ in "ab")
            out = torch.empty(128, 128, dtype=torch.float32, device="cuda")
            with contextlib.redirect_stderr(self.told):
                product[(1,)](out, a, b, N=128)
            self.assertTrue(torch.equal(out, a.float() @ b.float()))
        self.assertEqual(self.told.getvalue().count("compiled for sm_80: "), 2)  # int8 and fp8
        self.assertEqual(self.clcsim.findings, [])

    def test_descriptors(self):
        from triton.tools.tensor_descriptor import TensorDescriptor
        of, out = torch.randn(96, 64, device="cuda"), torch.zeros(64, 96, device="cuda")
        compiled = transposed[(3, 2)](TensorDescriptor.from_tensor(out, [32, 32]), TensorDescriptor.from_tensor(of, [32, 32]), N=32)
        self.assertTrue(torch.equal(out, of.T))
        self.assertIn("cp.async.bulk.tensor", compiled.asm["ptx"])
        with contextlib.redirect_stderr(self.told):
            transposed_by_pointers[(3, 2)](out.zero_(), of, 96, 64, N=32)
        self.assertTrue(torch.equal(out, of.T))
        self.assertIn("transposed_by_pointers is compiled for sm_80: the instruction tensormap.replace", self.told.getvalue())
        self.assertEqual(self.clcsim.findings, [])

    def test_pointers_in_memory(self):
        many = [torch.randn(64) for _ in range(5)]
        out = torch.zeros(5 * 64)
        gathered[(5,)](out, torch.tensor([each.data_ptr() for each in many]), BLOCK=64)
        self.assertTrue(torch.equal(out, torch.cat(many)))


PROGRAM = """
import sys
import torch, triton, triton.language as tl; import clcsim; clcsim.install()
@triton.jit
def kernel(out):
    tl.store(out, tl.program_id(0))
kernel[(int(sys.argv[1]),)](torch.zeros(1, dtype=torch.int32, device="cuda"))
sys.exit(int(sys.argv[2]))
"""
TESTS = """
import torch, triton, triton.language as tl
@triton.jit
def kernel(out):
    tl.store(out, tl.program_id(0))
def test_right():
    kernel[(1,)](torch.ones(1, dtype=torch.int32, device="cuda"))
def test_wrong():
    kernel[(4,)](torch.ones(1, dtype=torch.int32, device="cuda"))
"""


class Commands(unittest.TestCase):
    def run_in(self, text, name, *words):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, name).write_text(text)
            came = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True)
        return came.returncode, came.stdout + came.stderr

    def run_python(self, *words):
        return self.run_in(PROGRAM, "program.py", "-c", "from clcsim._command import main; main()", "run-python", *words)

    def test_run_python(self):
        for words, status, said in ((("program.py", "1", "0"), 0, "1 launch of 1 kernel, 0 findings"),
                                    (("--seed", "3", "program.py", "4", "0"), 86, "program.py:6 in kernel"),
                                    (("-m", "program", "4", "7"), 7, "1 finding"),
                                    (("--ignore", "data-race@program.py:6", "program.py", "4", "0"), 0, "0 findings, 1 accepted"),
                                    (("--ignore", "deadlock", "program.py", "4", "0"), 86, "not needed in this run: --ignore deadlock\n"),
                                    (("--strict", "program.py", "4", "0"), 1, "FindingError"),
                                    (("--sed", "3", "program.py"), 2, "no option --sed"),
                                    (("--seed", "x", "program.py"), 2, "'x'"),
                                    (("other.py",), 2, "no file 'other.py'"), ((), 2, "usage: clcsim run-python")):
            came, told = self.run_python(*words)
            self.assertEqual(came, status, told)
            self.assertIn(said, told)

    def test_pytest(self):
        if subprocess.run([sys.executable, "-c", "import pytest"], capture_output=True).returncode != 0:
            self.skipTest("pytest isn't installed")
        plugin = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:clcsim", "-p", "clcsim._pytest", "--clcsim")  # installed or not
        came, told = self.run_in(TESTS, "test_it.py", *plugin, "--clcsim-seeds", "3")
        self.assertEqual(came, 1)
        self.assertIn("3 failed, 3 passed", told)
        self.assertIn("test_wrong[seed2]", told)
        self.assertIn("test_it.py:5 in kernel", told)
        came, told = self.run_in(TESTS, "test_it.py", *plugin, "-o", "clcsim_ignore=data-race@test_it.py")
        self.assertEqual(came, 0, told)


if __name__ == "__main__":
    unittest.main()
