"""Every tool that shows how a network runs, on every kind of network, in both dialects.

Values and numbers of launches are compared with a plain run of the same network.
"""

from __future__ import annotations

import functools
from types import SimpleNamespace

import numpy as np
import pytest

import minitorch
import minitorch.torch as torch
from minitorch import cuda
from minitorch.profiler import profile

pytestmark = pytest.mark.cuda

DIALECTS = {
    "minitorch": SimpleNamespace(
        lib=minitorch,
        nn=minitorch.nn,
        F=minitorch.nn.functional,
        tensor=lambda array: minitorch.tensor(array, device="cuda"),
    ),
    "torch": SimpleNamespace(
        lib=torch,
        nn=torch.nn,
        F=torch.nn.functional,
        tensor=lambda array: torch.tensor(array, device="cuda"),
    ),
}


def cnn(d):
    layers = d.nn.Conv2d(1, 2, 3), d.nn.BatchNorm2d(2), d.nn.ReLU(), d.nn.Flatten()
    return d.nn.Sequential(*layers, d.nn.Linear(18, 2)), (2, 1, 5, 5)


def lstm(d):
    class Last(d.nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.head = d.nn.LSTM(3, 4), d.nn.Linear(4, 2)

        def forward(self, x):
            return self.head(self.lstm(x)[0][-1])

    return Last(), (2, 1, 3)


def vit(d):
    class Vit(d.nn.Module):
        def __init__(self):
            super().__init__()
            self.patches = d.nn.Conv2d(1, 4, 2, stride=2)
            options = {"dim_feedforward": 4, "dropout": 0.0, "batch_first": True}
            self.layer = d.nn.TransformerEncoderLayer(4, 2, **options)
            self.head = d.nn.Linear(4, 2)

        def forward(self, x):
            tokens = self.patches(x).flatten(2).permute(0, 2, 1)
            return self.head(self.layer(tokens).mean(1))

    return Vit(), (1, 1, 4, 4)


def unet(d):
    class Unet(d.nn.Module):
        def __init__(self):
            super().__init__()
            self.down = d.nn.Conv2d(1, 2, 3, padding=1)
            self.up = d.nn.ConvTranspose2d(2, 2, 2, stride=2)
            self.last = d.nn.Conv2d(4, 1, 1)

        def forward(self, x):
            wide = self.down(x).relu()
            up = self.up(d.F.max_pool2d(wide, 2))
            return self.last(d.lib.cat([wide, up], 1))

    return Unet(), (1, 1, 4, 4)


_DOUBLES = {
    size: cuda.ElementwiseKernel(f"{dtype} x", f"{dtype} y", "y = 2 * x", "twice")
    for size, dtype in ((4, "float32"), (8, "float64"))
}


def own_kernel(d):
    def double(x):
        return _DOUBLES[x.dtype.itemsize](x)

    twice = minitorch.custom_op(double, lambda g, x: double(g))

    class Own(d.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = d.nn.Linear(3, 2)

        def forward(self, x):
            return twice(self.linear(x))

    return Own(), (2, 3)


NETWORKS = [cnn, lstm, vit, unet, own_kernel]


@functools.cache
def case(dialect, network):
    """A network and its input on cuda, a plain run, and what it launched."""
    d = DIALECTS[dialect]
    d.lib.manual_seed(0)
    net, shape = network(d)
    net = net.to("cuda")
    size = int(np.prod(shape))
    x = d.tensor(np.sin(np.arange(size, dtype=np.float64)).reshape(shape))
    x = x.to(next(net.parameters()).dtype) if dialect == "torch" else x
    return SimpleNamespace(d=d, net=net, x=x, plain=net(x).detach().cpu().numpy())


def loss(net, x):
    return (net(x) ** 2).mean()


@functools.cache
def explained(dialect, network, step=False):
    c = case(dialect, network)
    if step:
        return minitorch.explain(loss, c.net, c.x, backward=True)
    return minitorch.explain(c.net, c.x)


def explain(c, dialect, network):
    """Each launch of a step, and each layer with parameters."""
    found = explained(dialect, network, True)
    names = {each.name for each in found.layers}
    learning = {f"net.{name}".rpartition(".")[0] for name, _ in named(c.net)}
    assert (
        learning - {"net.attention.out_proj", "net.layer.self_attn.out_proj"} <= names
    )
    assert any(op.backward for op in found.ops)
    assert "at least" in found.table(by="layer")
    assert all(p.grad is None for _, p in named(c.net))


def named(net):
    return [(name, getattr(p, "value", p)) for name, p in net.named_parameters()]


def neuron(c, dialect, network):
    index = (0,) * c.plain.ndim
    found = explained(dialect, network).neuron("", index)
    assert found.value == pytest.approx(c.plain[index], rel=1e-6)
    assert all(part.recompute() == part.value for part in found.chain)


def profiled(c, dialect, network):
    """As many launches as the explained step has."""
    with profile() as run:
        loss(c.net, c.x).backward()
    rows = {row.key: row.count for row in run.key_averages()}
    assert rows["cuLaunchKernel"] == len(explained(dialect, network, True).kernels)
    for _, parameter in named(c.net):
        parameter.grad = None


def timeline(c, dialect, network):
    with profile() as run:
        c.net(c.x)
    (thread,) = run.timeline()["threads"]
    names = [each["name"] for each in thread["calls"]]
    assert names.count("cuLaunchKernel") == len(explained(dialect, network).kernels)
    assert run.show() is not None


def source(c, dialect, network):
    found = minitorch.source(c.net, c.x)
    assert [each.direction for each in found.passes] == ["forward", "backward"]
    ran = {each.name for each in found.passes[0].kernels}
    assert ran == {each.name for each in explained(dialect, network).kernels}


OVERRIDDEN = {
    cnn: "batch_norm",
    lstm: "sigmoid",
    vit: "layer_norm",
    unet: "conv2d",
    own_kernel: "add",
}


def override(c, dialect, network):
    """A neuron is the one of the run that was explained, wherever it is asked for."""
    half = minitorch.override(
        OVERRIDDEN[network], lambda original, *args: original(*args) * 0.5
    )
    with half:
        want = c.net(c.x).detach().cpu().numpy()
        found = minitorch.explain(c.net, c.x)
    index = tuple(each - 1 for each in want.shape)
    assert want[index] != c.plain[index]
    assert found.neuron("", index).value == pytest.approx(want[index], rel=1e-6)


def fuse(c, dialect, network):
    def plain(y):
        return c.d.F.gelu(c.d.lib.exp(-y) + c.d.F.relu(y)) * c.d.lib.sigmoid(y)

    y = c.net(c.x).detach()
    fused = minitorch.fuse(plain)(y)
    assert type(fused) is type(y)
    assert np.array_equal(fused.cpu().numpy(), plain(y).cpu().numpy())


def graph(c, dialect, network):
    space = c.d.lib.cuda if dialect == "torch" else cuda
    captured = space.CUDAGraph()
    with c.d.lib.no_grad():
        c.net(c.x)
        with space.graph(captured):
            assert space.is_current_stream_capturing()
            y = c.net(c.x)
    captured.replay()
    assert np.array_equal(y.cpu().numpy(), c.plain)


TOOLS = [explain, neuron, profiled, timeline, source, override, fuse, graph]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("tool", TOOLS, ids=lambda each: each.__name__)
def test_tool(tool, dialect, network):
    tool(case(dialect, network), dialect, network)


def test_models_take_tensors_of_both_dialects():
    net = minitorch.models.LeNet5().to("cuda")
    image = np.sin(np.arange(32 * 32.0)).reshape(1, 1, 32, 32)
    ours = minitorch.tensor(image, device="cuda")
    found = minitorch.explain(net, ours.as_torch())
    assert len(found.kernels) == len(minitorch.explain(net, ours).kernels)
    want = float(net(ours).cpu().numpy()[0, 3])
    assert found.neuron("", (0, 3)).value == pytest.approx(want, rel=1e-6)


def test_torch_cuda_captures_a_training_step_as_pytorchs_page_does():
    net = torch.nn.Linear(3, 2).to("cuda")
    x = torch.ones(4, 3, device="cuda")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def step():
        loss = (net(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        first = step().item()
        optimizer.zero_grad(set_to_none=True)
    torch.cuda.current_stream().wait_stream(side)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured, pool=torch.cuda.graph_pool_handle()):
        loss = step()
    losses = [first]
    for _ in range(2):
        captured.replay()
        losses.append(loss.item())
    assert losses[0] > losses[1] > losses[2] > 0
    graphed = torch.cuda.make_graphed_callables(lambda a: (a * a).sum(), (x,))
    assert graphed(x).item() == 12.0
    torch.cuda.set_sync_debug_mode("error")
    try:
        assert torch.cuda.get_sync_debug_mode() == 2
        with pytest.raises(RuntimeError, match="synchronizing"):
            loss.item()
    finally:
        torch.cuda.set_sync_debug_mode(0)


def test_a_table_by_layer_and_steps_that_are_alike():
    net = minitorch.nn.Sequential(*[minitorch.nn.Linear(4, 4) for _ in range(3)])
    found = minitorch.explain(net, minitorch.ones(2, 4), gpu="rtx3090")
    rows = found.table(by="layer").splitlines()
    assert rows[1].split()[:3] == ["layer", "type", "launches"]
    assert [row.split()[:3] for row in rows[3:6]] == [
        [name, "Linear", "2"] for name in "012"
    ]
    assert rows[6].split()[:2] == ["all", "6"]
    # 2 x 4 x 4 products a layer, in tiles of 16 x 16 x 16.
    assert rows[6].split()[2:5] == ["96", "/", "12,288"]
    steps = found.steps().splitlines()
    assert len(steps) == 1 + 3 + 1
    assert steps[1].startswith("2. 0 and 2 more like it, in: ")
    with pytest.raises(ValueError, match="need 'kernel' or 'layer'"):
        found.table(by="op")


def test_multiply_adds_of_exp_are_no_waste():
    found = minitorch.explain(lambda x: x.exp(), minitorch.ones(8))
    assert found.kernels[0].macs_executed > 0
    assert " - / " in found.table().splitlines()[3]
    assert "of them useful" not in found.steps()
    assert found.show() is not None  # its words divide by the useful ones
