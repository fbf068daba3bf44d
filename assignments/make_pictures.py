"""The pictures in starters' README files, drawn by `viz`.

Usage: python assignments/make_pictures.py

In the GPU modules each is what `python picture.py TASK` draws in the starter, for tasks
whose given kernel can be launched; students see the same of their own files. In modules
1 to 4 it shows what a task's question is about, never a kernel that is asked for.
Writes source/pictures/ of the assignments; `git diff` shows what has changed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from minitorch import Scalar, cuda, viz
from minitorch_grading.course.sources import read_source
from minitorch_grading.course.trees import student_tree, write_tree

HERE = Path(__file__).parent
TASKS = {"clinic": ["5.1"], "reductions": ["6.1"]}
# picture.py saves a page; its last argument is the name of the file.
_SAVE = re.compile(r'figure\.save\(f"\{task\}\.html"\)')


def picture(name: str, task: str) -> str:
    """The picture of a task as SVG.

    Args:
        name: An assignment's.
        task: One whose kernel students are given, right or wrong.

    Raises:
        CalledProcessError: The starter's picture.py fails.
    """
    with TemporaryDirectory() as folder:
        tree = Path(folder, name)
        write_tree(student_tree(read_source(HERE / name), "starter"), tree)
        script = tree / "picture.py"
        text, count = _SAVE.subn(
            'figure.save(f"{task}.svg")', script.read_text("utf-8")
        )
        assert count == 1, f"{script} saves its figure in another way"
        script.write_text(text, "utf-8")
        subprocess.run(
            [sys.executable, script.name, task],
            cwd=tree,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return (tree / f"{task}.svg").read_text("utf-8")


def derivatives() -> viz.Figure:
    """1.4: numbers that are used twice get derivatives from two sides."""
    x, y = Scalar(2.0), Scalar(3.0)
    return viz.graph((x * y + x) * y, {"x": x, "y": y})


def strides() -> viz.Figure:
    """2.1: the same row of numbers, counted in two ways."""
    t = np.arange(6).reshape(2, 3)
    return viz.tensor(t, t.T, index=(1, 2), names=["t", "t.permute(1, 0)"])


def broadcast() -> viz.Figure:
    """2.2: a column that is wider than its memory."""
    column = np.array([[10], [20], [30]])
    wide = np.broadcast_to(column, (3, 4))
    return viz.tensor(column, wide, index=(1, 0), names=["a column", "broadcast"])


def _on_device(rows: int, columns: int, step: float = 1) -> cuda.DeviceArray:
    cells = np.arange(rows * columns, dtype=np.float32) * step
    return cuda.to_device(cells.reshape(rows, columns))


def owner() -> viz.Figure:
    """3.3: a thread, its cell, and what it reads of a column and of a row."""
    code = """__global__ void add(float* out, const float* a, const float* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 15) out[i] = a[i / 5] + b[i % 5];
}"""
    arrays = _on_device(3, 5), _on_device(3, 1, 10), _on_device(1, 5)
    launch = viz.trace(cuda.RawKernel(code, "add"), 2, 8, *arrays)
    return viz.grid(launch, 3, 1)


def rows_and_columns() -> viz.Figure:
    """3.4: what a warp asks of memory along a row, and along a column."""
    code = """__global__ void add(float* out, const float* a, const float* b) {
  int i = threadIdx.y, j = threadIdx.x;
  float x = 0;
  x += a[i * 32 + j];
  x += b[j * 32 + i];
  out[i * 32 + j] = x;
}"""
    arrays = [_on_device(32, 32) for _ in range(3)]
    return viz.memory(viz.trace(cuda.RawKernel(code, "add"), 1, (32, 32), *arrays))


def edges() -> viz.Figure:
    """4.2: one cell of a convolved image, and what it was made from."""
    code = """__global__ void convolve(float* out, float* image, float* weight) {
  int i = threadIdx.y, j = threadIdx.x;
  float total = 0;
  for (int k = 0; k < 6; ++k)
    if (i + k / 3 < 6 && j + k % 3 < 8)
      total += image[(i + k / 3) * 8 + j + k % 3] * weight[k];
  out[i * 8 + j] = total;
}"""
    image = np.zeros((6, 8), np.float32)
    image[1:5, 2:5] = 9
    weight = np.array([[1, 0, -1], [1, 0, -1]], np.float32)
    arrays = (cuda.to_device(each) for each in (image * 0, image, weight))
    launch = viz.trace(cuda.RawKernel(code, "convolve"), 1, (8, 6), *arrays)
    return viz.grid(launch, (3, 2))


DRAWN: dict[tuple[str, str], Callable[[], viz.Figure]] = {
    ("m1", "1.4"): derivatives,
    ("m2", "2.1"): strides,
    ("m2", "2.2"): broadcast,
    ("m3", "3.3"): owner,
    ("m3", "3.4"): rows_and_columns,
    ("m4", "4.2"): edges,
}


def main() -> None:
    """Write all pictures."""
    for (name, task), draw in DRAWN.items():
        folder = HERE / name / "source" / "pictures"
        folder.mkdir(exist_ok=True)
        (folder / f"{task}.svg").write_text(draw().svg(), "utf-8")
    for name, tasks in TASKS.items():
        folder = HERE / name / "source" / "pictures"
        folder.mkdir(exist_ok=True)
        for task in tasks:
            (folder / f"{task}.svg").write_text(picture(name, task), "utf-8")


if __name__ == "__main__":
    main()
