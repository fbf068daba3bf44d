"""Measures kernels written in Python against CUDA C++, and the judge of the puzzles.

Times are of launches on one core, with the checks that are always on.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

from .report import KERNELS, ROOT, Row, best_seconds, child

_RUN = "from benchmarks import python_kernels as p; print(p.measure())"
_REPEATS = 15

# Sizes for which a launch of each puzzle takes milliseconds. Where a puzzle has one
# block, many blocks do the same work.
_SIZES = {
    1: (256,), 2: (256,), 3: (7,), 4: (2,), 5: (2,), 6: (65535,), 7: (300,),
    8: (65535,), 9: (8,), 10: (8,), 11: (65535, 4), 12: (65535,), 13: (8192, 8),
    14: (90,),
}  # fmt: skip
_ONE_BLOCK = {1: 2048, 2: 2048, 3: 16384, 4: 16384, 5: 16384, 9: 8192, 10: 8192}

Launch = Callable[[], None]


def _seconds(launch: Launch) -> float:
    """Processor time of a launch: other work on the machine does not count."""
    from minitorch import cuda

    start = time.process_time()
    launch()
    cuda.synchronize()
    return time.process_time() - start


def _ratio(python: Launch, cpp: Launch) -> float:
    """Seconds of the one kernel by those of the other, in turns."""
    from minitorch import cuda

    times: dict[Launch, list[float]] = {python: [], cpp: []}
    with cuda.checks("memory"):
        for _ in range(_REPEATS):
            for launch, seconds in times.items():
                seconds.append(_seconds(launch))
    return min(times[python]) / min(times[cpp])


def _struct(array: Any) -> Any:
    """A device array as `Array<T, N>` of kernels/arrays.cu by value."""
    import numpy as np

    steps = [step // 8 for step in np.empty(array.shape, np.float64).strides]
    ndim = (array.ndim,)
    fields = [("data", "u8"), ("shape", "i8", ndim), ("strides", "i8", ndim)]
    return np.array((array.pointer, array.shape, steps), fields)[()]


def _course_ratios() -> dict[str, float]:
    import numpy as np

    from minitorch import cuda

    from . import course_kernels

    cells, n = 2_000_000, 256
    row = cuda.to_device(np.arange(cells, dtype=np.float32) % 9)
    out = cuda.device_array(cells, np.float32)
    a = cuda.to_device(np.arange(n * n, dtype=np.float32).reshape(n, n) % 7)
    c = cuda.device_array((n, n), np.float32)
    plain = cuda.RawModule(
        code=(ROOT / "benchmarks" / "emulator" / "kernels.cu").read_text()
    )
    same = cuda.RawModule(code=(KERNELS / "arrays.cu").read_text())
    blocks = -(-cells // 256)
    found = {}
    for name, kernel, grid, block, arrays, size in [
        ("map", course_kernels.twice_plus_one, blocks, 256, (out, row), cells),
        ("reduce", course_kernels.reduce, blocks, 256, (out, row), cells),
        ("tiled16", course_kernels.tiled16, (n // 16,) * 2, (16, 16), (c, a, a), n),
    ]:
        dispatcher = cuda.jit(kernel)
        configured = dispatcher[grid, block]
        python = partial(configured, *arrays, size)
        pointers = partial(plain.get_function(name)[grid, block], *arrays, size)
        structs = partial(
            same.get_function(name)[grid, block], *map(_struct, arrays), size
        )
        found[name] = _ratio(python, pointers)
        chosen = dispatcher.chosen_for([*arrays, size])
        packed = chosen.layout.pack([*arrays, size])
        unchecked = partial(configured.start, chosen.plain, packed)
        # Neither looks at its indices.
        found[f"{name}, same types"] = _ratio(unchecked, structs)
        found[f"{name}, indices"] = _ratio(python, unchecked)
    return found


def _puzzle_ratios() -> list[float]:
    import numpy as np

    from minitorch import cuda
    from minitorch.learn import puzzles
    from tests.python.puzzle_solutions import SOLUTIONS

    source = (KERNELS / "puzzles.cu").read_text()
    names = re.findall(r"void (\w+)\(", source)
    module = cuda.RawModule(code=source)
    found = []
    for number, sizes in _SIZES.items():
        case = puzzles.puzzle(number).case(*sizes)
        grid = (_ONE_BLOCK.get(number, case.setup.grid[0]), case.setup.grid[1])
        out = cuda.to_device(np.zeros_like(case.expected))
        arguments = [out, *map(cuda.to_device, case.inputs), *case.setup.scalars]
        kernels = (
            cuda.jit(SOLUTIONS[number - 1]),
            module.get_function(names[number - 1]),
        )
        launches = [partial(k[grid, case.setup.block], *arguments) for k in kernels]
        found.append(_ratio(*launches))
    return found


def _check_all() -> float:
    """Seconds for checking all puzzles once more."""
    from minitorch import cuda
    from minitorch.learn import puzzles
    from tests.python.puzzle_solutions import SOLUTIONS

    kernels = [cuda.jit(solution) for solution in SOLUTIONS]

    def run() -> None:
        for number, kernel in enumerate(kernels, 1):
            result = puzzles.check(number, kernel)
            assert result.reaches_aim, result

    run()
    return best_seconds(run, 3)


def measure() -> str:
    """Everything, in the child, as one line."""
    return json.dumps(
        {
            "course": _course_ratios(),
            "puzzles": _puzzle_ratios(),
            "check": _check_all(),
        }
    )


def _index_rows(ratios: dict[str, float]) -> list[Row]:
    """What the checks of indices cost."""
    found = []
    for name, bar in (("map", 1.25), ("reduce", 1.25), ("tiled16", 1.1)):
        ratio = ratios[f"{name}, indices"]
        words = f"{name} in Python: indices checked / not"
        found.append(Row(words, f"{ratio:.2f} x", f"<= {bar} x", ratio <= bar))
    return found


def rows() -> list[Row]:
    found = json.loads(
        child(
            _RUN,
            MINITORCH_CUDA="emulator",
            MINITORCH_EMULATOR_THREADS="1",
            OPENBLAS_NUM_THREADS="1",  # whose idle threads would count
            PYTHONPATH=str(ROOT),
        )
    )
    bars = {"tiled16": 1.1, "reduce": 1.3, "map": 1.8}
    result = []
    for name, ratio in found["course"].items():
        if name.endswith("indices"):
            continue
        bar = bars.get(name, 1.05)
        what = f"{name}: kernel in Python / in CUDA C++"
        result.append(Row(what, f"{ratio:.2f} x", f"<= {bar} x", ratio <= bar))
    result += _index_rows(found["course"])
    middle, worst = median(found["puzzles"]), max(found["puzzles"])
    result.append(
        Row(
            "14 puzzles: kernel in Python / in CUDA C++",
            f"median {middle:.2f} x, worst {worst:.2f} x",
            "median <= 1.6 x",
            middle <= 1.6,
        )
    )
    seconds = found["check"]
    result.append(
        Row("14 puzzles checked", f"{seconds:.3f} s", "<= 0.5 s", seconds <= 0.5)
    )
    return result
