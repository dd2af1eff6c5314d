"""clcsim: runs CUDA kernels (PTX) with Cluster Launch Control on a simulated GPU, and reports the rules they break.

    kernel = clcsim.load(ptx, "scale")
    run = kernel[grid, block](y, np.float32(2), np.int32(n))
    run.blocks_stolen, run.findings
"""

from ._errors import Error, Fault, FindingError, FindingWarning, Limit, PtxError, Refused
from ._frontends import gluon, triton
from ._install import install, uninstall
from ._kernel import Kernel, explore, load
from ._memory import empty
from ._options import options
from ._run import Finding, Run
from ._tensor_map import TensorMap, tensor_map

__all__ = [
    "Error", "Fault", "Finding", "FindingError", "FindingWarning", "Kernel", "Limit", "PtxError", "Refused", "Run", "TensorMap",
    "empty", "explore", "gluon", "install", "load", "options", "tensor_map", "triton", "uninstall",
]
