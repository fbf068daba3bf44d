"""The tests that a thread's accesses to one place do not replace each other: a plain
one still races with what only it conflicts with (CHECKS: definitions).
"""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

from .test_kernel_errors import fault_of

pytestmark = pytest.mark.cuda


@pytest.fixture(autouse=True)
def _need_the_emulator():
    if not cuda.is_emulated():
        pytest.skip("a GPU does not look for races")


# The place is one int, `*at`; `x` is a thread's own number, `o` the output.
RACES = {
    "store, then every atomic": "if (t == 0) *at = 0; atomicAdd(at, 1);",
    "store, then every exchange": "if (t == 0) *at = 0; x = atomicExch(at, t);",
    "store, then every volatile load": "if (t == 0) *at = 0; x = *vat;",
    "store, then every volatile store": "if (t == 0) *at = 5; *vat = 5;",
    "store by the last thread": "if (t == last) *at = 0; atomicAdd(at, 1);",
    "load, then every atomic": "if (t == 0) x = *at; atomicAdd(at, 1);",
    "load, volatile load, then other atomics": (
        "if (t == 0) { x = *at; x += *vat; } else atomicAdd(at, 1);"
    ),
    "load by two, then every atomic": "if (t < 2) x = *at; atomicAdd(at, 1);",
    "store and load, then every atomic": (
        "if (t == 0) { *at = 3; x = *at; } atomicAdd(at, 1);"
    ),
    "store, two atomics": "if (t == 0) *at = 0; atomicAdd(at, 1); atomicMax(at, 9);",
    "store, own atomic, other's volatile load": (
        "if (t == 0) { *at = 0; atomicAdd(at, 1); } else x = *vat;"
    ),
}

RIGHT = {
    "a barrier between": "if (t == 0) *at = 0; __syncthreads(); atomicAdd(at, 1);",
    "atomics only": "if (t == 0) atomicExch(at, 0); atomicAdd(at, 1);",
    "each its own": "o[t] = 1; atomicAdd(&o[t], 1); x = o[t];",
    "each its own, volatile": (
        "volatile int* v = &o[t]; o[t] = 1; *v = 2; x = o[t]; x += *v;"
    ),
    "a barrier after as well": (
        "if (t == 0) *at = 0; __syncthreads(); atomicAdd(at, 1); __syncthreads();"
        "x = *at; __syncthreads(); if (t == 0) *at = x;"
    ),
}

PLACES = {
    "shared": ("__shared__ int cell; int* at = &cell;", 1),
    "global, one block": ("int* at = o + 1000;", 1),
    "global, blocks": ("int* at = o + 1000;", 3),
}


def kernel(place, body):
    return f"""#pragma nv_diag_suppress 177,550  // not every body uses all names
extern "C" __global__ void k(int* o) {{
  int t = threadIdx.x + blockIdx.x * blockDim.x, x = 0;
  int last = blockDim.x * gridDim.x - 1;
  {place}
  volatile int* vat = at;
  {body}
  o[t] = x;
}}"""


@pytest.mark.parametrize("threads", [32, 128])
@pytest.mark.parametrize("body", RACES.values(), ids=RACES.keys())
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
def test_a_plain_access_races_after_an_atomic_of_its_thread(place, body, threads):
    declared, blocks = place
    out = cuda.to_device(np.zeros(1024, np.int32))
    if "global" not in declared and "t == last" in body and blocks > 1:
        pytest.skip("each block has a shared cell of its own")
    error = fault_of(kernel(declared, body), "k", blocks, threads, (out,))
    expected = "race_shared" if "__shared__" in declared else "race_global"
    assert error.kind == expected, str(error)


@pytest.mark.parametrize("threads", [32, 128])
@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT.keys())
@pytest.mark.parametrize("place", ["shared", "global, one block"])
def test_what_a_barrier_orders_stays_silent(place, body, threads):
    declared, blocks = PLACES[place]
    out = cuda.to_device(np.zeros(1024, np.int32))
    if "shared" in declared and body == RIGHT["atomics only"]:
        body = "if (t == 0) *at = 0; __syncthreads();" + body
    cuda.RawKernel(kernel(declared, body), "k")(blocks, threads, (out,))
    cuda.synchronize()


def test_thousands_of_races_are_told_in_bounded_time():
    """400 lines, each racing with all of them, in 200 blocks."""
    lines = "\n".join(f"  s[(t + {i}) % 16] = {i};" for i in range(400))
    code = f"""extern "C" __global__ void k(int* o) {{
  __shared__ int cells[16];
  volatile int* index = o;
  int t = threadIdx.x + index[0];
  #define s cells[index[1]] = t; cells
{lines}
  o[2] = cells[t % 16];
}}"""
    out = cuda.to_device(np.zeros(64, np.int32))
    error = fault_of(code, "k", 200, 64, (out,))
    assert error.kind.startswith("race_")
    limits = [f for f in cuda.last_findings() if f.kind == "output_limit"]
    assert limits
    assert "pairs of lines race" in str(limits[0])
