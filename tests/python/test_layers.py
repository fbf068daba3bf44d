"""The tests of layers: names, shapes and start as PyTorch has them, and modes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import minitorch
from minitorch import nn

from .tensors import DEVICES, need, numbers


def names(module: minitorch.Module) -> dict[str, tuple[int, ...]]:
    return {name: value.shape for name, value in module.state_dict().items()}


# Names and shapes of PyTorch's state dicts, in its order.
STATES: list[tuple[Any, dict[str, tuple[int, ...]]]] = [
    (lambda: nn.Linear(3, 2), {"weight": (2, 3), "bias": (2,)}),
    (lambda: nn.Conv1d(4, 6, 3, groups=2), {"weight": (6, 2, 3), "bias": (6,)}),
    (lambda: nn.Conv2d(4, 6, (3, 2), bias=False), {"weight": (6, 4, 3, 2)}),
    (lambda: nn.Embedding(7, 2), {"weight": (7, 2)}),
    (lambda: nn.LayerNorm((3, 4)), {"weight": (3, 4), "bias": (3, 4)}),
    (lambda: nn.LayerNorm(3, elementwise_affine=False), {}),
    (
        lambda: nn.BatchNorm2d(5),
        {
            "weight": (5,),
            "bias": (5,),
            "running_mean": (5,),
            "running_var": (5,),
            "num_batches_tracked": (),
        },
    ),
    (lambda: nn.BatchNorm1d(5, affine=False, track_running_stats=False), {}),
    (
        lambda: nn.MultiheadAttention(6, 2),
        {
            "in_proj_weight": (18, 6),
            "in_proj_bias": (18,),
            "out_proj.weight": (6, 6),
            "out_proj.bias": (6,),
        },
    ),
    (
        lambda: nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Linear(4, 1)),
        {
            "0.weight": (2, 1, 3, 3),
            "0.bias": (2,),
            "2.weight": (1, 4),
            "2.bias": (1,),
        },
    ),
]


@pytest.mark.parametrize(("make", "expected"), STATES)
def test_state_has_the_usual_names_and_shapes(make: Any, expected: Any) -> None:
    assert names(make()) == expected
    assert list(names(make())) == list(expected)


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
def test_start_is_uniform_in_its_bound(make: Any, name: str, bound: float) -> None:
    minitorch.manual_seed(1)
    values = make().state_dict()[name].numpy()
    assert abs(values).max() <= bound
    assert abs(values).max() > 0.97 * bound
    # Of a uniform distribution, within four standard errors.
    assert abs(values.mean()) < 4 * bound / (3 * values.size) ** 0.5
    assert abs(values.std() - bound / 3**0.5) < 2 * bound / values.size**0.5


def test_other_starts() -> None:
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


def test_batch_norm_moves_its_statistics_in_training_only() -> None:
    x = numbers((6, 2, 3, 3), 1, "float64")
    layer = nn.BatchNorm2d(2, momentum=0.5)
    t = minitorch.tensor(x)
    layer(t)
    layer(t)
    mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3), ddof=1)
    np.testing.assert_allclose(layer.running_mean.numpy(), 0.75 * mean)
    np.testing.assert_allclose(layer.running_var.numpy(), 0.25 + 0.75 * var)
    assert layer.num_batches_tracked.item() == 2
    layer.eval()
    got = layer(t).numpy()
    column = (2, 1, 1)
    expected = (x - 0.75 * mean.reshape(column)) / np.sqrt(
        (0.25 + 0.75 * var + 1e-5).reshape(column)
    )
    np.testing.assert_allclose(got, expected, rtol=1e-12)
    assert layer.num_batches_tracked.item() == 2
    with pytest.raises(ValueError, match=r"\[BatchNorm2d\(2\)\] got input \(6, 2\)"):
        layer(minitorch.zeros(6, 2))


def attention(x: Any, state: dict[str, Any], heads: int, blocked: Any) -> Any:
    """Self-attention of (n, length, width) by its definition, head by head."""
    width = x.shape[2]
    share, outs, all_weights = width // heads, [], []
    rows = x @ state["in_proj_weight"].T + state["in_proj_bias"]
    q, k, v = rows[..., :width], rows[..., width : 2 * width], rows[..., 2 * width :]
    for h in range(heads):
        part = slice(h * share, (h + 1) * share)
        scores = q[..., part] @ k[..., part].transpose(0, 2, 1) / share**0.5
        scores = np.where(blocked, -np.inf, scores)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        outs.append(weights @ v[..., part])
        all_weights.append(weights)
    out = np.concatenate(outs, -1) @ state["out_proj.weight"].T + state["out_proj.bias"]
    return out, np.stack(all_weights, 1)


@pytest.mark.parametrize("device", DEVICES)
def test_multihead_attention_is_its_definition(device: str) -> None:
    need(device)
    minitorch.manual_seed(3)
    layer = nn.MultiheadAttention(6, 3, batch_first=True, device=device)
    state = {k: v.numpy() for k, v in layer.state_dict().items()}
    x = numbers((2, 4, 6), 1, "float64")
    padding = np.zeros((2, 4), bool)
    padding[1, 3] = True
    later = np.triu(np.ones((4, 4), bool), 1)
    t = minitorch.tensor(x, device=device)
    out, weights = layer(
        t,
        t,
        t,
        key_padding_mask=minitorch.tensor(padding, device=device),
        attn_mask=minitorch.tensor(later, device=device),
    )
    expected = attention(x, state, 3, later | padding[:, None])
    np.testing.assert_allclose(out.numpy(), expected[0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(weights.numpy(), expected[1].mean(1), atol=1e-12)
    layer.batch_first = False
    turned = t.transpose(0, 1)
    out, weights = layer(turned, turned, turned, is_causal=True, need_weights=False)
    expected = attention(x, state, 3, later)
    np.testing.assert_allclose(out.transpose(0, 1).numpy(), expected[0], atol=1e-12)
    assert weights is None
    _, weights = layer(turned, turned, turned, average_attn_weights=False)
    assert weights.shape == (2, 3, 4, 4)
    with pytest.raises(ValueError, match=r"need \(length, n, width\) each"):
        layer(t[0], t, t)


@pytest.mark.parametrize(
    ("layer", "function"),
    [
        (nn.LeakyReLU(0.1), lambda x: np.where(x > 0, x, 0.1 * x)),
        (
            nn.GELU("tanh"),
            lambda x: x / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3))),
        ),
        (nn.GELU(), lambda x: x / 2 * (1 + np.vectorize(math.erf)(x / 2**0.5))),
        (nn.SiLU(), lambda x: x / (1 + np.exp(-x))),
        (nn.Softmax(1), lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True)),
        (
            nn.LogSoftmax(0),
            lambda x: np.log(np.exp(x) / np.exp(x).sum(0, keepdims=True)),
        ),
        (nn.ReLU(), lambda x: np.maximum(x, 0)),
        (nn.Sigmoid(), lambda x: 1 / (1 + np.exp(-x))),
        (nn.Tanh(), np.tanh),
        (nn.Identity(), lambda x: x),
        (nn.Flatten(), lambda x: x),
    ],
)
def test_activations(layer: Any, function: Any) -> None:
    x = numbers((3, 4), 1, "float64")
    np.testing.assert_allclose(
        layer(minitorch.tensor(x)).numpy(), function(x), rtol=1e-12, atol=1e-14
    )


def test_losses_keep_their_options() -> None:
    x, y = numbers((3, 4), 1, "float64"), numbers((3, 4), 2, "float64")
    a, b = minitorch.tensor(x), minitorch.tensor(y)
    label, weight = np.array([1, 3, 0]), np.array([0.5, 2, 1, 3])
    log = np.log(np.exp(x) / np.exp(x).sum(1, keepdims=True))
    picked, heavy = log[np.arange(3), label], weight[label]
    t, w = minitorch.tensor(label), minitorch.tensor(weight)
    for got, wanted in [
        (nn.MSELoss()(a, b), ((x - y) ** 2).mean()),
        (nn.MSELoss("sum")(a, b), ((x - y) ** 2).sum()),
        (nn.CrossEntropyLoss(w)(a, t), -(picked * heavy).sum() / heavy.sum()),
        (nn.CrossEntropyLoss(ignore_index=3)(a, t), -picked[[0, 2]].mean()),
    ]:
        np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-12)
    assert list(nn.CrossEntropyLoss(w).state_dict()) == ["weight"]
    with pytest.raises(ValueError, match=r"\[MSELoss\] got 'max'; need 'none'"):
        nn.MSELoss("max")


def test_bad_layers_are_named() -> None:
    for make, message in [
        (lambda: nn.Conv2d(3, 4, 3, groups=2), r"\[Conv2d\] got 3 and 4 channels in 2"),
        (lambda: nn.Conv2d(0, 4, 3), r"\[Conv2d\] got in_channels 0; need 1"),
        (lambda: nn.Conv1d(1, 4, 0), r"\[Conv1d\] got kernel_size 0; need 1"),
        (lambda: nn.MultiheadAttention(5, 2), r"got width 5 and 2 heads"),
        (lambda: nn.Embedding(0, 2), r"\[Embedding\] got num_embeddings 0"),
        (lambda: nn.Dropout(2), r"\[Dropout\] got probability 2"),
        (lambda: nn.BatchNorm1d(-1), r"\[BatchNorm1d\] got num_features -1"),
    ]:
        with pytest.raises(ValueError, match=message):
            make()
