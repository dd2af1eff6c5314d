"""clcsim.install(): CuTe DSL's own host functions. Needs nvidia-cutlass-dsl and torch; 77 without them."""

import contextlib
import importlib.util
import inspect
import io
import sys
import unittest

import numpy as np

import clcsim
from clcsim import _memory, _tensor_map, _words

try:
    clcsim_now = clcsim.install()
    import cutlass
    import cute_gemm
    import cute_scale
    import torch
    from cutlass import cute
    from cutlass.cute.runtime import from_dlpack, make_fake_compact_tensor, make_ptr
    from cuda.bindings import driver
except ImportError as error:
    print(f"not run: {error}")
    sys.exit(77)


@cute.kernel
def twice(to: cute.Tensor, of: cute.Tensor, guard: cutlass.Constexpr):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    if cutlass.const_expr(not guard) or i < cute.size(of):
        to[i] = of[i] * 2


@cute.jit
def launch(to: cute.Tensor, of: cute.Tensor, guard: cutlass.Constexpr = True):
    twice(to, of, guard).launch(grid=(cute.ceil_div(cute.size(of), 128), 1, 1), block=(128, 1, 1))


@cute.jit
def launch_pointers(to: cute.Pointer, of: cute.Pointer, n: cutlass.Int32):
    launch(cute.make_tensor(to, cute.make_layout(n)), cute.make_tensor(of, cute.make_layout(n)))


@cute.kernel
def reads_behind(to: cute.Tensor, of: cute.Tensor):
    cutlass.utils.distributed.spin_lock_ld_lt_relaxed_wait(of.iterator + cute.size(of), expected_val=1, scope="gpu")  # which loads
    to[cute.arch.thread_idx()[0]] = 0.0


@cute.jit
def launch_reads_behind(to: cute.Tensor, of: cute.Tensor):
    reads_behind(to, of).launch(grid=(1, 1, 1), block=(32, 1, 1))


@cute.kernel
def ranks(out: cute.Tensor):
    shared = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Int32, cute.make_layout(64), byte_alignment=16)
    shared[cute.arch.thread_idx()[0]] = cute.arch.block_idx_in_cluster()
    out[cute.arch.block_idx()[0] * 64 + cute.arch.thread_idx()[0]] = shared[cute.arch.thread_idx()[0]]


@cute.jit
def launch_ranks(out: cute.Tensor):
    ranks(out).launch(grid=(4, 1, 1), block=(64, 1, 1), cluster=(2, 1, 1), smem=256)


