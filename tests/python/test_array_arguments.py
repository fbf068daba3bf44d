"""The tests of arrays as arguments of Python kernels: host, device, tensors."""

from __future__ import annotations

import numpy as np
import pytest

import minitorch
from minitorch import cuda

pytestmark = pytest.mark.cuda


@cuda.jit
def number_the_cells(x):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        x[i, j] = 10 * i + j


def numbered(rows, columns):
    return 10.0 * np.arange(rows)[:, None] + np.arange(columns)


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.zeros((3, 5)),
        lambda: np.zeros((3, 5), order="F"),
        lambda: np.zeros((5, 3)).T,
        lambda: np.zeros((6, 10))[::2, ::2],
        lambda: np.zeros((3, 5))[::-1, ::-1],
        lambda: np.zeros((3, 1, 5))[:, 0],
        lambda: np.zeros((3, 5), np.float32),
        lambda: np.zeros((0, 5)),
    ],
)
def test_host_arrays_are_copied_in_and_back(make):
    x = make()
    number_the_cells[(1, 1), (8, 8)](x)
    assert np.array_equal(x, numbered(*x.shape))


def test_a_host_array_keeps_what_the_kernel_leaves():
    @cuda.jit
    def second(x):
        x[1] = -1

    x = np.arange(3)
    second[1, 1](x)
    assert np.array_equal(x, [0, -1, 2])


def test_an_array_without_dimensions():
    @cuda.jit
    def store(x):
        x[()] = 5

    x = np.zeros(())
    store[1, 1](x)
    assert x == 5


def read_only(*shape):
    x = np.zeros(shape)
    x.flags.writeable = False
    return x


def test_a_read_only_array_that_the_kernel_writes_is_refused():
    with pytest.raises(
        ValueError,
        match=r"^\[launch\] the kernel writes argument 1 'x', but the array is "
        r"read-only\. Try array\.copy\(\), or cuda\.to_device",
    ):
        number_the_cells[1, (2, 2)](read_only(2, 2))
    with pytest.raises(
        ValueError, match="the array is read-only"
    ):  # a launch of known types
        number_the_cells[1, (2, 2)](np.broadcast_to(np.zeros(2), (2, 2)))


@cuda.jit(device=True)
def store_one(where, at):
    where[at] = 1


def by_view(x):
    row = x[1]
    row[0] = 1


def by_other_name(x):
    y = x
    z = y
    z[0, 0] = 1


def by_device_function(x):
    store_one(x[0], 1)


@cuda.jit(device=True)
def store_first(dtype, pair, number):
    pair[1][0, 0] = dtype(number)


def by_tuple_of_a_device_function(x):
    store_first(np.float64, (2, x), 1)


def by_later_name(x):
    y = cuda.local.array((2, 2), np.float64)
    y[0, 0] = x[0, 0]
    for k in range(2):
        row = x[k]
        row[k] = k


def by_atomic(x):
    cuda.atomic.add(x, (0, 0), 1)


def by_transposed(x):
    x.T[0, 1] = 1


def by_augmented(x):
    for k in range(2):
        if k:
            x[k, k] += 1


@pytest.mark.parametrize(
    "function",
    [
        by_view,
        by_other_name,
        by_device_function,
        by_tuple_of_a_device_function,
        by_later_name,
        by_atomic,
        by_transposed,
        by_augmented,
    ],
)
def test_every_way_to_write_is_known(function):
    kernel = cuda.jit(function)
    with pytest.raises(ValueError, match="the kernel writes argument 1 'x', but"):
        kernel[1, 1](read_only(2, 2))
    x = np.zeros((2, 2))
    kernel[1, 1](x)
    assert x.sum() == 1


def test_a_read_only_array_that_is_only_read_stays_an_argument():
    @cuda.jit
    def total(x, pair, out):
        row = x[0]
        out[0] = row[0] + x.T[0, 1] + pair[0][0, 0]
        pair[1][0] = out[0]

    x = np.ones((2, 2))
    x.flags.writeable = False
    out, other = np.zeros(1), np.zeros(1)
    total[1, 1](x, (x, other), out)
    assert out[0] == other[0] == 3
    with pytest.raises(ValueError, match=r"argument 2 'pair'\[1\]"):
        total[1, 1](x, (x, read_only(1)), out)


def test_the_same_array_twice_is_one_array():
    @cuda.jit
    def swap(a, b):
        a[0], b[1] = b[1], a[0]

    x = np.array([1.0, 2.0])
    swap[1, 1](x, x)
    assert np.array_equal(x, [2, 1])


def test_tensors_of_any_strides():
    x = minitorch.zeros(4, 3).to("cuda")
    number_the_cells[1, (3, 4)](x.permute(1, 0))
    assert np.array_equal(x.numpy(), numbered(3, 4).T)
    number_the_cells[1, (4, 3)](x)
    assert np.array_equal(x.numpy(), numbered(4, 3))
    layouts = {kinds[0].layout for kinds in number_the_cells.signatures}
    assert {"C", "F"} <= layouts


def test_a_bfloat16_tensor():
    @cuda.jit
    def halve(x):
        i = cuda.threadIdx.x
        x[i] = x[i] / 2

    x = minitorch.tensor([1.0, 3.0]).to("bfloat16").to("cuda")
    halve[1, 2](x)
    assert x.to("float32").numpy().tolist() == [0.5, 1.5]


@pytest.mark.parametrize("shape", [(7,), (2, 3), (2, 1, 3), (1, 1), (3, 1)])
def test_the_short_way_is_the_long_way(shape):
    @cuda.jit
    def add(out, a, k):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = a[i] + k

    a = cuda.to_device(np.arange(np.prod(shape)).astype(np.float64))
    out = cuda.device_array(a.shape)
    for k in (1, 2, 3):
        add[1, 32](out, a, k)
        assert np.array_equal(out.copy_to_host(), np.arange(np.prod(shape)) + k)
    assert len(add.signatures) == 1


def test_freed_memory_is_reported():
    if not cuda.is_emulated():
        pytest.skip("a GPU does not tell")
    x = cuda.to_device(np.zeros((2, 2)))
    number_the_cells[1, 1](x)
    x.free()
    number_the_cells[1, 1](x)
    with pytest.raises(cuda.KernelError) as error:
        cuda.synchronize()
    assert error.value.kind == "use_after_free"


def test_an_array_may_go_while_its_kernel_waits():
    stream = cuda.Stream()
    out = cuda.to_device(np.zeros((8, 8)))
    with stream:
        for _ in range(50):
            number_the_cells[1, (8, 8), stream](cuda.to_device(np.zeros((8, 8))))
    number_the_cells[1, (8, 8), stream](out)
    stream.synchronize()
    assert np.array_equal(out.copy_to_host(), numbered(8, 8))


def test_an_array_of_another_library():
    if not cuda.is_emulated():
        pytest.skip("its memory is reached")

    class Foreign:
        __cuda_array_interface__ = {}  # noqa: RUF012

    with pytest.raises(
        TypeError,
        match=r"argument 1 'x' is a Foreign in GPU memory.*as_cuda_array",
    ):
        number_the_cells[1, 1](Foreign())
