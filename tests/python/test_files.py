"""The tests of files with tensors: whole, foreign and damaged."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minitorch
from minitorch import _core
from minitorch.tensors.files import safetensors

ALL = ["float16", "bfloat16", "float32", "float64", "int32", "int64", "uint8", "bool"]


def some(dtype):
    if dtype == "bfloat16":
        return _core.from_bytes(b"\x80\x3f" * 6, _core.as_dtype(dtype), (2, 3))
    return minitorch.tensor(np.arange(6).reshape(2, 3).astype(dtype))


def outcome(read):
    """What was read, or the error; any other kind of error fails the test."""
    try:
        return str([read()])
    except (ValueError, TypeError) as error:
        return str(error)


def file_of(header, data=b"", length=None):
    """A file written by hand after the format's description."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    size = len(text) if length is None else length
    return size.to_bytes(8, "little") + text + data


def entry(dtype="F32", shape=(2,), start=0, stop=8):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [start, stop]}


def test_a_file_keeps_everything(tmp_path):
    state = {f"net.0.{dtype}": some(dtype) for dtype in ALL}
    state["scalar"] = minitorch.tensor(np.float64(2.5))
    state["empty"] = minitorch.zeros(0, 3)
    state["turned"] = minitorch.tensor(np.arange(6.0).reshape(2, 3)).permute(1, 0)
    file = tmp_path / "state.safetensors"
    minitorch.save(state, file)
    loaded = minitorch.load(str(file))
    assert set(loaded) == set(state)
    for name, tensor in state.items():
        assert loaded[name].dtype == tensor.dtype
        assert loaded[name].shape == tensor.shape
        assert _core.to_bytes(loaded[name]) == _core.to_bytes(tensor)
    assert os.listdir(tmp_path) == [file.name]


def test_a_file_written_by_hand_reads():
    header = {
        "__metadata__": {"made": "by hand"},
        "b": entry("I64", (), 8, 16),
        "a": entry("F32", (2, 1), 0, 8),
        "none": entry("U8", (0,), 16, 16),
    }
    data = np.array([1.5, 2], "<f4").tobytes() + np.int64(-3).tobytes()
    tensors = safetensors.decode(file_of(header, data))
    assert tensors["a"].numpy().tolist() == [[1.5], [2]]
    assert tensors["b"].item() == -3
    assert tensors["none"].shape == (0,)


def test_the_file_we_write_is_laid_out_as_described():
    content = safetensors.encode({"a": some("uint8"), "b": some("float64")})
    length = int.from_bytes(content[:8], "little")
    assert (8 + length) % 8 == 0
    header = json.loads(content[8 : 8 + length])
    assert header["b"] == entry("F64", (2, 3), 0, 48)
    assert header["a"] == entry("U8", (2, 3), 48, 54)
    assert len(content) == 8 + length + 54


