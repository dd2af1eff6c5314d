"""clcsim.install(): CuTe DSL's own host functions. Needs nvidia-cutlass-dsl and torch; 77 without them."""

import contextlib
import io
import sys
import unittest

import numpy as np

import clcsim

try:
    clcsim_now = clcsim.install()
    import cutlass
    import cute_scale
    import torch
    from cutlass import cute
    from cutlass.cute.nvgpu import cpasync
    from cutlass.cute.runtime import from_dlpack, make_ptr
except ImportError as error:
    print(f"not run: {error}")
    sys.exit(77)

ROWS, COLUMNS = 64, 128


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
def ranks(out: cute.Tensor):
    shared = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Int32, cute.make_layout(64), byte_alignment=16)
    shared[cute.arch.thread_idx()[0]] = cute.arch.block_idx_in_cluster()
    out[cute.arch.block_idx()[0] * 64 + cute.arch.thread_idx()[0]] = shared[cute.arch.thread_idx()[0]]


@cute.jit
def launch_ranks(out: cute.Tensor):
    ranks(out).launch(grid=(4, 1, 1), block=(64, 1, 1), cluster=(2, 1, 1), smem=256)


@cute.kernel
def copy(loads: cute.CopyAtom, source: cute.Tensor, to: cute.Tensor, layout: cute.ComposedLayout):
    memory = cutlass.utils.SmemAllocator()
    tile = memory.allocate_tensor(cutlass.Float16, layout.outer, byte_alignment=1024, swizzle=layout.inner)
    barrier = memory.allocate_array(cutlass.Int64, 1)
    thread = cute.arch.thread_idx()[0]
    if thread == 0:
        cute.arch.mbarrier_init(barrier, 1)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    of = cute.local_tile(source, (ROWS, 64), (0, cute.arch.block_idx()[0]))
    shared, there = cpasync.tma_partition(loads, 0, cute.make_layout(1), cute.group_modes(tile, 0, 2), cute.group_modes(of, 0, 2))
    if thread == 0:
        cute.arch.mbarrier_arrive_and_expect_tx(barrier, ROWS * 64 * 2)
    cute.copy(loads, there, shared, tma_bar_ptr=barrier)
    cute.arch.mbarrier_wait(barrier, 0)
    for row in range(ROWS):
        for half in range(2):
            to[row, cute.arch.block_idx()[0] * 64 + half * 32 + thread] = tile[row, half * 32 + thread]


@cute.jit
def launch_copy(of: cute.Tensor, to: cute.Tensor):
    layout = cute.make_composed_layout(cute.make_swizzle(3, 4, 3), 0, cute.make_layout((ROWS, 64), stride=(64, 1)))
    loads, source = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), of, layout, (ROWS, 64))
    copy(loads, source, to, layout).launch(grid=(COLUMNS // 64, 1, 1), block=(32, 1, 1))


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

    def test_a_copy_by_tma(self):
        of, to = torch.randn(ROWS, COLUMNS).half(), torch.zeros(ROWS, COLUMNS).half()
        launch_copy(from_dlpack(of, assumed_align=16), from_dlpack(to))
        self.assertTrue(torch.equal(to, of))
        self.assertEqual(clcsim_now.findings, [])

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

    def test_a_fault_names_line_argument_and_element(self):
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(clcsim.Fault) as caught:
            launch(from_dlpack(self.to), from_dlpack(self.of), False)
        self.assertRegex(str(caught.exception), r"\((of|to), element 1000 of 1000\)")
        self.assertIn(" in twice, block", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
