"""C = A Bᵀ in CuTe DSL: TMA, tcgen05 and CLC. A block of four warps takes one tile of 128 x 128 after the other."""

import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync, tcgen05
from cutlass.utils import blackwell_helpers

TILE, K, COLUMNS = 128, 64, 128
BYTES = 2 * TILE * K * 2  # of a slice of A and of B


@cute.kernel
def gemm(mma: cute.TiledMma, load_a: cute.CopyAtom, a: cute.Tensor, load_b: cute.CopyAtom, b: cute.Tensor, c: cute.Tensor,
         layout_a: cute.ComposedLayout, layout_b: cute.ComposedLayout, waits: cutlass.Constexpr):
    thread, warp = cute.arch.thread_idx()[0], cute.arch.make_warp_uniform(cute.arch.warp_idx())
    memory = cutlass.utils.SmemAllocator()
    here_a = memory.allocate_tensor(cutlass.Float16, layout_a.outer, byte_alignment=1024, swizzle=layout_a.inner)
    here_b = memory.allocate_tensor(cutlass.Float16, layout_b.outer, byte_alignment=1024, swizzle=layout_b.inner)
    response = memory.allocate_tensor(cutlass.Int32, cute.make_layout(4), byte_alignment=16).iterator
    loaded, multiplied, answered = [memory.allocate_array(cutlass.Int64, 1) for _ in range(3)]
    place = memory.allocate_array(cutlass.Int32, 1)
    if thread == 0:
        for barrier in (loaded, multiplied, answered):
            cute.arch.mbarrier_init(barrier, 1)
    cute.arch.mbarrier_init_fence()
    if warp == 0:
        cute.arch.alloc_tmem(COLUMNS, place)
    cute.arch.sync_threads()
    columns = cute.arch.retrieve_tmem_ptr(cutlass.Float32, 16, place)
    sums = cute.make_tensor(columns, mma.make_fragment_C(mma.partition_shape_C((TILE, TILE))).layout)
    operand_a, operand_b = mma.make_fragment_A(here_a), mma.make_fragment_B(here_b)
    copy = tcgen05.make_tmem_copy(cute.make_copy_atom(tcgen05.Ld32x32bOp(tcgen05.Repetition.x128), cutlass.Float32), sums[(None, None), 0, 0])
    mine, part = copy.get_slice(thread), mma.get_slice(0)

    row, column, _ = cute.arch.block_idx()
    more, parity, phase = cutlass.Int32(1), cutlass.Int32(0), cutlass.Int32(0)
    while more == 1:
        if thread == 0:
            cute.arch.mbarrier_arrive_and_expect_tx(answered, 16)
            cute.arch.issue_clc_query(answered, response, multicast=False)
        of_a = part.partition_A(cute.local_tile(a, (TILE, K), (row, None)))
        of_b = part.partition_B(cute.local_tile(b, (TILE, K), (column, None)))
        to_a, from_a = cpasync.tma_partition(load_a, 0, cute.make_layout(1), cute.group_modes(here_a, 0, 3), cute.group_modes(of_a, 0, 3))
        to_b, from_b = cpasync.tma_partition(load_b, 0, cute.make_layout(1), cute.group_modes(here_b, 0, 3), cute.group_modes(of_b, 0, 3))
        for slice in range(cute.size(from_a, mode=[1])):
            if warp == 0:
                with cute.arch.elect_one():
                    cute.arch.mbarrier_arrive_and_expect_tx(loaded, BYTES)
                cute.copy(load_a, from_a[None, slice], to_a[None, 0], tma_bar_ptr=loaded)
                cute.copy(load_b, from_b[None, slice], to_b[None, 0], tma_bar_ptr=loaded)
                cute.arch.mbarrier_wait(loaded, phase)
                for step in cutlass.range_constexpr(cute.size(operand_a, mode=[2])):
                    mma.set(tcgen05.Field.ACCUMULATE, slice > 0 or step > 0)
                    cute.gemm(mma, sums, operand_a[None, None, step, 0], operand_b[None, None, step, 0], sums)
                with cute.arch.elect_one():
                    tcgen05.commit(multiplied)
            if cutlass.const_expr(waits) or warp != 0:
                cute.arch.mbarrier_wait(multiplied, phase)
            phase = phase ^ 1
        there = mine.partition_D(part.partition_C(cute.local_tile(c, (TILE, TILE), (row, column)))[(None, None), 0, 0])
        values = cute.make_rmem_tensor(there.shape, cutlass.Float32)
        cute.copy(copy, mine.partition_S(sums[(None, None), 0, 0]), values)  # the tile's sums
        cute.arch.fence_view_async_tmem_load()
        cute.autovec_copy(values, there)
        cute.arch.mbarrier_wait(answered, parity)
        parity = parity ^ 1
        row, column, _, more = cute.arch.clc_response(response)
        cute.arch.fence_proxy("async.shared", space="cta")
        cute.arch.sync_threads()
    if warp == 0:
        cute.arch.relinquish_tmem_alloc_permit()
        cute.arch.dealloc_tmem(columns, COLUMNS)


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, waits: cutlass.Constexpr = True):
    major = tcgen05.OperandMajorMode.K
    mma = cute.make_tiled_mma(tcgen05.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (TILE, TILE, 16), tcgen05.CtaGroup.ONE,
                                                   tcgen05.OperandSource.SMEM, major, major))
    shape, loads = (TILE, TILE, K), cpasync.CopyBulkTensorTileG2SOp(tcgen05.CtaGroup.ONE)
    layout_a = blackwell_helpers.make_smem_layout_a(mma, shape, cutlass.Float16, 1)
    layout_b = blackwell_helpers.make_smem_layout_b(mma, shape, cutlass.Float16, 1)
    load_a, from_a = cute.nvgpu.make_tiled_tma_atom_A(loads, a, cute.select(layout_a, mode=[0, 1, 2]), shape, mma)
    load_b, from_b = cute.nvgpu.make_tiled_tma_atom_B(loads, b, cute.select(layout_b, mode=[0, 1, 2]), shape, mma)
    gemm(mma, load_a, from_a, load_b, from_b, c, layout_a, layout_b, waits).launch(
        grid=(c.shape[0] // TILE, c.shape[1] // TILE, 1), block=(128, 1, 1), smem=120 << 10)  # one block to an SM
