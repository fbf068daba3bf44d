"""The tests of sharing with NumPy, DLPack, buffers, pickle and copies."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
from hypothesis import given

import minitorch
from minitorch import _core, cuda

from .tensors import layouts, need, shapes

DTYPES = ["float16", "float32", "float64", "int32", "int64", "uint8", "bool"]


class Legacy:
    """A producer made before DLPack's version 1, which takes a stream alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("source", [minitorch.from_dlpack, minitorch.from_numpy])
def test_arrays_of_every_dtype_are_shared(dtype, source):
    array = np.array([[0, 1, 1], [1, 0, 2]]).astype(dtype)
    tensor = source(array)
    assert tensor.dtype == dtype
    np.testing.assert_array_equal(np.from_dlpack(tensor), array)
    np.testing.assert_array_equal(np.asarray(memoryview(tensor)), array)
    array[0, 0] = 1
    assert tensor.numpy()[0, 0] == 1


@given(layout=shapes().flatmap(lambda shape: layouts(shape, "float64")))
def test_any_layout_is_shared_both_ways(layout):
    for array in (layout, layout[..., ::-1] if layout.ndim else layout):
        for tensor in (
            minitorch.from_dlpack(array),
            minitorch.from_dlpack(Legacy(array)),
            minitorch.from_numpy(array),
        ):
            assert tensor.shape == array.shape
            np.testing.assert_array_equal(tensor.numpy(), array)
            np.testing.assert_array_equal((tensor + 1).numpy(), array + 1)
            back = np.from_dlpack(tensor)
            np.testing.assert_array_equal(back, array)
            assert array.size == 0 or np.shares_memory(back, array)


def test_an_exported_view_outlives_its_tensor():
    tensor = minitorch.arange(1000)
    array = np.from_dlpack(tensor[10:20])
    view = memoryview(tensor[20:30])
    del tensor
    minitorch.zeros(1000)  # would take the memory if it were free
    assert array.tolist() == list(range(10, 20))
    assert view.tolist() == list(range(20, 30))


def test_the_owner_is_let_go_with_the_last_tensor():
    class Array(np.ndarray):
        pass

    for make in (minitorch.from_dlpack, minitorch.from_numpy):
        array = np.zeros(3).view(Array)
        gone = weakref.ref(array)
        tensor = make(array)
        part = tensor[1:]
        del array, tensor
        gc.collect()
        assert gone() is not None
        del part
        gc.collect()
        assert gone() is None


def test_a_capsule_nobody_takes_frees_the_tensor():
    before = minitorch.memory_stats()["in_use"]
    for version in (None, (1, 0)):
        tensor = minitorch.zeros(1000)
        capsule = tensor.__dlpack__(max_version=version)
        del tensor
        assert minitorch.memory_stats()["in_use"] > before
        del capsule
        assert minitorch.memory_stats()["in_use"] == before


def test_a_capsule_is_used_once():
    capsule = minitorch.zeros(3).__dlpack__()
    _core.from_dlpack(capsule)
    with pytest.raises(ValueError, match="used before"):
        _core.from_dlpack(capsule)
    with pytest.raises(ValueError, match="got int"):
        _core.from_dlpack(3)


def test_read_only_memory_is_never_written():
    array = np.arange(3.0)
    array.flags.writeable = False
    for tensor in (minitorch.from_numpy(array), minitorch.from_dlpack(array)):
        with pytest.raises(ValueError, match=r"\[add_\] got a tensor on read-only"):
            tensor += 1
        assert not tensor.numpy().flags.writeable
        assert not np.asarray(tensor).flags.writeable
        assert memoryview(tensor).readonly
        assert not np.from_dlpack(tensor).flags.writeable
        with pytest.raises(BufferError, match="the tensor is read-only"):
            tensor.__dlpack__()
        copied = minitorch.from_dlpack(tensor, copy=True)
        copied += 1
        assert copied.numpy().tolist() == [1, 2, 3]
    assert array.tolist() == [0, 1, 2]


def test_gradients_are_not_lost_by_an_export():
    x = minitorch.tensor([1.0], requires_grad=True)
    with pytest.raises(BufferError, match=r"requires a gradient.*detach"):
        np.from_dlpack(x)
    assert np.from_dlpack(x.detach()).tolist() == [1]


def test_copies_are_made_only_when_allowed():
    tensor = minitorch.arange(3)
    assert not np.shares_memory(np.from_dlpack(tensor, copy=True), tensor.numpy())
    made = minitorch.from_dlpack(tensor, copy=True)
    made += 1
    assert tensor.numpy().tolist() == [0, 1, 2]
    with pytest.raises(BufferError, match=r"got device \(8, 0\)"):
        tensor.__dlpack__(dl_device=(8, 0))


