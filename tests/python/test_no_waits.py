"""The tests that layers, losses and optimizers wait for no device: what they launch,
that they return while the device is busy, where results lie, and that unfit numbers are
said at the next synchronisation.
"""

from __future__ import annotations

import operator
from functools import partial

import numpy as np
import pytest

import minitorch
from minitorch import Tensor, cuda, nn, optim
from minitorch import functional as F

from .tensors import DEVICES, need
from .waiting import returns_while_held

LABELS = np.array([1, 0, 2, 2])


def cells(*shape, seed=0):
    numbers = np.random.default_rng(seed).normal(size=shape)
    return minitorch.tensor(numbers, dtype="float32", device="cuda")


def labels(dtype="int64"):
    return minitorch.tensor(LABELS, dtype=dtype, device="cuda")


def launches(call):
    """The kernels that the library launches for the call, in order."""
    with cuda.inspect(library=True) as report:
        call()
    return [launch.kernel for launch in report.launches]


def address(t):
    return int(t._storage[0])


def probabilities():
    return minitorch.rand(4, dtype="float32", device="cuda")


# Made anew for each test, so that no two share random numbers or parameters.
CALLS = {
    "rand": lambda: lambda: minitorch.rand(5, device="cuda"),
    "randn": lambda: lambda: minitorch.randn(5, dtype="float32", device="cuda"),
    "arange": lambda: lambda: minitorch.arange(0, 5, 0.5, device="cuda"),
    "linspace": lambda: lambda: minitorch.linspace(0, 1, 5, device="cuda"),
    "eye": lambda: lambda: minitorch.eye(3, device="cuda"),
    "full": lambda: lambda: minitorch.full((3,), 2.5, device="cuda"),
    "randint": lambda: lambda: minitorch.randint(0, 9, (4,), device="cuda"),
    "tril": lambda: partial(F.tril, cells(3, 3)),
    "one_hot": lambda: partial(F.one_hot, labels(), 3),
    "gather": lambda: partial(F.gather, cells(4, 3), 0, labels().unsqueeze(1)),
    "index": lambda: partial(operator.getitem, cells(4, 3), labels()),
    "embedding": lambda: partial(F.embedding, labels(), cells(3, 2)),
    "nll_loss": lambda: partial(F.nll_loss, cells(4, 3), labels()),
    "cross_entropy": lambda: partial(
        F.cross_entropy, cells(4, 3), labels(), label_smoothing=0.1
    ),
    "weighted": lambda: partial(
        F.cross_entropy, cells(4, 3), labels(), weight=cells(3)
    ),
    "upstream's": lambda: partial(
        minitorch.cross_entropy, cells(4, 3), labels("float32")
    ),
    "binary_cross_entropy": lambda: partial(
        F.binary_cross_entropy, probabilities(), probabilities()
    ),
    "dropout": lambda: partial(F.dropout, cells(4, 3), 0.5),
    "layer_norm": lambda: partial(layer(nn.LayerNorm(3)), cells(4, 3)),
    "batch_norm": lambda: partial(layer(nn.BatchNorm1d(3)), cells(4, 3)),
    "attention": lambda: partial(
        F.scaled_dot_product_attention, *[cells(1, 4, 3)] * 3, is_causal=True
    ),
    "clip_grad_norm_": lambda: partial(optim.clip_grad_norm_, learned(), 1.0),
    "clip infinite": lambda: partial(
        optim.clip_grad_norm_, learned(), 1.0, float("inf")
    ),
    "clip_grad_value_": lambda: partial(optim.clip_grad_value_, learned(), 0.1),
    "SGD": lambda: optim.SGD(learned(), lr=0.1, momentum=0.9).step,
    "Adam": lambda: optim.Adam(learned(), lr=0.1).step,
    "AdamW": lambda: optim.AdamW(learned(), lr=0.1, capturable=True).step,
}


def layer(module):
    return module.to("float32").to("cuda")


def learned():
    """Parameters with gradients."""
    values = [cells(4, 3), cells(3, seed=1)]
    for value in values:
        value.requires_grad_()
        value.grad = value.detach() * 2
    return values


