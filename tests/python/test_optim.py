"""The checks of optimizers on both devices, of their refusals, clipping, schedules."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minitorch
from minitorch import Parameter, optim

from .tensors import DEVICES, need, numbers

STEPS = 5


CASES = [
    (optim.SGD, {}),
    (optim.SGD, {"weight_decay": 0.1}),
    (optim.SGD, {"momentum": 0.9}),
    (optim.SGD, {"momentum": 0.8, "dampening": 0.3, "weight_decay": 0.2}),
    (optim.SGD, {"momentum": 0.8, "nesterov": True, "weight_decay": 0.2}),
    (optim.Adam, {}),
    (optim.Adam, {"betas": (0.5, 0.9), "eps": 0.1, "weight_decay": 0.3}),
    (optim.AdamW, {}),
    (optim.AdamW, {"betas": (0.5, 0.9), "weight_decay": 0.3}),
]


def test_adam_needs_tensors():
    parameter = Parameter(minitorch.Scalar(1.5))
    (parameter.value * parameter.value).backward()
    with pytest.raises(TypeError, match=r"\[Adam\] got a Scalar; need tensors"):
        optim.Adam([parameter]).step()


def test_momentum_keeps_no_gradient():
    x = minitorch.ones(3, requires_grad=True)
    optimizer = optim.SGD([x], lr=0.1, momentum=0.5)
    (x * x).sum().backward()
    optimizer.step()
    gradient = x.grad
    assert gradient is not None
    gradient.mul_(100.0)
    assert optimizer.state[x]["momentum_buffer"].numpy().tolist() == [2, 2, 2]


@pytest.mark.cuda
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("kind", [optim.Adam, optim.AdamW])
def test_counting_on_the_device_gives_the_same_bits(kind, dtype):
    need("cuda")
    plain, counted = (
        minitorch.tensor(numbers((5, 3), 1, "float64"), dtype=dtype, device="cuda")
        for _ in range(2)
    )
    slope = minitorch.tensor(numbers((5, 3), 2, "float64"), dtype=dtype, device="cuda")
    first = kind([plain.requires_grad_()], lr=0.1, weight_decay=0.1)
    second = kind([counted.requires_grad_()], lr=0.1, weight_decay=0.1, capturable=True)
    for step in range(1, 8):
        for each, optimizer in ((plain, first), (counted, second)):
            each.grad = slope * step
            optimizer.step()
    np.testing.assert_array_equal(counted.numpy(), plain.numpy())
    assert first.state[plain]["step"] == 7
    step = second.state[counted]["step"]
    assert (step.shape, step.dtype.name, step.device) == ((), "float32", "cuda")
    assert step.item() == 7
    # Either goes on from the other's state.
    first.load_state_dict(second.state_dict())
    assert first.capturable
    first.capturable = False
    for each, optimizer in ((plain, first), (counted, second)):
        each.grad = slope
        optimizer.step()
    np.testing.assert_array_equal(counted.numpy(), plain.numpy())
    assert first.state[plain]["step"] == 8


@pytest.mark.cuda
def test_both_devices_take_the_same_steps():
    need("cuda")
    for kind, options in CASES:
        here, there = (
            minitorch.tensor(numbers((7,), 1, "float64"), dtype="float32", device=d)
            for d in ("cpu", "cuda")
        )
        steps = [kind([x.requires_grad_()], lr=0.1, **options) for x in (here, there)]
        for step in range(STEPS):
            for x, optimizer in zip((here, there), steps, strict=True):
                x.grad = minitorch.tensor(
                    numbers((7,), step, "float64"), dtype="float32", device=x.device
                )
                optimizer.step()
        np.testing.assert_array_equal(there.numpy(), here.numpy())


@pytest.mark.parametrize("device", DEVICES)
def test_a_view_as_a_parameter_changes_its_own_cells(device):
    need(device)
    whole = minitorch.ones(3, 2, device=device)
    column = whole.permute(1, 0)[1:].requires_grad_()
    for kind, moved in ((optim.SGD, 0.5), (optim.Adam, 0.5)):
        whole.fill_(1)
        column.grad = minitorch.ones(1, 3, device=device)
        kind([column], lr=0.5).step()
        np.testing.assert_allclose(whole.numpy(), [[1, 1 - moved]] * 3, atol=1e-7)


def test_a_formula_of_ones_own_changes_the_tensor_in_place():
    class Halving(optim.SGD):
        def update(self, value, gradient, state):
            return value * 0.5

    class Narrowing(optim.SGD):
        def update(self, value, gradient, state):
            return value[:1]

    x = minitorch.tensor([4.0, 2.0], requires_grad=True)
    alias = x.detach()
    x.grad = minitorch.ones(2)
    Halving([x]).step()
    assert alias.numpy().tolist() == [2, 1]
    with pytest.raises(ValueError, match=r"\[Narrowing\] update returned shape \(1,"):
        Narrowing([x]).step()


def test_steps_of_what_does_not_fit_are_refused():
    x = minitorch.ones(2, requires_grad=True)
    x.grad = minitorch.ones(3)
    with pytest.raises(ValueError, match=r"\[SGD\] got a parameter of \(2,\) float64"):
        optim.SGD([x]).step()
    with pytest.raises(ValueError, match=r"\[Adam\] got a parameter"):
        optim.Adam([x]).step()
    x.grad = minitorch.ones(2)
    with pytest.raises(ValueError, match="got capturable=True with a parameter on cpu"):
        optim.Adam([x], capturable=True).step()
    spread = minitorch.ones(1).expand(2).requires_grad_()
    spread.grad = minitorch.ones(2)
    with pytest.raises(ValueError, match="read-only or shared among its elements"):
        optim.SGD([spread]).step()
    assert x.numpy().tolist() == [1, 1]


def test_going_back_through_the_old_numbers_is_refused():
    x = minitorch.ones(2, requires_grad=True)
    loss = (x * x).sum()
    loss.backward(retain_graph=True)
    optim.SGD([x], lr=0.1).step()
    with pytest.raises(RuntimeError, match="was changed in place"):
        loss.backward()


def test_bad_options_are_named():
    x = [minitorch.ones(1, requires_grad=True)]
    for make, message in [
        (lambda: optim.SGD(x, lr=math.nan), "got lr nan"),
        (lambda: optim.AdamW(x, weight_decay=-1), r"\[AdamW\] got weight_decay -1"),
        (lambda: optim.WarmupCosineLR(optim.SGD(x), 3, 3), "got warmup 3 and 3 steps"),
        (lambda: optim.clip_grad_norm_(x, -1), r"\[clip_grad_norm_\] got limit -1"),
        (lambda: optim.clip_grad_value_(x, -1), r"\[clip_grad_value_\] got limit -1"),
    ]:
        with pytest.raises(ValueError, match=message):
            make()


def leaves_with_gradients():
    gradients = [numbers((2, 3), 1, "float64"), numbers((4,), 2, "float64")]
    leaves = [minitorch.zeros(g.shape, requires_grad=True) for g in gradients]
    for leaf, gradient in zip(leaves, gradients, strict=True):
        leaf.backward(minitorch.tensor(gradient))
    return leaves, gradients


@pytest.mark.parametrize("kind", [1.0, 2.0, 3.0, math.inf])
def test_clipping_by_norm(kind):
    leaves, gradients = leaves_with_gradients()
    leaves.append(minitorch.zeros(1, requires_grad=True))
    total = float(np.linalg.norm(np.concatenate([g.ravel() for g in gradients]), kind))
    assert optim.clip_grad_norm_(leaves, 2 * total, kind) == pytest.approx(total)
    np.testing.assert_array_equal(leaves[0].grad.numpy(), gradients[0])
    assert optim.clip_grad_norm_(leaves, total / 4, kind) == pytest.approx(total)
    for leaf, gradient in zip(leaves, gradients, strict=False):
        np.testing.assert_allclose(leaf.grad.numpy(), gradient / 4, rtol=1e-6)
    assert optim.clip_grad_norm_(leaves[2:], 1.0, kind) == 0


def test_clipping_by_value():
    leaves, gradients = leaves_with_gradients()
    optim.clip_grad_value_(map(Parameter, leaves), 1.5)
    for leaf, gradient in zip(leaves, gradients, strict=True):
        np.testing.assert_array_equal(leaf.grad.numpy(), gradient.clip(-1.5, 1.5))


def test_a_warm_up_and_half_a_cosine():
    def made():
        x = minitorch.ones(1, requires_grad=True)
        return optim.WarmupCosineLR(optim.SGD([x], lr=2.0), 4, 10)

    schedule = made()
    for t in range(12):
        down = 1 + math.cos(math.pi * min(t - 4, 6) / 6)
        wanted = 2 * (t + 1) / 4 if t < 4 else down
        assert schedule.optimizer.lr == pytest.approx(wanted, abs=1e-12)
        schedule.step()
        if t == 5:
            again = made()
            again.load_state_dict(schedule.state_dict())
    for _ in range(6):
        again.step()
    assert again.get_last_lr() == schedule.get_last_lr()
