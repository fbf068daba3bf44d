"""torch.nn.init and torch.nn.utils: starts, limits on gradients, vectors, norms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minitorch
import minitorch.torch as torch
from minitorch.torch import nn
from minitorch.torch.nn.utils import rnn


def numbers(x):
    return x.detach().numpy()


@pytest.mark.parametrize("name", [n for n in nn.init.__all__ if n.endswith("_")])
def test_starts_are_in_place_and_leave_no_history(name):
    weight = nn.Parameter(torch.full((4, 4), 9.0))
    if name == "dirac_":
        weight = nn.Parameter(torch.full((4, 4, 3), 9.0))
    options = {"constant_": (0.5,), "sparse_": (0.5,)}.get(name, ())
    torch.manual_seed(0)
    assert getattr(nn.init, name)(weight, *options) is weight
    assert weight.requires_grad
    assert weight.is_leaf
    assert 9 not in numbers(weight)
    first = weight.detach().clone()
    torch.manual_seed(0)
    getattr(nn.init, name)(weight.data, *options)
    np.testing.assert_array_equal(numbers(weight), numbers(first))
    with pytest.raises(TypeError, match=r"torch\.Tensor"):
        getattr(nn.init, name)(minitorch.ones(4, 4), *options)


def test_generators_of_starts():
    before = torch.get_rng_state()
    a = nn.init.kaiming_uniform_(
        torch.empty(3, 3), generator=torch.Generator().manual_seed(3)
    )
    b = nn.init.kaiming_uniform_(
        torch.empty(3, 3), generator=torch.Generator().manual_seed(3)
    )
    assert a.tolist() == b.tolist()
    assert before.tolist() == torch.get_rng_state().tolist()


def test_patterns():
    assert nn.init.eye_(torch.empty(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]
    found = nn.init.dirac_(torch.empty(4, 2, 3, 3), 2)
    assert found[:, :, 1, 1].tolist() == [[1, 0], [0, 1], [1, 0], [0, 1]]
    assert found.sum().item() == 4
    q = nn.init.orthogonal_(torch.empty(4, 3), 2).numpy()
    np.testing.assert_allclose(q.T @ q, 4 * np.eye(3), atol=1e-5)
    q = nn.init.orthogonal_(torch.empty(2, 3, 2)).flatten(1).numpy()
    np.testing.assert_allclose(q @ q.T, np.eye(2), atol=1e-5)
    assert nn.init.orthogonal_(torch.empty(0, 3)).shape == (0, 3)
    zeros = numbers(nn.init.sparse_(torch.empty(10, 3), 0.25)) == 0
    assert zeros.sum(0).tolist() == [3, 3, 3]
    assert nn.init.ones_(torch.zeros(2, dtype=torch.int64)).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: nn.init.eye_(torch.empty(2)), ValueError),
        (lambda: nn.init.dirac_(torch.empty(2, 2)), ValueError),
        (lambda: nn.init.dirac_(torch.empty(3, 2, 3), 2), ValueError),
        (lambda: nn.init.orthogonal_(torch.empty(2)), ValueError),
        (lambda: nn.init.sparse_(torch.empty(2), 0.1), ValueError),
        (lambda: nn.init.sparse_(torch.empty(2, 2), 1.5), ValueError),
        (lambda: nn.init.xavier_normal_(torch.empty(2)), ValueError),
        (lambda: nn.init.kaiming_normal_(torch.empty(2, 2), mode="no"), ValueError),
        (lambda: nn.init.uniform_(torch.empty(2), 3, 2), RuntimeError),
        (lambda: nn.init.normal_(torch.empty(2), 0, -1), RuntimeError),
        (lambda: nn.init.calculate_gain("foo"), ValueError),
        (lambda: nn.init.normal_(torch.empty(2), generator=3), TypeError),
    ],
)
def test_starts_that_cannot_be(call, error):
    with pytest.raises(error, match="need"):
        call()


def test_gains_and_old_names():
    assert nn.init.calculate_gain("leaky_relu", 0.2) == 1.3867504905630728
    assert nn.init.calculate_gain("conv_transpose3d") == 1
    with pytest.warns(FutureWarning, match="xavier_uniform_"):
        nn.init.xavier_uniform(torch.empty(2, 2))


def with_gradients():
    a, b = (torch.ones(n, requires_grad=True) for n in (1, 2))
    (a.sum() * 3 + b.sum() * 2).backward()  # the norm is sqrt(9 + 4 + 4)
    return [a, b]


def test_clipping_by_the_norm():
    kept = with_gradients()
    gradient = kept[0].grad
    total = nn.utils.clip_grad_norm_(iter(kept), 1.0)
    assert total.item() == pytest.approx(math.sqrt(17))
    assert kept[0].grad is gradient  # in its own memory
    assert gradient.item() == pytest.approx(3 / math.sqrt(17), rel=1e-5)
    assert nn.utils.get_total_norm([p.grad for p in kept]).item() == pytest.approx(1)
    kept = with_gradients()
    assert nn.utils.clip_grad_norm_(kept, 9.0, norm_type=math.inf).item() == 3
    assert kept[1].grad.tolist() == [2, 2]
    assert nn.utils.clip_grad_norm_(kept[0], 9.0, norm_type=1).item() == 3
    kept[0].grad.fill_(math.nan)
    with pytest.raises(RuntimeError, match="finite"):
        nn.utils.clip_grad_norm_(kept, 1.0, error_if_nonfinite=True)
    with pytest.warns(UserWarning, match="no parameters"):
        assert nn.utils.clip_grad_norm_([], 1.0).item() == 0
    with pytest.raises(TypeError, match=r"torch\.Tensor"):
        nn.utils.clip_grad_norm_([minitorch.ones(1)], 1.0)


def test_clipping_by_the_value():
    kept = with_gradients()
    nn.utils.clip_grad_value_(kept, 2.5)
    assert kept[0].grad.tolist() == [2.5]
    assert kept[1].grad.tolist() == [2, 2]


def test_parameters_as_a_vector():
    layer = nn.Linear(2, 1)
    row = nn.utils.parameters_to_vector(layer.parameters())
    assert row.shape == (3,)
    assert row.requires_grad
    nn.utils.vector_to_parameters(torch.tensor([0.0, 1.0, 2.0]), layer.parameters())
    assert layer.weight.tolist() == [[0, 1]]
    assert layer.bias.tolist() == [2]
    assert layer.bias.is_leaf
    with pytest.raises(RuntimeError, match="2 elements"):
        nn.utils.vector_to_parameters(torch.ones(2), layer.parameters())
    with pytest.raises(TypeError, match=r"torch\.Tensor"):
        nn.utils.vector_to_parameters([1.0], layer.parameters())


def test_padded_sequences():
    parts = [torch.tensor([1.0, 2.0, 3.0]), torch.tensor([4.0])]
    assert rnn.pad_sequence(parts).tolist() == [[1, 4], [2, 0], [3, 0]]
    left = rnn.pad_sequence(parts, True, padding_value=9.0, padding_side="left")
    assert left.tolist() == [[1, 2, 3], [9, 9, 4]]
    wide = rnn.pad_sequence([torch.ones(2, 3), torch.ones(1, 3)])
    assert wide.shape == (2, 2, 3)
    back = rnn.unpad_sequence(wide, torch.tensor([2, 1]))
    assert [tuple(each.shape) for each in back] == [(2, 3), (1, 3)]
    with pytest.raises(ValueError, match="padding_side"):
        rnn.pad_sequence(parts, padding_side="up")
    for wrong in ([], [torch.ones(1, 2), torch.ones(1, 3)], [torch.tensor(1.0)]):
        with pytest.raises(RuntimeError, match="sequence"):
            rnn.pad_sequence(wrong)


@pytest.mark.parametrize("dim", [0, 1, None])
def test_weight_norm(dim):
    layer = nn.Linear(3, 2)
    before = layer.weight.detach().clone()
    assert nn.utils.weight_norm(layer, dim=dim) is layer
    x = torch.rand(4, 3)
    np.testing.assert_allclose(
        layer(x).detach().numpy(),
        (x @ before.T + layer.bias).detach().numpy(),
        rtol=1e-5,
    )
    layer(x).sum().backward()
    assert layer.weight_g.grad.shape == layer.weight_g.shape
    with pytest.raises(RuntimeError, match="second time"):
        nn.utils.weight_norm(layer)
    with torch.no_grad():
        layer.weight_g.mul_(2)
    doubled = layer(x).detach()
    nn.utils.remove_weight_norm(layer)
    assert sorted(name for name, _ in layer.named_parameters()) == ["bias", "weight"]
    np.testing.assert_allclose(layer(x).detach().numpy(), doubled.numpy(), rtol=1e-6)
    with pytest.raises(ValueError, match="no weight norm"):
        nn.utils.remove_weight_norm(layer)


def test_spectral_norm():
    torch.manual_seed(0)
    layer = nn.utils.spectral_norm(nn.Linear(4, 3, bias=False), n_power_iterations=20)
    x = torch.rand(2, 4)
    layer(x).sum().backward()
    largest = np.linalg.svd(layer.weight_orig.detach().numpy())[1][0]
    np.testing.assert_allclose(
        layer.weight.detach().numpy(),
        layer.weight_orig.detach().numpy() / largest,
        rtol=1e-4,
    )
    assert layer.weight_orig.grad is not None
    layer.eval()
    u = layer.weight_u.clone()
    first = layer(x).detach()
    assert layer.weight_u.tolist() == u.tolist()
    nn.utils.remove_spectral_norm(layer)
    np.testing.assert_allclose(layer(x).detach().numpy(), first.numpy(), rtol=1e-6)
    assert [name for name, _ in layer.named_parameters()] == ["weight"]
    with pytest.raises(ValueError, match="no spectral norm"):
        nn.utils.remove_spectral_norm(layer)
    with pytest.raises(AttributeError, match="nothere"):
        nn.utils.spectral_norm(layer, "nothere")
