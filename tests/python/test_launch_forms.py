"""The tests of `kernel[grid, block, stream, shared_mem]` of Python kernels."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import minitorch
from minitorch import cuda

pytestmark = pytest.mark.cuda


@cuda.jit
def shape_of_the_launch(out):
    if cuda.grid(3) == (0, 0, 0):
        out[0] = cuda.gridDim.x
        out[1] = cuda.gridDim.y
        out[2] = cuda.gridDim.z
        out[3] = cuda.blockDim.x
        out[4] = cuda.blockDim.y
        out[5] = cuda.blockDim.z


@pytest.mark.parametrize(
    ("grid", "block", "expected"),
    [
        (2, 3, (2, 1, 1, 3, 1, 1)),
        ((2,), (3,), (2, 1, 1, 3, 1, 1)),
        ((2, 3), (4, 5), (2, 3, 1, 4, 5, 1)),
        ((2, 3, 4), (5, 6, 2), (2, 3, 4, 5, 6, 2)),
        ([2, 3], [4, 5], (2, 3, 1, 4, 5, 1)),
        (np.int64(2), np.int32(3), (2, 1, 1, 3, 1, 1)),
        (np.array([2, 3]), (np.uint8(4), 1), (2, 3, 1, 4, 1, 1)),
        (True, 1, (1, 1, 1, 1, 1, 1)),
    ],
)
def test_grids_and_blocks(grid, block, expected):
    out = np.zeros(6, np.int64)
    shape_of_the_launch[grid, block](out)
    assert tuple(out) == expected
    configured = shape_of_the_launch[grid, block].configuration
    assert (*configured.grid, *configured.block) == expected


def test_a_float_is_refused_even_where_an_equal_int_was_taken():
    out = np.zeros(6, np.int64)
    shape_of_the_launch[2, 4](out)
    shape_of_the_launch[(2, 2), (4, 4)](out)
    for brackets in ((2.0, 4), (2, 4.0), ((2.0, 2), (4, 4)), (2, 4, 0, 0.0)):
        with pytest.raises((cuda.LaunchError, TypeError), match="need an int"):
            shape_of_the_launch[brackets]


@pytest.mark.parametrize(
    ("brackets", "told"),
    [
        (1, r"kernel\[1\]; need kernel\[grid, block\]"),
        ((1,), r"kernel\[1,\]"),
        ((1, 1, 0, 0, 0), r"kernel\[1, 1, 0, 0, 0\]"),
        ((2.5, 1), r"grid 2\.5; .*Divide with //"),
        ((1, 64 / 2), r"block 32\.0; .*int\(\)"),
        ((0, 1), "grid 0; every size must be at least 1"),
        ((1, (4, 0)), r"block \(4, 0\); every size must be at least 1"),
        ((-1, 1), "grid -1; every size must be at least 1"),
        (((1, 1, 1, 1), 1), "sizes; need 1 to 3"),
        (((), 1), "sizes; need 1 to 3"),
        (("2", 1), "grid '2'"),
        ((None, 1), "grid None"),
        ((2**31, 1), "every size must be at most 2147483647"),
        ((1, 1, 0, -1), "shared_mem -1; need 0 to"),
    ],
)
def test_brackets_that_no_launch_can_have(brackets, told):
    with pytest.raises(cuda.LaunchError, match=rf"^\[launch\] got .*{told}"):
        shape_of_the_launch[brackets]


@pytest.mark.parametrize(
    ("brackets", "told"),
    [
        ((1, 1025), "of 1025 threads; need at most 1024"),
        ((1, (32, 33)), "of 1056 threads; need at most 1024"),
        ((1, (1, 1, 65)), "block.z is 65, need at most 64"),
        (((1, 65536), 1), "grid.y is 65536, need at most 65535"),
        ((1, 1, 0, 200_000), "got 200000 bytes of shared memory a block"),
    ],
)
def test_launches_that_the_card_refuses(brackets, told):
    with pytest.raises(cuda.LaunchError) as error:
        shape_of_the_launch[brackets](np.zeros(6, np.int64))
    assert str(error.value).startswith("[shape_of_the_launch] ")
    assert told in str(error.value)


@pytest.mark.parametrize("stream", ["s", 5, 1.5, object()])
def test_streams_that_are_none(stream):
    with pytest.raises(
        TypeError, match=r"^\[launch\] got stream .*need a cuda\.Stream"
    ):
        shape_of_the_launch[1, 1, stream]


@pytest.mark.parametrize("default", [0, None])
def test_the_default_stream(default):
    out = np.zeros(6, np.int64)
    shape_of_the_launch[3, 1, default](out)
    assert out[0] == 3


def test_a_stream_is_used():
    stream = cuda.Stream()
    out = cuda.device_array(6, np.int64)
    with cuda.inspect() as run:
        shape_of_the_launch[3, 1](out)
        cuda.synchronize()
        shape_of_the_launch[3, 1, stream](out)
        with stream:
            shape_of_the_launch[3, 1](out)
            shape_of_the_launch[3, 1, 0](np.zeros(6, np.int64))
    first, *others = [launch.stream for launch in run.launches]
    assert first == 0
    assert len(set(others)) == 1
    assert others[0] != 0


def test_dynamic_shared_memory():
    @cuda.jit
    def reverse(x):
        tile = cuda.shared.array(0, cuda.float32)
        i = cuda.threadIdx.x
        tile[i] = x[i]
        cuda.syncthreads()
        x[i] = tile[x.size - 1 - i]

    x = cuda.to_device(np.arange(64, dtype=np.float32))
    reverse[1, 64, 0, 256](x)
    assert np.array_equal(x.copy_to_host(), np.arange(64)[::-1])


LARGE = 32768


def first(x):
    x[0] = 1


def nothing(x):
    """Take anything."""


def test_small_grids_are_said_once_for_each_line():
    kernel = cuda.jit(first)
    x = cuda.device_array(LARGE)
    small = cuda.device_array(LARGE - 1)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        for _ in range(3):
            kernel[2, 32](small)  # not this one
            kernel[2, 32](x)  # one
            kernel[2, 32](x)  # another
            kernel[128, 1](x)
    lines = Path(__file__).read_text().splitlines()
    said = [lines[each.lineno - 1].partition("# ")[2] for each in told]
    assert said == ["one", "another"]
    assert {each.filename for each in told} == {__file__}
    text = "[launch] got a grid of 2 blocks for at least 32,768 elements, which"
    assert all(str(each.message).startswith(text) for each in told)


@pytest.mark.parametrize(
    "make",
    [
        lambda: cuda.device_array((2, LARGE))[:, ::2],
        lambda: (cuda.device_array(LARGE), 1),
        lambda: minitorch.zeros(LARGE).to("cuda"),
        lambda: np.zeros(LARGE),
        lambda: cuda.mapped_array(LARGE),
    ],
)
@pytest.mark.filterwarnings("ignore:.*a host array")
def test_every_kind_of_large_array_counts(make):
    kernel = cuda.jit(nothing)
    large = make()
    for _ in range(2):  # the second launch knows the types
        with pytest.warns(cuda.NumbaPerformanceWarning, match="a grid of 1 block for"):
            kernel[1, 32](large)


def test_host_arrays_are_said():
    out = np.zeros(6, np.int64)
    with pytest.warns(cuda.NumbaPerformanceWarning, match="a host array") as told:
        cuda.jit(shape_of_the_launch)[2, 32](out)
    assert [each.filename for each in told] == [__file__]


@pytest.mark.filterwarnings("error")
def test_warnings_can_be_switched_off(monkeypatch):
    monkeypatch.setenv("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "0")
    monkeypatch.setenv("NUMBA_CUDA_WARN_ON_IMPLICIT_COPY", "0")
    cuda.jit(first)[1, 1](np.zeros(LARGE))


@pytest.mark.filterwarnings("error")
def test_what_costs_a_gpu_little_is_silent():
    x = cuda.device_array(LARGE)
    cuda.jit(first)[128, 1](x)
    cuda.jit(first)[1, 1](x[1:])
    cuda.jit(first).forall(1)(x)
    cuda.jit(shape_of_the_launch)[2, 32](cuda.device_array(6, np.int64))
