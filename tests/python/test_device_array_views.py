"""The tests of views of device arrays: NumPy's own views are what is expected."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from minitorch import cuda

pytestmark = pytest.mark.cuda

FEW = settings(deadline=None, max_examples=60)
SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=6)
DTYPES = st.sampled_from(
    [np.bool_, np.int8, np.float16, np.int32, np.float64, np.complex128]
)


def numbered(shape, dtype=np.int64):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def same(array, host):
    """The same elements, layout and flags; strides where NumPy's have a meaning."""
    assert (array.shape, array.dtype) == (host.shape, host.dtype)
    assert array.flags["C_CONTIGUOUS"] == host.flags.c_contiguous
    assert array.flags["F_CONTIGUOUS"] == host.flags.f_contiguous
    if host.size and 1 not in host.shape:
        assert array.strides == host.strides
    np.testing.assert_array_equal(array.copy_to_host(), host)


@given(st.data(), SHAPES, DTYPES)
@FEW
def test_indexing_gives_numpys_views(data, shape, dtype):
    host = numbered(shape, dtype)
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True))
    expected, found = host[key], cuda.to_device(host)[key]
    if isinstance(expected, np.ndarray):
        same(found, expected)
    else:
        assert type(found) is type(expected)
        assert found == expected


@given(st.data(), SHAPES, DTYPES)
@FEW
def test_assignment_writes_what_numpy_writes_and_nothing_else(data, shape, dtype):
    host = numbered(shape, dtype)
    array = cuda.to_device(host)
    key = data.draw(hnp.basic_indices(shape))
    part = host[key]
    shape = tuple(
        1 if data.draw(st.booleans()) else size
        for size in np.shape(part)[data.draw(st.integers(0, np.ndim(part))) :]
    )
    value = numbered(shape, dtype)
    given_value = cuda.to_device(value) if data.draw(st.booleans()) else value
    array[key] = given_value
    host[key] = value
    np.testing.assert_array_equal(array.copy_to_host(), host)


@given(st.data(), SHAPES)
@FEW
def test_reshape_counts_as_numpy_does(data, shape):
    host = numbered(shape)
    array = cuda.to_device(host)
    key = data.draw(hnp.basic_indices(shape))
    host, array = host[key], array[key]
    if not isinstance(host, np.ndarray):
        return
    if data.draw(st.booleans()):
        host, array = host.T, array.T
    factors = [n for n in range(1, host.size + 1) if host.size % n == 0] or [1]
    new = (data.draw(st.sampled_from(factors)), -1) if host.size else host.shape[::-1]
    np.testing.assert_array_equal(array.reshape(new).copy_to_host(), host.reshape(new))


def test_reshape_of_what_has_no_gaps_is_a_view():
    array = cuda.to_device(numbered((4, 6)))
    array.reshape(2, 12)[1, 0] = -5
    array.reshape((24,))[1] = -6
    host = array.copy_to_host()
    assert (host[2, 0], host[0, 1]) == (-5, -6)


def test_transposes():
    host = numbered((2, 3, 4))
    array = cuda.to_device(host)
    same(array.T, host.T)
    same(array.transpose((1, 2, 0)), host.transpose(1, 2, 0))
    same(array.transpose([-1, 0, 1]), host.transpose(-1, 0, 1))


def test_a_copy_onto_itself_reads_first():
    host = np.arange(100_000, dtype=np.int32)
    array = cuda.to_device(host)
    array[1:] = array[:-1]
    host[1:] = host[:-1].copy()
    np.testing.assert_array_equal(array.copy_to_host(), host)
    array[...] = array[::-1]
    np.testing.assert_array_equal(array.copy_to_host(), host[::-1])


def test_assignment_converts():
    array = cuda.device_array(3, np.int32)
    array[:] = 2.9
    array[1] = True
    array[2:] = cuda.to_device([7.5])
    assert array.copy_to_host().tolist() == [2, 1, 7]
    assert isinstance(array[0], np.int32)


def test_rows_are_iterated():
    array = cuda.to_device(numbered((2, 3)))
    assert [row.copy_to_host().tolist() for row in array] == [[0, 1, 2], [3, 4, 5]]
    assert list(array[1]) == [3, 4, 5]
    assert list(cuda.device_array(0)) == []


