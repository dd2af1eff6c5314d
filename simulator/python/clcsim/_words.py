"""What a report calls things, in the words of the language that the kernel came from."""

import re

# (as findings.def says it, as the frontend does); earlier rows go first.
TRITON = (
    ("__syncthreads(), __syncwarp() in one warp, an mbarrier between roles; or use an atomic operation",
     "tl.debug_barrier(); or use an atomic operation, such as tl.atomic_add"),
    ("or use atomics or a flag with release and acquire at scope gpu",
     'or use atomics such as tl.atomic_add, or a flag with sem="release" and sem="acquire"'),
    ("__syncthreads()", "tl.debug_barrier()"),
    ("cudaMemcpy, cudaMemset, or a kernel that stores", "torch.zeros in place of torch.empty, or a kernel that stores"),
    ("atomicAdd() has scope gpu, atomicAdd_block() has scope cta", 'scope="gpu" is the default of tl.atomic_add'),
    ("compare the index with the length before the access", "give the access a mask that compares the index with the length"),
)
GLUON = (
    ("__syncthreads(), __syncwarp() in one warp, an mbarrier", "gl.barrier(), an mbarrier"),
    ("__syncthreads()", "gl.barrier()"),
    ("fence.proxy.async (both ways)", "fence_async_shared()"),
    ("mbarrier.arrive.expect_tx", "mbarrier.expect"),
    ("mbarrier.inval", "mbarrier.invalidate"),
    ("cp.async.wait_group or wait_all", "async_copy.wait_group"),
    ("cp.async.wait_group", "async_copy.wait_group"),
    ("cp.async.bulk.wait_group.read", "tma.store_wait"),
    ("cp.async.bulk.wait_group", "tma.store_wait"),
    ("tcgen05.commit", "tcgen05_commit"),
    ("let the fence name no space: fence.proxy.async", "fence_async_shared() with cluster=True"),
    ("execute fence.proxy.async", "execute fence_async_shared()"),
    *TRITON[1:2], *TRITON[3:],
)
FENCE = 'cute.arch.fence_proxy("async.shared", space="cta")'
CUTE = (
    ("__syncthreads(), __syncwarp() in one warp", "cute.arch.sync_threads(), cute.arch.sync_warp() in one warp"),
    ("__syncthreads()", "cute.arch.sync_threads()"),
    ("fence.proxy.async (both ways)", FENCE),
    ("execute fence.proxy.async", "execute " + FENCE),
    ("mbarrier.arrive.expect_tx", "cute.arch.mbarrier_arrive_and_expect_tx"),
    ("mbarrier.init ", "cute.arch.mbarrier_init "),
    ("cp.async.wait_group or wait_all", "cute.arch.cp_async_wait_group"),
    ("cp.async.wait_group", "cute.arch.cp_async_wait_group"),
    ("cp.async.bulk.commit_group", "cute.arch.cp_async_bulk_commit_group"),
    ("cp.async.bulk.wait_group.read", "cute.arch.cp_async_bulk_wait_group with read=True"),
    ("cp.async.bulk.wait_group", "cute.arch.cp_async_bulk_wait_group"),
    ("tcgen05.wait::ld", "cute.arch.fence_view_async_tmem_load()"),
    ("tcgen05.wait::st", "cute.arch.fence_view_async_tmem_store()"),
    ("tcgen05.dealloc", "cute.arch.dealloc_tmem()"),
    ("cluster.sync()", "cute.arch.cluster_arrive() and cute.arch.cluster_wait()"),
)
WORDS = {"triton": TRITON, "gluon": GLUON, "cute": CUTE}


def told(text, frontend):
    """The text, or a finding's lines: but for those that quote the source or a document."""
    if frontend == "cute":
        text = re.sub(r"\bkernel_(\w+)_\d+\b", r"\1", text)  # what CuTe DSL makes of a function's name

    def line(match):
        said = match[0]
        if re.match(r"=========\s+(?:\d+ \||rule )", said):
            return said
        for ours, theirs in WORDS.get(frontend, ()):
            said = re.sub(r"(?<![\w.])" + re.escape(ours), lambda _: theirs, said)
        return said
    return re.sub(r".+", line, text)
