"""y = alpha x on CLC in Gluon. ALWAYS: the index of every response is taken, as in Gluon's tutorial, of failed ones, too."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import clc, mbarrier


@gluon.jit
def scale(y, x, alpha, n, BLOCK: gl.constexpr, ALWAYS: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    response = gl.allocate_shared_memory(gl.int64, [2], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    barrier = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(barrier, count=1)
    tile = gl.program_id(0)
    phase = 0
    more = True
    while more:
        mbarrier.expect(barrier, 16)
        clc.try_cancel(response, barrier)
        i = tile * BLOCK + gl.arange(0, BLOCK, layout=layout)
        gl.store(y + i, alpha * gl.load(x + i, mask=i < n), mask=i < n)
        mbarrier.wait(barrier, phase)
        answer = clc.load_result(response)
        more = answer.is_canceled()
        if ALWAYS or more:
            tile = answer.program_id(0)
        phase ^= 1
    mbarrier.invalidate(barrier)
