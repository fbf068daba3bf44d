"""NVRTC's messages, and advice for missing headers and host code (main, cudaMalloc)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .. import _core


@dataclass(frozen=True)
class Diagnostic:
    """One compiler message; `line` and `column` are 0 if it has none."""

    severity: str
    file: str
    line: int
    column: int
    code: str
    message: str
    source_line: str


def diagnostic_from(core: _core.Diagnostic) -> Diagnostic:
    """Copy a core diagnostic to a `Diagnostic`."""
    names = Diagnostic.__dataclass_fields__
    return Diagnostic(**{name: getattr(core, name) for name in names})


# The package of CUDA 13 and that of CUDA 12 -> headers, or the folders they are in.
_HEADERS = {
    ("nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12"): (
        "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuda_runtime.h", "vector_types.h",
        "cuda_pipeline.h",
    ),
    ("nvidia-cuda-crt", "nvidia-cuda-nvcc-cu12"): ("mma.h", "crt"),
    ("nvidia-cuda-cccl", "nvidia-cuda-cccl-cu12"): (
        "cooperative_groups.h", "cooperative_groups", "cub", "thrust", "cuda", "nv",
    ),
    ("nvidia-curand", "nvidia-curand-cu12"): ("curand_kernel.h",),
}  # fmt: skip
_PACKAGES = {name: packages for packages, names in _HEADERS.items() for name in names}

# Of the host's headers, minitorch/cuda/include has what device code may use.
_HOST = {
    "algorithm", "chrono", "cublas_v2.h", "cudnn.h", "cufft.h", "curand.h", "deque",
    "fstream", "helper_cuda.h", "helper_functions.h", "iomanip", "iostream", "list",
    "map", "memory", "numeric", "random", "set", "sstream", "string", "thread",
    "unistd.h", "unordered_map", "vector",
}  # fmt: skip
_INSTEAD = {
    "iostream": "use printf, which needs no header",
    "vector": "use arrays or pointers",
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
    """Return what to install or include for the first missing name in a log.

    Args:
        log: the compiler's whole output.

    Returns:
        One sentence, or "" when no header would help.

    Example:
        >>> header_hint('k.cu(3): error: identifier "INFINITY" is undefined')
        'INFINITY comes with #include <math.h>.'
        >>> header_hint('k.cu(1): error: cannot open source file "mma.h"')
        'Header mma.h comes with nvidia-cuda-crt (NVRTC 13) or nvidia-cuda-nvcc-cu12 \
(NVRTC 12). Install it with pip.'
    """
    match = _MISSING.search(log)
    if match is None:
        undefined = (name for name in _UNDEFINED.findall(log) if name in _HEADER_OF)
        name = next(undefined, "")
        return f"{name} comes with #include <{_HEADER_OF[name]}>." if name else ""
    header = match.group(1)
    if header in _HOST:
        instead = f": {_INSTEAD[header]}" if header in _INSTEAD else ""
        return (
            f"Header {header} is for host code, and this file can contain only kernels "
            f"and device functions{instead}."
        )
    if header in _STANDARD:
        return f"Use #include <cuda/std/{header}> and the namespace cuda::std."
    packages = _PACKAGES.get(header) or _PACKAGES.get(header.split("/")[0])
    if packages is None:
        return f"Header {header} is not part of CUDA's pip packages."
    return (
        f"Header {header} comes with {packages[0]} (NVRTC 13) or {packages[1]} (NVRTC "
        "12). Install it with pip."
    )


_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]((?:thrust|cub)/[^>"]+)', re.M)
_KERNEL = re.compile(r"__global__[^;{(]*?(\w+)\s*\(")
_NAME_OF_HOST = re.compile(r"host (?:function|variable)|marked as a __host__ function")
_HOST_CALL = re.compile(r'identifier "((?:cuda[A-Z]|cu[A-Z])\w+)" is undefined')
_LAUNCH = re.compile(r"(\w+)\s*<<<")
_REFERENCE = re.compile(r"\b(texture|surface)\s*<")
# Of thrust's parts, those that CUDA's standard library has for kernels.
_STANDARD_PARTS = ("complex", "tuple", "pair", "optional", "functional", "limits")
# A call of the host -> what Python has for it.
_CALLS = {
    "cudaMalloc": "x = cuda.device_array(n, dtype), before the launch",
    "cudaFree": "x.free(), or nothing: unused arrays are freed automatically",
    "cudaMemcpy": "cuda.to_device(array) and x.copy_to_host()",
    "cudaMemset": "x[:] = 0, before the launch",
    "cudaDeviceSynchronize": "cuda.synchronize(), after the launch",
    "cudaStream": "cuda.stream()",
    "cudaEvent": "cuda.event()",
}
_MAX_OTHERS = 5


def with_host_advice(
    code: str, file: str, diagnostics: Sequence[Diagnostic]
) -> str | None:
    """Return the text of a compile error, with advice for host code in a kernel file.

    Args:
        code: CUDA C++ that does not compile.
        file: Its name in the messages.
        diagnostics: The compiler's messages.

    Returns:
        A line for each part that belongs to the host, then the messages about other
        things; None where there is no such part.
    """
    errors = [error for error in diagnostics if error.severity == "error"]
    remaining = [error for error in errors if error.file == file]
    advice: dict[str, int] = {}
    thrust = _thrust(code, errors)
    if thrust:
        sentence, line = thrust
        advice[sentence] = line
        remaining = [
            error
            for error in remaining
            if not re.search("thrust|cub", error.source_line)
        ]
    left = []
    rules: list[Callable[[str, Diagnostic], str]] = [_texture, _host, _launch, _call]
    for error in remaining:
        sentence = next(filter(None, (rule(code, error) for rule in rules)), "")
        if not sentence:
            left.append(error)
        # What a function of the host does goes with it.
        elif not any("is a host" in known for known in advice) or not (
            _LAUNCH.search(error.source_line) or _HOST_CALL.search(error.message)
        ):
            advice.setdefault(sentence, error.line)
    if not advice:
        return None
    name = os.path.basename(file)
    lines = [f"{name}({line}): {sentence}" for sentence, line in advice.items()]
    lines += [
        f"{name}({error.line}): error: {error.message}\n  {error.source_line.strip()}"
        for error in left[:_MAX_OTHERS]
    ]
    return "[nvrtc] " + "\n".join(lines)


def _thrust(code: str, errors: Sequence[Diagnostic]) -> tuple[str, int] | None:
    for match in _INCLUDE.finditer(code):
        header = match[1]
        root, _, part = header.partition("/")
        missing = f'source file "{header}"'
        if not any(f"/{root}/" in e.file or missing in e.message for e in errors):
            continue
        line = code.count("\n", 0, match.start(1)) + 1
        stem = part.partition(".")[0]
        if root == "thrust" and stem in _STANDARD_PARTS:
            return (
                f"thrust/{part} does not compile in a kernel. Use #include "
                f"<cuda/std/{'utility' if stem == 'pair' else stem}> and the namespace "
                "cuda::std.",
                line,
            )
        subject = (
            "Thrust is" if root == "thrust" else "The device-wide functions of CUB are"
        )
        if part.startswith(("block/", "warp/", "thread/")):
            continue
        return (
            f"{subject} called from host code. In a kernel use CUB's block-wide "
            "functions (#include <cub/block/block_reduce.cuh>, block_scan.cuh, "
            "block_radix_sort.cuh). For a whole array use a tensor in Python, such as "
            "minitorch.torch.sort(x).",
            line,
        )
    return None


def _texture(code: str, error: Diagnostic) -> str:
    match = _REFERENCE.search(error.source_line)
    if match is None:
        return ""
    return (
        f"{match[1].capitalize()} references were removed in CUDA 12, and the emulator "
        f"has no {match[1]} objects. Pass the image as an array and use image[y * "
        "width + x]."
    )


def _host(code: str, error: Diagnostic) -> str:
    if not _NAME_OF_HOST.search(error.message):
        return ""
    if "variable" in error.message:
        return (
            "A global variable is a host variable. Put __device__ or __constant__ in "
            "front of it, or constexpr for a constant."
        )
    if re.search(r"\bmain\s*\(", error.source_line):
        kernel = (_KERNEL.findall(code) or ["kernel"])[0]
        return (
            "main is a host function, which Python replaces. Remove it and write in "
            f"Python: x = cuda.to_device(array); {kernel}((blocks,), (threads,), "
            "(x,)); x.copy_to_host()."
        )
    name = re.search(r"(\w+)\s*\(", error.source_line)
    named = f"{name[1]} is" if name else "This is"
    return (
        f"{named} a host function. If kernels call it, put __device__ in front of it; "
        "otherwise remove it and do the same in Python."
    )


def _launch(code: str, error: Diagnostic) -> str:
    if "device-side kernel launch" not in error.message:
        return ""
    match = _LAUNCH.search(error.source_line)
    kernel = match[1] if match else "kernel"
    return (
        f"minitorch does not support launching a kernel from a kernel. Launch {kernel} "
        f"from Python, after this one: {kernel}((blocks,), (threads,), (x,))."
    )


def _call(code: str, error: Diagnostic) -> str:
    match = _HOST_CALL.search(error.message)
    if match is None:
        return ""
    name = match[1]
    begins = [known for known in _CALLS if name.startswith(known)]
    instead = f": {_CALLS[begins[0]]}" if begins else ""
    return (
        f"{name} is called from host code. Remove it and do the same in "
        f"Python{instead}."
    )
