"""Pictures of README and docs: run their kernels on the emulator and draw them.

Usage: python docs/make_viz_pictures.py [FOLDER]; without a folder docs/pictures.
`--record` measures the steps of the timeline anew, which differ in each run.
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import minitorch
from minitorch import cuda, viz
from minitorch.network.explanation import Explanation
from minitorch.viz.scene.drawing import PREFIX, UI, Drawing, escaped
from minitorch.viz.scene.marks import VALUE_OUT, WRONG, definitions
from minitorch.viz.scene.palette import strong, style_sheet, tint

PICTURES = Path(__file__).parent / "pictures"
STEPS = PICTURES / "lenet_steps.json"
RECORDINGS = 60  # of which one is kept

MATMUL = """__global__ void matmul(const float* A, const float* B, float* C) {
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
  float acc = 0;
  for (int k = 0; k < 16; k++) acc += A[row * 16 + k] * B[k * 16 + col];
  C[row * 16 + col] = acc;
}"""

TRANSPOSE = """__global__ void transpose(const float* a, float* b) {
  __shared__ float tile[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    tile[y + j][x] = a[(y + j) * 32 + x];
  __syncthreads();
  for (int j = 0; j < 32; j += 8)
    b[x * 32 + y + j] = tile[x][y + j];
}"""

TREE = """__global__ void tree_sum(const float* x, float* y) {
  __shared__ float s[32];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int half = 16; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) *y = s[0];
}"""

BLOCK_SUM = """__global__ void block_sum(const float* x, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  for (int h = 32; h > 0; h /= 2) {
    if (t < h)
      s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) out[0] = s[0];
}"""

TILE = """__global__ void tile(float* x) {
  __shared__ float s[6144];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[255 - threadIdx.x];
}"""

AXPY = """__global__ void axpy(float* out, const float* x, const float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * x[i] + y[i];
}"""

COLLATZ = """__global__ void collatz(const int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = x[i], c = 0;
  while (v > 1) {
    if (v % 2 == 0)
      v = v / 2;
    else
      v = 3 * v + 1;
    c = c + 1;
  }
  y[i] = c;
}"""


TILED = """__global__ void tiled(const float* A, const float* B, float* C) {
  __shared__ float As[8][8], Bs[8][8];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * 8 + y, col = blockIdx.x * 8 + x;
  float acc = 0;
  for (int t = 0; t < 2; t++) {
    As[y][x] = A[row * 16 + t * 8 + x];
    Bs[y][x] = B[(t * 8 + y) * 16 + col];
    __syncthreads();
    #pragma unroll 1
    for (int k = 0; k < 8; k++)
      acc += As[y][k] * Bs[k][x];
    __syncthreads();
  }
  C[row * 16 + col] = acc;
}"""


# The network of a forum's question: how is it mapped to a GPU?
NET = """import minitorch as torch
import minitorch.nn as nn

class MyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.Linear(32, 8, dtype="float32")
        self.layer2 = nn.Linear(8, 1, dtype="float32")

    def forward(self, x):
        x = self.layer1(x)
        x = torch.relu(x)
        x = self.layer2(x)
        return x
"""

# The program of the timeline: `step` as it is written, and as a graph.
TRAIN = """import minitorch
from minitorch import cuda, models, nn, optim
from minitorch.profiler import profile

net = models.lenet5(dtype="float32", device="cuda")
x = minitorch.rand(4, 1, 32, 32, dtype="float32", device="cuda")
y = minitorch.randint(0, 10, (4,), device="cuda")
optimizer = optim.SGD(net.parameters(), lr=0.01)

def step():
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
    return loss

print(step().item())
graph = cuda.CUDAGraph()
with cuda.graph(graph):
    last = step()
graph.replay()
cuda.synchronize()
with profile() as written:
    loss = step()
    loss.item()
with profile() as replayed:
    graph.replay()
    last.item()
