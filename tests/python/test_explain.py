"""Tests of `minitorch.explain`: layers, ops and kernels of calls that ran.

The numbers of MyModel are found by hand: a sector is 32 bytes, eight float32 numbers; a
tile of the product is 16 x 16; a block of an elementwise kernel has 256 threads.
"""

from __future__ import annotations

import functools
import json
import random

import numpy as np
import pytest

import minitorch
from minitorch import _core, cuda, models, nn
from minitorch.nn import functional as F

from .explained import NAMES, TABLE
from .explained_model import MyModel
from .explained_model import explained as forums

pytestmark = pytest.mark.cuda


@pytest.fixture(autouse=True)
def _single_precision():
    before = minitorch.get_default_dtype()
    minitorch.set_default_dtype(minitorch.float32)
    yield
    minitorch.set_default_dtype(before)


def names(explained):
    return [each.name for each in explained.layers]


@pytest.mark.parametrize("batch", [1, 64])
def test_the_kernels_of_the_forums_model(batch):
    explained = minitorch.explain(MyModel(), minitorch.rand(batch, 32), gpu="rtx3090")
    found = [
        (
            each.blocks,
            each.macs_useful,
            each.macs_executed,
            each.moved.asked.read // 32,
            each.moved.asked.written // 32,
            each.moved.touched.either // 32,
        )
        for each in explained.kernels
    ]
    assert found == list(TABLE[batch])
    assert [each.name for each in explained.kernels] == list(NAMES)
    assert [each.threads for each in explained.kernels] == [256] * 5
    places = [explained.layers[each.layer].name for each in explained.kernels]
    assert places == ["layer1", "layer1", "", "layer2", "layer2"]
    ops = [explained.ops[each.op].name for each in explained.kernels]
    assert ops == ["matmul", "add", "relu", "matmul", "add"]
    files = {each.python_line.partition(":")[0] for each in explained.ops}
    assert files == {"explained_model.py"}


def test_what_the_first_product_moves_and_its_bound():
    explained = minitorch.explain(MyModel(), minitorch.rand(1, 32), gpu="rtx3090")
    first = explained.kernels[0]
    # 132 sectors are asked for and 1 is written; 4 + 32 and 1 differ.
    assert first.moved.asked.read + first.moved.asked.written == 133 * 32 == 4256
    assert first.moved.touched.either == 37 * 32 == 1184
    # Of two tiles each of 256 threads stores 2 numbers, and reads 16 + 16 for its sum;
    # 32 of x, 256 of the weight are loaded, and 8 results stored, of 4 bytes each.
    assert first.moved.shared == 2 * 256 * (2 + 32) * 4
    assert first.moved.registers == first.moved.shared + (32 + 256 + 8) * 4
    # 2 x 8,192 operations on one of 82 multiprocessors of 35.58e12 a second, which
    # issues an instruction of 4 warps a clock, and not only multiply-adds.
    assert first.at_least.compute_seconds == pytest.approx(37.8e-9, rel=2e-3)
    assert first.at_least.bound == "issue"
    assert first.at_least.seconds > 3 * first.at_least.compute_seconds
    assert first.at_least.memory_seconds == pytest.approx(36 * 32 / 936e9)
    assert (first.layer_name, first.op_name) == ("layer1", "matmul")
    assert first.places == ((0, 0),)
    assert (first.sms_used, first.waves, first.sm_of_block) == (1, 1, "b mod 82")
    assert first.seconds is None
    assert first.occupancy.of == 48
    assert first.occupancy.warps == 8 * first.occupancy.blocks_per_sm
    assert "__global__" in first.source
    assert first.file == "matmul_tiled.cu"
    total = explained.totals
    assert (total.parameters, total.parameter_bytes, total.kernels) == (273, 1092, 5)


