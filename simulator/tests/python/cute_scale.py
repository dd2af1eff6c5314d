"""y = alpha x on CLC in CuTe DSL. clc_response() takes the block index of every response, of failed ones, too."""

import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import make_ptr


@cute.kernel
def scale(y: cute.Pointer, x: cute.Pointer, alpha: cutlass.Float32, n: cutlass.Int32):
    thread, _, _ = cute.arch.thread_idx()
    tile, _, _ = cute.arch.block_idx()
    memory = cutlass.utils.SmemAllocator()
    response = memory.allocate_tensor(cutlass.Int32, cute.make_layout(4), byte_alignment=16).iterator
    barrier = memory.allocate_array(cutlass.Int64, 1)
    if thread == 0:
        cute.arch.mbarrier_init(barrier, 1)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    results = cute.make_tensor(y, cute.make_layout(n))
    values = cute.make_tensor(x, cute.make_layout(n))
    parity = cutlass.Int32(0)
    more = cutlass.Int32(1)
    while more == 1:
        if thread == 0:
            cute.arch.mbarrier_arrive_and_expect_tx(barrier, 16)
            cute.arch.issue_clc_query(barrier, response, multicast=False)
        i = tile * 256 + thread
        if i < n:
            results[i] = alpha * values[i]
        cute.arch.mbarrier_wait(barrier, parity)
        tile, _, _, more = cute.arch.clc_response(response)
        parity = parity ^ 1
        cute.arch.fence_proxy("async.shared", space="cta")
        cute.arch.sync_threads()


@cute.jit
def launch(y: cute.Pointer, x: cute.Pointer, alpha: cutlass.Float32, n: cutlass.Int32):
    scale(y, x, alpha, n).launch(grid=(cute.ceil_div(n, 256), 1, 1), block=(256, 1, 1))


def example():
    """Arguments from which cute.compile takes the types."""
    pointer = make_ptr(cutlass.Float32, 1024, cute.AddressSpace.gmem)
    return pointer, pointer, cutlass.Float32(2), cutlass.Int32(1)
