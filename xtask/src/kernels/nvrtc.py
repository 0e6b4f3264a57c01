"""Compiles one CUDA C++ file to PTX by NVRTC: `python nvrtc.py SOURCE PTX OPTION...`; messages go to standard error."""

import ctypes
import os
import pathlib
import re
import sys

import nvidia.cuda_nvrtc

LIBRARY = ctypes.CDLL(str(pathlib.Path(list(nvidia.cuda_nvrtc.__path__)[0]) / "lib" / "libnvrtc.so.12"))
LIBRARY.nvrtcGetErrorString.restype = ctypes.c_char_p


def check(code):
    if code != 0:
        sys.exit("NVRTC: " + LIBRARY.nvrtcGetErrorString(code).decode())


def text(program, what):
    """The log or the PTX of a program."""
    size = ctypes.c_size_t()
    check(getattr(LIBRARY, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    check(getattr(LIBRARY, f"nvrtcGet{what}")(program, buffer))
    return buffer.value.decode()


def without_process(ptx):
    """PTX whose names in unnamed namespaces do not hold a number of this process, which NVRTC puts there."""
    kinds = {"_INTERNAL_": "_INTERNAL", "_GLOBAL__N__": "_GLOBAL__N_1"}
    for kind, name in kinds.items():
        for own in set(re.findall(rf"{kind}[0-9a-f]{{8}}_\d+_\w+?_[0-9a-f]{{8}}_{os.getpid()}", ptx)):
            ptx = ptx.replace(f"{len(own)}{own}", f"{len(name)}{name}")
    return ptx


def main(source, ptx, *options):
    program = ctypes.c_void_p()
    # The name, as messages give it; a path of this machine would pass into the names of internal functions.
    name = pathlib.Path(source).name.encode()
    check(LIBRARY.nvrtcCreateProgram(ctypes.byref(program), pathlib.Path(source).read_bytes(), name, 0, None, None))
    encoded = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    code = LIBRARY.nvrtcCompileProgram(program, len(options), encoded)
    sys.stderr.write(text(program, "ProgramLog"))
    check(code)
    pathlib.Path(ptx).write_text(without_process(text(program, "PTX")))


main(*sys.argv[1:])