def test_views_keep_the_memory_and_free_takes_it_from_all():
    row = cuda.to_device([[1.0, 2.0], [3.0, 4.0]])[1]
    assert row.copy_to_host().tolist() == [3, 4]
    whole = cuda.to_device([1.0, 2.0])
    part = whole[1:]
    whole.free()
    with pytest.raises(cuda.CudaError, match=r"\[getitem\] the array was freed"):
        part[0]
    with pytest.raises(cuda.CudaError, match=r"\[setitem\] the array was freed"):
        part[0] = 1


@pytest.mark.parametrize(
    ("key", "error"),
    [
        (3, IndexError),
        (-4, IndexError),
        ((0, 0, 0), IndexError),
        ((..., ...), IndexError),
        (1.0, TypeError),
        ("x", TypeError),
        ([0, 1], TypeError),
        (np.array([0, 1]), TypeError),
        (True, TypeError),
        (slice(0, 2, 0), ValueError),
        (slice("a"), TypeError),
    ],
)
def test_bad_indices(key, error):
    array = cuda.to_device(numbered((3, 4)))
    with pytest.raises(error):
        array[key]
    with pytest.raises(error):
        array[key] = 0


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda a: a.reshape(5, -1), ValueError, "12 elements"),
        (lambda a: a.reshape(-1, -1), ValueError, "12 elements"),
        (lambda a: a.reshape(-2, 6), ValueError, "-2"),
        (lambda a: a.reshape("x"), TypeError, "'x'"),
        (lambda a: a.transpose((0, 0)), ValueError, "repeated axis"),
        (lambda a: a.transpose((0,)), ValueError, "axes don't match"),
        (lambda a: a.transpose((0, 2)), ValueError, "axis 2 is out of bounds"),
        (lambda a: a.__setitem__(0, [1, 2]), ValueError, r"\(2,\)"),
        (lambda a: a.__setitem__(0, [[[1]] * 2]), ValueError, "could not broadcast"),
        (lambda a: a.__setitem__(0, "text"), ValueError, "'text'"),
        (lambda a: a.__setitem__(0, None), TypeError, "NoneType"),
    ],
)
def test_bad_input(make, error, words):
    array = cuda.to_device(numbered((3, 4)))
    with pytest.raises(error, match=words):
        make(array)


@pytest.mark.parametrize(
    ("make", "text", "fields"),
    [
        (lambda a: a, "array(float32, 2d, C)", (3, 4, 4, 1)),
        (lambda a: a.T, "array(float32, 2d, F)", (4, 3, 1, 4)),
        (lambda a: a[::2, ::-1], "array(float32, 2d, A)", (2, 4, 8, -1)),
        (lambda a: a[:, 1], "array(float32, 1d, A)", (3, 4)),
        (lambda a: a[1], "array(float32, 1d, C)", (4, 1)),
        (lambda a: a[1, 1, ...], "array(float32, 0d, C)", ()),
    ],
)
def test_kernels_get_address_sizes_and_strides_in_elements(make, text, fields):
    array = make(cuda.to_device(np.zeros((3, 4), np.float32)))
    found = np.frombuffer(array.kernel_bytes, np.int64)
    assert found.tolist() == [array.pointer, *fields]
    assert str(array.kernel_type) == text
    assert array.kernel_type is array.kernel_type


def test_fields_of_one_type_are_a_dimension_of_kernels():
    pairs = cuda.device_array((3, 2), [("x", "f4"), ("y", "f4")])
    assert str(pairs.kernel_type) == "array(float32, 3d, C)"
    fields = np.frombuffer(pairs.kernel_bytes, np.int64).tolist()
    assert fields == [pairs.pointer, 3, 2, 2, 4, 2, 1]


def test_what_kernels_have_no_type_for():
    mixed = cuda.device_array(2, [("x", "f4"), ("y", "i4")])
    with pytest.raises(TypeError, match="need bool, int8"):
        _ = mixed.kernel_type


def test_kernels_in_cuda_refuse_gaps():
    kernel = cuda.RawKernel("__global__ void k(float* x) {}", "k")
    array = cuda.to_device(np.zeros((3, 4), np.float32))
    kernel[1, 1](array[1])
    for view in (array.T, array[:, 1]):
        with pytest.raises(ValueError, match="needs a C-contiguous array"):
            kernel[1, 1](view)
