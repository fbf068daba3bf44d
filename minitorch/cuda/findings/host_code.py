"""Advice for CUDA C++ that only a host program can contain: main, Thrust, cudaMalloc.

NVRTC compiles device code alone, and says so in up to 300 lines.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .errors import Diagnostic

__all__ = ["with_host_advice"]

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]((?:thrust|cub)/[^>"]+)', re.M)
_KERNEL = re.compile(r"__global__[^;{(]*?(\w+)\s*\(")
_NAME_OF_HOST = re.compile(r"host (?:function|variable)|marked as a __host__ function")
_UNDEFINED = re.compile(r'identifier "((?:cuda[A-Z]|cu[A-Z])\w+)" is undefined')
_LAUNCH = re.compile(r"(\w+)\s*<<<")
_REFERENCE = re.compile(r"\b(texture|surface)\s*<")
# Of thrust's parts, those that CUDA's standard library has for kernels.
_STANDARD = ("complex", "tuple", "pair", "optional", "functional", "limits")
# A call of the host -> what Python has for it.
_CALLS = {
    "cudaMalloc": "x = cuda.device_array(n, dtype), before the launch",
    "cudaFree": "x.free(), or nothing: unused arrays are freed by themselves",
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
    """Return the text of a compile error that says what to do with the host's code.

    Args:
        code: CUDA C++ that does not compile.
        file: Its name in the messages.
        diagnostics: The compiler's messages.

    Returns:
        A line for each part that belongs to the host, then the messages about other
        things; None where there is no such part.
    """
    errors = [each for each in diagnostics if each.severity == "error"]
    own = [each for each in errors if each.file == file]
    advice: dict[str, int] = {}
    thrust = _thrust(code, errors)
    if thrust:
        sentence, line = thrust
        advice[sentence] = line
        own = [each for each in own if not re.search("thrust|cub", each.source_line)]
    left = []
    rules: list[Callable[[str, Diagnostic], str]] = [_texture, _host, _launch, _call]
    for each in own:
        sentence = next(filter(None, (rule(code, each) for rule in rules)), "")
        if not sentence:
            left.append(each)
        # What a function of the host does goes with it.
        elif not any("of the host" in known for known in advice) or not (
            _LAUNCH.search(each.source_line) or _UNDEFINED.search(each.message)
        ):
            advice.setdefault(sentence, each.line)
    if not advice:
        return None
    name = os.path.basename(file)
    lines = [f"{name}({line}): {sentence}" for sentence, line in advice.items()]
    lines += [
        f"{name}({each.line}): error: {each.message}\n  {each.source_line.strip()}"
        for each in left[:_MAX_OTHERS]
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
        if root == "thrust" and stem in _STANDARD:
            return (
                f"thrust/{part} does not compile for kernels: use "
                f"#include <cuda/std/{'utility' if stem == 'pair' else stem}> and "
                "cuda::std::.",
                line,
            )
        what = "Thrust is" if root == "thrust" else "cub's functions for the device are"
        if part.startswith(("block/", "warp/", "thread/")):
            continue
        return (
            f"{what} called by a host program. In a kernel use cub's functions for a "
            "block (#include <cub/block/block_reduce.cuh>, block_scan.cuh, "
            "block_radix_sort.cuh); for a whole array use a tensor in Python, such as "
            "minitorch.torch.sort(x).",
            line,
        )
    return None


def _texture(code: str, each: Diagnostic) -> str:
    found = _REFERENCE.search(each.source_line)
    if found is None:
        return ""
    return (
        f"CUDA has no {found[1]} references since version 12, and the emulator has no "
        f"{found[1]}s: pass the image as an array and use image[y * width + x]."
    )


def _host(code: str, each: Diagnostic) -> str:
    if not _NAME_OF_HOST.search(each.message):
        return ""
    if "variable" in each.message:
        return (
            "A variable outside of functions is one of the host: write __device__ or "
            "__constant__ in front of it, or constexpr for a constant."
        )
    if re.search(r"\bmain\s*\(", each.source_line):
        kernel = (_KERNEL.findall(code) or ["kernel"])[0]
        return (
            "main is a function of the host, whose place Python takes. Leave it out, "
            f"and write in Python: x = cuda.to_device(array); {kernel}((blocks,), "
            "(threads,), (x,)); x.copy_to_host()."
        )
    name = re.search(r"(\w+)\s*\(", each.source_line)
    named = f"{name[1]} is" if name else "This is"
    return (
        f"{named} a function of the host: write __device__ in front of it if kernels "
        "call it; else leave it out, and do in Python what it does."
    )


def _launch(code: str, each: Diagnostic) -> str:
    if "device-side kernel launch" not in each.message:
        return ""
    found = _LAUNCH.search(each.source_line)
    kernel = found[1] if found else "kernel"
    return (
        f"A kernel cannot launch a kernel here. Launch {kernel} from Python, after "
        f"this one: {kernel}((blocks,), (threads,), (x,))."
    )


def _call(code: str, each: Diagnostic) -> str:
    found = _UNDEFINED.search(each.message)
    if found is None:
        return ""
    name = found[1]
    begins = [known for known in _CALLS if name.startswith(known)]
    instead = f": {_CALLS[begins[0]]}" if begins else ""
    return (
        f"{name} is called by a host program. Leave it out, and do that in "
        f"Python{instead}."
    )
