"""The plugin for pytest: `pytest --clcsim` runs the kernels of all tests on clcsim, and a finding fails its test."""

import pytest

from ._install import install, installed, uninstall
from ._options import options


def pytest_addoption(parser):
    group = parser.getgroup("clcsim", "Triton's kernels on a simulated GPU")
    group.addoption("--clcsim", action="store_true", help="kernels run on clcsim; a rule that one breaks fails the test")
    group.addoption("--clcsim-seeds", type=int, default=1, metavar="N",
                    help="each test runs under the seeds 0 to N - 1 (only with --clcsim)")
    group.addoption("--clcsim-autotune", choices=("first", "all", "compare"), default="first",
                    help="autotuned kernels run the first configuration that fits, or all of them, whose results may be compared")
    parser.addini("clcsim_ignore", "findings that are accepted: RULE, RULE@FILE or RULE@FILE:LINE", type="linelist", default=[])


def pytest_configure(config):
    if config.getoption("--clcsim"):
        install(autotune=config.getoption("--clcsim-autotune"), ignore=config.getini("clcsim_ignore"))


def pytest_unconfigure(config):
    if config.getoption("--clcsim"):
        uninstall()


def pytest_generate_tests(metafunc):
    seeds = metafunc.config.getoption("--clcsim-seeds")
    if metafunc.config.getoption("--clcsim") and seeds > 1:
        metafunc.fixturenames.append("_clcsim_seed")
        metafunc.parametrize("_clcsim_seed", range(seeds), ids=lambda seed: f"seed{seed}")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    now = installed()
    if now is None or not pyfuncitem.config.getoption("--clcsim"):
        return (yield)
    del now.runs[:]
    with options(seed=getattr(pyfuncitem, "callspec", None) and pyfuncitem.callspec.params.get("_clcsim_seed")):
        result = yield
    if now.findings:
        pytest.fail("\n".join(finding.text for finding in now.findings), pytrace=False)
    return result
