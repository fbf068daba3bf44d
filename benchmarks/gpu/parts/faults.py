"""Owns what a fault in a kernel does to the process: what is said, what still works."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from minitorch import cuda

from ..rows import Row, row

_BODIES = {
    "far away": "x[1ll << 36] = 1;",
    "null": "*(volatile int*)nullptr = 1;",
    "misaligned": "*(volatile int*)((char*)x + 1) = 1;",
    "trap": "__trap();",
    "assert": "assert(x == nullptr);",
    "no end of calls": "x[0] = down(x, 1 << 30);",
}
_SOURCE = """
#include <assert.h>
__device__ __noinline__ int down(volatile int* x, int n) {
  int local[64];
  for (int i = 0; i < 64; ++i) local[i] = x[i & 1] + n;
  return n ? down(x, n - 1) + local[n & 63] : 0;
}
extern "C" __global__ void wrong(int* x) { BODY }
extern "C" __global__ void right(int* x) { x[threadIdx.x] = threadIdx.x; }
"""


def items(quick: bool) -> list[str]:
    """Kinds of faults."""
    return list(_BODIES)[:2] if quick else list(_BODIES)


def _right(module: cuda.RawModule) -> bool:
    out = cuda.to_device(np.zeros(32, np.int32))
    module.get_function("right")(1, 32, (out,))
    return bool((out.copy_to_host() == np.arange(32)).all())


def _after_reset() -> str:
    try:
        cuda.reset()
        works = _right(cuda.RawModule(code=_SOURCE.replace("BODY", "")))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "works" if works else "wrong values"


def measure(name: str, folder: Path) -> Row:
    """Cause the fault, then look."""
    module = cuda.RawModule(code=_SOURCE.replace("BODY", _BODIES[name]))
    x = cuda.to_device(np.zeros(32, np.int32))
    raises, message = "nothing", ""
    try:
        module.get_function("wrong")(1, 1, (x,))
        cuda.synchronize()
    except cuda.KernelError as error:
        raises, message = f"KernelError {error.kind}", str(error)
    except cuda.CudaError as error:
        raises, message = type(error).__name__, str(error)
    found = row(name, "ok", raises=raises, message=message, reset=_after_reset())
    if not raises.startswith("KernelError"):
        found.update(outcome="differs", why=f"need a KernelError, got {raises}")
    elif found["reset"] != "works":
        found.update(outcome="differs", why="the context is not usable again")
    return found