@pytest.mark.cuda
@pytest.mark.parametrize("name", CALLS)
def test_no_call_waits_for_the_device(name):
    need("cuda")
    CALLS[name]()()  # its kernels are compiled now
    call = CALLS[name]()
    cuda.synchronize()
    returned, _ = returns_while_held(call)
    assert returned


@pytest.mark.cuda
def test_what_needs_a_value_does_wait():
    need("cuda")
    x = cells(3)
    # The other tests would be worth nothing if this returned.
    from . import waiting

    patience, waiting.PATIENCE = waiting.PATIENCE, 0.3
    try:
        returned, _ = returns_while_held(lambda: x.sum().item())
    finally:
        waiting.PATIENCE = patience
    assert not returned


class Net(nn.Module):
    """A small LeNet: convolution, batch norm, pooling, dropout, a linear layer."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, dtype="float32", device="cuda")
        self.norm = nn.BatchNorm2d(2, dtype="float32", device="cuda")
        self.drop = nn.Dropout(0.25)
        self.out = nn.Linear(18, 3, dtype="float32", device="cuda")

    def forward(self, x):
        x = F.max_pool2d(self.norm(self.conv(x)).relu(), 2)
        return self.out(self.drop(F.flatten(x, 1)))


@pytest.mark.cuda
@pytest.mark.parametrize(
    "descent",
    [
        lambda p: optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=1e-3),
        lambda p: optim.Adam(p, lr=0.01),
        lambda p: optim.AdamW(p, lr=0.01, capturable=True),
    ],
)
def test_a_training_step_waits_for_nothing_and_stays_in_its_memory(
    descent,
):
    need("cuda")
    minitorch.manual_seed(3)
    net = Net()
    optimizer = descent(net.parameters())
    x, y = cells(4, 1, 8, 8), labels()

    def forward():
        optimizer.zero_grad()
        return F.cross_entropy(net(x), y)

    def rest(loss):
        loss.backward()
        optim.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()

    rest(forward())  # makes the state, and compiles
    kept = [p.value for p in net.parameters()]
    kept += [net.norm.running_mean, net.norm.running_var]
    kept += [
        each
        for state in optimizer.state.values()
        for each in state.values()
        if isinstance(each, Tensor)
    ]
    places, before = [address(t) for t in kept], [t.detach().numpy() for t in kept]
    # In two halves: a queue holds no more than so many launches.
    returned, loss = returns_while_held(forward)
    assert returned
    returned, _ = returns_while_held(lambda: rest(loss))
    assert returned
    assert [address(t) for t in kept] == places
    for t, old in zip(kept, before, strict=True):
        assert not np.array_equal(t.detach().numpy(), old)


@pytest.mark.cuda
def test_counts_of_launches():
    need("cuda")
    x = cells(4, 3, 2, 2).requires_grad_()
    norm = layer(nn.BatchNorm2d(3))
    out = norm(x)
    training = launches(lambda: norm(x))
    assert training.count("standardise") == 1
    assert len(training) <= 4
    g = cells(4, 3, 2, 2, seed=2)
    back = launches(lambda: out.backward(g))
    assert [n for n in back if n != "copy"] == ["standardise_grad"]
    norm.eval()
    assert launches(lambda: norm(x)) == ["normalise"]
    rows = layer(nn.LayerNorm(2))
    assert launches(lambda: rows(x)) == ["standardise"]
    p = minitorch.ones(3, device="cuda", requires_grad=True)
    p.grad = minitorch.ones(3, device="cuda")
    sgd, adam = optim.SGD([p], lr=0.1, momentum=0.5), optim.Adam([p], lr=0.1)
    for each in (sgd, adam):
        each.step()
    assert launches(sgd.step) == ["sgd"]
    assert launches(adam.step) == ["adam"]
    counter = minitorch.zeros(1, device="cuda")
    assert launches(lambda: counter.add_(1)) == ["zip_number"]
    assert launches(lambda: counter.mul_(p.detach()[:1])) == ["zip"]


REFUSED = {
    "gather": (
        lambda d: F.gather(whole(d, 1, 2, 3), 0, whole(d, 0, 3)),
        IndexError,
        r"\[gather\] got index 3 for a dimension of size 3; need -3 to 2",
    ),
    "from the end": (
        lambda d: whole(d, 1, 2, 3)[whole(d, -4)],
        IndexError,
        "got index -4 for a dimension of size 3; need -3 to 2",
    ),
    "scatter": (
        lambda d: F.scatter(whole(d, 1, 2, 3), 0, whole(d, 5), 1),
        IndexError,
        r"\[scatter\] got index 5 for a dimension of size 3",
    ),
    "embedding": (
        lambda d: F.embedding(whole(d, 0, 3), minitorch.ones(3, 2, device=d)),
        IndexError,
        r"\[embedding\] got index 3 at position 1; need 0 to 2",
    ),
    "nll_loss": (
        lambda d: F.nll_loss(minitorch.zeros(2, 3, device=d), whole(d, 0, 3)),
        IndexError,
        r"\[nll_loss\] got label 3; need 0 to 2",
    ),
    "cross_entropy": (
        lambda d: F.cross_entropy(minitorch.zeros(2, 3, device=d), whole(d, 0, -1)),
        IndexError,
        r"\[cross_entropy\] got label -1; need 0 to 2",
    ),
    "one_hot": (
        lambda d: F.one_hot(whole(d, 0, 3), 3),
        IndexError,
        r"\[one_hot\] got label 3; need 0 to 2",
    ),
    "upstream's": (
        lambda d: minitorch.cross_entropy(
            minitorch.zeros(2, 3, device=d), minitorch.tensor([1.0, 0.5], device=d)
        ),
        ValueError,
        "got label 0.5 at index 1; need whole numbers from 0 to 2",
    ),
    "probabilities": (
        lambda d: F.binary_cross_entropy(
            minitorch.tensor([0.5, 1.5], device=d), minitorch.ones(2, device=d)
        ),
        ValueError,
        r"\[binary_cross_entropy\] got input outside 0 to 1; need probabilities",
    ),
    "of nothing": (
        lambda d: F.embedding(whole(d, 0), minitorch.ones(0, 2, device=d)),
        IndexError,
        "got index 0 at position 0",
    ),
}


def whole(device, *numbers):
    return minitorch.tensor(numbers, dtype="int64", device=device)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", REFUSED)
def test_unfit_numbers_are_said_with_the_same_words(name, device):
    need(device)
    call, error, message = REFUSED[name]

    def run():
        call(device)
        cuda.synchronize()  # on cuda the error comes here

    with pytest.raises(error, match=message):
        run()
    if device == "cuda":
        cuda.synchronize()  # and only once
        assert minitorch.ones(2, device=device).sum().item() == 2.0  # all goes on


@pytest.mark.cuda
def test_an_unfit_number_is_said_where_a_value_is_read():
    need("cuda")
    loss = F.nll_loss(minitorch.zeros(2, 3, device="cuda"), whole("cuda", 7, 0))
    with pytest.raises(IndexError, match="got label 7; need 0 to 2"):
        loss.item()
    assert loss.item() == 0.0  # of label 0 in its place


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int64", "uint8"])
def test_ranges_are_numpys(dtype, device):
    need(device)
    got = minitorch.arange(3, 40, 7, dtype=dtype, device=device)
    np.testing.assert_array_equal(got.numpy(), np.arange(3, 40, 7, dtype=dtype))
    parts = minitorch.linspace(-1, 0.3, 11, device=device).numpy()
    np.testing.assert_allclose(parts, np.linspace(-1, 0.3, 11), rtol=1e-15, atol=1e-16)
    assert parts[-1] == 0.3
    np.testing.assert_array_equal(
        minitorch.eye(2, 3, dtype=dtype, device=device).numpy(), np.eye(2, 3)
    )


def captured(call):
    call()  # compiles, and makes the state of optimizers
    graph = cuda.CUDAGraph()
    with cuda.graph(graph):
        out = call()
    return graph, out


@pytest.mark.cuda
def test_replays_draw_what_the_calls_would_have_drawn():
    need("cuda")
    x = minitorch.ones(7, device="cuda")

    def draw():
        return F.dropout(x, 0.5) + minitorch.randn(7, device="cuda")

    minitorch.manual_seed(11)
    eager = [draw().numpy() for _ in range(6)]
    minitorch.manual_seed(11)
    np.testing.assert_array_equal(draw().numpy(), eager[0])
    minitorch.manual_seed(11)
    graph, out = captured(draw)  # the first turn is the warm-up's
    for turn in (1, 2, 3):
        graph.replay()
        np.testing.assert_array_equal(out.numpy(), eager[turn])
    np.testing.assert_array_equal(draw().numpy(), eager[4])  # eager calls go on
    graph.replay()
    np.testing.assert_array_equal(out.numpy(), eager[5])


@pytest.mark.cuda
def test_a_capture_that_failed_leaves_random_numbers_alone():
    need("cuda")
    minitorch.manual_seed(11)
    eager = [minitorch.rand(5, device="cuda").numpy() for _ in range(2)]
    minitorch.manual_seed(11)
    with pytest.raises(cuda.GraphCaptureError), cuda.graph(cuda.CUDAGraph()):
        minitorch.rand(5, device="cuda").sum().item()
    for want in eager:
        np.testing.assert_array_equal(minitorch.rand(5, device="cuda").numpy(), want)


@pytest.mark.cuda
@pytest.mark.parametrize(
    "descent",
    [
        lambda p: optim.SGD(p, lr=0.1, momentum=0.9),
        lambda p: optim.Adam(p, lr=0.01, capturable=True),
    ],
)
def test_twenty_replays_of_a_step_equal_twenty_steps(descent, monkeypatch):
    need("cuda")
    monkeypatch.setenv("MINITORCH_DETERMINISTIC", "1")
    x, y = cells(4, 1, 8, 8), labels()

    def trained(replayed):
        minitorch.manual_seed(3)
        net = Net()
        optimizer = descent(net.parameters())

        def step():
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            optim.clip_grad_norm_(net.parameters(), 5.0)
            optimizer.step()
            return loss

        if replayed:
            graph, loss = captured(step)
            for _ in range(20):
                graph.replay()
        else:
            for _ in range(21):
                loss = step()
        kept = [p.value for p in net.parameters()]
        kept += [net.norm.running_mean, net.norm.running_var, loss]
        return [t.detach().numpy() for t in kept]

    for eager, replayed in zip(trained(False), trained(True), strict=True):
        np.testing.assert_array_equal(replayed, eager)


class Own(optim.Optimizer):
    """A learner's optimizer whose state is a new tensor after each step."""

    def update(self, value, gradient, state):
        state["sum"] = state.get("sum", 0) + gradient
        return value - 0.1 * state["sum"]