def test_the_layers_of_the_forums_model():
    explained = forums()
    whole, first, second = explained.layers
    assert (whole.name, whole.type, whole.parent) == ("", "MyModel", None)
    assert (whole.input_shapes, whole.output_shape) == (((64, 32),), (64, 1))
    assert whole.kernels == (0, 1, 2, 3, 4)
    assert (first.name, first.type, first.parent) == ("layer1", "Linear", 0)
    assert (first.parameters, first.parameter_bytes) == (264, 1056)
    assert (first.kernels, first.calls) == ((0, 1), 1)
    assert (second.name, second.output_shape) == ("layer2", (64, 1))
    assert explained.call == "MyModel"
    arrays = {each.parameter: each for each in explained.kernels[0].inputs}
    assert (arrays["a"].shape, arrays["a"].strides) == ((64, 32), (32, 1))
    # The weight is (8, 32), and multiplied with its rows as columns.
    assert (arrays["b"].shape, arrays["b"].strides) == ((32, 8), (1, 32))
    assert [each.parameter for each in explained.kernels[0].outputs] == ["out"]


def test_lenet_executes_more_than_it_needs():
    explained = minitorch.explain(
        models.LeNet5(), minitorch.rand(1, 1, 32, 32), gpu="rtx3090"
    )
    (product,) = [
        each
        for each in explained.kernels
        if explained.layers[each.layer].name == "fc1" and each.macs_useful
    ]
    # 8 blocks of 16 x 16 outputs, each of 25 tiles of 16: 1 x 120 of 16 x 128 count.
    assert (product.macs_useful, product.macs_executed) == (48_000, 16 * 128 * 400)
    assert explained.totals.parameters == 61_706
    first = next(each for each in explained.kernels if each.name == "conv2d")
    assert first.macs_useful == 6 * 28 * 28 * 25  # one image of 32 x 32


def test_resnet50_has_the_known_work():
    net = models.resnet50().eval()
    explained = minitorch.explain(net, minitorch.rand(1, 3, 64, 64), gpu="rtx3090")
    assert explained.totals.macs_useful == 335_691_776
    assert explained.totals.parameters == 25_557_032
    assert "layer4.2.conv3" in names(explained)


def step(net, x, y):
    return F.cross_entropy(net(x), y)


def test_a_training_step_goes_back_through_the_same_layers():
    x, y = minitorch.rand(4, 32), minitorch.tensor([0, 1, 1, 0], dtype="int64")
    net = nn.Sequential(nn.Linear(32, 8), nn.ReLU(), nn.Linear(8, 2))
    explained = minitorch.explain(step, net, x, y, gpu="t4", backward=True)
    assert names(explained) == ["", "net", "net.0", "net.1", "net.2"]
    assert explained.call == explained.layers[0].type == "step"
    back = [each for each in explained.ops if each.backward and each.kernels]
    products = [
        explained.kernels[number]
        for op in back
        if op.name == "matmul" and op.parent is None
        for number in op.kernels
    ]
    # Of the second product both gradients; of the first one that of the weight, as the
    # input needs none: (4, 2) @ (2, 8), (8, 4) @ (4, 2); (32, 4) @ (4, 8).
    assert sorted(each.macs_useful for each in products) == [64, 64, 1024]
    where = {explained.layers[each.layer].name for each in products}
    assert where == {"net.0", "net.2"}
    lines = {each.python_line.split(":")[0] for each in back}
    assert lines <= {"test_explain.py", ""}
    forward = minitorch.explain(step, net, x, y, gpu="t4")
    assert not any(each.backward for each in forward.ops)
    assert len(forward.kernels) < len(explained.kernels)


class Square(minitorch.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient * (x + x)


class TwoSquares(nn.Module):
    def forward(self, x):
        return Square.apply(Square.apply(x))


def test_functions_with_a_gradient_in_python_go_back_in_their_layer():
    net = nn.Sequential(nn.Linear(4, 3), TwoSquares())
    explained = minitorch.explain(
        lambda net, x: net(x).sum(), net, minitorch.ones(2, 4), backward=True
    )
    own = [each for each in explained.ops if each.name == "Square"]
    assert [each.backward for each in own] == [False, False, True, True]
    assert {explained.layers[each.layer].name for each in own} == {"net.1"}
    ahead, back = own[0].kernels, own[2].kernels
    assert [explained.kernels[each].name for each in ahead] == ["zip"]
    assert [explained.kernels[each].name for each in back] == ["zip", "zip"]
    assert "net.1.mul (back)" in explained.table()
    assert "net.1 (back), execute: " in explained.steps()


def test_nothing_of_the_caller_changes():
    net = nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4), nn.Dropout(0.5))
    x = minitorch.rand(8, 6)
    before = {name: value.numpy() for name, value in net.state_dict().items()}
    given = x.numpy().copy()
    minitorch.manual_seed(7)
    random.seed(3)
    np.random.seed(3)
    state, python = _core.random_state(), random.getstate()
    own = np.random.get_state()[1].copy()

    def call(net, x):
        random.random()
        np.random.rand()
        return net(x + minitorch.rand(8, 6, device="cuda")).sum()

    minitorch.explain(call, net, x, backward=True)
    assert _core.random_state() == state
    assert random.getstate() == python
    assert (np.random.get_state()[1] == own).all()
    for name, value in net.state_dict().items():
        assert (value.numpy() == before[name]).all(), name
    assert (x.numpy() == given).all()
    assert all(each.grad is None for each in net.parameters())
    assert all("forward" not in vars(each) for _, each in net.named_modules())
    assert not _core.recording()
    assert {each.value.device for each in net.parameters()} == {"cpu"}


