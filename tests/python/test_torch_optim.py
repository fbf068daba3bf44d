"""The comparison of optimizers and schedules with what PyTorch's gave, and the tests of
groups, state and hooks, in both dialects.
"""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest

import minitorch
from minitorch import Parameter, optim
from minitorch.torch import optim as torch_optim
from minitorch.torch.optim import lr_scheduler

from .optim_runs import recorded, run_optimizer, run_plateau, run_schedule

RECORDED = recorded()
OPTIMIZERS, SCHEDULES = RECORDED["optimizers"], RECORDED["schedules"]
PLATEAUS = RECORDED["plateaus"]


def leaf(row):
    """A parameter of PyTorch's dialect."""
    made = minitorch.tensor(row, dtype="float32").as_torch().detach()
    return made.requires_grad_(True)


def one_step(optimizer, x):
    optimizer.zero_grad()
    (x * x).sum().backward()
    optimizer.step()
    return x.detach().numpy().tolist()


@pytest.mark.parametrize("text", OPTIMIZERS)
def test_parameters_go_where_pytorch_takes_them(text):
    got = run_optimizer(torch_optim, leaf, text)
    np.testing.assert_allclose(
        got, OPTIMIZERS[text], rtol=2e-5, atol=2e-6, err_msg=text
    )


