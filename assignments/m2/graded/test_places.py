"""Holds the graded tests of tasks 2.1 and 2.2."""

import numpy as np
import pytest


@pytest.mark.task("2.1-indices")
def test_indices(submission, rng):
    for dims in (1, 2, 3, 4):
        strides = rng.permutation([1, 4, 12, 36])[:dims]
        indices = rng.integers(0, 9, (5, dims + 2))
        expected = (indices[:, :dims] * strides).sum(1)
        submission.check("drivers.positions", indices, strides, expected=expected)
        shape = rng.integers(1, 5, dims)
        if dims > 1:
            shape[-1] = shape[0] + 2  # rows and columns are told apart
        every = np.array(list(np.ndindex(*shape)))
        beyond = np.full((len(every), 2), 7)
        expected = np.concatenate([every, every, beyond], 1)
        submission.check("drivers.enumerated", shape, expected=expected)


@pytest.mark.task("2.1-permute")
def test_permute(submission, rng):
    for dims in (1, 3, 4):
        array = rng.normal(size=tuple(range(2, 2 + dims)))
        layout = np.array(rng.permutation(dims))
        order = np.roll(np.arange(dims), 1)  # of three, not its own inverse
        strides, step = np.zeros(dims, int), 1
        for dim in layout[::-1]:
            strides[dim] = step
            step *= array.shape[dim]
        turned = array.transpose(order)
        expected = [np.array(turned.shape), strides[order], turned, np.ones(3, bool)]
        submission.check("drivers.permuted", array, layout, order, expected=expected)


@pytest.mark.task("2.2-shapes")
def test_shapes(submission):
    for first, second, expected in (
        ((3,), (3,), (3,)),
        ((1,), (4, 5), (4, 5)),
        ((4, 5), (1,), (4, 5)),
        ((2, 1, 4), (3, 1), (2, 3, 4)),
        ((5, 1, 5, 1), (1, 6, 1, 7), (5, 6, 5, 7)),
        ((2, 3), (2,), (-1,)),
        ((2, 3, 4), (2, 1, 3), (-1,)),
        ((0, 1), (3,), (0, 3)),
    ):
        submission.check(
            "drivers.broadcast",
            np.array(first),
            np.array(second),
            expected=np.array(expected),
        )


@pytest.mark.task("2.2-indices")
def test_broadcast_indices(submission, rng):
    for big, small in (
        ((3, 4), (4,)),
        ((3, 4), (3, 1)),
        ((2, 3, 4), (3, 1)),
        ((2, 3, 4), (2, 1, 4)),
        ((2, 2, 5), (1,)),
    ):
        every = np.array(list(np.ndindex(*big)))
        kept = every[:, len(big) - len(small) :] * (np.array(small) > 1)
        beyond = np.full((len(every), 1), 7)
        expected = np.concatenate([kept, beyond, every], 1)
        submission.check(
            "drivers.broadcast_indices",
            np.array(big),
            np.array(small),
            expected=expected,
        )
