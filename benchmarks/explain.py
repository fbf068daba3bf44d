"""Measures `minitorch.explain`: beside an inspection of the same call, and neurons."""

from __future__ import annotations

from .report import ROOT, Row, child

_LENET = """
import time
import minitorch
from benchmarks.report import best_seconds
from minitorch import cuda, models
minitorch.set_default_dtype(minitorch.float32)
net, x = models.LeNet5(), minitorch.rand(1, 1, 32, 32)
there, image = models.LeNet5().to("cuda"), x.to("cuda")

def inspect():
    with cuda.inspect(library=True):
        there(image)

def explain():
    return minitorch.explain(net, x, gpu="rtx3090")

def of_neuron(name, index):
    times = []
    for _ in range(3):
        start = time.process_time()  # other work on the machine does not count
        explained.neuron(name, index)
        times.append(time.process_time() - start)
    return min(times)

inspect()
explained = explain()
ratio = best_seconds(explain, 15) / best_seconds(inspect, 15)
explained.neuron("fc1", (0, 60))
neurons = [
    of_neuron(name, index)
    for name, index in (("conv2", (0, 8, 5, 5)), ("fc1", (0, 60)), ("", (0, 5)))
]
print(ratio, best_seconds(explain, 3), *neurons)
"""

_RESNET = """
import resource
import time
import minitorch
from minitorch import models
minitorch.set_default_dtype(minitorch.float32)
net, x = models.resnet50().eval(), minitorch.rand(1, 3, 64, 64)
start = time.perf_counter()
explained = minitorch.explain(net, x, gpu="rtx3090")
taken = time.perf_counter() - start
assert explained.totals.macs_useful == 335_691_776
print(taken, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


def _measured(script: str) -> list[float]:
    return [float(each) for each in child(script, PYTHONPATH=str(ROOT)).split()]


def _lenet() -> list[Row]:
    ratio, whole, *neurons = _measured(_LENET)
    slowest = max(neurons)
    return [
        Row(
            "explain LeNet-5, to inspect(library=True)",
            f"{ratio:.1f} x, {whole * 1000:.0f} ms",
            "<= 12 x, 3 s",
            ratio <= 12 and whole <= 3,
        ),
        Row(
            "a neuron of conv2, of fc1, of all of LeNet-5 (processor)",
            ", ".join(f"{each:.2f} s" for each in neurons),
            "<= 1 s each",
            slowest <= 1,
        ),
    ]


def _resnet() -> Row:
    taken, memory = _measured(_RESNET)
    return Row(
        "explain ResNet-50, 64 x 64, one image",
        f"{taken:.1f} s, {memory:.1f} GiB",
        "<= 60 s, 2 GiB",
        taken <= 60 and memory <= 2,
    )


def rows() -> list[Row]:
    """LeNet-5 and its neurons, then ResNet-50."""
    return [*_lenet(), _resnet()]
