"""What students see of the clinic's rows for patients/*.cu, and for answers.py."""

from __future__ import annotations

import answers
import numpy as np
import pytest
from launches import launched, of_file, poisoned

# As answers.py lists them.
WORDS = [
    "oob_global",
    "oob_shared",
    "oob_local",
    "oob_const",
    "misaligned",
    "null_pointer",
    "use_after_free",
    "uninit_global",
    "uninit_shared",
    "uninit_local",
    "uninit_register",
    "race_shared",
    "race_global",
    "barrier_divergence",
    "warp_sync",
    "deadlock",
    "div_by_zero",
]


def some(*shape: int) -> np.ndarray:
    """Numbers with a few digits, some of them negative."""
    return np.random.default_rng(7).integers(-40, 40, shape).astype(np.float32)


@pytest.mark.task5_9
@pytest.mark.parametrize("threads", [32, 33, 100])
def test_spread(threads: int) -> None:
    """An address is a multiple of the size of what lies there."""
    a = some(3, threads).astype(np.float64)
    a[:, -1] = 0
    spread = of_file("spread")
    launch = (3, threads, 0, 9 * threads)
    spreads, _ = launched(spread, launch, poisoned(3, np.float64), a)
    np.testing.assert_array_equal(spreads, a.max(axis=1))


@pytest.mark.task5_10
@pytest.mark.parametrize(("rows", "width"), [(1, 1), (31, 7), (33, 5)])
def test_row_lengths(rows: int, width: int) -> None:
    """What a variable holds before it was given a value, nobody knows."""
    a = some(rows, width)
    kernel = of_file("row_lengths")
    lengths, _ = launched(kernel, (2, 32), poisoned(rows), a, rows, width)
    np.testing.assert_allclose(lengths, np.linalg.norm(a, axis=1), rtol=1e-6)


@pytest.mark.task5_11
@pytest.mark.parametrize("n", [1, 31, 32, 33, 101])
def test_warp_peaks(n: int) -> None:
    """A lane that has left the kernel gives nothing to the others."""
    a = some(n)
    a[n - n % 32 :] = -1 - np.abs(a[n - n % 32 :])  # all below 0 in the last group
    peaks, _ = launched(of_file("warp_peaks"), (2, 64), poisoned(-(-n // 32)), a, n)
    expected = [a[i : i + 32].max() for i in range(0, n, 32)]
    np.testing.assert_array_equal(peaks, expected)


@pytest.mark.task5_12
@pytest.mark.parametrize("n", [101, 33, 32, 1])
def test_keep_positive(n: int) -> None:
    """Who waits for a turn must get it one day."""
    a = some(n)
    a[32:64] = -1
    kept = a[a > 0]
    args = poisoned(len(kept)), np.zeros(2, np.int32), a, n
    blocks = -(-n // 32)
    out, state, _ = launched(of_file("keep_positive"), (blocks, 32), *args)
    np.testing.assert_array_equal(out, kept)
    np.testing.assert_array_equal(state, [blocks, len(kept)])


@pytest.mark.parametrize(
    "patient",
    [
        pytest.param(f"5.{n}", marks=getattr(pytest.mark, f"task5_{n}"))
        for n in range(1, 13)
    ],
)
def test_diagnosis_is_given(patient: str) -> None:
    """Only whether it is a word of the list: the grader says whether it is right."""
    kind = answers.KINDS.get(patient)
    assert kind, f"answers.py has no word for patient {patient} yet"
    assert kind in WORDS, f"{kind!r} is no word of the list in answers.py"
    others = [p for p, word in answers.KINDS.items() if word == kind and p != patient]
    assert not others, (
        f"{patient} and {', '.join(others)} have one kind; each has another"
    )
