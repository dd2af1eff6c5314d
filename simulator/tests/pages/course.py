"""The course's folder, and what its programs print. A script of this folder is started with the build
folder and the nvcc that built the course as its first two arguments."""
import functools
import os
import pathlib
import subprocess
import sys

COURSE = pathlib.Path(__file__).resolve().parents[3]
BUILD, NVCC = sys.argv[1:3]
os.environ["PATH"] = os.path.dirname(NVCC) + ":" + os.environ["PATH"]


class Wrong(Exception):
    """What is wrong with a page, or with what it shows, in words."""


class Ran:
    """What a command printed on both its outputs, with build/ for the build folder."""

    def __init__(self, out, status):
        self.out, self.status = out, status


def lines_of(text):
    return text.removesuffix("\n").split("\n") if text else []


def read_lines(path):
    try:
        return lines_of((COURSE / path).read_bytes().decode(errors="surrogateescape"))
    except OSError:
        raise Wrong(f"{path} can't be read")


@functools.cache
def run(command):
    """Runs a command as a page has it, in the course's folder, once: build/ stands for the build folder."""
    for word in command.split():
        program = pathlib.Path(BUILD) / word.removeprefix("build/")
        if word.startswith("build/") and not program.exists():
            raise Wrong(f"{word} isn't built: cmake --build build --target {program.name}")
    here = (" " + command).replace(" build/", f" '{BUILD}'/")
    ran = subprocess.run(f"cd '{COURSE}' && {here} 2>&1 </dev/null", shell=True, stdout=subprocess.PIPE)
    out = ran.stdout.decode(errors="surrogateescape").replace(BUILD + "/", "build/")
    return Ran(out, ran.returncode if ran.returncode >= 0 else 128 - ran.returncode)
