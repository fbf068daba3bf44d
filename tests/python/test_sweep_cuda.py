"""The sweep of the host side of `minitorch.cuda` with arguments of wrong kinds.

Each call works or raises an error of a kind that users expect, whose traceback shows
the caller's lines alone where it explains itself; and the device works on.
"""

from __future__ import annotations

import contextlib
import random
import re
import traceback

import numpy as np
import pytest

import minitorch
from minitorch import cuda

pytestmark = pytest.mark.cuda

EXPECTED = (
    ValueError,
    TypeError,
    IndexError,
    RuntimeError,
    MemoryError,
    BufferError,
    cuda.CudaError,
)
FUNCTIONS = [
    "to_device",
    "device_array",
    "device_array_like",
    "pinned_array",
    "mapped_array",
    "is_cuda_array",
    "as_cuda_array",
    "event",
    "select_device",
    "current_context",
    "reduce",
]
METHODS = [
    "copy_to_host",
    "copy_to_device",
    "reshape",
    "transpose",
    "item",
    "__getitem__",
    "__setitem__",
    "__array__",
    "__len__",
    "__iter__",
]
RANDOM = ["create_xoroshiro128p_states", "init_xoroshiro128p_states"]
STREAMS = ["add_callback", "synchronize"]
EVENTS = ["record", "wait", "elapsed_time", "query", "synchronize"]


def odd_values():
    return [
        None, "a", "", 3, -5, 0, 2**70, 1.5, float("nan"), True, [], [1, 2], (0,),
        (1, -1), {}, object(), slice(None), ..., b"x", np.ones((2, 3)), np.zeros(0),
        np.array("text"), np.array([None]), np.int8(2), lambda *values: None, "float32",
        np.float32, object, minitorch.zeros(2), minitorch.ones(2, 3).cuda(),
        cuda.to_device(np.ones((2, 3))), cuda.device_array(0), cuda.stream(),
        cuda.event(), [("x", "f4")], 1j,
    ]  # fmt: skip


def targets():
    found = {name: getattr(cuda, name) for name in FUNCTIONS}
    found |= {f"random.{name}": getattr(cuda.random, name) for name in RANDOM}
    array = cuda.to_device(np.arange(6.0).reshape(2, 3))
    for kind, made, names in (
        ("array", array, METHODS),
        ("stream", cuda.stream(), STREAMS),
        ("event", cuda.event(), EVENTS),
        ("reduce", cuda.reduce(lambda a, b: a + b), ["__call__"]),
        ("gpus", cuda.gpus, ["__getitem__"]),
    ):
        found |= {f"{kind}.{name}": getattr(made, name) for name in names}
    return found


NAMES = sorted(
    FUNCTIONS
    + [f"random.{name}" for name in RANDOM]
    + [f"array.{name}" for name in METHODS]
    + [f"stream.{name}" for name in STREAMS]
    + [f"event.{name}" for name in EVENTS]
    + ["reduce.__call__", "gpus.__getitem__"]
)


def calls(name):
    values, draw = odd_values(), random.Random(name)
    made = [(), *((value,) for value in values)]
    for length in (2, 3, 4):
        made += [tuple(draw.choices(values, k=length)) for _ in range(40)]
    return made


def use(result):
    """Enter blocks, run generators, and look at arrays."""
    if isinstance(result, contextlib.AbstractContextManager):
        with result:
            pass
    elif hasattr(result, "__next__"):
        list(result)
    elif isinstance(result, cuda.DeviceArray):
        repr(result)
        if result.nbytes < 1 << 20:
            result.copy_to_host()


@pytest.mark.filterwarnings("ignore")  # of NumPy and callbacks, about the odd values
@pytest.mark.parametrize("name", NAMES)
def test_odd_arguments_give_a_result_or_an_expected_error(name):
    target, wrong = targets()[name], []
    for call in calls(name):
        try:
            use(target(*call))
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            files = {each.filename for each in frames} - {__file__, contextlib.__file__}
            explained = re.match(r"\W?\[\w+\] ", str(error))
            if not isinstance(error, EXPECTED) or (explained and files):
                shown = ", ".join(repr(value)[:40] for value in call)
                wrong.append(f"({shown}): {type(error).__name__}: {error} {files}")
    assert not wrong, "\n".join(wrong[:5])
    cuda.synchronize()
    assert cuda.to_device([1.0, 2.0])[::-1].copy_to_host().tolist() == [2, 1]