ROW = entry()
DAMAGED = {
    "nothing": b"",
    "header cut": file_of({"a": ROW}, b"\0" * 8)[:20],
    "header length huge": file_of({"a": ROW}, b"\0" * 8, length=2**64 - 1),
    "header length too small": file_of({"a": ROW}, b"\0" * 8, length=10),
    "header no JSON": file_of(b"{a}"),
    "header deep": file_of(b'{"a":' + b"[" * 100000),
    "header starts with a space": file_of(b" {}"),
    "data cut": file_of({"a": ROW}, b"\0" * 7),
    "data too long": file_of({"a": ROW}, b"\0" * 9),
    "overlap": file_of({"a": ROW, "b": entry(start=4, stop=12)}, b"\0" * 12),
    "gap": file_of({"a": ROW, "b": entry(start=12, stop=20)}, b"\0" * 20),
    "backwards": file_of({"a": entry(start=8, stop=0)}, b"\0" * 8),
    "negative offset": file_of({"a": entry(start=-8, stop=0)}, b"\0" * 8),
    "offset true": file_of({"a": entry(start=False)}, b"\0" * 8),
    "size too large for the bytes": file_of({"a": entry(shape=(3,))}, b"\0" * 8),
    "sizes that overflow": file_of(
        {"a": entry("U8", (2**61, 2**61, 2**61), 0, 8)}, b"\0" * 8
    ),
    "too many dimensions": file_of({"a": entry("U8", (1,) * 33, 0, 1)}, b"\0"),
    "shape no list": file_of(
        {"a": {"dtype": "F32", "shape": 2, "data_offsets": [0, 8]}}, b"\0" * 8
    ),
    "entry without a shape": file_of({"a": {"dtype": "F32", "data_offsets": [0, 8]}}),
    "a name twice": file_of(
        b'{"a":%b,"a":%b}' % ((json.dumps(ROW).encode(),) * 2), b"\0" * 8
    ),
    "header no object": file_of(b"[1]"),
    "three offsets": file_of(
        {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8, 8]}}, b"\0" * 8
    ),
    "entry no object": file_of({"a": 3}),
    "metadata no object": file_of({"__metadata__": 3}),
    "metadata no text": file_of({"__metadata__": {"a": 1}}),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_file_is_refused(damage, tmp_path):
    file = tmp_path / "damaged.safetensors"
    file.write_bytes(DAMAGED[damage])
    with pytest.raises(ValueError, match=r"\[(safetensors|\w+)\] got .*need"):
        minitorch.load(file)


@pytest.mark.parametrize("dtype", ["F8_E4M3", "I16", "C64", "f32", 3, None])
def test_an_unknown_dtype_is_named(dtype):
    with pytest.raises(TypeError, match=r"\[safetensors\] got 'a' of dtype .*need one"):
        safetensors.decode(file_of({"a": entry(dtype)}, b"\0" * 8))


WHOLE = safetensors.encode({"a": some("float32"), "b": some("int64")})


@given(at=st.integers(0, len(WHOLE) - 1), value=st.integers(0, 255), cut=st.booleans())
def test_any_changed_byte_gives_tensors_or_a_named_error(at, value, cut):
    content = WHOLE[:at] if cut else WHOLE[:at] + bytes([value]) + WHOLE[at + 1 :]
    assert "[" in outcome(lambda: safetensors.decode(content))


def test_a_failed_save_leaves_the_old_file(tmp_path):
    file = tmp_path / "a.safetensors"
    minitorch.save({"a": minitorch.ones(2)}, file)
    before = file.read_bytes()
    with pytest.raises(TypeError, match="'b': int"):
        minitorch.save({"b": 1}, file)
    assert file.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.safetensors"]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda d: minitorch.save({}, d / "a.pt"),
            ValueError,
            r"ends in \.safetensors\. PyT",
        ),
        (lambda d: minitorch.save([1], d / "a.safetensors"), TypeError, "got list"),
        (
            lambda d: minitorch.save({"a": 1}, d / "a.safetensors"),
            TypeError,
            "'a': int",
        ),
        (lambda d: minitorch.load(d / "none.pth"), FileNotFoundError, "none.pth"),
        (lambda d: minitorch.load(d / "a"), ValueError, "ends in .safetensors or .pth"),
        (lambda d: minitorch.load(d / "a.npz"), ValueError, r"load_state_dict\(np"),
    ],
)
def test_wrong_calls_are_named(call, error, text, tmp_path):
    with pytest.raises(error, match=text):
        call(tmp_path)


def test_a_network_is_saved_and_loaded(tmp_path):
    def network():
        net = minitorch.Sequential(minitorch.Linear(2, 3), minitorch.Linear(3, 1))
        net.register_buffer("steps", minitorch.zeros(1))
        return net

    net, other = network(), network()
    net.steps = minitorch.tensor([5.0])
    minitorch.save(net, tmp_path / "net.safetensors")
    other.load_state_dict(minitorch.load(tmp_path / "net.safetensors"))
    x = minitorch.tensor([[1.0, 2.0]])
    np.testing.assert_array_equal(net(x).numpy(), other(x).numpy())
    assert other.steps.item() == 5
    other(x).sum().backward()
    assert other.parameters()[0].value.grad is not None
