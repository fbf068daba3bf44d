"""The tests of files with tensors: both formats, whole, foreign and damaged."""

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


@pytest.mark.parametrize("suffix", [".npz", ".safetensors"])
def test_both_formats_keep_everything(tmp_path, suffix):
    dtypes = [d for d in ALL if suffix != ".npz" or d != "bfloat16"]
    state = {f"net.0.{dtype}": some(dtype) for dtype in dtypes}
    state["scalar"] = minitorch.tensor(np.float64(2.5))
    state["empty"] = minitorch.zeros(0, 3)
    state["turned"] = minitorch.tensor(np.arange(6.0).reshape(2, 3)).permute(1, 0)
    file = tmp_path / f"state{suffix}"
    minitorch.save(state, file)
    loaded = minitorch.load(str(file))
    assert set(loaded) == set(state)
    for name, tensor in state.items():
        assert loaded[name].dtype == tensor.dtype
        assert loaded[name].shape == tensor.shape
        assert _core.to_bytes(loaded[name]) == _core.to_bytes(tensor)
    assert os.listdir(tmp_path) == [file.name]


def test_npz_files_are_numpys(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", w=np.arange(3.0), b=np.float32(1))
    loaded = minitorch.load(tmp_path / "a.npz")
    assert loaded["w"].numpy().tolist() == [0, 1, 2]
    minitorch.save(loaded, tmp_path / "b.npz")
    with np.load(tmp_path / "b.npz") as archive:
        assert archive["w"].tolist() == [0, 1, 2]
        assert archive["b"].shape == ()


def test_a_file_written_by_hand_reads():
    header = {
        "__metadata__": {"made": "by hand"},
        "b": entry("I64", (), 8, 16),
        "a": entry("F32", (2, 1), 0, 8),
        "none": entry("U8", (0,), 16, 16),
    }
    data = np.array([1.5, 2], "<f4").tobytes() + np.int64(-3).tobytes()
    tensors, metadata = safetensors.decode(file_of(header, data))
    assert tensors["a"].numpy().tolist() == [[1.5], [2]]
    assert tensors["b"].item() == -3
    assert tensors["none"].shape == (0,)
    assert metadata == {"made": "by hand"}


def test_the_file_we_write_is_laid_out_as_described():
    content = safetensors.encode(
        {"a": some("uint8"), "b": some("float64")}, {"note": "ü"}
    )
    length = int.from_bytes(content[:8], "little")
    assert (8 + length) % 8 == 0
    header = json.loads(content[8 : 8 + length])
    assert header["__metadata__"] == {"note": "ü"}
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


WHOLE = safetensors.encode({"a": some("float32"), "b": some("int64")}, {"k": "v"})


@given(at=st.integers(0, len(WHOLE) - 1), value=st.integers(0, 255), cut=st.booleans())
def test_any_changed_byte_gives_tensors_or_a_named_error(at, value, cut):
    content = WHOLE[:at] if cut else WHOLE[:at] + bytes([value]) + WHOLE[at + 1 :]
    assert "[" in outcome(lambda: safetensors.decode(content))


@given(data=st.data())
def test_any_changed_byte_of_npz_gives_tensors_or_a_named_error(data, tmp_path_factory):
    file = tmp_path_factory.mktemp("npz") / "a.npz"
    minitorch.save({"a": some("float32"), "b": some("int64")}, file)
    content = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(
            st.integers(0, 255)
        )
    cut = data.draw(st.sampled_from([len(content), len(content) // 2]))
    file.write_bytes(content[:cut])
    assert "[" in outcome(lambda: minitorch.load(file))


def test_pickles_in_npz_are_not_run(tmp_path):
    np.savez(tmp_path / "a.npz", a=np.array([{"x": 1}], dtype=object))
    with pytest.raises(ValueError, match=r"\[load\] .*a\.npz"):
        minitorch.load(tmp_path / "a.npz")


def test_a_failed_save_leaves_the_old_file(tmp_path):
    file = tmp_path / "a.npz"
    minitorch.save({"a": minitorch.ones(2)}, file)
    before = file.read_bytes()
    with pytest.raises(
        TypeError, match=r"'b', because NumPy has no bfloat16.*safetensors"
    ):
        minitorch.save({"b": some("bfloat16")}, file)
    assert file.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.npz"]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda d: minitorch.save({}, d / "a.pt"), ValueError, "ends in .npz or"),
        (lambda d: minitorch.save([1], d / "a.npz"), TypeError, "got list"),
        (lambda d: minitorch.save({"a": 1}, d / "a.npz"), TypeError, "'a': int"),
        (lambda d: minitorch.load(d / "none.npz"), FileNotFoundError, "none.npz"),
        (lambda d: minitorch.load(d / "a"), ValueError, "ends in .npz, .saf"),
        (
            lambda d: minitorch.save({}, d / "a.npz", metadata={"a": "b"}),
            ValueError,
            "npz cannot store metadata",
        ),
    ],
)
def test_wrong_calls_are_named(call, error, text, tmp_path):
    with pytest.raises(error, match=text):
        call(tmp_path)


@pytest.mark.parametrize("suffix", [".npz", ".safetensors"])
def test_a_network_is_saved_and_loaded(tmp_path, suffix):
    def network():
        net = minitorch.Sequential(minitorch.Linear(2, 3), minitorch.Linear(3, 1))
        net.register_buffer("steps", minitorch.zeros(1))
        return net

    net, other = network(), network()
    net.steps = minitorch.tensor([5.0])
    minitorch.save(net, tmp_path / f"net{suffix}")
    other.load_state_dict(minitorch.load(tmp_path / f"net{suffix}"))
    x = minitorch.tensor([[1.0, 2.0]])
    np.testing.assert_array_equal(net(x).numpy(), other(x).numpy())
    assert other.steps.item() == 5
    other(x).sum().backward()
    assert other.parameters()[0].value.grad is not None
