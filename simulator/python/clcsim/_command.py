"""The command `clcsim`: the launcher that came with this package."""

import os
import sys

from ._library import folder


def main():
    launcher = folder() / "bin" / "clcsim"
    os.execv(launcher, [str(launcher), *sys.argv[1:]])
