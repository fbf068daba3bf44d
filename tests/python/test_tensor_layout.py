"""The comparison of views, copies, casts and indexing with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minitorch

from .tensors import DEVICES, layouts, need, numbers, on, shapes


@pytest.mark.parametrize("device", DEVICES)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_views_agree_with_numpy(device, data):
    need(device)
    shape = data.draw(shapes(min_dims=1))
    x = data.draw(layouts(shape, "float32"))
    t = on(device, x)
    order = data.draw(st.permutations(range(len(shape))))
    np.testing.assert_array_equal(t.permute(*order).numpy(), x.transpose(order))
    np.testing.assert_array_equal(t.contiguous().numpy(), x)
    assert t.permute(*order).contiguous().is_contiguous()
    np.testing.assert_array_equal(t.reshape(-1 if x.size else 0).numpy(), x.reshape(-1))
    wide = (3, *shape)
    np.testing.assert_array_equal(t.expand(wide).numpy(), np.broadcast_to(x, wide))


@pytest.mark.parametrize("index", [1.5, np.float64(1), "1", slice(0.5)])
def test_indices_that_are_no_integers_are_refused(index):
    with pytest.raises(TypeError, match=r"\[index\] got .*; need an integer"):
        minitorch.zeros(3, 2)[index]


def test_steps_of_any_length_agree_with_numpy():
    x = np.arange(6.0).reshape(2, 3)
    t = minitorch.tensor(x)
    for step in (2**31, 2**62, 2**63 - 1):
        assert t[0:2, ::step].numpy().tolist() == x[0:2, ::step].tolist()
        assert t._slice(1, 1, 3, step).numpy().tolist() == x[:, 1:3:step].tolist()
    assert t[:: 2**70, -(2**70) : 2**70].numpy().tolist() == x[:1].tolist()
    for step in (-1, -2, -(2**70)):
        assert t[::step, 2:0:step].numpy().tolist() == x[::step, 2:0:step].tolist()
    with pytest.raises(ValueError, match=r"\[index\] step must not be 0"):
        t[::0]


def test_shapes_whose_product_wraps_are_refused():
    with pytest.raises(ValueError, match=r"\(1099511627776, 1099511627776, 1\)"):
        minitorch.zeros(6).view(2**40, 2**40, -1)
    with pytest.raises(ValueError, match=r"\(-2, -3\); need sizes of 0 or more"):
        minitorch.zeros(6).view(-2, -3)


def test_views_share_memory_and_copies_do_not():
    t = minitorch.tensor([[1.0, 2.0], [3.0, 4.0]])
    t.permute(1, 0)[0].numpy()[1] = 30
    assert t[1, 0] == 30
    t.permute(1, 0).reshape(4).numpy()[0] = -1
    assert t[0, 0] == 1


@pytest.mark.parametrize("device", DEVICES)
def test_large_transposed_copies(device):
    need(device)
    x = numbers((3, 61, 130), 6, "float32")
    got = on(device, x).permute(2, 0, 1).contiguous()
    np.testing.assert_array_equal(got.numpy(), x.transpose(2, 0, 1))


@pytest.mark.cuda
def test_devices_and_back():
    need("cuda")
    for dtype in ["float32", "float64", "int32", "int64", "uint8", "bool"]:
        x = np.arange(6).reshape(2, 3).astype(dtype)
        there = minitorch.tensor(x).permute(1, 0).to("cuda")
        assert there.device == "cuda"
        assert there.cpu().device == "cpu"
        np.testing.assert_array_equal(there.numpy(), x.T)
    assert minitorch.zeros(0, 3, device="cuda").numpy().shape == (0, 3)
