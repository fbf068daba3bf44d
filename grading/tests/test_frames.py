"""Tests messages between the grader's processes: what comes through, what does not."""

from __future__ import annotations

import os
import pickle
import random
import struct
import threading

import numpy as np
import pytest

from minitorch_grading.sandbox.frames import (
    Channel,
    FrameError,
    FrameLimits,
    decode,
    encode,
)

ARRAYS = [
    np.arange(6, dtype=np.int64).reshape(2, 3),
    np.array(2.5),
    np.zeros((0, 4), np.float32),
    np.array([True, False]),
    np.arange(4, dtype=np.float16)[::2],
    np.asfortranarray(np.arange(6, dtype=np.uint8).reshape(2, 3)),
    np.array([1, 2], dtype=">i4"),
    np.array([np.nan, np.inf]),
]


def test_a_message_comes_through_as_it_was():
    frame = decode(encode({"ask": "x", "list": [1, None, "ü"]}, ARRAYS))
    assert frame.header == {"ask": "x", "list": [1, None, "ü"]}
    for got, sent in zip(frame.arrays, ARRAYS, strict=True):
        assert got.dtype == sent.dtype.newbyteorder("=")
        assert got.flags.writeable
        np.testing.assert_array_equal(got, sent)


@pytest.mark.parametrize(
    "array",
    [
        np.array([object()]),
        np.array(["text"]),
        np.array([1j]),
        np.zeros(2, [("a", "f4")]),
        np.zeros(1, np.longdouble),
        np.array(["2026-01-01"], "M8[D]"),
    ],
)
def test_other_types_are_not_sent(array):
    with pytest.raises(TypeError, match=r"\[frames\] got an array of"):
        encode({}, [array])


def test_nan_is_no_json():
    with pytest.raises(ValueError, match="Out of range"):
        encode({"x": float("nan")})
    with pytest.raises(FrameError, match="NaN"):
        decode(raw(b'{"x": NaN}'))


def raw(header: bytes, *parts: bytes) -> bytes:
    start = struct.pack("<4sII", b"MTF1", len(header), len(parts))
    sized = b"".join(struct.pack("<Q", len(part)) + part for part in parts)
    return start + header + sized


def npy(description: str, data: bytes = b"") -> bytes:
    text = description.encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


LYING = {
    "larger than it says": npy(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4,)}", bytes(16)
    ),
    "very large": npy(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2**60,)}", bytes(16)
    ),
    "huge": npy(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846976,)}"
    ),
    "no cell, and sizes beyond any": npy(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 2305843009213693952, 8)}"
    ),
    "no cell, and a size that is no index": npy(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 36893488147419103232)}"
    ),
    "negative": npy(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -2)}", bytes(16)
    ),
    "objects": npy(
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
        pickle.dumps([print]),
    ),
    "code": npy("{'descr': __import__('os'), 'fortran_order': False, 'shape': ()}"),
    "records": npy(
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}", bytes(16)
    ),
    "bools as sizes": npy(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (True,)}", bytes(8)
    ),
    "no header": b"\x93NUMPY\x01\x00",
    "not npy": b"PK\x03\x04" + bytes(40),
    "version 3": b"\x93NUMPY\x03\x00" + bytes(40),
    "long header": npy("{" + " " * 600 + "}"),
    "not utf": b"\x93NUMPY\x01\x00\x04\x00\xff\xff\xff\xff",
}


@pytest.mark.parametrize("title", LYING)
def test_an_array_that_misleads_is_refused(title):
    with pytest.raises(FrameError):
        decode(raw(b"{}", LYING[title]))


@pytest.mark.parametrize(
    "whole",
    [
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
        raw(b"[1]"),
        raw(b"{"),
        raw(b"\xff\xfe"),
        raw(b'{"a":' + b"[" * 100_000),
        raw(b'{"a": ' + b"9" * 5000 + b"}"),
        raw(b"{}") + b"more",
        struct.pack("<4sII", b"MTF1", 1 << 31, 0),
        struct.pack("<4sII", b"MTF1", 2, 1 << 20) + b"{}",
        struct.pack("<4sIIQ", b"MTF1", 0, 1, 1 << 62),
    ],
)
def test_other_bytes_are_refused(whole):
    with pytest.raises(FrameError):
        decode(whole)


def test_all_arrays_together_have_a_limit():
    whole = encode({}, [np.zeros(1000), np.zeros(1000)])
    assert decode(whole, FrameLimits(total=16000)).arrays[1].shape == (1000,)
    with pytest.raises(FrameError, match="left"):
        decode(whole, FrameLimits(total=15999))


def test_changed_bytes_never_do_more_than_be_refused():
    rng = random.Random(0)
    whole = encode({"ask": "call", "values": [1, 2.5]}, ARRAYS)
    for _ in range(2000):
        changed = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        if rng.random() < 0.3:
            del changed[rng.randrange(len(changed)) :]
        try:
            frame = decode(bytes(changed))
        except FrameError:
            continue
        assert all(array.dtype.kind in "biuf" for array in frame.arrays)


def test_a_channel_answers_with_the_number_of_the_question():
    requests, to = os.pipe()
    answers, replies = os.pipe()
    channel = Channel(requests, replies)
    array = np.arange(200_000.0)  # more than a pipe holds
    whole = encode({"nonce": "abc", "ask": 1}, [array])
    sender = threading.Thread(target=lambda: (os.write(to, whole), os.close(to)))
    sender.start()
    frame = channel.receive()
    sender.join()
    assert frame.header == {"ask": 1}
    np.testing.assert_array_equal(frame.arrays[0], array)
    channel.reply({"done": True})
    assert decode(os.read(answers, 4096)).header == {"done": True, "nonce": "abc"}
    with pytest.raises(EOFError):
        channel.receive()
    for file in (requests, answers, replies):
        os.close(file)
