"""Build a stand-in for a card's driver and compiler: a GPU's code path without a GPU.

Its `libcuda.so.1` is the emulator without the functions that only the emulator has, so
the library takes it for a card: no findings, sticky errors, cubins instead of PTX. Its
`libnvrtc.so` is NVRTC, but the cubin that it gives is PTX, which the emulator can run.
Nothing that is measured on it says anything about hardware.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

# NVRTC's functions that answer for another one.
_INSTEAD = {
    "nvrtcGetCUBINSize": "nvrtcGetPTXSize",
    "nvrtcGetCUBIN": "nvrtcGetPTX",
}
_LOCATE = """
from minitorch import _core
import os, minitorch.cuda.device.nvrtc as nvrtc
library, folders = nvrtc.locate()
print(_core.emulator_library())
print(os.path.realpath(library))
print(next((each for each in folders if "nvidia" in each or "cuda" in each), ""))
"""


def forwarding_source(names: list[str], variable: str) -> str:
    """C++ of a library whose functions jump to those of another one.

    Args:
        names: the functions; `_INSTEAD` says which of them jump elsewhere.
        variable: of the environment, with the path of the other library.
    """
    places = ", ".join(f'"{_INSTEAD.get(name, name)}"' for name in names)
    jumps = "".join(
        f'asm(".globl {name}\\n.type {name},@function\\n{name}:\\n'
        f'  jmp *targets+{8 * number}(%rip)\\n");\n'
        for number, name in enumerate(names)
    )
    return f"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
extern "C" {{
__attribute__((visibility("hidden"))) void* targets[{len(names)}];
}}
static const char* const names[] = {{{places}}};
__attribute__((constructor)) static void open_other() {{
  const char* path = getenv("{variable}");
  void* other = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!other) {{
    fprintf(stderr, "stand-in: cannot load {variable}: %s\\n", dlerror());
    return;
  }}
  for (int i = 0; i < {len(names)}; ++i) targets[i] = dlsym(other, names[i]);
}}
{jumps}"""


def _compile(source: str, library: Path, soname: str) -> None:
    library.parent.mkdir(parents=True, exist_ok=True)
    text = library.with_suffix(".cpp")
    text.write_text(source)
    words = ["c++", "-shared", "-fPIC", "-O1", f"-Wl,-soname,{soname}"]
    words += ["-o", str(library), str(text), "-ldl"]
    subprocess.run(words, check=True, capture_output=True)


def functions(library: str, prefix: str) -> list[str]:
    """Names of the functions that a shared library exports under a prefix."""
    words = ["nm", "-D", "--defined-only", "--without-symbol-versions", library]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    names = (line.split()[-1] for line in done.stdout.splitlines())
    return sorted({name for name in names if re.fullmatch(prefix + "[A-Z]\\w*", name)})


def make(python: str, place: Path) -> dict[str, str]:
    """Build both libraries; the environment in which they are found.

    Args:
        python: an interpreter that has the library and finds NVRTC.
        place: where they go.
    """
    done = subprocess.run(
        [python, "-P", "-c", _LOCATE], capture_output=True, text=True, check=True
    )
    emulator, nvrtc, headers = done.stdout.splitlines()[:3]
    soname = re.sub(r"(libnvrtc\.so\.\d+).*", r"\1", Path(nvrtc).name)
    # NVRTC's headers are looked for beside its folder.
    mine = place / "cuda" / "lib" / soname
    _compile(
        forwarding_source(functions(nvrtc, "nvrtc"), "STAND_IN_NVRTC"), mine, soname
    )
    link = place / "cuda" / "include"
    link.unlink(missing_ok=True)
    if headers:
        link.symlink_to(headers)
    driver = place / "driver" / "libcuda.so.1"
    _compile(
        forwarding_source(functions(emulator, "cu"), "STAND_IN_EMULATOR"),
        driver,
        "libcuda.so.1",
    )
    paths = [str(driver.parent), os.environ.get("LD_LIBRARY_PATH", "")]
    return {
        "MINITORCH_STAND_IN": "1",
        "MINITORCH_CACHE_DIR": str(place / "cache"),
        "STAND_IN_EMULATOR": emulator,
        "STAND_IN_NVRTC": nvrtc,
        "LD_LIBRARY_PATH": os.pathsep.join(filter(None, paths)),
        "LD_PRELOAD": str(mine),
    }