@pytest.mark.parametrize("text", SCHEDULES)
def test_rates_are_pytorchs(text):
    got = run_schedule(torch_optim, leaf, text)
    np.testing.assert_allclose(got, SCHEDULES[text], rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("text", PLATEAUS)
def test_rates_follow_the_loss(text):
    got = run_plateau(torch_optim, leaf, text)
    np.testing.assert_allclose(got, PLATEAUS[text], rtol=1e-8)


KINDS = [torch_optim.SGD, torch_optim.Adam, torch_optim.AdamW, torch_optim.RMSprop]


@pytest.mark.parametrize(
    "options",
    [
        {"weight_decay": 0.1},
        {"momentum": 0.8, "dampening": 0.3, "weight_decay": 0.2},
        {"momentum": 0.8, "nesterov": True},
    ],
)
def test_sgd_moves_scalars_as_tensors(options):
    scalar = Parameter(minitorch.Scalar(1.5))
    x = minitorch.tensor([1.5], requires_grad=True)
    kind = torch_optim.SGD
    first, second = kind([scalar], lr=0.1, **options), kind([x], lr=0.1, **options)
    for _ in range(7):
        first.zero_grad()
        (scalar.value * scalar.value).backward()
        first.step()
        one_step(second, x)
        assert scalar.value.data == pytest.approx(x[0], rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["state_dict", "deepcopy", "pickle"])
def test_it_goes_on_where_it_stopped(kind, how):
    x = leaf([1.0, -2.0, 3.0])
    first = kind([x], lr=0.05)

    def run(optimizer, y):
        def closure():
            optimizer.zero_grad()
            loss = (y * y * y * y).sum()
            loss.backward()
            return loss

        for _ in range(3):
            optimizer.step(closure)

    run(first, x)
    if how == "state_dict":
        y = leaf(x.detach().numpy().copy())
        second = kind([y], lr=1.0)
        second.load_state_dict(first.state_dict())
        assert second.param_groups[0]["lr"] == 0.05
    elif how == "deepcopy":
        second = copy.deepcopy(first)
        y = second.param_groups[0]["params"][0]
    else:
        second = pickle.loads(pickle.dumps(first))
        y = second.param_groups[0]["params"][0]
    assert type(y) is type(x)
    run(first, x)
    run(second, y)
    np.testing.assert_array_equal(x.detach().numpy(), y.detach().numpy())


@pytest.mark.parametrize("kind", KINDS)
def test_a_state_has_its_parameters_dialect(kind):
    x = leaf([1.0, 2.0])
    optimizer = kind([x])
    one_step(optimizer, x)
    for name, kept in optimizer.state[x].items():
        assert not isinstance(kept, minitorch.Tensor), name
    saved = optimizer.state_dict()
    other = kind([leaf([1.0, 2.0])])
    other.load_state_dict(saved)
    state = next(iter(other.state.values()), {})
    assert [type(v) for v in state.values()] == [
        type(v) for v in optimizer.state[x].values()
    ]


def test_steps_are_saved_as_pytorch_saves_them():
    x = leaf([1.0, 2.0])
    o = torch_optim.Adam([x])
    one_step(o, x)
    saved = o.state_dict()["state"][0]["step"]
    assert (str(saved.dtype), saved.item()) == ("torch.float32", 1.0)
    o.load_state_dict(o.state_dict())
    assert o.state[x]["step"] == 1
    y = minitorch.ones(2, requires_grad=True)
    o = optim.Adam([y])
    one_step(o, y)
    assert o.state_dict()["state"][0]["step"] == 1


def test_an_optimizer_of_a_learner_in_pytorchs_style():
    class Plain(torch_optim.Optimizer):
        def __init__(self, params, lr=1e-3):
            super().__init__(params, {"lr": lr})

        def step(self, closure=None):
            with minitorch.no_grad():
                for group in self.param_groups:
                    for p in group["params"]:
                        state = self.state[p]
                        state["n"] = state.get("n", 0) + 1
                        p.sub_(p.grad * group["lr"])

    x = leaf([2.0])
    o = Plain([x], lr=0.25)
    assert one_step(o, x) == [1.0]
    assert o.state[x] == {"n": 1}
    assert o.defaults == {"lr": 0.25}


def test_step_gives_what_the_closure_gave():
    x = leaf([2.0])
    o = torch_optim.SGD([x], lr=0.25)

    def closure():
        (x * x).sum().backward()
        return "loss"

    with minitorch.no_grad():
        assert o.step(closure) == "loss"
    assert x.item() == 1.0
    assert o.step() is None


BAD = [
    (lambda: torch_optim.SGD([]), ValueError, "got no parameters"),
    (lambda: torch_optim.SGD(leaf([1.0])), TypeError, r"need an iterable.*\[x\]"),
    (lambda: torch_optim.SGD(3), TypeError, "got int; need an iterable"),
    (lambda: torch_optim.SGD({leaf([1.0])}), TypeError, "got a set"),
    (lambda: torch_optim.SGD([1.0]), TypeError, "got float among the parameters"),
    (lambda: torch_optim.SGD([leaf([1.0]) * 2]), ValueError, "result of an op"),
    (
        lambda: torch_optim.SGD([{"lr": 1.0}]),
        TypeError,
        "need a dict with the key 'params'",
    ),
    (
        lambda: torch_optim.SGD([leaf([1.0])], lr=-1),
        ValueError,
        "got lr -1; need at least 0",
    ),
    (lambda: torch_optim.SGD([leaf([1.0])], nesterov=True), ValueError, "nesterov"),
    (lambda: torch_optim.Adam([leaf([1.0])], betas=(1, 0)), ValueError, "betas"),
    (lambda: torch_optim.Adam([leaf([1.0])], speed=1), TypeError, "option 'speed'"),
    (
        lambda: torch_optim.Adam([leaf([1.0])], differentiable=True),
        ValueError,
        "a step has no gradient",
    ),
]


@pytest.mark.parametrize(("make", "kind", "message"), BAD)
def test_bad_options(make, kind, message):
    with pytest.raises(kind, match=message):
        make()


def test_a_parameter_is_in_one_group():
    x = leaf([1.0])
    o = torch_optim.SGD([x, x], lr=0.25)  # tied weights move once
    assert one_step(o, x) == [0.5]
    with pytest.raises(ValueError, match="more than one parameter group"):
        o.add_param_group({"params": [x]})


def test_a_state_that_does_not_fit_changes_nothing():
    x = leaf([1.0])
    o = torch_optim.Adam([x], lr=0.5)
    for other, message in (
        (torch_optim.Adam([leaf([1.0, 2.0])]), "has shape"),
        (
            torch_optim.Adam([leaf([1.0]), leaf([1.0])]),
            "2 in the state dict, 1 in the optimizer",
        ),
        (
            torch_optim.Adam([{"params": leaf([1.0])}, {"params": leaf([1.0])}]),
            r"\[1, 1\] in the state dict, \[1\] in the optimizer",
        ),
    ):
        for p in other.parameters:
            p.grad = p.detach()
        other.step()
        with pytest.raises(ValueError, match=message):
            o.load_state_dict(other.state_dict())
    assert o.param_groups[0]["lr"] == 0.5
    assert not o.state


def sgd(**options):
    return torch_optim.SGD([leaf([1.0])], lr=0.1, **options)


BAD_SCHEDULES = [
    (lambda: lr_scheduler.StepLR(3, 1), TypeError, "got int; need an optimizer"),
    (lambda: lr_scheduler.StepLR(sgd(), 0), ValueError, "step_size 0"),
    (lambda: lr_scheduler.StepLR(sgd(), 2, last_epoch=4), KeyError, "initial_lr"),
    (
        lambda: lr_scheduler.LambdaLR(sgd(), []),
        ValueError,
        "a list of length 0",
    ),
    (lambda: lr_scheduler.ReduceLROnPlateau(sgd(), "x"), ValueError, "mode 'x'"),
    (
        lambda: lr_scheduler.ReduceLROnPlateau(sgd(), factor=1.0),
        ValueError,
        "factor 1.0",
    ),
    (
        lambda: lr_scheduler.ReduceLROnPlateau(sgd()).step(),
        TypeError,
        "got no metric",
    ),
]


@pytest.mark.parametrize(("make", "kind", "message"), BAD_SCHEDULES)
def test_bad_schedules(make, kind, message):
    with pytest.raises(kind, match=message):
        make()


@pytest.mark.parametrize("text", [*SCHEDULES, *PLATEAUS])
def test_a_schedules_state_goes_on(text):
    def made():
        groups = [{"params": [leaf([1.0])]}, {"params": [leaf([2.0])], "lr": 0.4}]
        o = torch_optim.SGD(groups, lr=0.1, momentum=0.9)
        return o, eval(f"s.{text}", {"s": lr_scheduler, "o": o})

    plateau = text.startswith("Reduce")
    (first, a), (second, b) = made(), made()
    for epoch in range(20):
        a.step(*[1.0 / (1 + epoch)] * plateau)
    second.load_state_dict(first.state_dict())
    b.load_state_dict(copy.deepcopy(a.state_dict()))
    for _ in range(15):
        a.step(*[0.5] * plateau)
        b.step(*[0.5] * plateau)
        assert a.get_last_lr() == b.get_last_lr()
    assert math.isfinite(a.get_last_lr()[0])


def test_attributes_are_the_options():
    o = optim.SGD([{"params": leaf([1.0]), "lr": 2.0}, {"params": leaf([1.0])}], lr=1.0)
    assert o.lr == 2.0
    o.lr = 0.25
    assert [g["lr"] for g in o.param_groups] == [0.25, 0.25]
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = o.nothing


def test_hooks_are_told_to_be_elsewhere():
    with pytest.raises(AttributeError, match=r"minitorch has no optimizer hooks"):
        sgd().register_step_pre_hook(print)
