"""Attacks of kernels: by title, the item and the file that is handed in."""

from __future__ import annotations

CUDA_OPS, SCALE = "minitorch/cuda_ops.py", "kernels/scale.cu"

_START = """
from minitorch_cuda import cuda
import numpy as np

"""

_TIMES_TWO = """
    def _map(out, a, n):
        i = cuda.grid(1)
        if i < n:
            out[i] = 2 * a[i]
    return cuda.jit(_map)
"""

PYTHON = {
    "nothing is written": """
def tensor_map(fn):
    def _map(out, a, n):
        pass
    return cuda.jit(_map)
""",
    "code of the host": """
class Kernel:
    is_kernel = True
    def __getitem__(self, shape): return self
    def __call__(self, out, a, n): out[:] = 2 * a
def tensor_map(fn):
    return Kernel()
""",
    "a form that another wrote": """
import sys
def tensor_map(fn):
    module = sys.modules.get("minitorch_grading.kernels.kernel_form")
    if module is not None:
        module.packed = lambda form: np.frombuffer(b'{"schema": "x"}', np.uint8)
    return cuda.jit(lambda out, a, n: None)
""",
    "PTX of its own": """
import sys
def tensor_map(fn):
    module = sys.modules["minitorch_grading.kernels.kernel_form"]
    module.packed = lambda form: np.frombuffer(b"[" * 100_000, np.uint8)
    return cuda.jit(lambda out, a, n: None)
""",
    "reads what lies beyond": """
def tensor_map(fn):
    def _map(out, a, n):
        i = cuda.grid(1)
        if i < n:
            out[i] = a[i + n]
    return cuda.jit(_map)
""",
    "keeps what was there": """
def tensor_map(fn):
    def _map(out, a, n):
        i = cuda.grid(1)
        if i < n:
            out[i] = out[i]
    return cuda.jit(_map)
""",
    "patches the core": """
from minitorch_cuda import _core
for name in dir(_core):
    if "counter" in name.lower() or "finding" in name.lower():
        try:
            setattr(_core, name, lambda *_, **__: [])
        except (AttributeError, TypeError):
            pass
def tensor_map(fn):
    def _map(out, a, n):
        out[0] = 0
    return cuda.jit(_map)
""",
    "knows one size": """
def tensor_map(fn):
    def _map(out, a, n):
        i = cuda.grid(1)
        if n == 4 and i < n:
            out[i] = 2.0 * i
    return cuda.jit(_map)
""",
    "ends while it is made": """
import os
def tensor_map(fn):
    os._exit(0)
""",
}

CPP = {
    "includes a secret": """
#include "{tiny}/graded/test_kernels.py"
extern "C" __global__ void scale(float *x, float factor, int n) { }
""",
    "includes the machine": """
#include "/etc/passwd"
extern "C" __global__ void scale(float *x, float factor, int n) { }
""",
    "a line that lies": """
extern "C" __global__ void scale(float *x, float factor, int n) {
# 1 "/etc/passwd"
  x[threadIdx.x + 100000] = factor;
}
""",
    "PTX in between": """
extern "C" __global__ void scale(float *x, float factor, int n) {
  asm volatile("} .visible .entry other() { ret;");
}
""",
    "a trap": """
extern "C" __global__ void scale(float *x, float factor, int n) { asm("trap;"); }
""",
    "an address of its own": """
extern "C" __global__ void scale(float *x, float factor, int n) {
  for (long long a = 0; a < 64; a += 4) *(volatile int *)a = 1;
}
""",
}


def python_file(text):
    """minitorch/cuda_ops.py with an attack."""
    return _START + text
