"""Owns the advice for what a kernel's source misses: which header, from which package.

Must not know the compiler.
"""

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

# Of the host's headers, minitorch/cuda/include has what device code may use.
_HOST = {
    "algorithm", "chrono", "cublas_v2.h", "cudnn.h", "cufft.h", "curand.h", "deque",
    "fstream", "helper_cuda.h", "helper_functions.h", "iomanip", "iostream", "list",
    "map", "memory", "numeric", "random", "set", "sstream", "string", "thread",
    "unistd.h", "unordered_map", "vector",
}  # fmt: skip
_INSTEAD = {
    "iostream": "print by printf, which needs no header",
    "vector": "use arrays, and pointers that are parameters",
    "random": "use curand_kernel.h",
    "curand.h": "use curand_kernel.h",
    "cublas_v2.h": "multiply tensors in Python, a @ b",
}
# CUDA's standard library has them for kernels, in namespace cuda::std.
_STANDARD = {
    "array", "atomic", "bit", "complex", "functional", "limits", "optional", "ratio",
    "span", "tuple", "type_traits", "utility",
}  # fmt: skip

# What programs get from a header without naming it, or forget to include.
_DEFINED_BY = {
    "math.h": ("INFINITY", "NAN", "M_PI", "M_E", "M_SQRT2"),
    "float.h": ("FLT_MAX", "FLT_MIN", "FLT_EPSILON", "DBL_MAX", "DBL_EPSILON"),
    "limits.h": ("INT_MAX", "INT_MIN", "UINT_MAX", "LLONG_MAX", "CHAR_BIT"),
    "stdint.h": (
        *(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)),
        *(f"{sign}INT{bits}_MAX" for sign in ("", "U") for bits in (8, 16, 32, 64)),
    ),
    "cuda_fp16.h": ("half", "half2", "__half", "__half2", "__float2half"),
    "cuda_bf16.h": ("__nv_bfloat16", "__nv_bfloat162", "nv_bfloat16"),
    "cooperative_groups.h": ("cooperative_groups",),
    "mma.h": ("nvcuda", "wmma"),
}
_HEADER_OF = {name: header for header, names in _DEFINED_BY.items() for name in names}

_MISSING = re.compile(r"(?:cannot|could not) open (?:source )?file \"([^\"]+)\"")
_UNDEFINED = re.compile(r"identifier \"(\w+)\" is undefined")


def header_hint(log: str) -> str:
    """Say what to install or include for the first thing that a compiler's log misses.

    Args:
        log: the compiler's whole output.

    Returns:
        One sentence, or "" when no header would help.

    Example:
        >>> header_hint('k.cu(3): error: identifier "INFINITY" is undefined')
        'INFINITY comes with #include <math.h>.'
        >>> header_hint('k.cu(1): error: cannot open source file "mma.h"')
        'Header mma.h comes with nvidia-cuda-crt (NVRTC 13) or nvidia-cuda-nvcc-cu12 \
(NVRTC 12): pip install it.'
    """
    found = _MISSING.search(log)
    if found is None:
        undefined = (name for name in _UNDEFINED.findall(log) if name in _HEADER_OF)
        name = next(undefined, "")
        return f"{name} comes with #include <{_HEADER_OF[name]}>." if name else ""
    header = found.group(1)
    if header in _HOST:
        instead = f", and {_INSTEAD[header]}" if header in _INSTEAD else ""
        return (
            f"Header {header} is for the host's code: keep kernels and device "
            f"functions only{instead}."
        )
    if header in _STANDARD:
        return f"Write #include <cuda/std/{header}>, and cuda::std:: before its names."
    packages = _PACKAGES.get(header) or _PACKAGES.get(header.split("/")[0])
    if packages is None:
        return f"Header {header} is not one that comes with CUDA's pip packages."
    return (
        f"Header {header} comes with {packages[0]} (NVRTC 13) or {packages[1]} "
        "(NVRTC 12): pip install it."
    )
