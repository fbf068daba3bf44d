"""The tests of what a launch says of calls that are written wrongly."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch import cuda

from .kernels import SCALE

pytestmark = pytest.mark.cuda


@pytest.fixture(scope="module")
def scale() -> cuda.RawKernel:
    return cuda.RawKernel(SCALE, "scale")


@pytest.fixture
def x() -> cuda.DeviceArray:
    return cuda.to_device(np.arange(100, dtype=np.float32))


@pytest.fixture
def out() -> cuda.DeviceArray:
    return cuda.device_array(100, np.float32)


def test_arguments_that_are_no_tuple(scale, x):
    with pytest.raises(TypeError, match=r"args of type DeviceArray.*a tuple.*\(y,\)"):
        scale(1, 1, x)


@pytest.mark.parametrize("stream", [5, 0, "s"])
def test_a_stream_that_is_none(scale, x, out, stream):
    with pytest.raises(
        TypeError, match=r"^\[launch\] got stream .*need a cuda\.Stream"
    ):
        scale(1, 1, (x, out, 1.0, 1), stream=stream)


def test_a_grid_beyond_any_card(scale, x, out):
    with pytest.raises(
        cuda.LaunchError, match="1099511627776; need at most 2147483647"
    ):
        scale(2**40, 1, (x, out, 1.0, 1))


def test_wrong_arguments_are_counted_from_1_and_named(scale, x, out):
    with pytest.raises(
        TypeError, match=r"host array \(ndarray\) for argument 2 'out';"
    ):
        scale(1, 1, (x, np.zeros(3), 1.0, 1))
    with pytest.raises(TypeError, match="got str for argument 4 'n';"):
        scale(1, 1, (x, out, 1.0, "1"))
    with pytest.raises(ValueError, match="for argument 4 'n'; need an integer of 64"):
        scale(1, 1, (x, out, 1.0, 2**64))


def test_an_option_that_the_compiler_does_not_know():
    with pytest.raises(
        cuda.CompileError, match=r"an option that NVRTC.*-bogus"
    ) as error:
        cuda.RawKernel("__global__ void f() {}", "f", options=("-bogus",))
    assert "-bogus" in error.value.log


@pytest.mark.parametrize("size", ["x", 1.5, None])
def test_shared_memory_that_is_no_integer(scale, x, out, size):
    with pytest.raises(
        TypeError, match=r"^\[launch\] got shared_mem .*; need an int\.$"
    ):
        scale(1, 1, (x, out, 1.0, 1), shared_mem=size)