def test_an_optimizer_among_the_arguments():
    net = nn.Linear(3, 2)
    made = minitorch.optim.Adam(net.parameters(), 0.1)
    x = minitorch.rand(5, 3)

    def train(net, made, x):
        made.zero_grad()
        net(x).sum().backward()
        made.step()

    train(net, made, x)
    before = {name: value.numpy() for name, value in net.state_dict().items()}
    explained = minitorch.explain(train, net, made, x)
    steps = [each for each in explained.ops if each.name == "adam_step"]
    assert [each.layer for each in steps] == [0, 0]  # a weight and a bias
    for name, value in net.state_dict().items():
        assert (value.numpy() == before[name]).all(), name
    # The copies share what the originals share: the step changed the copied network.
    assert not any(each.backward for each in steps)
    train(net, made, x)
    assert (net.weight.value.numpy() != before["weight"]).all()


def test_a_network_on_the_device_stays_there():
    net = nn.BatchNorm1d(4).to("cuda")
    x = minitorch.rand(8, 4, device="cuda", requires_grad=True)
    mean = net.running_mean.numpy().copy()
    explained = minitorch.explain(net, x * 2)  # no leaf
    assert len(explained.kernels) >= 1
    assert (net.running_mean.numpy() == mean).all()
    assert (x.grad, x.device) == (None, "cuda")


class Recurrent(nn.Module):
    """Makes its first state itself, as networks with a memory do."""

    def __init__(self):
        super().__init__()
        self.ahead, self.back = nn.Linear(3, 4), nn.Linear(4, 4)

    def forward(self, x):
        state = minitorch.zeros(x.shape[0], 4) + minitorch.tensor([0.5])
        for step in range(x.shape[1]):
            state = minitorch.tanh(self.ahead(x[:, step]) + self.back(state))
        return state


def test_what_a_network_makes_lies_where_its_copy_does():
    net, x = Recurrent(), minitorch.rand(2, 3, 3)
    expected = net(x)[1, 2]
    explained = minitorch.explain(net, x)
    products = [each for each in explained.kernels if each.name == "matmul_tiled"]
    assert [each.macs_useful for each in products] == [2 * 3 * 4, 2 * 4 * 4] * 3
    assert explained.neuron("", (1, 2)).value == pytest.approx(expected, abs=1e-12)
    assert net(x).device == minitorch.zeros(1).device == "cpu"
    filled = explained.steps().splitlines()[1]
    assert filled.endswith("on at most 1 of 40 SMs. Nothing is read.")


def test_what_lies_elsewhere_is_told_how_to_come_along():
    other = minitorch.ones(3)
    with pytest.raises(ValueError, match="need one device") as caught:
        minitorch.explain(lambda x: x + other, minitorch.ones(3))
    assert "Pass them as arguments" in caught.value.__notes__[0]
    with pytest.raises(ValueError, match="need one device"):
        minitorch.explain(lambda x: x + minitorch.ones(3, device="cpu"), other)
    layer = nn.Linear(3, 3)
    with pytest.raises(ValueError, match="the same device") as caught:
        minitorch.explain(lambda x: layer(x), minitorch.ones(1, 3))
    assert "Pass them as arguments" in caught.value.__notes__[0]
    assert minitorch.zeros(1).device == "cpu"


