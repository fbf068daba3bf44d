"""The tests of making, printing and converting tensors."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import minitorch
from minitorch import _core
from minitorch.tensors.create import new_tensors_on

from .processes import printed_by
from .tensors import DEVICES, need


def test_lists_become_the_default_dtype_and_arrays_keep_theirs():
    assert minitorch.tensor([1, 2]).dtype == minitorch.float64
    assert minitorch.tensor(np.array([1, 2])).dtype == "int64"
    assert minitorch.tensor(np.float32([1])).dtype == np.float32
    assert minitorch.tensor([1, 2], dtype="int32").dtype == minitorch.int32
    minitorch.set_default_dtype(minitorch.float32)
    try:
        assert minitorch.tensor([1, 2]).dtype == "float32"
        assert minitorch.rand(2).dtype == "float32"
    finally:
        minitorch.set_default_dtype("float64")
    with pytest.raises(TypeError, match=r"\[set_default_dtype\] got int64"):
        minitorch.set_default_dtype("int64")


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8"])
def test_arrays_of_the_other_byte_order_keep_their_numbers(dtype):
    x = np.array([[1, -2, 3], [4, 5, 60]], dtype=">" + dtype)
    for y in (x, x.T, x[:, ::-1], x.astype("<" + dtype)):
        got = minitorch.tensor(y)
        assert got.dtype == y.dtype.name
        assert got.numpy().tolist() == y.tolist()


@pytest.mark.parametrize("dtype", [">c16", ">U2", "O", ">M8[s]", [("x", ">f8")]])
def test_dtypes_that_are_no_numbers_are_refused(dtype):
    with pytest.raises(TypeError, match=r"\[dtype\] got '\w+(\[s\])?'; need float32"):
        minitorch.tensor(np.zeros(2, np.dtype(dtype)))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "make",
    [
        lambda device: minitorch.zeros((2**30, 2**31), device=device),
        lambda device: minitorch.full((2**60, 2), 1.0, device=device),
        lambda device: minitorch.arange(2**61, device=device),
        lambda device: minitorch.rand(2**61, device=device),
        lambda device: minitorch.zeros(1, device=device).expand(2**61).contiguous(),
    ],
)
def test_sizes_whose_bytes_overflow_are_refused(make, device):
    need(device)
    assert callable(make)
    with pytest.raises(ValueError, match=r"of float64; need at most 2\*\*62 bytes"):
        make(device)


def test_items_are_python_numbers():
    assert type(minitorch.tensor([2.5]).item()) is float
    assert type(minitorch.tensor(np.array([3])).item()) is int
    assert minitorch.tensor(np.array([2**60 + 1])).item() == 2**60 + 1
    assert minitorch.tensor(np.array([True])).item() is True
    with pytest.raises(ValueError, match=r"\[item\] got shape \(2,\)"):
        minitorch.zeros(2).item()
    with pytest.raises(
        ValueError, match=r"\[bool\] .* shape \(2,\) is ambiguous; need one element"
    ):
        bool(minitorch.zeros(2))


@pytest.mark.parametrize("draw", [minitorch.rand, minitorch.randn])
def test_seeds_repeat_and_dtypes_agree(draw):
    assert callable(draw)
    minitorch.manual_seed(4)
    first = draw(5, 7).numpy()
    minitorch.manual_seed(4)
    np.testing.assert_array_equal(
        draw(5, 7, dtype="float32").numpy(), np.float32(first)
    )
    assert not (draw(5, 7).numpy() == first).all()


@pytest.mark.cuda
def test_seeds_give_the_same_numbers_on_both_devices():
    need("cuda")
    minitorch.manual_seed(4)
    here, normal = minitorch.rand(101), minitorch.randn(101)
    minitorch.manual_seed(4)
    there = minitorch.rand(101, device="cuda")
    np.testing.assert_array_equal(there.numpy(), here.numpy())
    there = minitorch.randn(101, device="cuda")
    # Logarithms, sines and cosines may differ in their last bits.
    np.testing.assert_allclose(there.numpy(), normal.numpy(), rtol=0, atol=1e-14)


def test_printing_says_what_is_not_usual():
    assert repr(minitorch.tensor([1.0, 2.5])) == "tensor([1. , 2.5])"
    t = minitorch.tensor([1.0], dtype="float32", requires_grad=True)
    assert repr(t) == "tensor([1.], dtype=float32, requires_grad=True)"


def test_import_finds_and_loads_neither_gpu_nor_nvrtc():
    code = (
        "import minitorch\n"
        "maps = open('/proc/self/maps').read()\n"
        "assert not any(n in maps for n in ('nvrtc', 'libcuda', 'openblas32')), maps\n"
        "minitorch.ones(2, 2) @ minitorch.ones(2, 2)\n"
    )
    printed_by(code)


@pytest.mark.cuda
def test_kernels_of_the_user_refuse_tensors_with_gaps():
    need("cuda")
    from minitorch import cuda

    x = minitorch.zeros(2, 3, device="cuda").permute(1, 0)
    with pytest.raises(ValueError, match="need a contiguous one"):
        cuda.RawKernel("__global__ void k(double* x) {}", "k")(1, 32, (x,))


def test_a_random_sequence_goes_on_from_where_it_stood():
    minitorch.manual_seed(7)
    minitorch.rand(5)
    state = _core.random_state()
    first = minitorch.randn(3).numpy().tolist()
    assert _core.random_state() != state
    _core.set_random_state(*state)
    assert minitorch.randn(3).numpy().tolist() == first
    assert state[0] == 7


def test_to_takes_what_pytorchs_takes():
    t = minitorch.ones(2)
    assert t.to("cpu", non_blocking=True) is not None
    assert t.to("cpu", "float32").dtype == t.to(dtype="float32").dtype == "float32"
    assert t.to(device="cpu", dtype=minitorch.float32).dtype == "float32"
    assert minitorch.nn.Linear(2, 1).to("cpu", non_blocking=True).weight.dtype
    with pytest.raises(TypeError, match=r"\[to\] got no arguments"):
        t.to()
    with pytest.raises(TypeError, match=r"\[to\] got non_blocking 1; need True"):
        t.to("cpu", non_blocking=1)


@pytest.mark.cuda
def test_to_the_device_without_waiting():
    batch = minitorch.arange(6, dtype="float32")
    with minitorch.cuda.sync_debug_mode("error"):
        there = batch.to("cuda", non_blocking=True)
        both = batch.to("cuda", "float64")
    assert (there.device, both.dtype) == ("cuda", "float64")
    assert there.numpy().tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.cuda
def test_other_threads_and_backends_are_not_of_that_block():
    with new_tensors_on("cuda"):
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(minitorch.zeros, 2).result().device == "cpu"
        backend = minitorch.TensorBackend(minitorch.SimpleOps)
        assert minitorch.zeros((2,), backend=backend).device == "cpu"
        assert minitorch.tensor([1.0], backend).device == "cpu"
    with pytest.raises(KeyError), new_tensors_on("cuda"):
        raise KeyError
    assert minitorch.zeros(1).device == "cpu"


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "int32", "bool"])
def test_a_tensor_of_a_tensor_is_a_copy_of_its_dtype(dtype, device):
    need(device)
    first = minitorch.tensor([[1, 0], [0, 1]], dtype=dtype, device=device)
    second = minitorch.tensor(first.permute(1, 0), device=device)
    assert second.dtype == dtype
    second[0] = 1
    assert first.double().numpy().tolist() == [[1, 0], [0, 1]]
    assert second.double().numpy().tolist() == [[1, 1], [0, 1]]
    assert minitorch.tensor(first, dtype="float64").dtype == "float64"