class Cute(unittest.TestCase):
    def setUp(self):
        del clcsim_now.runs[:]
        self.of = torch.arange(1000, dtype=torch.float32, device="cuda")
        self.to = torch.zeros_like(self.of)

    def right(self, name="twice"):
        self.assertEqual([(run.kernel, run.blocks_launched, run.findings) for run in clcsim_now.runs], [(name, 8, [])])
        self.assertTrue(torch.equal(self.to, 2 * self.of))

    def test_tensors(self):
        launch(from_dlpack(self.to), from_dlpack(self.of))
        self.right()

    def test_a_dynamic_layout(self):
        whole = torch.arange(2000, dtype=torch.float32)
        self.of = whole[::2]
        compiled = cute.compile(launch, from_dlpack(self.to).mark_layout_dynamic(), from_dlpack(self.of).mark_layout_dynamic())
        compiled(from_dlpack(self.to).mark_layout_dynamic(), from_dlpack(self.of).mark_layout_dynamic())
        self.right()

    def test_pointers_and_arrays(self):
        launch_pointers(make_ptr(cutlass.Float32, self.to.data_ptr(), cute.AddressSpace.gmem),
                        make_ptr(cutlass.Float32, self.of.data_ptr(), cute.AddressSpace.gmem), 1000)
        self.right()
        array = np.zeros(1000, np.float32)
        launch(from_dlpack(array), from_dlpack(self.of.numpy()))
        np.testing.assert_array_equal(array, 2 * self.of.numpy())

    def test_shared_memory_and_cluster(self):
        out = torch.zeros(256, dtype=torch.int32)
        launch_ranks(from_dlpack(out))
        self.assertEqual(out.tolist(), ([0] * 64 + [1] * 64) * 2)

    def test_a_kernel_that_steals(self):
        n = 65 * 256 - 3
        of, to = torch.arange(n, dtype=torch.float32), torch.zeros(n)
        pointers = [make_ptr(cutlass.Float32, each.data_ptr(), cute.AddressSpace.gmem) for each in (to, of)]
        compiled = cute.compile(cute_scale.launch, *cute_scale.example())
        for seed in range(20):
            with clcsim.options(seed=seed), contextlib.redirect_stderr(io.StringIO()):
                compiled(*pointers, cutlass.Float32(2), cutlass.Int32(n))
            run = clcsim_now.runs[-1]
            self.assertTrue(torch.equal(to, 2 * of) and run.blocks_stolen > 0)
            self.assertEqual([finding.name for finding in run.findings], ["decode-of-failure"])
            to.zero_()

    def test_a_matrix_product_that_steals(self):
        a, b = (torch.randint(-2, 3, (512, 192)).half() for _ in range(2))
        for seed in range(4):
            c = torch.empty(512, 512)
            with clcsim.options(seed=seed), contextlib.redirect_stderr(io.StringIO()):
                cute_gemm.launch(*(from_dlpack(each, assumed_align=16) for each in (a, b, c)))
            run = clcsim_now.runs[-1]
            self.assertTrue(torch.equal(c, a.float() @ b.float().T) and run.blocks_stolen > 0)
            self.assertEqual([finding.name for finding in run.findings], ["decode-of-failure"])

    def test_a_matrix_product_that_does_not_wait(self):
        a, b, c = torch.zeros(128, 64).half(), torch.zeros(128, 64).half(), torch.empty(128, 128)
        with contextlib.redirect_stderr(io.StringIO()):
            cute_gemm.launch(*(from_dlpack(each, assumed_align=16) for each in (a, b, c)), False)
        lines = inspect.getsource(cute_gemm).splitlines()
        told = [(finding.what, lines[finding.line - 1].strip()[-17:]) for finding in clcsim_now.findings]
        self.assertIn(("tensor memory is touched while a product may still write or read it", "# the tile's sums"), told)
        self.assertEqual(_words.told("execute tcgen05.wait::ld", "cute"), "execute cute.arch.fence_view_async_tmem_load()")

    def test_what_a_program_asks_before_it_needs_a_gpu(self):
        self.assertEqual((driver.cuInit(0), driver.cuDeviceGetCount()), ((0,), (0, 1)))

    @unittest.skipUnless(importlib.util.find_spec("tvm_ffi"), "apache-tvm-ffi isn't installed")
    def test_tensors_as_they_are_through_tvm_ffi(self):
        n = cute.sym_int()
        fakes = [make_fake_compact_tensor(cutlass.Float32, (n,), assumed_align=16) for _ in range(2)]
        cute.compile(launch, *fakes, options="--enable-tvm-ffi")(self.to, self.of)
        self.right()

    def test_a_line_of_the_library_is_told_as_the_users(self):
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(clcsim.Fault) as caught:
            launch_reads_behind(from_dlpack(self.to), from_dlpack(self.of.int()))
        self.assertRegex(str(caught.exception), r"at +\S*test_cute.py:\d+ in reads_behind(.|\n)*# which loads")

    def test_a_tensor_map_that_points_before_its_array(self):
        array = np.zeros((805, 256), np.float16)  # QuACK's groups of different lengths: 2^30 rows before it, and as many behind that
        _memory.export(array)
        at = (array.ctypes.data - (512 << 30)) % 2**57
        words = [at % 2**32, at >> 32, 0x244522, 32, 32, 0, 0, 0, 255, (1 << 30) - 1, (1 << 31) - 2, 0, 0, 0x1f000000, 127, *[0] * 17]
        map = _tensor_map.from_cute(np.array(words, np.uint32).tobytes())
        self.assertTrue(map.stays and map.array is array)
        self.assertIn((array.ctypes.data - (512 << 30)) % 2**64, np.frombuffer(bytes(map), np.uint64).tolist())

    def test_a_fault_names_line_argument_and_element(self):
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(clcsim.Fault) as caught:
            launch(from_dlpack(self.to), from_dlpack(self.of), False)
        self.assertRegex(str(caught.exception), r"\((of|to), element 1000 of 1000\)")
        self.assertIn(" in twice, block", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
