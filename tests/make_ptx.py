"""Compile each kernel file that tests read: make_ptx.py NVRTC FOLDER FILE.cu ...

The build runs it; no .ptx that NVRTC can make is in git. A file is for compute_75, or
for the compute capability that it names.
"""

from __future__ import annotations

import ctypes
import re
import sys
from pathlib import Path

HEADERS = (
    "include",
    "include/cccl",
    "../cuda_runtime/include",
    "../cuda_cccl/include",
)


def compile_file(nvrtc, options, path):
    """The PTX of `path`, with source lines."""
    source = path.read_text("utf-8")
    target = re.search(r"compute_\d+", source)
    options = [f"-arch={target[0] if target else 'compute_75'}", *options]
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    name = f"/kernels/{path.name}".encode()
    nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), source.encode(), name, 0, None, None
    )
    texts = (ctypes.c_char_p * len(options))(*map(str.encode, options))
    failed = nvrtc.nvrtcCompileProgram(program, len(options), texts)
    part = "ProgramLog" if failed else "PTX"
    getattr(nvrtc, f"nvrtcGet{part}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{part}")(program, text)
    if failed:
        sys.exit(text.value.decode())
    return text.value.decode()


def main():
    library, folder = Path(sys.argv[1]), Path(sys.argv[2])
    nvrtc = ctypes.CDLL(str(library))
    folders = [library.parent.parent / name for name in HEADERS]
    options = ["-lineinfo", *(f"-I{path}" for path in folders if path.exists())]
    folder.mkdir(parents=True, exist_ok=True)
    for path in map(Path, sys.argv[3:]):
        text = compile_file(nvrtc, options, path)
        (folder / f"{path.stem}.ptx").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
