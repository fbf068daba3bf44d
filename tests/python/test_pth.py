"""The tests of PyTorch's files: real ones, ones written by hand, and bad ones."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minitorch
from minitorch.models import BasicBlock
from minitorch.nn import BatchNorm2d, Conv2d, Sequential
from minitorch.tensors.files import pickles

from .pth_files import (
    APPENDS,
    BUILD,
    DICT,
    FALSE,
    LIST,
    MARK,
    NONE,
    PERSISTENT,
    PROTO,
    REDUCE,
    SETITEMS,
    STOP,
    TUPLE,
    archive,
    name,
    number,
    numbers,
    state,
    storage,
    tensor,
    text,
)
from .tensors import DEVICES, need

# Written by data/make_pth.py with PyTorch 2.
REAL = Path(__file__).parent / "data" / "torch_saved.pth"
BASE = np.arange(12.0).reshape(3, 4)

FLOATS = np.arange(6, dtype="<f4").tobytes()


def whole(path, **options):
    """A file of one tensor (2, 3) of 0 to 5."""
    pickled = state(w=tensor("FloatStorage", "0", 6, 0, (2, 3), (3, 1)))
    return archive(path, pickled, {"0": FLOATS}, **options)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.pth"


@pytest.mark.parametrize("device", DEVICES)
def test_a_real_file_reads(device):
    need(device)
    read = minitorch.load(REAL, device)
    assert list(read) == [
        *("block", "input", "output", "views", "dtypes"),
        *("parameter", "nothing", "epoch", "big", "facts"),
    ]
    expected = [BASE, BASE.T, BASE[1:, 2], np.broadcast_to(BASE[:1], (5, 4))]
    for found, array in zip(read["views"], expected, strict=True):
        assert (found.device, found.dtype.name) == (device, "float32")
        np.testing.assert_array_equal(found.cpu().numpy(), array)
    for dtype, found in read["dtypes"].items():
        assert found.dtype.name == dtype
        array = BASE > 5 if dtype == "bool" else BASE
        np.testing.assert_array_equal(found.to("float64").cpu().numpy(), array)
    assert read["parameter"].cpu().numpy().tolist() == [0, 1, 2, 3]
    assert not read["parameter"].requires_grad
    assert read["nothing"].shape == (0, 3)
    assert (read["epoch"], read["big"]) == (3, 2**70)
    facts = (1.5, None, True, "text", (3, 4), "float32", "cpu")
    assert read["facts"] == facts


def test_a_network_computes_what_pytorchs_computed():
    read = minitorch.load(REAL)
    kind = {"dtype": "float32"}
    down = Sequential(Conv2d(2, 3, 1, 2, bias=False, **kind), BatchNorm2d(3, **kind))
    block = BasicBlock(2, 3, 2, down, **kind)
    block.load_state_dict(read["block"])
    out = block.eval()(read["input"]).detach().numpy()
    np.testing.assert_allclose(out, read["output"].numpy(), rtol=1e-5, atol=1e-6)
    assert block.bn1.num_batches_tracked.item() == 3


def test_a_file_by_hand_reads(path):
    read = minitorch.load(whole(path, byteorder=b"little", version=b"3\n"))
    assert type(read) is dict
    assert read["w"].numpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    other = path.with_suffix(".pt")
    os.rename(path, other)
    assert minitorch.load(str(other))["w"].shape == (2, 3)


def test_views_and_shared_storages_share_their_memory(path):
    pickled = state(
        a=tensor("FloatStorage", "0", 6, 1, (2, 2), (1, 2)),
        b=tensor("FloatStorage", "0", 6, 5, (3,), (0,)),
        c=tensor("FloatStorage", "0", 6, 0, (), ()),
        d=tensor("FloatStorage", "0", 6, 0, (0, 2**40), (1, 1)),
        w=tensor("FloatStorage", "0", 6, 0, (2, 3), (3, 1)),
    )
    read = minitorch.load(archive(path, pickled, {"0": FLOATS}))
    assert read["a"].numpy().tolist() == [[1, 3], [2, 4]]
    assert read["b"].numpy().tolist() == [5, 5, 5]
    assert (read["c"].item(), read["d"].shape) == (0, (0, 2**40))
    read["a"].fill_(9)
    assert (read["b"].numpy()[0], read["c"].item()) == (5, 0)
    read["c"].fill_(7)
    assert read["w"].numpy()[0, 0] == 7


@pytest.mark.parametrize(
    ("kind", "dtype", "data", "expected"),
    [
        ("DoubleStorage", "float64", struct.pack(">2d", 1.5, -2), [1.5, -2]),
        ("HalfStorage", "float16", struct.pack(">2e", 1.5, -2), [1.5, -2]),
        ("BFloat16Storage", "bfloat16", b"\x3f\xc0\xc0\x00", [1.5, -2]),
        ("LongStorage", "int64", struct.pack(">2q", 7, -2), [7, -2]),
        ("IntStorage", "int32", struct.pack(">2i", 7, -2), [7, -2]),
        ("ByteStorage", "uint8", b"\x07\xff", [7, 255]),
        ("BoolStorage", "bool", b"\x00\x02", [0, 1]),
    ],
)
def test_the_other_byte_order(path, kind, dtype, data, expected):
    pickled = state(w=tensor(kind, "0", 2, 0, (2,), (1,)))
    found = minitorch.load(archive(path, pickled, {"0": data}, byteorder=b"big"))["w"]
    assert found.dtype.name == dtype
    assert found.to("float64").numpy().tolist() == expected


def test_a_compressed_archive_reads(path):
    read = minitorch.load(whole(path, compression=zipfile.ZIP_DEFLATED))
    assert read["w"].numpy().sum() == 15


def test_newer_pickles_of_plain_data_read(path):
    value = {"a": [1, -3, 2.5, None, True, False, "ä", 2**80, (1, (2, 3, 4, 5))], 7: {}}
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert minitorch.load(archive(path, pickle.dumps(value, protocol))) == value


class Runs:
    """What a pickle of an attacker does when it is run."""

    def __reduce__(self):
        return os.system, ("echo run > /nonexistent/place",)


@pytest.mark.parametrize(
    ("pickled", "asked"),
    [
        (pickle.dumps(Runs(), 2), r"(posix|nt)\.system"),
        (pickle.dumps(Runs(), 4), r"(posix|nt)\.system"),
        (PROTO + name("builtins", "eval") + STOP, r"builtins\.eval"),
        (pickle.dumps({1, 2}, 2), r"(__builtin__|builtins)\.set"),
        (PROTO + name("torch._utils", "_rebuild_qtensor") + STOP, r"torch.*qtensor"),
        (PROTO + name("torch", "float32") + b")" + REDUCE + STOP, "a call of str"),
        (PROTO + name("torch", "Size") + NONE + REDUCE + STOP, "a call of Call"),
        # The state of a function, of which some attributes are its code.
        (PROTO + name("torch", "Size") + DICT + BUILD + STOP, "the state of Call"),
    ],
)
def test_code_is_refused_by_its_name(path, pickled, asked):
    told = rf"\[load\] '.*x\.pth' contains {asked}, which could run code.* In PyTorch"
    with pytest.raises(ValueError, match=told):
        minitorch.load(archive(path, pickled))


def test_a_frozen_network_of_torchscript_is_refused(path):
    with pytest.raises(ValueError, match="a TorchScript program"):
        minitorch.load(whole(path, constants_pkl=b""))


def test_the_old_form_is_named(path):
    magic = 0x1950A86A20F9469CFC6C  # with which PyTorch 1.5 begins its files
    path.write_bytes(pickle.dumps(magic, 2) + pickle.dumps(1001, 2))
    with pytest.raises(ValueError, match=r"the format of PyTorch 1\.5 and older; need"):
        minitorch.load(path)


@pytest.mark.parametrize("kind", ["CharStorage", "ShortStorage", "ComplexFloatStorage"])
def test_a_dtype_that_tensors_lack(path, kind):
    pickled = state(w=tensor(kind, "0", 1, 0, (1,), (1,)))
    with pytest.raises(
        TypeError, match=r"got a tensor of \w+; need one of float64, flo"
    ):
        minitorch.load(archive(path, pickled, {"0": b"\0" * 8}))


def test_a_dtype_without_a_storage_class(path):
    parts = storage("FloatStorage", "0", 6) + number(0) + numbers(6) + numbers(1)
    rest = FALSE + NONE + name("torch", "uint16")
    rebuild = name("torch._utils", "_rebuild_tensor_v3")
    pickled = PROTO + rebuild + MARK + parts + rest + TUPLE + REDUCE + STOP
    with pytest.raises(TypeError, match="got a tensor of uint16; need one of"):
        minitorch.load(archive(path, pickled, {"0": FLOATS}))


def of(first=0, shape=(2, 3), strides=(3, 1), count=6, kind="FloatStorage", key="0"):
    return state(w=tensor(kind, key, count, first, shape, strides))


@pytest.mark.parametrize(
    ("pickled", "told"),
    [
        (of(first=1), r"a tensor of shape \(2, 3\) reaches beyond the end"),
        (of(first=-1), "a tensor with invalid sizes"),
        (of(shape=(2**40, 2**20), strides=(0, 0)), r"a tensor with \d+ elements"),
        (of(shape=(6,)), "a tensor with 1 sizes and 2 strides"),
        (of(shape=(1,) * 33, strides=(1,) * 33), "a tensor with 33 sizes"),
        (of(count=7), "storage '0' has 24 bytes for 7"),
        (of(kind="DoubleStorage"), "storage '0' has 24 bytes for 6"),
        (of(key="1"), "entry 'archive/data/1' is missing"),
        (of(key="../data.pkl"), r"entry 'archive/data/\.\./data\.pkl' is missing"),
        (PROTO + text("a") + PERSISTENT + STOP, "a malformed storage"),
        (b"", "pickle exhausted before seeing STOP|damaged pickle"),
        (of()[:-1], "pickle exhausted before seeing STOP"),
        (PROTO + STOP, "ends with several values"),
        (PROTO + REDUCE + STOP, "instruction without its operands"),
        (PROTO + b"h\x05" + STOP, "damaged pickle"),
        (PROTO + NONE + MARK + NONE + APPENDS + STOP, "appended to NoneType"),
        (PROTO + LIST + MARK + NONE + NONE + SETITEMS + STOP, "entries of list"),
        (
            PROTO + DICT + MARK + b")" + NONE + SETITEMS + STOP,
            "unexpected key of type tuple",
        ),
        (PROTO + b"i__main__\nNet\n" + STOP, "unexpected pickle instruction INST"),
        (
            PROTO + name("torch", "Size") + b")" + REDUCE + STOP,
            "a malformed torch.Size",
        ),
        (
            PROTO + name("collections", "OrderedDict") + numbers(1) + REDUCE + STOP,
            "a malformed OrderedDict",
        ),
        (
            PROTO + name("torch._utils", "_rebuild_tensor_v2") + b")" + REDUCE + STOP,
            "a malformed tensor",
        ),
    ],
)
def test_a_damaged_pickle_is_told(path, pickled, told):
    with pytest.raises(ValueError, match=rf"cannot be read as a file of.*({told})"):
        minitorch.load(archive(path, pickled, {"0": FLOATS}))


def test_a_deep_pickle_harms_nobody(path):
    deep = PROTO + b")" + b"\x85" * 100_000  # ((((…),),),)
    with pytest.raises(ValueError, match="unexpected key of type tuple"):
        minitorch.load(archive(path, DICT + deep + NONE + b"s" + STOP))
    read = minitorch.load(archive(path, deep + STOP))
    assert isinstance(read, tuple)


def test_what_is_too_large_is_refused_before_it_is_made(path):
    with pytest.raises(ValueError, match=r"a pickle of \d+ bytes, more than 16777216"):
        minitorch.load(archive(path, PROTO + b"N" * pickles.LARGEST + STOP))
    zeros = {"0": bytes(4 * 10**6)}
    pickled = of(shape=(10**6,), strides=(1,), count=10**6)
    with pytest.raises(ValueError, match=r"bytes unpacked from \d+, more than weights"):
        minitorch.load(archive(path, pickled, zeros, zipfile.ZIP_DEFLATED))


def damaged_archives(path):
    good = whole(path).read_bytes()
    with (
        zipfile.ZipFile(path, "a") as out,
        pytest.warns(UserWarning, match="Duplicate"),
    ):
        out.writestr("archive/data.pkl", b"")
    twice = path.read_bytes()
    flipped = good.replace(FLOATS, FLOATS[:-1] + b"\x01")
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    order = whole(path, byteorder=b"middle").read_bytes()
    return [
        (b"", "File is not a zip file"),
        (good[: len(good) // 2], "File is not a zip file"),
        (good[40:], "."),
        (flipped, "Bad CRC-32"),
        (twice, "an entry name appears twice"),
        (empty.getvalue(), "0 entries named data.pkl"),
        (order, "unknown byte order b'middle'"),
    ]


def test_a_damaged_archive_is_told(path):
    for content, told in damaged_archives(path):
        path.write_bytes(content)
        with pytest.raises(
            ValueError, match=rf"cannot be read as a file of .*({told})"
        ):
            minitorch.load(path)
    with pytest.raises(FileNotFoundError):
        minitorch.load(path.with_name("nothing.pth"))


CONTENT = REAL.read_bytes()


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(CONTENT) - 1), st.integers(0, 255)), max_size=4
    )
)
def test_any_byte_may_be_wrong(tmp_path_factory, changes):
    content = bytearray(CONTENT)
    for at, value in changes:
        content[at] = value
    file = tmp_path_factory.getbasetemp() / "damaged.pth"
    file.write_bytes(content)
    told = "[load] "
    try:
        minitorch.load(file)
    except (ValueError, TypeError) as error:
        told = str(error)
    assert told.startswith("[load] ")


def test_weights_of_other_libraries_load():
    class Foreign:
        """A tensor of another library, as far as NumPy knows."""

        def __array__(self, dtype=None, copy=None):
            return np.full((1, 2), 3, "float32")

    layer = minitorch.Linear(2, 1, bias=False)
    place = layer.weight.value._storage
    layer.load_state_dict({"weight": Foreign()})
    assert layer(minitorch.ones(1, 2)).item() == 6
    layer.load_state_dict({"weight": minitorch.Parameter(minitorch.ones(1, 2))})
    assert layer(minitorch.ones(1, 2)).item() == 2
    assert layer.weight.value._storage == place  # a captured graph reads it there


def plain(pickled):
    """What the machine makes of a pickle, without an archive."""
    return pickles.read(pickled, {"a.b": pickles.Call(lambda given: list(given))}, repr)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_end_in_a_value_or_an_error(data):
    with contextlib.suppress(ValueError):
        plain(PROTO + data)