"""


def grid() -> viz.Figure:
    """Which cells a thread of a matrix product touches."""
    numbers = np.random.default_rng(0).integers(0, 4, (2, 16, 16)).astype(np.float32)
    a, b = (cuda.to_device(each) for each in numbers)
    c = cuda.device_array((16, 16), "float32")
    kernel = cuda.RawKernel(MATMUL, "matmul")
    with cuda.inspect(trace=True) as run:
        kernel[(2, 2), (8, 8)](a, b, c)
    return viz.grid(run.launches[0], (3, 2), (0, 1))


def memory() -> viz.Figure:
    """What a transposition moves, and how its tile lies in the banks."""
    kernel = cuda.RawKernel(TRANSPOSE, "transpose")
    a = cuda.to_device(np.arange(1024, dtype=np.float32))
    with cuda.inspect(trace=True) as run:
        kernel[1, (32, 8)](a, cuda.device_array(1024, "float32"))
    return viz.memory(run.launches[0])


def race() -> viz.Figure:
    """A sum that lacks a barrier."""
    kernel = cuda.RawKernel(BLOCK_SUM, "block_sum")
    x = cuda.to_device(np.arange(1, 65, dtype=np.float32))
    with cuda.inspect(trace=True) as run:
        kernel[1, 64](x, cuda.device_array(1, "float32"))
    return viz.race(run.launches[0])


def reduction() -> viz.Figure:
    """A sum of 32 numbers in five rounds."""
    kernel = cuda.RawKernel(TREE, "tree_sum")
    x = cuda.to_device(np.arange(1, 33, dtype=np.float32))
    with cuda.inspect(trace=True) as run:
        kernel[1, 32](x, cuda.device_array(1, "float32"))
    return viz.reduction(run.launches[0])


def sms() -> viz.Figure:
    """Blocks that are held back by their shared memory, on two cards."""
    kernel = cuda.RawKernel(TILE, "tile")
    with cuda.inspect(checks="memory") as run:
        kernel[200, 256](cuda.to_device(np.zeros(256, np.float32)))
    return viz.sms(run.launches[0], kernel, ("t4", "rtx3090"))


def warps() -> viz.Figure:
    """One SM with 16 blocks, each of which loads two numbers a thread."""
    kernel = cuda.RawKernel(AXPY, "axpy")
    x, y = (cuda.to_device(np.ones(1024, np.float32)) for _ in range(2))
    with cuda.inspect(trace=True) as run:
        kernel[16, 64](cuda.device_array(1024, "float32"), x, y)
    return viz.warps(run.launches[0], 32)


def collatz(blocks: int, threads: int) -> cuda.Launch:
    """Threads whose loops differ in length."""
    count = blocks * threads
    x = cuda.to_device(np.arange(1, count + 1, dtype=np.int32))
    with cuda.inspect(trace=True) as run:
        kernel = cuda.RawKernel(COLLATZ, "collatz")
        kernel[blocks, threads](x, cuda.device_array(count, "int32"), count)
    return run.launches[0]


def divergence() -> viz.Figure:
    """One warp of a loop whose threads leave it one after the other."""
    return viz.divergence(collatz(1, 64))


def tensor() -> viz.Figure:
    """What a permutation does."""
    t = minitorch.tensor(np.arange(10, 22).reshape(3, 4))
    return viz.tensor(t, t.permute(1, 0), index=(1, 2), names=("t", "t.permute(1, 0)"))


def graph() -> viz.Figure:
    """A small network, with the gradients of its result."""
    x, y = minitorch.Scalar(2.0, name="x"), minitorch.Scalar(3.0, name="y")
    return viz.graph((x * y + x).relu() * y)


def products() -> list[cuda.Launch]:
    """A matrix product without and with tiles in shared memory."""
    numbers = np.random.default_rng(0).integers(0, 4, (2, 16, 16)).astype(np.float32)
    a, b = (cuda.to_device(each) for each in numbers)
    c = cuda.device_array((16, 16), "float32")
    with cuda.inspect() as run:
        cuda.RawKernel(MATMUL, "matmul")[(2, 2), (8, 8)](a, b, c)
        cuda.RawKernel(TILED, "tiled")[(2, 2), (8, 8)](a, b, c)
    return list(run.launches)


def tiles() -> viz.Figure:
    """How often the product in tiles fetches a number."""
    numbers = np.random.default_rng(0).random((2, 16, 16), dtype=np.float32)
    a, b = (cuda.to_device(each) for each in numbers)
    kernel = cuda.RawKernel(TILED, "tiled")
    with cuda.inspect(trace=True) as run:
        kernel[(2, 2), (8, 8)](a, b, cuda.device_array((16, 16), "float32"))
    return viz.tiles(run.launches[0])


def compare() -> viz.Figure:
    """What tiles change."""
    return viz.compare(*products())


def step() -> viz.Figure:
    """What each thread of a block does in one step of a matrix product in tiles."""
    numbers = np.random.default_rng(0).integers(0, 4, (2, 16, 16)).astype(np.float32)
    a, b = (cuda.to_device(each) for each in numbers)
    kernel = cuda.RawKernel(TILED, "tiled")
    with cuda.inspect(trace=True, debug=True) as run:
        kernel[(2, 2), (8, 8)](a, b, cuda.device_array((16, 16), "float32"))
    return viz.step(run.launches[0])


@cache
def explained() -> Explanation:
    """The forum's network on 64 rows, of small numbers so that sums can be checked."""
    minitorch.manual_seed(0)
    numbers = np.random.default_rng(0).integers(-3, 4, (64, 32)) / 2
    x = minitorch.tensor(numbers, dtype="float32")
    names: dict[str, Any] = {}
    exec(compile(NET, "net.py", "exec"), names)
    found: Explanation = minitorch.explain(names["MyModel"](), x, gpu="rtx3090")
    return found


