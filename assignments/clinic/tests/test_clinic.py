"""What students see of the clinic's rows for clinic.py: each patient's complaint.

A test fails with the emulator's words for the fault; a patient is well when its test
passes. The grader launches the same kernels with other sizes.
"""

from __future__ import annotations

import clinic
import numpy as np
import pytest
from launches import launched, poisoned

BLOCK = 64
SIZES = [1, 31, 32, 33, 64, 97]


def blocks(n: int) -> tuple[int, int]:
    """Enough blocks of BLOCK threads for n."""
    return -(-n // BLOCK), BLOCK


def some(*shape: int) -> np.ndarray:
    """Numbers with a few digits, so that sums are exact in any order."""
    return np.random.default_rng(5).integers(-40, 40, shape).astype(np.float32)


@pytest.mark.task5_1
@pytest.mark.parametrize("n", SIZES)
def test_brighten(n: int) -> None:
    """One pixel more for each; nothing beside the picture is touched."""
    image = some(n)
    out, _ = launched(clinic.brighten, blocks(n), poisoned(n), image, np.float32(3))
    np.testing.assert_array_equal(out, image + 3)


@pytest.mark.task5_2
@pytest.mark.parametrize("parts", [1, 2, 3])
def test_reverse_parts(parts: int) -> None:
    """A thread may read a cell of shared memory only once another has written it."""
    a = some(parts * BLOCK)
    out, _ = launched(clinic.reverse_parts, (parts, BLOCK), poisoned(a.size), a)
    np.testing.assert_array_equal(out, a.reshape(parts, BLOCK)[:, ::-1].ravel())


@pytest.mark.task5_3
@pytest.mark.parametrize("n", SIZES)
def test_histogram(n: int) -> None:
    """Many threads count in one cell."""
    values = np.arange(n, dtype=np.int32) ** 2 % 16
    counts = np.zeros(16, np.int32)
    counts, _ = launched(clinic.histogram, blocks(n), counts, values)
    np.testing.assert_array_equal(counts, np.bincount(values, minlength=16))


@pytest.mark.task5_4
@pytest.mark.parametrize("n", SIZES)
def test_part_sums(n: int) -> None:
    """The last block has fewer numbers than threads."""
    a = some(n)
    parts, _ = blocks(n)
    sums, _ = launched(clinic.part_sums, blocks(n), poisoned(parts), a)
    padded = np.pad(a, (0, parts * BLOCK - n)).reshape(parts, BLOCK)
    np.testing.assert_array_equal(sums, padded.sum(axis=1))


@pytest.mark.task5_5
def test_running_sums() -> None:
    """All threads of a block meet at each barrier."""
    a = some(BLOCK)
    out, _ = launched(clinic.running_sums, (1, BLOCK), poisoned(BLOCK), a)
    np.testing.assert_array_equal(out, np.cumsum(a))


@pytest.mark.task5_6
@pytest.mark.parametrize("n", SIZES)
def test_smooth(n: int) -> None:
    """The first and the last thread of a block need a neighbour in another block."""
    a = some(n)
    out, _ = launched(clinic.smooth, blocks(n), poisoned(n), a)
    wide = np.pad(a, 1)
    np.testing.assert_allclose(out, (wide[:-2] + wide[1:-1] + wide[2:]) / 3, rtol=1e-6)


@pytest.mark.task5_7
@pytest.mark.parametrize("n", SIZES)
def test_medians(n: int) -> None:
    """A thread sorts its own five cells, and no others."""
    a = some(n, 5)
    out, _ = launched(clinic.medians, blocks(n), poisoned(n), a)
    np.testing.assert_array_equal(out, np.median(a, axis=1))


@pytest.mark.task5_8
@pytest.mark.parametrize("n", SIZES)
def test_group_means(n: int) -> None:
    """Some groups have no members: their mean is said to be 0."""
    totals = some(n).astype(np.int32)
    counts = np.arange(n, dtype=np.int32) % 4
    means = poisoned(n, np.int32)
    means, *_ = launched(clinic.group_means, blocks(n), means, totals, counts)
    expected = np.where(counts > 0, totals // np.maximum(counts, 1), 0)
    np.testing.assert_array_equal(means, expected)
