"""The tests of layers: names, shapes and start as PyTorch has them, and modes."""

from __future__ import annotations

import pytest

import minitorch
from minitorch import nn


def names(module):
    return {name: value.shape for name, value in module.state_dict().items()}


def test_layers_that_learn_nothing_have_no_state():
    assert names(nn.Embedding(7, 2)) == {"weight": (7, 2)}
    assert names(nn.LayerNorm(3, elementwise_affine=False)) == {}
    assert names(nn.BatchNorm1d(5, affine=False, track_running_stats=False)) == {}


@pytest.mark.parametrize(
    ("make", "name", "bound"),
    [
        (lambda: nn.Linear(100, 40), "weight", 0.1),
        (lambda: nn.Linear(400, 100), "bias", 0.05),
        (lambda: nn.Conv2d(8, 64, (5, 2), groups=2), "weight", 40**-0.5),
        (lambda: nn.Conv1d(25, 300, 4), "bias", 0.1),
        (lambda: nn.MultiheadAttention(24, 3), "in_proj_weight", 0.25),
        (lambda: nn.MultiheadAttention(25, 5), "out_proj.weight", 0.2),
    ],
)
def test_start_is_uniform_in_its_bound(make, name, bound):
    minitorch.manual_seed(1)
    values = make().state_dict()[name].numpy()
    assert abs(values).max() <= bound
    assert abs(values).max() > 0.97 * bound
    # Of a uniform distribution, within four standard errors.
    assert abs(values.mean()) < 4 * bound / (3 * values.size) ** 0.5
    assert abs(values.std() - bound / 3**0.5) < 2 * bound / values.size**0.5


def test_other_starts():
    minitorch.manual_seed(2)
    table = nn.Embedding(200, 50, padding_idx=-1).weight.value.numpy()
    assert not table[-1].any()
    assert abs(table[:-1].mean()) < 0.04
    assert abs(table[:-1].std() - 1) < 0.03
    attention = nn.MultiheadAttention(4, 2).state_dict()
    assert not attention["in_proj_bias"].numpy().any()
    assert not attention["out_proj.bias"].numpy().any()
    norm = nn.BatchNorm2d(2).state_dict()
    assert [norm[k].numpy().tolist() for k in ("weight", "bias", "running_mean")] == [
        [1, 1],
        [0, 0],
        [0, 0],
    ]
    assert norm["running_var"].numpy().tolist() == [1, 1]


def test_bad_layers_are_named():
    for make, message in [
        (
            lambda: nn.Conv2d(3, 4, 3, groups=2),
            r"\[Conv2d\] got in_channels 3, out_channels 4 and groups 2",
        ),
        (lambda: nn.Conv2d(0, 4, 3), r"\[Conv2d\] got in_channels 0; need at least 1"),
        (lambda: nn.Conv1d(1, 4, 0), r"\[Conv1d\] got kernel_size 0; need at least 1"),
        (lambda: nn.MultiheadAttention(5, 2), r"got embed_dim 5 and num_heads 2"),
        (lambda: nn.Embedding(0, 2), r"\[Embedding\] got num_embeddings 0"),
        (lambda: nn.MSELoss("max"), r"\[MSELoss\] got reduction 'max'; need 'none'"),
        (lambda: nn.Dropout(2), r"\[Dropout\] got probability 2"),
        (lambda: nn.BatchNorm1d(-1), r"\[BatchNorm1d\] got num_features -1"),
    ]:
        with pytest.raises(ValueError, match=message):
            make()
