"""The sweep of the views: odd launches and arguments of wrong kinds.

Each call gives a sound picture, or an error of a kind that users expect.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import minitorch
from minitorch import cuda, viz

from .picture import check

pytestmark = [
    pytest.mark.cuda,
    pytest.mark.filterwarnings("ignore:.*leaves most of a GPU idle"),
]

EXPECTED = (ValueError, TypeError, IndexError, cuda.CudaError)
LONG = "k" + "_very" * 60
PLAIN = "__global__ void {}(float* x) {{ x[threadIdx.x] = 2 * x[threadIdx.x]; }}"
FAULT = "__global__ void k(float* x) { x[64 * threadIdx.x] = 1; }"
TRAP = """__global__ void k(float* x) {
  x[threadIdx.x] = 1;
  if (threadIdx.x == 3) asm("trap;");
}"""
RACE = """__global__ void k(float* x) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = s[63 - threadIdx.x];
}"""
STUCK = """__global__ void k(float* x) {
  if (threadIdx.x < 16) __syncthreads();
  x[threadIdx.x] = 1;
}"""
TEMPLATE = """template <typename T> __global__ void scale(T* x) {
  x[threadIdx.x] *= 2; // <b>&amp; "quoted" </script> ]]>
}"""
NOTHING = "__global__ void k(float* x) { if (!x) x[0] = 1; }"


def ran(kernel: Any, grid: Any = 1, block: Any = 64, fill: float = 1, **options: Any
        ) -> cuda.Launch:  # fmt: skip
    x = cuda.to_device(np.full(64, fill, np.float32))
    with cuda.inspect(**{"trace": True, **options}) as run:
        kernel[grid, block](x)
    return run.launches[0]


def raw(code: str, name: str = "k") -> cuda.RawKernel:
    return cuda.RawKernel(code, name)


def template() -> Any:
    module = cuda.RawModule(code=TEMPLATE, name_expressions=["scale<float>"])
    return module.get_function("scale<float>")


@cuda.jit
def python_kernel(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


LAUNCHES: dict[str, Callable[[], cuda.Launch]] = {
    "untraced": lambda: ran(raw(PLAIN.format("k")), trace=False),
    "uncounted": lambda: ran(raw(PLAIN.format("k")), counters=False),
    "neither": lambda: ran(raw(PLAIN.format("k")), trace=False, counters=False),
    "no room": lambda: ran(raw(PLAIN.format("k")), trace_bytes=0),
    "cut": lambda: ran(raw(RACE), grid=50, trace_bytes=20_000),
    "out of bounds": lambda: ran(raw(FAULT)),
    "trap": lambda: ran(raw(TRAP)),
    "race": lambda: ran(raw(RACE)),
    "divergent barrier": lambda: ran(raw(STUCK), block=32),
    "long name": lambda: ran(raw(PLAIN.format(LONG), LONG)),
    "template": lambda: ran(template()),
    "nan": lambda: ran(raw(PLAIN.format("k")), fill=float("nan")),
    "inf": lambda: ran(raw(RACE), fill=float("-inf")),
    "no access": lambda: ran(raw(NOTHING)),
    "one thread": lambda: ran(raw(PLAIN.format("k")), block=1),
    "three dimensions": lambda: ran(raw(PLAIN.format("k")), (2, 3, 2), (4, 2, 2)),
    "python": lambda: ran(python_kernel),
    "debug": lambda: ran(raw(RACE), debug=True),
}
OF_LAUNCHES: dict[str, Callable[[cuda.Launch], Any]] = {
    "grid": viz.grid,
    "memory": viz.memory,
    "race": viz.race,
    "reduction": viz.reduction,
    "step": viz.step,
    "divergence": viz.divergence,
    "tiles": viz.tiles,
    "warps": viz.warps,
    "sms": lambda launch: viz.sms(launch, raw(PLAIN.format("k")), "t4"),
    "compare": lambda launch: viz.compare(launch, launch),
}
# What views refuse.
NEED_TRACE = {"grid", "memory", "race", "reduction", "step", "divergence", "tiles",
              "warps"}  # fmt: skip
NEED_COUNTS = {"compare"}
MAY_REFUSE = {"race", "memory", "reduction", "tiles"}
WITHOUT = {"untraced": NEED_TRACE, "uncounted": NEED_COUNTS,
           "neither": NEED_TRACE | NEED_COUNTS, "no room": NEED_TRACE}  # fmt: skip


@cache
def launch_of(kind: str) -> cuda.Launch:
    return LAUNCHES[kind]()


@pytest.mark.parametrize("view", OF_LAUNCHES)
@pytest.mark.parametrize("kind", LAUNCHES)
def test_odd_launches_have_a_picture_or_an_error_that_says_what_is_needed(kind, view):
    launch, without = launch_of(kind), WITHOUT.get(kind, set())
    if view in without or (view in MAY_REFUSE and not has_any(launch, view)):
        with pytest.raises(ValueError, match=rf"\[viz.{view}\] .*\.$"):
            OF_LAUNCHES[view](launch)
        return
    figure = OF_LAUNCHES[view](launch)
    check(figure)
    assert len(figure.question) < 200 > len(figure.answer)
    assert len(figure.scene.packed()) <= 1 << 20


def has_any(launch: cuda.Launch, view: str) -> bool:
    """Is there what the view is about: a race, an access, a load, a reduction?"""
    if view == "reduction":
        return False  # none of these launches has one
    if view == "race":
        return any(each.kind.startswith("race") for each in launch.findings)
    columns = launch.trace.columns
    if view == "tiles":  # a load from global memory
        return bool(
            ((columns["access_space"] == 1) & (columns["access_kind"] == 1)).any()
        )
    return len(columns["access_step"]) > 0


def odd_values() -> list[Any]:
    return [
        None, "a", "", 3, -5, 0, 2**70, 1.5, float("nan"), True, [], [1, 2], (0,),
        (1, -1), (0, 0, 0, 0), {}, {"a": 1}, object(), slice(None), b"x",
        np.ones((2, 3)), np.zeros(0), np.array([None]), np.int8(2), np.float32(np.nan),
        minitorch.ones(2), minitorch.Scalar(2.0), cuda.device_array(0), cuda,
        raw(NOTHING), launch_of("race"), launch_of("untraced"), "bytes", "t4",
        [launch_of("race")], float("inf"), [float("nan"), 1.0], lambda *any_: None,
    ]  # fmt: skip


NAMES = sorted(set(viz.__all__) - {"Figure"})


@pytest.mark.filterwarnings("ignore")  # of NumPy, about the odd values
@pytest.mark.parametrize("name", NAMES)
def test_odd_arguments_give_a_picture_or_an_expected_error(name):
    values, draw, wrong = odd_values(), random.Random(name), []
    calls: list[tuple[Any, ...]] = [(), *((value,) for value in values)]
    calls += [(launch_of("race"), value) for value in values]
    calls += [tuple(draw.choices(values, k=length)) for length in (2, 3) * 20]
    for call in calls:
        try:
            made = getattr(viz, name)(*call)
            if isinstance(made, viz.Figure):
                check(made)
        except EXPECTED:
            pass
        except Exception as error:
            shown = ", ".join(repr(value)[:40] for value in call)
            wrong.append(f"({shown}): {type(error).__name__}: {error}")
    assert not wrong, "\n".join(wrong[:8])
