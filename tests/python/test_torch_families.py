"""The tests of what programs of PyTorch ask of views, maxima, norms and shuffles."""

from __future__ import annotations

import re

import numpy as np
import pytest

import minitorch
import minitorch.functional as F
from minitorch import nn
from minitorch.data import ArrayDataset, DataLoader

RNG = np.random.default_rng(4)


def test_views_of_what_can_be_split():
    x = minitorch.tensor(np.arange(48.0).reshape(2, 4, 6))
    steps = x[:, :, ::2]
    shown = steps.view(2, 2, 2, 3)
    np.testing.assert_array_equal(
        shown.numpy(), np.arange(48.0).reshape(2, 4, 6)[:, :, ::2].reshape(2, 2, 2, 3)
    )
    shown[0, 0, 0, 1] = -1.0  # the same memory
    assert x[0, 0, 2] == -1
    assert steps.view(8, 3).shape == (8, 3)
    assert x.permute(2, 0, 1).view(3, 2, -1).shape == (3, 2, 8)
    assert steps.view(24).shape == (24,)
    for part, shape in [(x[:, :, :5], (2, 20)), (x.permute(2, 0, 1), (12, 4))]:
        with pytest.raises(ValueError, match=r"\[view\] cannot view a tensor"):
            part.view(*shape)


def test_views_of_gaps_have_gradients():
    x = minitorch.tensor(np.arange(8.0).reshape(2, 4), requires_grad=True)
    (x[:, ::2].view(2, 2, 1) * minitorch.tensor([[[1.0], [2.0]]])).sum().backward()
    assert x.grad.numpy().tolist() == [[1, 0, 2, 0]] * 2


def test_minus_one_keeps_a_size():
    x = minitorch.tensor([[1.0], [2.0]], requires_grad=True)
    assert x.expand(-1, 4).shape == (2, 4)
    assert x.expand(3, -1, 4).shape == (3, 2, 4)
    assert x.expand((-1, -1)).shape == (2, 1)
    x.expand(3, -1, 4).sum().backward()
    assert x.grad.numpy().tolist() == [[12], [12]]
    with pytest.raises(
        ValueError, match=re.escape("[expand] shape (2, 1) cannot be expanded")
    ):
        x.expand(-1, 2, 4)
    with pytest.raises(ValueError, match="expand"):
        x.expand(-2, 4)


def test_the_largest_and_where_they_are():
    x = minitorch.tensor([[1.0, 5.0, 5.0], [7.0, 2.0, 0.0]], requires_grad=True)
    values, indices = x.max(1)
    assert values.detach().numpy().tolist() == [5, 7]
    assert indices.numpy().tolist() == [1, 0]
    values.sum().backward()
    assert x.grad.numpy().tolist() == [[0, 1, 0], [1, 0, 0]]
    kept = x.min(-1, keepdim=True)
    assert kept.values.shape == kept.indices.shape == (2, 1)
    assert x.max().item() == x.max((0, 1)).item() == 7
    assert x.amax(0).detach().numpy().tolist() == [7, 5, 5]
    assert minitorch.max(x, 1).shape == (2, 1)  # MiniTorch's function
    pair = x.detach().max(1)  # beside this it is its values
    assert pair.numpy().tolist() == [5, 7]
    assert pair.shape == (2,)
    assert (pair * 2 + pair).numpy().tolist() == [15, 21]
    assert (1 - pair).numpy().tolist() == [-4, -6]
    assert (minitorch.ones(2) / -pair).numpy().tolist() == [-1 / 5, -1 / 7]
    assert (pair > 6).numpy().tolist() == [0, 1]
    assert [*[], *pair][1] is pair.indices
    parts = []
    parts += pair
    assert len(parts) == 2
    with pytest.raises(ValueError, match=r"\[min\] dimension 1 of shape \(2, 0\)"):
        minitorch.zeros(2, 0).min(1)
    with pytest.raises(IndexError, match="got dim 2"):
        x.max(2)


def test_norms_of_all_batches_so_far():
    layer = nn.BatchNorm1d(2, momentum=None)
    batches = RNG.standard_normal((3, 8, 2))
    for batch in batches:
        layer(minitorch.tensor(batch))
    np.testing.assert_allclose(layer.running_mean.numpy(), batches.mean((0, 1)))
    np.testing.assert_allclose(
        layer.running_var.numpy(), batches.var(1, ddof=1).mean(0)
    )
    assert layer.num_batches_tracked.item() == 3
    assert "momentum=None" in repr(layer)
    layer.eval()(minitorch.tensor(batches[0]))
    np.testing.assert_allclose(layer.running_mean.numpy(), batches.mean((0, 1)))


def test_weights_of_yes_are_kept_by_the_loss():
    loss = nn.BCEWithLogitsLoss(pos_weight=minitorch.tensor([2.0, 3.0]))
    assert list(loss.state_dict()) == ["pos_weight"]
    x = minitorch.tensor([[0.5, -1.0], [2.0, 0.0]])
    y = minitorch.tensor([[1.0, 1.0], [0.0, 1.0]])
    assert loss(x, y).item() == pytest.approx(2.27357714590942, rel=1e-12)


def order_of(loader):
    return [cell for (x,) in loader for cell in x.numpy().tolist()]


def test_manual_seed_decides_about_shuffles():
    data = ArrayDataset(np.arange(20.0))

    def two_epochs(**options):
        loader = DataLoader(data, 4, shuffle=True, **options)
        return [order_of(loader), order_of(loader)]

    minitorch.manual_seed(1)
    first = two_epochs()
    second = two_epochs()
    minitorch.manual_seed(1)
    assert two_epochs() == first != second
    assert first[0] != first[1]
    assert sorted(first[0]) == list(range(20))
    assert two_epochs(seed=3) == two_epochs(seed=3)  # whatever was drawn before


@pytest.mark.parametrize(
    "call",
    [
        lambda x: F.softmax(x, 0),
        lambda x: F.log_softmax(x, -1).exp(),
        lambda x: F.cumsum(x, 0) / 2.5,
        lambda x: F.logsumexp(x, 0) / 2.5,
        lambda x: F.any(x, 0).double(),
        lambda x: F.max(x, 0).values / 2.5,
        lambda x: F.argmax(x, 0).double() + 1,
    ],
)
def test_a_tensor_without_dimensions_has_dim_0(call):
    made = call(minitorch.tensor(2.5))
    assert made.shape == ()
    assert made.item() == 1
    with pytest.raises(IndexError, match="got dim 1"):
        F.sum(minitorch.tensor(2.5), 1)
