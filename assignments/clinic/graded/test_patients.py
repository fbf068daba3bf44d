"""The graded launches of the clinic's patients: each is well, or it is not."""

from __future__ import annotations

import numpy as np
import pytest

from minitorch_grading.judge import poisoned

BLOCK = 64
FLOATS = "float32[::1]"
INTS = "int32[::1]"


def _blocks(n):
    return -(-n // BLOCK)


def _sizes(rng):
    """Around a warp, and one in the middle of the third block."""
    return 1, 31, 33, int(rng.integers(130, 190))


def _numbers(rng, *shape):
    """Whole numbers as float32: sums are exact in any order."""
    return rng.integers(-40, 40, shape).astype(np.float32)


@pytest.mark.task("5.1")
def test_brighten(submission, rng):
    kernel = submission.kernel("clinic", "brighten", types=(FLOATS, FLOATS, "float32"))
    for n in _sizes(rng):
        image = _numbers(rng, n)
        expected = image + np.float32(7)
        kernel.check(expected)[_blocks(n), BLOCK](poisoned(n, "float32"), image, 7.0)


@pytest.mark.task("5.2")
def test_reverse_parts(submission, rng):
    kernel = submission.kernel("clinic", "reverse_parts", types=(FLOATS, FLOATS))
    for parts in (1, int(rng.integers(2, 5))):
        a = _numbers(rng, parts * BLOCK)
        expected = a.reshape(parts, BLOCK)[:, ::-1].ravel()
        kernel.check(expected)[parts, BLOCK](poisoned(a.size, "float32"), a)


@pytest.mark.task("5.3")
def test_histogram(submission, rng):
    kernel = submission.kernel("clinic", "histogram", types=(INTS, INTS))
    for n in _sizes(rng):
        values = rng.integers(0, 16, n).astype(np.int32)
        expected = np.bincount(values, minlength=16).astype(np.int32)
        kernel.check(expected)[_blocks(n), BLOCK](np.zeros(16, np.int32), values)


@pytest.mark.task("5.4")
def test_part_sums(submission, rng):
    kernel = submission.kernel("clinic", "part_sums", types=(FLOATS, FLOATS))
    for n in _sizes(rng):
        a, blocks = _numbers(rng, n), _blocks(n)
        padded = np.pad(a, (0, blocks * BLOCK - n)).reshape(blocks, BLOCK)
        expected = padded.sum(axis=1)
        kernel.check(expected)[blocks, BLOCK](poisoned(blocks, "float32"), a)


@pytest.mark.task("5.5")
def test_running_sums(submission, rng):
    kernel = submission.kernel("clinic", "running_sums", types=(FLOATS, FLOATS))
    a = _numbers(rng, BLOCK)
    kernel.check(np.cumsum(a))[1, BLOCK](poisoned(BLOCK, "float32"), a)


@pytest.mark.task("5.6")
def test_smooth(submission, rng):
    kernel = submission.kernel("clinic", "smooth", types=(FLOATS, FLOATS))
    for n in _sizes(rng):
        a = _numbers(rng, n)
        wide = np.pad(a, 1)
        expected = (wide[:-2] + wide[1:-1] + wide[2:]) / np.float32(3)
        ready = kernel.check(expected, rtol=1e-5, atol=1e-5)
        ready[_blocks(n), BLOCK](poisoned(n, "float32"), a)


@pytest.mark.task("5.7")
def test_medians(submission, rng):
    kernel = submission.kernel("clinic", "medians", types=(FLOATS, "float32[:, ::1]"))
    for n in _sizes(rng):
        a = _numbers(rng, n, 5)
        expected = np.median(a, axis=1)
        kernel.check(expected)[_blocks(n), BLOCK](poisoned(n, "float32"), a)


@pytest.mark.task("5.8")
def test_group_means(submission, rng):
    kernel = submission.kernel("clinic", "group_means", types=(INTS, INTS, INTS))
    for n in _sizes(rng):
        totals = rng.integers(-99, 99, n).astype(np.int32)
        counts = rng.integers(0, 4, n).astype(np.int32)
        counts[0] = 0
        means = np.where(counts == 0, 0, totals // np.maximum(counts, 1))
        ready = kernel.check(means.astype(np.int32))
        ready[_blocks(n), BLOCK](poisoned(n, "int32"), totals, counts)


@pytest.mark.task("5.9")
def test_spread(submission, rng):
    doubles = "float64[::1]"
    kernel = submission.kernel("patients/spread.cu", "spread", types=(doubles, doubles))
    for threads in (1, 32, 33, int(rng.integers(65, 126)) | 1):
        a = rng.integers(-40, 40, (3, threads)).astype(float)
        a[:, rng.integers(threads)] = rng.integers(41, 50)
        smallest = np.where(a < 0, np.inf, a).min(axis=1)
        ready = kernel.check(a.max(axis=1) - smallest)
        ready[3, threads, 9 * threads](poisoned(3), a.ravel())


@pytest.mark.task("5.10")
def test_row_lengths(submission, rng):
    types = (FLOATS, FLOATS, "int32", "int32")
    kernel = submission.kernel("patients/row_lengths.cu", "row_lengths", types=types)
    for rows in _sizes(rng):
        width = int(rng.integers(1, 9))
        a = _numbers(rng, rows, width)
        ready = kernel.check(np.linalg.norm(a, axis=1), rtol=1e-5)
        out = poisoned(rows, "float32")
        ready[_blocks(rows), BLOCK](out, a.ravel(), rows, width)


@pytest.mark.task("5.11")
def test_warp_peaks(submission, rng):
    types = (FLOATS, FLOATS, "int32")
    kernel = submission.kernel("patients/warp_peaks.cu", "warp_peaks", types=types)
    for n in _sizes(rng):
        a = _numbers(rng, n)
        last = n - n % 32
        a[last:] = -1 - np.abs(a[last:])  # so 0 is no neutral element
        expected = np.array([a[i : i + 32].max() for i in range(0, n, 32)])
        out = poisoned(len(expected), "float32")
        kernel.check(expected)[_blocks(n), BLOCK](out, a, n)


@pytest.mark.task("5.12")
def test_keep_positive(submission, rng):
    types = (FLOATS, INTS, FLOATS, "int32")
    file = "patients/keep_positive.cu"
    kernel = submission.kernel(file, "keep_positive", types=types)
    for n in (int(rng.integers(100, 160)), 33, 1):  # first one in which blocks wait
        a = _numbers(rng, n)
        a[32:64] = -np.abs(a[32:64])
        a[0] = 1
        kept, blocks = a[a > 0], -(-n // 32)
        state = np.array([blocks, len(kept)], np.int32)
        out, begin = poisoned(len(kept), "float32"), np.zeros(2, np.int32)
        kernel.check({0: kept, 1: state})[blocks, 32](out, begin, a, n)
