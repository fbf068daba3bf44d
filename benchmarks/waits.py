"""What people wait for: explanations, training, kernels' checks, launches, notebooks.

`python -m benchmarks waits` takes about ten minutes. Seconds are of one process on this
machine; what is compared with PoCL or PyTorch is compared within one run.
"""

from __future__ import annotations

import tempfile

from . import pocl, torch
from .report import ROOT, Row, child

_EXPLAIN = """
import time
import minitorch
from minitorch import models
minitorch.set_default_dtype(minitorch.float32)
net, x = models.resnet50().eval(), minitorch.rand(8, 3, 96, 96)
start = time.perf_counter()
explained = minitorch.explain(net, x)
middle = time.perf_counter()
explained.neuron("fc", (0, 7))
print(middle - start, time.perf_counter() - middle)
"""

_STEP = """
import time
import minitorch.torch as torch
from minitorch.models import resnet18
from minitorch import cuda
net = resnet18(num_classes=10, dtype="float32").to("cuda")
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
x = torch.randn(4, 3, 64, 64, device="cuda")
target = torch.tensor([1, 2, 3, 4], device="cuda")
def step():
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(net(x), target).backward()
    optimizer.step()
    cuda.synchronize()
step()
start = time.process_time(), time.perf_counter()
step()
print(time.process_time() - start[0], time.perf_counter() - start[1])
"""

_LAUNCHES = """
import time
import numpy as np
import minitorch
from benchmarks.python_launch import call_seconds, tiled_matmul
from benchmarks.report import KERNELS
from minitorch import cuda

def each(call):
    return 1e6 * call_seconds(call, cuda.synchronize)

raw = cuda.RawKernel((KERNELS / "map.cu").read_text(), "map")
x, y = cuda.to_device(np.ones(256, np.float32)), cuda.device_array(256, np.float32)
a = minitorch.rand(16, 16, device="cuda")
c = cuda.device_array((16, 16), np.float32)
other = [cuda.to_device(np.ones((16, 16), np.float32)) for _ in range(2)]
first = []
for _ in range(8):
    kernel = cuda.jit(tiled_matmul.py_func)  # its compiled text is kept: no NVRTC
    start = time.perf_counter()
    kernel[(1, 1), (16, 16)](c, *other)
    cuda.synchronize()
    first.append(time.perf_counter() - start)
print(each(lambda: raw(1, 256, (y, x, 256))), each(lambda: a + a), each(lambda: a @ a),
      1e3 * min(first[1:]))
"""

_NOTEBOOKS = """
import sys, time
sys.path.insert(0, "docs")
import run_notebooks
from pathlib import Path
start = time.perf_counter()
assert run_notebooks.main(Path(FOLDER), True) == 0
print(time.perf_counter() - start)
"""


def _measured(script: str) -> list[float]:
    line = child(script, MINITORCH_CUDA="emulator", PYTHONPATH=str(ROOT))
    return [float(number) for number in line.split()]


def _row(what: str, value: float, unit: str, bar: float) -> Row:
    return Row(what, f"{value:.2f} {unit}", f"<= {bar:g} {unit}", value <= bar)


def rows() -> list[Row]:
    """Return the rows of the table, in its order."""
    explain, neuron = _measured(_EXPLAIN)
    step, _ = _measured(_STEP)
    raw, add, product, first = _measured(_LAUNCHES)
    with tempfile.TemporaryDirectory() as folder:
        script = f"FOLDER = {folder!r}\n{_NOTEBOOKS}"
        (notebooks,) = _measured(script)
    return [
        _row("explain ResNet-50, batch 8, 96 x 96", explain, "s", 10),
        _row("one neuron of its fc", neuron, "s", 2),
        _row(
            "training step of ResNet-18, batch 4, 64 x 64", step, "s of processor", 14
        ),
        *pocl.rows(),
        _row("first launch of a Python kernel of 30 lines, no NVRTC", first, "ms", 3),
        _row("cached launch on the host: raw kernel", raw, "us", 11.2),
        _row("cached launch on the host: a + a", add, "us", 8.8),
        _row("cached launch on the host: a @ a", product, "us", 5.5),
        Row("all notebooks, first to last cell", f"{notebooks:.1f} s", "", None),
        *torch.run("waits", 1),
    ]
