"""The comparison of matrix products with NumPy, on both devices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minitorch

from .tensors import DEVICES, close, layouts, need, numbers, on


@pytest.mark.parametrize("device", DEVICES)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_batches_broadcast_as_in_numpy(device, data):
    need(device)
    dtype = data.draw(st.sampled_from(["float64", "float32"]))
    m, k, n = (data.draw(st.integers(0, 5)) for _ in range(3))
    batch = data.draw(st.lists(st.integers(1, 3), max_size=2))
    pair = []
    for rows, columns in [(m, k), (k, n)]:
        own = [1 if data.draw(st.booleans()) else size for size in batch]
        cut = data.draw(st.integers(0, len(batch)))
        shape = (*own[cut:], rows, columns)
        pair.append(data.draw(layouts(shape, dtype)))
    a, b = pair
    close(on(device, a) @ on(device, b), a @ b)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("size", [1, 15, 16, 17, 31, 33, 67])
def test_sizes_around_a_tile(size, dtype, device):
    need(device)
    a, b = numbers((size, size + 3), 1, dtype), numbers((size + 3, size), 2, dtype)
    got = on(device, a) @ on(device, b)
    exact = a.astype("float64") @ b.astype("float64")
    tolerance = 1e-12 if dtype == "float64" else 1e-4
    np.testing.assert_allclose(got.numpy(), exact, rtol=tolerance, atol=tolerance * 10)


@pytest.mark.cuda
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((2**20 - 15, 1), (1, 1)),  # one row of tiles beyond grid.y's limit
        ((1, 1), (1, 2**20 - 15)),
        ((65537, 1, 1), (1, 1, 2)),  # and beyond grid.z's
        ((2, 2**20 - 15, 1), (2, 1, 1)),
    ],
)
def test_products_larger_than_a_grid(a, b):
    need("cuda")
    left, right = numbers(a, 1, "float64"), numbers(b, 2, "float64")
    got = on("cuda", left) @ on("cuda", right)
    np.testing.assert_allclose(got.numpy(), left @ right, rtol=1e-12)


@pytest.mark.parametrize("device", DEVICES)
def test_transposed_views(device):
    need(device)
    a, b = numbers((4, 33, 20), 1, "float64"), numbers((4, 20, 18), 2, "float64")
    turned = on(device, b).transpose(1, 2) @ on(device, a).transpose(1, 2)
    np.testing.assert_allclose(
        turned.transpose(1, 2).numpy(), a @ b, rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (
            (2, 3),
            (4, 5),
            "[matmul] a is (2, 3), b is (4, 5): inner sizes differ (3 vs 4).",
        ),
        (
            (2, 3),
            (4, 3),
            "[matmul] a is (2, 3), b is (4, 3): inner sizes differ (3 vs "
            "4). Try b.permute(1, 0).",
        ),
        (
            (3,),
            (2, 2),
            "[matmul] a is (3,), b is (2, 2): inner sizes differ (3 vs 2).",
        ),
        (
            (4, 3),
            (2,),
            "[matmul] a is (4, 3), b is (2,): inner sizes differ (3 vs 2).",
        ),
        (
            (),
            (2,),
            "[matmul] a is (), b is (2,); need a dimension or more each. A number "
            "multiplies with *.",
        ),
    ],
)
def test_shapes_that_do_not_fit(a, b, message):
    with pytest.raises(ValueError, match="matmul") as caught:
        minitorch.zeros(a) @ minitorch.zeros(b)
    assert str(caught.value) == message
    assert (minitorch.ones(1, 2) @ minitorch.ones(2, 1)).item() == 2