@pytest.mark.cuda
def test_the_emulator_keeps_its_addresses():
    need("cuda")
    if not cuda.is_emulated():
        pytest.skip("the device is a GPU")
    tensor = minitorch.arange(3, device="cuda")
    assert tensor.__dlpack_device__() == (2, 0)
    with pytest.raises(BufferError, match=r"\[dlpack\] .* the emulator.*cpu"):
        tensor.__dlpack__()
    with pytest.raises(BufferError):
        memoryview(tensor)
    assert not hasattr(tensor, "__cuda_array_interface__")
    assert np.asarray(tensor).tolist() == [0, 1, 2]
    assert np.from_dlpack(tensor, device="cpu").tolist() == [0, 1, 2]
    with pytest.raises(BufferError, match="copy=False"):
        tensor.__dlpack__(dl_device=(1, 0), copy=False)
    assert minitorch.from_dlpack(minitorch.arange(2), device="cuda").device == "cuda"


@pytest.mark.cuda
def test_a_gpu_tensor_of_another_library_is_copied_on_the_emulator():
    need("cuda")

    class Foreign:
        def __init__(self, knows_devices):
            self.knows_devices = knows_devices

        def __dlpack_device__(self):
            return 2, 0

        def __dlpack__(self, **options):
            if not self.knows_devices:
                raise TypeError("unexpected keyword")
            assert options["dl_device"] == (1, 0)
            return np.arange(3.0).__dlpack__(max_version=options["max_version"])

    tensor = minitorch.from_dlpack(Foreign(True))
    assert tensor.device == "cuda"
    assert tensor.numpy().tolist() == [0, 1, 2]
    with pytest.raises(BufferError, match=r"cannot copy it to the CPU.*\.cpu\(\)"):
        minitorch.from_dlpack(Foreign(False))
    with pytest.raises(BufferError, match="copy=False"):
        minitorch.from_dlpack(Foreign(True), copy=False)


@pytest.mark.parametrize(
    ("array", "error"),
    [
        (np.zeros(3, dtype="complex64"), TypeError),
        (np.zeros(3, dtype="int16"), TypeError),
        (np.zeros(3, dtype=">f8"), ValueError),
        (np.zeros(3, dtype=[("a", "u1"), ("b", "f8")])["b"], ValueError),
        (np.array(["text"]), TypeError),
        (np.array([None]), TypeError),
        ([1.0], TypeError),
    ],
)
def test_what_cannot_be_shared_is_named(array, error):
    with pytest.raises(error, match=r"\[(from_numpy|dtype)\] got .*need"):
        minitorch.from_numpy(array)
    with pytest.raises((error, BufferError, TypeError)):
        minitorch.from_dlpack(array)


def test_unaligned_memory_is_refused():
    raw = np.zeros(17, dtype="uint8")
    array = raw[1:].view("float64")
    with pytest.raises(ValueError, match=r"\[from_numpy\].*copies"):
        minitorch.from_numpy(array)
    with pytest.raises(BufferError):
        minitorch.from_dlpack(array)


def test_numpy_copies_as_its_protocol_says():
    tensor = minitorch.arange(3, dtype="float32")
    shared = np.asarray(tensor)
    assert np.shares_memory(shared, tensor.numpy())
    assert not np.shares_memory(np.array(tensor, copy=True), tensor.numpy())
    assert tensor.__array__(np.float64).dtype == np.float64
    assert np.array(tensor, dtype="float32", copy=False) is not None
    with pytest.raises(ValueError, match="without a copy"):
        tensor.__array__("float64", copy=False)


@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
@pytest.mark.parametrize("way", ["pickle", "deepcopy"])
def test_tensors_survive_pickle_and_copies(dtype, way):
    source = np.array([[0, 1, 1], [1, 0, 2]])
    tensor = _core.from_bytes(b"\0\1" * 8, _core.as_dtype("bfloat16"), (2, 4))
    if dtype != "bfloat16":
        tensor = minitorch.tensor(source.astype(dtype)).permute(1, 0)
    tensor.name = "mine"
    made = copy.deepcopy(tensor)
    if way == "pickle":
        made = pickle.loads(pickle.dumps(tensor))
    assert (made.dtype, made.shape, made.name) == (tensor.dtype, tensor.shape, "mine")
    assert _core.to_bytes(made) == _core.to_bytes(tensor)
    if dtype not in ("bool", "bfloat16"):
        made.zero_()
        np.testing.assert_array_equal(tensor.numpy(), source.T.astype(dtype))


def test_leaves_keep_their_gradient_and_results_have_none_to_keep():
    x = minitorch.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    for made in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), copy.copy(x)):
        assert made.requires_grad
        assert made.grad.numpy().tolist() == [2, 4]
        (made * 3).sum().backward()
        assert made.grad.numpy().tolist() == [5, 7]
    assert x.grad.numpy().tolist() == [2, 4]
    y = x * 2
    for call in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(RuntimeError, match=r"result of an operation.*detach"):
            call(y)


def test_modules_survive_pickle_and_copies():
    net = minitorch.Sequential(minitorch.Linear(2, 3), minitorch.ReLU())
    x = minitorch.tensor([[1.0, -2.0]])
    expected = net(x).numpy()
    for made in (pickle.loads(pickle.dumps(net)), copy.deepcopy(net)):
        np.testing.assert_array_equal(made(x).numpy(), expected)
        made(x).sum().backward()
        assert all(p.value.grad is not None for p in made.parameters())
    assert all(p.value.grad is None for p in net.parameters())
