"""The tests of arrays between this library's device arrays, tensors and others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

import minitorch
from minitorch import cuda

pytestmark = pytest.mark.cuda


class Foreign:
    """Another library's array on a GPU, as far as protocols show it."""

    __cuda_array_interface__: ClassVar[dict[str, object]] = {
        "shape": (3,),
        "typestr": "<f4",
        "data": (1 << 40, False),
        "version": 3,
    }


@pytest.fixture
def emulated():
    if not cuda.is_emulated():
        pytest.skip("a GPU reaches the memory")


@pytest.fixture
def on_gpu():
    if cuda.is_emulated():
        pytest.skip("the emulator has no such interface")


def test_tensors_and_device_arrays_share_memory_both_ways():
    tensor = minitorch.tensor(np.arange(12.0).reshape(3, 4)).cuda()
    array = cuda.as_cuda_array(tensor.permute(1, 0))
    assert (array.shape, array.strides, array.dtype) == ((4, 3), (8, 32), np.float64)
    array[0] = -1
    assert tensor.numpy()[:, 0].tolist() == [-1] * 3
    back = minitorch.from_dlpack(array[::2, ::-1])
    back += 100
    assert array.copy_to_host().T[::-1, ::2].tolist() == back.numpy().T.tolist()
    assert tensor.numpy()[0].tolist() == [99, 1, 102, 3]


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "int32", "int64", "uint8", "bool"]
)
def test_every_dtype_of_tensors_is_shared(dtype):
    tensor = minitorch.from_dlpack(cuda.to_device(np.ones((2, 3), dtype)))
    assert (tensor.dtype.name, tensor.shape, tensor.device) == (dtype, (2, 3), "cuda")
    assert cuda.as_cuda_array(tensor).dtype == dtype


def test_memory_lives_as_long_as_what_shares_it():
    array = cuda.as_cuda_array(minitorch.tensor([1.0, 2.0]).cuda())
    tensor = minitorch.from_dlpack(cuda.to_device([3.0, 4.0])[::-1])
    others = [cuda.to_device(np.full(2, 9.0)) for _ in range(200)]
    assert array.copy_to_host().tolist() == [1, 2]
    assert tensor.numpy().tolist() == [4, 3]
    assert len(others) == 200


def test_copies_on_request():
    array = cuda.to_device([1.0, 2.0])
    copied = minitorch.from_dlpack(array, copy=True)
    copied += 1
    assert array.copy_to_host().tolist() == [1, 2]
    assert minitorch.from_dlpack(array, device="cpu").device == "cpu"
    assert minitorch.tensor(array).numpy().tolist() == [1, 2]
    with pytest.raises(BufferError, match="copy=False"):
        minitorch.from_dlpack(array, device="cpu", copy=False)


def test_what_is_in_device_memory():
    assert cuda.is_cuda_array(cuda.device_array(2)[1:])
    assert cuda.is_cuda_array(minitorch.zeros(2).cuda())
    assert cuda.is_cuda_array(Foreign())
    for other in (minitorch.zeros(2), np.zeros(2), [1.0], 3, None):
        assert not cuda.is_cuda_array(other)
    array = cuda.device_array(2)
    assert cuda.as_cuda_array(array) is array


def test_the_emulator_cannot_read_arrays_of_a_gpu(emulated):
    with pytest.raises(TypeError, match="Copy it to the host first"):
        cuda.as_cuda_array(Foreign())


def test_the_emulators_arrays_leave_by_the_host_alone(emulated):
    array = cuda.to_device([1.0, 2.0])
    assert not hasattr(array, "__cuda_array_interface__")
    assert array.__dlpack_device__() == (2, 0)
    with pytest.raises(BufferError, match="copy_to_host"):
        array.__dlpack__()


def test_the_interface_describes_the_array(on_gpu):
    array = cuda.to_device(np.arange(12.0).reshape(3, 4))
    shown = array[:, ::2].__cuda_array_interface__
    assert shown["shape"] == (3, 2)
    assert shown["strides"] == (32, 16)
    assert shown["data"] == (array.pointer, False)
    same = cuda.as_cuda_array(SimpleNamespace(__cuda_array_interface__=shown))
    same[0, 0] = 7
    assert array[0, 0] == 7
    capsule = array.__dlpack__(max_version=(1, 0))
    assert "dltensor" in repr(capsule)


@pytest.mark.parametrize(
    "change", [{"mask": object()}, {"shape": (-1,)}, {"strides": (4, 4)}]
)
def test_descriptions_that_make_no_sense(on_gpu, change):
    interface = Foreign.__cuda_array_interface__ | change
    with pytest.raises(ValueError, match="as_cuda_array"):
        cuda.as_cuda_array(SimpleNamespace(__cuda_array_interface__=interface))


@pytest.mark.parametrize(
    "value", [None, 3, "x", [1.0], np.zeros(2), minitorch.zeros(2), object()]
)
def test_what_is_no_device_array(value):
    with pytest.raises(TypeError, match=r"\[as_cuda_array\].*to_device"):
        cuda.as_cuda_array(value)


def test_dtypes_that_tensors_lack():
    with pytest.raises((TypeError, ValueError), match="complex64"):
        minitorch.from_dlpack(cuda.device_array(2, np.complex64))