def network() -> viz.Figure:
    """How the forum's network is mapped onto a card, down to neuron (37, 3)."""
    return viz.network(explained(), 0, block=(0, 2), thread=(3, 5))


def neuron() -> viz.Figure:
    """Which thread computes neuron (37, 3), and from which numbers."""
    return viz.neuron(explained().neuron("layer1", (37, 3)))


def _launching(step: dict[str, Any]) -> int:
    """Nanoseconds of the driver's calls."""
    calls = [each for thread in step["threads"] for each in thread["calls"]]
    return sum(each["end"] - each["begin"] for each in calls)


def record() -> None:
    """Run the program of the timeline often; keep what other programs held up least:

    of the quicker half of the steps, the one with the quickest launching.
    """
    found: dict[str, list[dict[str, Any]]] = {"written": [], "replayed": []}
    for _ in range(RECORDINGS):
        names: dict[str, Any] = {}
        exec(compile(TRAIN, "train.py", "exec"), names)
        for name, steps in found.items():
            steps.append(names[name].timeline())
    kept = {}
    for name, steps in found.items():
        quicker = sorted(steps, key=lambda step: step["end"] - step["begin"])
        kept[name] = min(quicker[: RECORDINGS // 2], key=_launching)
    STEPS.write_text(json.dumps(kept, separators=(",", ":")) + "\n")


def timeline() -> viz.Figure:
    """A step of LeNet as it is written, and as a graph."""
    steps = json.loads(STEPS.read_text())
    return viz.timeline(*steps.values(), names=("as written", "as a graph"))


def _with_lam(text: str) -> str:
    """Batch norm's kernel with one parameter more: lam * normal + (1 - lam) * x."""
    text = text.replace("Scalar epsilon)", "Scalar epsilon, Scalar lam)")
    blend = "    value += (1 - lam) * (x[at] - value);\n"
    return text.replace("    y[at] =", f"{blend}    y[at] =")


def changed() -> viz.Figure:
    """The library's batch norm, and the same op with another kernel."""
    numbers = np.random.default_rng(0).normal(size=(1, 64, 16, 16))
    x = minitorch.tensor(numbers, dtype="float32", device="cuda")
    mean, variance = minitorch.zeros(64), minitorch.full((64,), 4.0)
    given = [each.to("float32").to("cuda") for each in (mean, variance)]
    another = minitorch.override(
        "batch_norm",
        kernels={"normalise.cu": _with_lam},
        extra_parameters={"lam": 0.25},
    )
    with cuda.inspect(library=True) as run:
        minitorch.functional.batch_norm(x, *given)
        with another:
            minitorch.functional.batch_norm(x, *given)
    return viz.compare(*run.launches)


@cuda.jit
def add_one(x):
    """README's first kernel."""
    i = cuda.grid(1)
    x[i] += 1


@dataclass(frozen=True)
class Small:
    """A drawing that fits README's column at full size, without a figure's frame."""

    body: Drawing
    alt: str

    def save(self, path: Path) -> None:
        """Write it as SVG that follows the browser's light or dark."""
        content = f"{definitions()}{self.body}"
        root = "mt" + hashlib.sha256(content.encode()).hexdigest()[:10]
        size = f"{self.body.width:g} {self.body.height:g}"
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" id="{root}" role="img" '
            f'aria-label="{escaped(self.alt)}" viewBox="0 0 {size}" '
            f'width="{self.body.width:g}" font-family="{UI}">'
            f"<style>{style_sheet(root)}</style>"
            f"{content.replace(PREFIX, f'{root}-')}</svg>\n"
        )


def guard() -> Small:
    """README's launch: its threads, and those without an element."""
    blocks, threads, size = 4, 256, 1000
    x = cuda.to_device(np.zeros(size, np.float32))
    try:
        add_one[blocks, threads](x)
        cuda.synchronize()
    except cuda.KernelError as error:
        failing, block = error.thread[0], error.block[0]
    total = blocks * threads
    answer = f"{total:,} threads, {size:,} elements: {total - size} threads have none."
    detail = f"Thread {failing} of block {block} is the first of them."
    view = Drawing(760, 372)
    view.rect(0, 0, view.width, view.height, fill="var(--bg)")
    view.text(20, 34, answer, 19, bold=True)
    view.text(20, 58, detail, 15, fill="var(--mut)")
    columns, cell, left = 64, 10, 96
    for number in range(blocks):
        top = 76 + number * 46
        view.text(20, top + 25, f"block {number}", 14, fill=strong(number), bold=True)
        cells = [
            f"M{left + column * cell} {top + row * cell}h9v9h-9z"
            for row in range(threads // columns)
            for column in range(columns)
        ]
        end = min(threads, size - number * threads)
        view.path("".join(cells[:end]), fill=tint(number))
        if end < threads:
            view.path("".join(cells[end:]), fill=WRONG, stroke="var(--bad)")
    view.text(20, 293, "threads", 14, fill="var(--mut)")
    view.text(20, 349, "elements", 14, fill="var(--mut)")
    for place in range(8):
        thread, index = failing - 4 + place, block * threads + failing - 4 + place
        lacks, x0 = index >= size, left + place * 80
        ink = "var(--bad)" if lacks else "var(--ink)"
        view.rect(x0, 274, 74, 28, rx=3, fill=tint(block), stroke=strong(block))
        view.text(x0 + 37, 293, thread, 14, anchor="middle", mono=True)
        view.path(f"M{x0 + 37} 304V327", stroke=ink, marker_end=VALUE_OUT)
        view.rect(
            x0, 330, 74, 28, rx=3, fill="none" if lacks else tint(block),
            stroke=ink, stroke_dasharray="4 3" if lacks else None,
        )  # fmt: skip
        name = f"x[{index}]"
        view.text(x0 + 37, 349, name, 14, fill=ink, anchor="middle", mono=True)
    return Small(view, f"{answer} {detail}")


VIEWS = {
    "guard": guard,
    "changed": changed,
    "network": network,
    "neuron": neuron,
    "timeline": timeline,
    "grid": grid,
    "memory": memory,
    "race": race,
    "reduction": reduction,
    "warps": warps,
    "step": step,
    "divergence": divergence,
    "compare": compare,
    "tiles": tiles,
    "sms": sms,
    "tensor": tensor,
    "graph": graph,
}


def main() -> None:
    """Write one SVG for each view."""
    arguments = [each for each in sys.argv[1:] if each != "--record"]
    if len(arguments) < len(sys.argv) - 1:
        record()
    folder = Path(arguments[0]) if arguments else PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in VIEWS.items():
        draw().save(folder / f"{name}.svg")


if __name__ == "__main__":
    main()
