"""Owns which pip package brings which CUDA header. Must not know the compiler."""

from __future__ import annotations

import re

# Header (or the folder it is in) -> the package of CUDA 13 and of CUDA 12.
_PACKAGES = {
    "cuda_fp16.h": ("nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12"),
    "cuda_bf16.h": ("nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12"),
    "cuda_fp8.h": ("nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12"),
    "cuda_runtime.h": ("nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12"),
    "vector_types.h": ("nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12"),
    "cuda_pipeline.h": ("nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12"),
    "mma.h": ("nvidia-cuda-crt", "nvidia-cuda-nvcc-cu12"),
    "crt": ("nvidia-cuda-crt", "nvidia-cuda-nvcc-cu12"),
    "cooperative_groups.h": ("nvidia-cuda-cccl", "nvidia-cuda-cccl-cu12"),
    "cooperative_groups": ("nvidia-cuda-cccl", "nvidia-cuda-cccl-cu12"),
    "cub": ("nvidia-cuda-cccl", "nvidia-cuda-cccl-cu12"),
    "thrust": ("nvidia-cuda-cccl", "nvidia-cuda-cccl-cu12"),
    "cuda": ("nvidia-cuda-cccl", "nvidia-cuda-cccl-cu12"),
    "nv": ("nvidia-cuda-cccl", "nvidia-cuda-cccl-cu12"),
    "curand_kernel.h": ("nvidia-curand", "nvidia-curand-cu12"),
}

# Of these NVRTC has what device code may call (assert, printf, sqrtf, ...) built in.
_HOST = {"assert.h", "math.h", "stdio.h", "stdlib.h", "string.h", "stdint.h"}
_HOST |= {"cassert", "cmath", "cstdio", "cstdlib", "cstring", "iostream"}

_MISSING = re.compile(r"(?:cannot|could not) open (?:source )?file \"([^\"]+)\"")


def missing_header_hint(log: str) -> str:
    """Say what to install for the first header that a compiler's log misses.

    Args:
        log: the compiler's whole output.

    Returns:
        One sentence, or "" when no header is missing.

    Example:
        >>> missing_header_hint('k.cu(1): error: cannot open source file "mma.h"')
        'Header mma.h comes with nvidia-cuda-crt (NVRTC 13) or nvidia-cuda-nvcc-cu12 \
(NVRTC 12): pip install it.'
    """
    found = _MISSING.search(log)
    if found is None:
        return ""
    header = found.group(1)
    if header in _HOST:
        return (
            f"Header {header} is the host's; NVRTC knows assert, printf and the math "
            "functions by itself: leave the #include out."
        )
    packages = _PACKAGES.get(header) or _PACKAGES.get(header.split("/")[0])
    if packages is None:
        return f"Header {header} is not one that comes with CUDA's pip packages."
    return (
        f"Header {header} comes with {packages[0]} (NVRTC 13) or {packages[1]} "
        "(NVRTC 12): pip install it."
    )
