"""The tests of device arrays: copies both ways, dtypes, lifetime, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import minitorch
from minitorch import cuda

pytestmark = pytest.mark.cuda

DTYPES = [
    np.float16,
    np.float32,
    np.float64,
    np.int8,
    np.uint8,
    np.int32,
    np.int64,
    np.bool_,
    np.complex64,
]


@given(
    hnp.arrays(
        st.sampled_from(DTYPES), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0)
    )
)
@settings(deadline=None, max_examples=50)
def test_round_trip_keeps_every_bit(host):
    array = cuda.to_device(host)
    assert (array.shape, array.dtype) == (host.shape, host.dtype)
    assert (array.size, array.nbytes, array.ndim) == (host.size, host.nbytes, host.ndim)
    back = array.copy_to_host()
    assert back.shape == host.shape
    assert back.tobytes() == host.tobytes()


def test_order_is_kept_where_there_are_no_gaps():
    host = np.arange(24, dtype=np.int32).reshape(4, 6)
    for view in (host.T, host[::2, ::-1], host[1]):
        np.testing.assert_array_equal(cuda.to_device(view).copy_to_host(), view)
    turned = cuda.to_device(host.T)
    assert turned.strides == host.T.strides == turned.copy_to_host().strides
    assert turned.flags == {"C_CONTIGUOUS": False, "F_CONTIGUOUS": True}
    assert cuda.to_device(host[::2, ::-1]).flags["C_CONTIGUOUS"]


def test_copy_is_taken_at_the_call():
    host = np.ones(1000, np.float32)
    array = cuda.to_device(host)
    host[:] = 0
    assert (array.copy_to_host() == 1).all()


def test_copy_to_host_writes_the_array_that_it_is_given():
    host = np.arange(6, dtype=np.int16).reshape(2, 3)
    array = cuda.to_device(host)
    for into in (
        np.zeros((2, 3), np.int16),
        np.zeros((3, 2), np.int16).T,
        np.zeros((4, 9), np.int16)[::2, ::3],
        np.zeros((2, 1, 3), np.int16),
    ):
        assert array.copy_to_host(into) is into
        np.testing.assert_array_equal(into.reshape(2, 3), host)


def test_like_takes_shape_dtype_and_order():
    host = np.zeros((2, 3, 4), np.float32)
    for model in (host, host.T, host.transpose(1, 0, 2), host[:, ::2, ::-1]):
        made = cuda.device_array_like(model)
        expected = np.empty_like(model)
        assert (made.shape, made.dtype) == (model.shape, model.dtype)
        assert made.strides == tuple(map(abs, expected.strides))
        assert cuda.device_array_like(made).strides == made.strides


def test_copy_to_device_checks_shape_and_dtype():
    array = cuda.device_array(3, np.float32)
    with pytest.raises(ValueError, match=r"has \(3,\), the other \(4,\)"):
        array.copy_to_device(np.zeros(4, np.float32))
    with pytest.raises(TypeError, match="has float32, the other float64"):
        array.copy_to_device(np.zeros(3))


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: cuda.to_device(np.array(["a", None], dtype=object)), TypeError),
        (lambda: cuda.to_device(np.zeros(3, ">f4")), TypeError),
        (lambda: np.asarray(cuda.to_device([1.0]), copy=False), ValueError),
        (lambda: cuda.device_array(3).copy_to_host(np.zeros(4)), ValueError),
        (lambda: cuda.device_array(3).copy_to_host(np.zeros(3, "f4")), TypeError),
        (
            lambda: cuda.device_array(1).copy_to_host(np.broadcast_to(1.0, 1)),
            ValueError,
        ),
    ],
)
def test_bad_input(make, error):
    with pytest.raises(error):
        make()


def test_use_on_the_host_after_free():
    array = cuda.to_device([1.0])
    array.free()
    array.free()  # a second call does nothing
    text = "DeviceArray(shape=(1,), dtype=float64, device=cuda, freed)"
    assert repr(array) == text
    with pytest.raises(cuda.CudaError, match="freed"):
        array.copy_to_host()
    with pytest.raises(cuda.CudaError, match="freed"):
        array.copy_to_device([2.0])


def test_out_of_memory_is_an_error_and_the_next_call_works():
    with pytest.raises(cuda.OutOfMemoryError) as caught:
        cuda.device_array(2**60, np.uint8)
    assert isinstance(caught.value, MemoryError)
    assert str(2**60) in str(caught.value)
    assert cuda.to_device([1, 2]).copy_to_host().tolist() == [1, 2]


def test_memory_goes_back():
    from minitorch import _core

    before = _core.memory_statistics()["allocated"]
    arrays = [cuda.device_array(1000, np.uint8) for _ in range(10)]
    assert _core.memory_statistics()["allocated"] >= before + 10_000
    del arrays
    assert _core.memory_statistics()["allocated"] == before


@pytest.mark.parametrize("shape", [(2**30, 2**31), 2**62, 2**70, 2**45])
def test_more_memory_than_there_is(shape):
    size = 8 * int(np.prod(np.array(shape, dtype=object)))
    with pytest.raises(cuda.OutOfMemoryError, match=f"{size} bytes"):
        cuda.device_array(shape)


@pytest.mark.parametrize(
    "host",
    [
        np.arange(12).reshape(3, 4),
        np.array(3.5),
        np.arange(3000)[::-1],
        np.linspace(0, 1, 2400).reshape(8, 300),
        np.arange(20000, dtype=np.float32).reshape(20, 10, 100),
    ],
    ids=lambda host: str(host.shape),
)
def test_it_prints_as_numpy_does(host):
    text = np.array2string(host, separator=", ", prefix="DeviceArray(")
    facts = f"shape={host.shape}, dtype={host.dtype}, device=cuda"
    assert str(cuda.to_device(host)) == f"DeviceArray({text}, {facts})"


@pytest.mark.parametrize(
    ("compute", "error", "told"),
    [
        (
            lambda d: d + 1,
            TypeError,
            r"support \+\. Try array.copy_to_host\(\) \+ \.\.\.",
        ),
        (lambda d: 2.0 / d, TypeError, r"not support /\..* minitorch.from_dlpack"),
        (lambda d: d == 0, TypeError, "does not support =="),
        (lambda d: d != d, TypeError, "does not support !="),
        (lambda d: d > 0, TypeError, "does not support >"),
        (lambda d: -d, TypeError, r"support -\. Try array.copy_to_host\(\), or"),
        (lambda d: d.sum(), AttributeError, r"support sum\. .*copy_to_host\(\)\.sum"),
    ],
)
def test_arithmetic_is_refused_with_what_to_do(compute, error, told):
    array = cuda.to_device(np.ones(3))
    with pytest.raises(error, match=told):
        compute(array)
    assert minitorch.from_dlpack(array).sum().item() == 3.0


def test_comparing_with_what_is_no_number():
    array = cuda.to_device(np.ones(3))
    assert array != "text"
    assert array != None  # noqa: E711
    assert array in {array: 1}
    assert not hasattr(array, "mean")
    with pytest.raises(AttributeError, match="no attribute 'mum'"):
        array.mum  # noqa: B018