def test_a_module_that_two_places_share():
    shared = nn.Linear(4, 4)
    net = nn.Sequential(shared, nn.ReLU(), shared)
    explained = minitorch.explain(net, minitorch.rand(2, 4))
    assert names(explained) == ["", "0", "1"]
    assert [each.calls for each in explained.layers] == [1, 2, 1]
    assert explained.totals.parameters == 20  # once
    assert len(explained.layers[1].kernels) == 4


def test_modules_in_lists_and_methods_have_names():
    net = nn.Linear(2, 2)

    def both(nets, x):
        return nets[1](nets[0](x))

    explained = minitorch.explain(both, [net, nn.ReLU()], minitorch.rand(1, 2))
    assert names(explained) == ["", "nets.0", "nets.1"]
    explained = minitorch.explain(net.forward, minitorch.rand(1, 2))
    assert (names(explained), explained.call) == ([""], "Linear")

    class Two(MyModel):
        def first(self, x):
            return self.layer1(x)

    explained = minitorch.explain(Two().first, minitorch.rand(1, 32))
    assert (names(explained), explained.call) == (["", "self.layer1"], "first")


def test_a_kernel_of_the_user_among_those_of_the_library():
    double = cuda.RawKernel(
        "__global__ void twice(float* x) { x[threadIdx.x] *= 2; }", "twice"
    )

    def call(x):
        y = x + 1
        double[1, 32](y)
        return y

    explained = minitorch.explain(call, minitorch.rand(32))
    add, twice = explained.kernels
    assert (add.name, twice.name) == ("zip_number", "twice")
    assert (twice.op, twice.layer) == (None, 0)
    assert "x[threadIdx.x] *= 2" in twice.source
    (array,) = twice.outputs
    assert (array.parameter, array.shape, array.dtype) == ("x", (32,), "float32")
    assert array.strides == (1,)
    assert (twice.moved.asked.read, twice.moved.asked.written) == (4 * 32, 4 * 32)
    assert twice.macs_useful == 0


def test_the_card_only_decides_what_the_numbers_mean():
    x, net = minitorch.rand(64, 32), MyModel()
    small, large = (minitorch.explain(net, x, gpu=each) for each in ("t4", "rtx3090"))
    for a, b in zip(small.kernels, large.kernels, strict=True):
        assert a.grid == b.grid
        assert a.macs_executed == b.macs_executed
        assert a.moved == b.moved
    assert (small.gpu.sms, large.gpu.sms) == (40, 82)
    assert minitorch.explain(net, x).gpu.name == _core.card("")["key"]


def nothing(x):
    return x


def fails(x):
    raise LookupError("of the call")


@pytest.mark.parametrize(
    ("error", "words", "call", "options"),
    [
        (TypeError, r"\[explain\] got int; need a module or a function", 3, {}),
        (ValueError, "launched no kernel", nothing, {}),
        (LookupError, "of the call", fails, {}),
        (ValueError, "rtx3090", nn.ReLU(), {"gpu": "gtx"}),
        (TypeError, "need a name such as", nn.ReLU(), {"gpu": 3}),
        (TypeError, "need True or False", nn.ReLU(), {"backward": 1}),
        (ValueError, "needs a scalar result", nn.ReLU(), {"backward": True}),
        (ValueError, "modelled, measured", nn.ReLU(), {"places": "guessed"}),
        (ValueError, "Use gpu=None", nn.ReLU(), {"gpu": "h200", "places": "measured"}),
    ],
)
def test_what_cannot_be_explained(error, words, call, options):
    with pytest.raises(error, match=words):
        minitorch.explain(call, minitorch.ones(3), **options)
    assert not _core.recording()


def test_an_argument_that_cannot_be_copied():
    with pytest.raises(
        TypeError, match=r"\[explain\] cannot copy argument 1, generator"
    ):
        minitorch.explain(nn.ReLU(), minitorch.ones(2), (each for each in ()))


class Pair:
    """An object that can be called."""

    def __init__(self):
        self.net = nn.Linear(2, 2)

    def __call__(self, x):
        return self.net(x)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (Pair(), "net"),
        (functools.partial(lambda net, x: net(x), nn.Linear(2, 2)), "argument.0"),
        (functools.partial(lambda x, net: net(x), net=nn.Linear(2, 2)), "net"),
    ],
)
def test_modules_of_other_calls(call, name):
    explained = minitorch.explain(call, minitorch.rand(3, 2))
    assert names(explained) == ["", name]


