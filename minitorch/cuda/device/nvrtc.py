"""Find NVRTC and its headers."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from ... import _core

INSTALL_ADVICE = (
    "No NVRTC was found; install it with: pip install 'minitorch-cuda[nvrtc13]' "
    "(nvrtc12 for a driver older than CUDA 13)."
)

# <stdint.h>, <math.h> and the like as far as kernels need them: NVRTC brings none.
_HOST_HEADERS = Path(__file__).parents[1] / "include"


def _toolkit_folders(library: Path) -> list[Path]:
    """Return header folders of an installed toolkit of the version of `library`.

    NVRTC may come with other wheels (PyTorch's), which leave out what `mma.h` includes.
    """
    named = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH")]
    folders = [Path(root, "include") for root in (*named, "/usr/local/cuda") if root]
    major = re.search(r"\.so\.(\d+)", library.name)
    return [
        folder
        for folder in folders
        if major
        and (folder / "cuda.h").is_file()
        and re.search(
            rf"^#define CUDA_VERSION {major[1]}\d{{3}}\b",
            (folder / "cuda.h").read_text("utf-8", "replace"),
            re.MULTILINE,
        )
    ][:1]


def _header_folders(library: Path) -> list[str]:
    """Return the folders with the CUDA headers that belong to `library`.

    Wheels of CUDA 13 put all packages into one folder (`nvidia/cu13/include`); wheels
    of CUDA 12 have one folder for each package (`nvidia/cuda_runtime/include`); a
    toolkit has `include` or `targets/<machine>/include` beside the library's folder.
    """
    root = library.parent.parent
    candidates = [root / "include"]
    if library.parent.parent.name == "cuda_nvrtc":
        packages = ("cuda_runtime", "cuda_nvcc", "cuda_cccl")
        candidates += [root.parent / package / "include" for package in packages]
    if not any((folder / "crt").is_dir() for folder in candidates):
        candidates += _toolkit_folders(library)
    candidates += [folder / "cccl" for folder in list(candidates)]
    candidates.append(_HOST_HEADERS)
    return [str(folder) for folder in candidates if folder.is_dir()]


def locate() -> tuple[str, list[str]]:
    """Return NVRTC's library and header folders; ("", []) if there is none.

    The core calls this late and once: importing cuda-pathfinder and loading the
    library cost about a tenth of a second.
    """
    from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib

    try:
        library = load_nvidia_dynamic_lib("nvrtc").abs_path
    except (DynamicLibNotFoundError, RuntimeError):
        return "", []
    if library is None:
        return "", []
    return library, _header_folders(Path(os.path.realpath(library)))


def connect() -> None:
    """Register the search for NVRTC and the name of this environment with the core.

    What was found is kept on disk under that name, our own header folder included.
    """
    _core.set_nvrtc_locator(locate)
    _core.set_nvrtc_environment(f"{sys.prefix} {_HOST_HEADERS}")
