#!/usr/bin/env python3
"""Compiles the device code of the chapters with NVRTC, the compiler of a toolkit without nvcc.

    rtc.py FOLDER [TARGET...]      FOLDER: where these wheels of one release were unpacked, e.g. of 12.9
        nvidia-cuda-nvrtc-cu12  nvidia-cuda-runtime-cu12  nvidia-cuda-cccl-cu12

PyPI has no whole nvcc for CUDA 12. NVRTC is the same compiler for device code, with that release's own
libcu++ and cooperative groups. The chapters' host code stays out: what stands before "---- Run it" is compiled.
"""
import ctypes
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGETS = "75 80 90 100 100a 103a 120 120a 121a".split()
HEADERS = {  # what host code would have brought along
    "check.h": "#pragma once",
    "report.h": '#include "problem.h"',
    "timing.h": '#include "problem.h"',
    "cmath": "",
    "vector": "namespace std { template <class T> struct vector { vector(long long); T& operator[](long long) const; }; }",
    "cstdint": "#include <cuda/std/cstdint>\nnamespace std { using cuda::std::uint32_t; }",
    "cstring": "namespace std { inline void memcpy(void*, const void*, unsigned long) {} }",
}


def compile_chapter(nvrtc, source, target, includes):
    text = source.read_text().split("// ---- Run it")[0]
    program = ctypes.c_void_p()
    names, texts = zip(*((n.encode(), t.encode()) for n, t in HEADERS.items()))
    array = ctypes.c_char_p * len(names)
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), source.name.encode(), len(names),
                             array(*texts), array(*names))
    options = [f"-arch=sm_{target}", "-std=c++17", "-default-device", f"-I{ROOT / 'common'}",
               *(f"-I{folder}" for folder in includes)]
    status = nvrtc.nvrtcCompileProgram(program, len(options),
                                       (ctypes.c_char_p * len(options))(*(o.encode() for o in options)))
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    return status, log.value.decode()


def main():
    folder = pathlib.Path(sys.argv[1])
    targets = sys.argv[2:] or TARGETS
    nvrtc = ctypes.CDLL(str(next(folder.rglob("libnvrtc.so.1?"))))
    includes = [next(folder.rglob("cuda_runtime.h")).parent, next(folder.rglob("nv/target")).parents[1]]
    major, minor = ctypes.c_int(), ctypes.c_int()
    nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    print(f"NVRTC {major.value}.{minor.value}")
    print("| chapter | " + " | ".join(targets) + " |")
    print("|---|" + "---|" * len(targets))
    for source in sorted(ROOT.glob("0?_*/*.cu")):
        row = []
        for target in targets:
            status, log = compile_chapter(nvrtc, source, target, includes)
            row.append("ok" if status == 0 else "no")
            if status != 0 or "warning" in log:
                print(f"{source.name} {target}: " + "\n".join(log.splitlines()[:3]), file=sys.stderr)
        print(f"| {source.parent.name} | " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