def test_explaining_within_what_is_explained():
    def call(net, x):
        inner = minitorch.explain(nn.Sequential(nn.Linear(2, 2), nn.ReLU()), x)
        assert names(inner) == ["", "0", "1"]
        return net(x)

    explained = minitorch.explain(call, nn.Linear(2, 2), minitorch.rand(3, 2))
    assert names(explained) == ["", "net"]
    # What the inner one launched ran in the function, and in none of its layers.
    assert [each.layer for each in explained.kernels] == [0, 0, 0, 1, 1]


def test_beside_other_observers():
    net, x = nn.Linear(2, 2).to("cuda"), minitorch.rand(3, 2, device="cuda")
    with minitorch.profiler.profile() as prof, cuda.inspect(library=True) as run:
        minitorch.explain(net, x)
    assert [each.kernel for each in run.launches] == ["matmul_tiled", "zip"]
    assert any(each.key == "minitorch::matmul" for each in prof.key_averages())
    with cuda.sync_debug_mode("error"):
        explained = minitorch.explain(net, x)
        explained.neuron("", (0, 0))
    assert len(explained.kernels) == 2


def test_a_captured_graph_is_refused():
    x = minitorch.rand(3, device="cuda")
    (x * 2).relu()
    graph = cuda.CUDAGraph()
    with cuda.graph(graph):
        (x * 2).relu()

    def call(y):
        graph.replay()
        return y + 1

    with pytest.raises(ValueError, match="replays a graph of 2 launches"):
        minitorch.explain(call, minitorch.rand(3))


def test_not_while_a_graph_is_captured():
    x = minitorch.rand(3, device="cuda")
    graph = cuda.CUDAGraph()
    refused = pytest.raises(cuda.GraphCaptureError, match="Explain it before")
    with refused, cuda.graph(graph):
        minitorch.explain(nn.ReLU(), x)
    assert len(minitorch.explain(nn.ReLU(), x).kernels) == 1


def test_a_kernel_at_fault_is_told_as_ever():
    far = cuda.RawKernel(
        "__global__ void far(float* x) { x[threadIdx.x + 1000000] = 1.0f; }", "far"
    )
    with pytest.raises(cuda.KernelError, match="far"):
        minitorch.explain(lambda x: far[1, 32](x), minitorch.rand(4))
    assert not _core.recording()
    assert len(minitorch.explain(nn.ReLU(), minitorch.rand(3)).kernels) == 1


def test_who_writes_each_element():
    explained = forums()
    product, bias, relu, second, _ = explained.to_dict()["kernels"]
    # A block of 16 x 16 threads writes 16 rows of 8: its threads 0 to 7 of each 16.
    rows = [256 * (row // 16) + 16 * (row % 16) for row in range(64)]
    assert product["owners"] == [row + column for row in rows for column in range(8)]
    assert bias["owners"] == relu["owners"] == list(range(64 * 8))
    assert second["owners"] == rows
    assert (
        "owners"
        not in minitorch.explain(nn.ReLU(), minitorch.zeros(4097)).to_dict()["kernels"][
            0
        ]
    )


def test_pictures_and_files(tmp_path):
    explained = minitorch.explain(MyModel(), minitorch.rand(4, 32), gpu="rtx3090")
    assert "layer1[3, 1]" in repr(explained.neuron("layer1", (3, 1)).show())
    explained.save(tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text()
    assert "<svg" in page
    assert "matmul_tiled" in page
    explained.save(str(tmp_path / "x.json"))
    read = json.loads((tmp_path / "x.json").read_text())
    assert read == explained.to_dict()
    with pytest.raises(ValueError, match=r"must end in \.json or \.html"):
        explained.save(tmp_path / "x.txt")


def test_a_gpu_is_no_place_to_count(monkeypatch):
    monkeypatch.setattr(_core, "is_emulated", lambda: False)
    with pytest.raises(cuda.CudaError, match="MINITORCH_CUDA=emulator"):
        minitorch.explain(nn.ReLU(), minitorch.ones(2))
