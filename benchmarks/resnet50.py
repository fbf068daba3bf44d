"""Measures ResNet-50 on `cpu` beside PyTorch's, both with one thread and with two.

Needs an interpreter with PyTorch: this one, or the one that ``MINITORCH_TORCH_PYTHON``
names. The two libraries take turns, so that a busy machine slows both.
"""

from __future__ import annotations

import os
import subprocess
import sys

from .report import ROOT, Row, child

_SIZE, _CALLS, _TURNS, _MOST = 64, 12, 3, 2.5
_OURS = f"""
import minitorch
from benchmarks.report import best_seconds
net = minitorch.models.resnet50(dtype="float32").eval()
x = minitorch.randn(1, 3, {_SIZE}, {_SIZE}, dtype="float32")
with minitorch.no_grad():
    net(x)
    print(best_seconds(lambda: net(x), {_CALLS}))
"""
# torchvision's network in its parts; the names of its parameters do not matter here.
_PYTORCHS = f"""
import os
import time
import torch
from torch import nn
torch.set_num_threads(int(os.environ["MINITORCH_NUM_THREADS"]))
def conv(i, o, k, s=1):
    return [nn.Conv2d(i, o, k, s, k // 2, bias=False), nn.BatchNorm2d(o)]
class Block(nn.Module):
    def __init__(self, i, w, s, first):
        super().__init__()
        relu = nn.ReLU(inplace=True)
        parts = [*conv(i, w, 1), relu, *conv(w, w, 3, s), relu, *conv(w, 4 * w, 1)]
        self.inside = nn.Sequential(*parts)
        self.beside = nn.Sequential(*conv(i, 4 * w, 1, s) if first else [])
        self.relu = relu
    def forward(self, x):
        return self.relu(self.inside(x) + self.beside(x))
parts, channels = [*conv(3, 64, 7, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)], 64
for count, width, stride in ((3, 64, 1), (4, 128, 2), (6, 256, 2), (3, 512, 2)):
    for i in range(count):
        parts.append(Block(channels, width, stride if i == 0 else 1, i == 0))
        channels = 4 * width
parts += [nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(), nn.Linear(2048, 1000)]
net = nn.Sequential(*parts).eval()
assert sum(p.numel() for p in net.parameters()) == 25_557_032
x = torch.randn(1, 3, {_SIZE}, {_SIZE})
times = []
with torch.no_grad():
    for _ in range({_CALLS} + 3):
        start = time.perf_counter()
        net(x)
        times.append(time.perf_counter() - start)
print(min(times[3:]))
"""


def _pytorch(interpreter: str, threads: int) -> float | None:
    """Seconds of a call, or None where the interpreter has no PyTorch."""
    result = subprocess.run(
        [interpreter, "-c", _PYTORCHS],
        env={**os.environ, "MINITORCH_NUM_THREADS": str(threads)},
        capture_output=True,
        text=True,
        check=False,
    )
    if "No module named 'torch'" in result.stderr:
        return None
    if result.returncode != 0:
        raise RuntimeError(f"the benchmark of PyTorch failed:\n{result.stderr}")
    return float(result.stdout.split()[-1])


def _row(interpreter: str, threads: int) -> Row:
    what = f"ResNet-50, {_SIZE} x {_SIZE}, one image, {threads} thread(s)"
    bar = f"<= {_MOST} x PyTorch"
    ours, theirs = [], []
    for _ in range(_TURNS):
        beside = _pytorch(interpreter, threads)
        if beside is None:
            return Row(what, "no PyTorch here", bar, None)
        theirs.append(beside)
        options = {"PYTHONPATH": str(ROOT), "MINITORCH_NUM_THREADS": str(threads)}
        ours.append(float(child(_OURS, OPENBLAS_NUM_THREADS=str(threads), **options)))
    ratio = min(ours) / min(theirs)
    measured = f"{min(ours) * 1000:.0f} ms, {ratio:.2f} x PyTorch"
    return Row(what, measured, bar, ratio <= _MOST)


def rows() -> list[Row]:
    """The ratio to PyTorch's time, thread by thread."""
    interpreter = os.environ.get("MINITORCH_TORCH_PYTHON", sys.executable)
    return [_row(interpreter, threads) for threads in (1, 2)]