@pytest.mark.cuda
@pytest.mark.parametrize(
    ("descent", "steps", "words"),
    [
        (
            lambda p: optim.Adam(p, lr=0.1),
            1,
            r"steps in Python.*no_waits.py:\d+ .*capturable=True",
        ),
        (
            lambda p: optim.Adam(p, lr=0.1, capturable=True),
            0,
            r"creates its state.*no_waits.py:\d+ .*Take a step before",
        ),
        (Own, 2, "a step of Own, which replaces its state"),
    ],
)
def test_a_step_that_replays_would_not_repeat_is_refused(descent, steps, words):
    need("cuda")
    for other in (optim.Adam, optim.SGD, optim.AdamW, Own):  # loads the kernels
        other(learned()).step() if other is Own else other(learned(), lr=0.1).step()
    optim.Adam(learned(), capturable=True).step()
    optim.SGD(learned(), lr=0.1, momentum=0.5).step()
    parameters = learned()
    optimizer = descent(parameters)
    for _ in range(steps):
        optimizer.step()
    before = [p.detach().numpy() for p in parameters]

    def capture():
        with cuda.graph(cuda.CUDAGraph()):
            optimizer.step()

    with pytest.raises(cuda.GraphCaptureError, match=words):
        capture()
    for p, old in zip(parameters, before, strict=True):
        np.testing.assert_array_equal(p.detach().numpy(), old)
    optimizer.step()  # eager steps go on


@pytest.mark.cuda
def test_a_replay_says_labels_that_do_not_fit():
    need("cuda")
    x, y = minitorch.zeros(2, 3, device="cuda"), whole("cuda", 0, 1)
    graph, _ = captured(lambda: F.nll_loss(x, y))
    graph.replay()
    cuda.synchronize()
    y.copy_(whole("cuda", 0, 5))
    graph.replay()
    with pytest.raises(IndexError, match="got label 5; need 0 to 2"):
        cuda.synchronize()
