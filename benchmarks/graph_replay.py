"""Measures what is left of launching when it is said once: the host time of replays."""

from __future__ import annotations

from .report import ROOT, Row, child

_MOST = 0.2

_OURS = """
import time
import minitorch as torch
from minitorch import cuda
x = torch.ones((8,), device="cuda")
"""

# The same lines for both libraries. The shortest of many: what else the machine does
# only adds.
_MEASURE = """
def launches():
    y = x
    for _ in range(20):
        y = y + x
    return y

def host_seconds(call):
    times = []
    for _ in range(200):
        cuda.synchronize()
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    cuda.synchronize()
    return min(times)

launches()
graph = cuda.CUDAGraph()
with cuda.graph(graph):
    y = launches()
graph.replay()
assert float(y[0]) == 21
eager, replayed = host_seconds(launches), host_seconds(graph.replay)
print(eager * 1e6, replayed * 1e6)
"""

_PYTORCH = """
import time
import torch
from torch import cuda
assert cuda.is_available()
x = torch.ones((8,), device="cuda")
"""


def _pytorch() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


def rows() -> list[Row]:
    eager, replayed = map(float, child(_OURS + _MEASURE, PYTHONPATH=str(ROOT)).split())
    ratio = replayed / eager
    beside = ""
    if _pytorch():
        theirs = child(_PYTORCH + _MEASURE, PYTHONPATH=str(ROOT)).split()
        beside = f"; PyTorch {float(theirs[0]):.0f} us, {float(theirs[1]):.0f} us"
    return [
        Row(
            "host time of replay() of 20 launches, to launching them",
            f"{ratio:.3f} ({eager:.0f} us, {replayed:.0f} us{beside})",
            f"<= {_MOST}",
            ratio <= _MOST,
        )
    ]
