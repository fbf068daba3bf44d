"""Tests of `Explanation.neuron`: who computes an element, and from what."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minitorch
import minitorch.torch
from minitorch import cuda, nn
from minitorch.nn import functional as F

from . import explained_model

pytestmark = pytest.mark.cuda


@pytest.fixture(autouse=True)
def _single_precision():
    before = minitorch.get_default_dtype()
    minitorch.set_default_dtype(minitorch.float32)
    yield
    minitorch.set_default_dtype(before)


@pytest.fixture(scope="module")
def explained():
    return explained_model.explained()


def test_who_computes_neuron_3_of_row_37(explained):
    neuron = explained.neuron("layer1", (37, 3))
    product, bias = neuron.chain
    # Row 37 is row 5 of tile 2; thread (3, 5) is number 83 = 2 x 32 + 19 of its block.
    assert (product.block, product.thread) == ((0, 2, 0), (3, 5, 0))
    assert (product.warp, product.lane, product.sm) == (2, 19, 2)
    assert len(product.macs) == 32
    # Element 37 x 8 + 3 = 299 of the sum is thread 43 of block 1.
    assert (bias.block, bias.thread) == ((1, 0, 0), (43, 0, 0))
    assert not bias.macs
    assert neuron.value == bias.value


def test_each_product_says_where_its_factors_come_from(explained):
    product = explained.neuron("layer1", (37, 3)).chain[0]
    arrays = {each.parameter: each for each in explained.kernels[0].inputs}
    for k, mac in enumerate(product.macs):
        assert (mac.a.array, mac.a.element) == ("a", (37, k))
        assert (mac.b.array, mac.b.element) == ("b", (k, 3))
        # A tile's cell is loaded by the thread that stands where the cell does.
        assert mac.a.loaded_by.thread == (k % 16, 5, 0)
        assert mac.b.loaded_by.thread == (3, k % 16, 0)
        assert not mac.padded
    # The weight is (8, 32): its rows are the columns of b.
    step = product.macs[1].b.address - product.macs[0].b.address
    assert step == 4 * arrays["b"].strides[0] == 4


def test_the_sum_is_that_of_numpy_in_the_threads_order(explained):
    product = explained.neuron("layer1", (37, 3)).chain[0]
    total = np.float32(0)
    for mac in product.macs:
        # float64 holds a product of two float32 numbers, and nearly always the sum.
        total = np.float32(np.float64(mac.a.value) * mac.b.value + np.float64(total))
        assert total == mac.partial
    assert total == product.value


def test_cells_past_the_edge_are_called_padded():
    explained = minitorch.explain(nn.Linear(20, 3, bias=False), minitorch.ones(2, 20))
    (part,) = explained.neuron("", (1, 2)).chain
    assert [each.padded for each in part.macs] == [False] * 20 + [True] * 12
    assert part.macs[31].partial == part.value


def test_the_chain_goes_back_to_the_inputs_of_the_layer(explained):
    chain = explained.neuron("", (37, 0)).chain
    assert [each.kernel for each in chain] == sorted(each.kernel for each in chain)
    assert {each.kernel for each in chain[-2:]} == {3, 4}
    assert len(chain[-2].macs) == 16  # one tile, of which 8 cells are there
    hidden = [each for each in chain if each.kernel == 2]
    assert len(hidden) == 8
    positive = sum(each.value > 0 for each in hidden)
    # What the ReLU cut off was not passed on: its chain ends there.
    assert sum(each.kernel == 0 for each in chain) == positive


def pooled(x):
    return F.avg_pool2d(F.relu(x - 0.5), 2)


def attention(x):
    return F.softmax(x @ x.permute(1, 0), -1)


def changed(x):
    y = x * 2
    y[1] = 7.0
    return y


def number(*shape):
    return np.random.default_rng(3).random(shape, np.float32)


CASES = {
    "linear": (nn.Linear(20, 7), number(3, 20), (2, 6)),
    "one row": (nn.Linear(20, 7), number(20), (6,)),
    "convolution": (
        nn.Conv2d(4, 6, 3, stride=2, padding=1),
        number(2, 4, 9, 9),
        (1, 5, 4, 0),
    ),
    "norm, training": (nn.BatchNorm2d(4), number(2, 4, 9, 9), (1, 3, 8, 2)),
    "norm, evaluation": (nn.BatchNorm2d(4).eval(), number(2, 4, 9, 9), (0, 1, 2, 3)),
    "layer norm": (nn.LayerNorm(20), number(3, 20), (1, 19)),
    "maximum": (nn.MaxPool2d(2), number(2, 4, 9, 9), (1, 2, 3, 3)),
    "average": (nn.AdaptiveAvgPool2d(1), number(2, 4, 9, 9), (1, 2, 0, 0)),
    "pooled": (pooled, number(2, 4, 8, 8), (1, 2, 3, 3)),
    "sigmoid": (nn.Sigmoid(), number(300), (299,)),
    "attention": (attention, number(5, 7), (4, 2)),
    "in place, as it was": (changed, number(3), (0,)),
    "in place": (changed, number(3), (1,)),
    "product of many tiles": (lambda a: a @ a, number(100, 100), (99, 50)),
    "view": (lambda a: (a + 1).view(5, 6).permute(1, 0), number(30), (3, 2)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_are_those_of_a_plain_run_and_recompute_bit_for_bit(name, dtype):
    call, values, index = CASES[name]
    if isinstance(call, nn.Module):
        for parameter in call.parameters():
            parameter.update(minitorch.tensor(parameter.value.numpy(), dtype=dtype))
    x = minitorch.tensor(values, dtype=dtype)
    neuron = minitorch.explain(call, x).neuron("", index)
    plain = call.to("cuda") if isinstance(call, nn.Module) else call
    found = plain(x.to("cuda")).numpy()[index]
    if isinstance(call, nn.Module):
        call.to("cpu")
    assert neuron.value == float(found)
    for part in neuron.chain:
        assert part.recompute() == part.value
    assert neuron.left_out >= 0


def test_a_convolution_reads_its_window():
    net = nn.Conv2d(1, 2, 3, bias=False)
    (part,) = (
        minitorch.explain(net, minitorch.rand(1, 1, 5, 5))
        .neuron("", (0, 1, 1, 2))
        .chain
    )
    cells = {each.a.element for each in part.macs} | {
        each.b.element for each in part.macs
    }
    window = {(0, 0, 1 + i, 2 + j) for i in range(3) for j in range(3)}
    taps = {(1, 0, i, j) for i in range(3) for j in range(3)}
    assert cells == window | taps
    assert len(part.macs) == 9


def test_a_large_launch_is_traced_only_where_it_matters():
    net = nn.Sequential(nn.Conv2d(64, 64, 3, padding=1), nn.BatchNorm2d(64).eval())
    explained = minitorch.explain(net, minitorch.rand(1, 64, 32, 32), gpu="rtx3090")
    neuron = explained.neuron("1", (0, 63, 31, 31))
    assert [each.name for each in neuron.chain] == ["normalise"]
    neuron = explained.neuron("", (0, 63, 31, 31))
    assert [each.name for each in neuron.chain] == ["conv2d_tiled", "normalise"]
    macs = neuron.chain[0].macs
    # Of the 9 taps 4 lie inside of a corner; the others meet the zeros around.
    assert [len(macs), sum(each.padded for each in macs)] == [64 * 9, 64 * 5]
    assert all(each.recompute() == each.value for each in neuron.chain)


def test_which_call_of_a_layer_that_runs_twice():
    shared = nn.Linear(4, 4)
    x = minitorch.rand(2, 4)
    explained = minitorch.explain(nn.Sequential(shared, nn.ReLU(), shared), x)
    with pytest.raises(ValueError, match="got call=2"):
        explained.neuron("0", (0, 0), call=2)
    once, twice = shared(x), shared(F.relu(shared(x)))
    first, second = (explained.neuron("0", (1, 2), call=each) for each in (0, 1))
    assert first.value == pytest.approx(float(once[1, 2]), rel=1e-6)
    assert second.value == pytest.approx(float(twice[1, 2]), rel=1e-6)
    # Each call has kernels of its own.
    assert [each.kernel for each in first.chain] == [0, 1]
    assert [each.kernel for each in second.chain] == [3, 4]


def test_an_index_from_the_end_and_lists_are_indices(explained):
    assert explained.neuron("layer1", (-1, -8)).index == (63, 0)
    assert explained.neuron("layer1", [37, np.int64(3)]).index == (37, 3)


@pytest.mark.parametrize(
    ("error", "words", "layer", "index"),
    [
        (KeyError, "need one of '', 'layer1', 'layer2'", "layer3", (0, 0)),
        (KeyError, "got layer 3", 3, (0, 0)),
        (IndexError, r"output shape \(64, 8\)", "layer1", (64, 0)),
        (IndexError, r"output shape \(64, 8\)", "layer1", (-65, 0)),
        (IndexError, r"output shape \(64, 8\)", "layer1", (3,)),
        (IndexError, r"output shape \(64, 8\)", "layer1", 3),
        (TypeError, "need ints", "layer1", (0.5, 1)),
        (TypeError, "need ints", "layer1", "ab"),
        (TypeError, "need ints", "layer1", None),
    ],
)
def test_what_has_no_neuron(explained, error, words, layer, index):
    with pytest.raises(error, match=words):
        explained.neuron(layer, index)


@pytest.mark.parametrize("call", ["first", 1.0, -1, True])
def test_a_call_that_is_none(explained, call):
    with pytest.raises((ValueError, TypeError), match="got call="):
        explained.neuron("layer1", (0, 0), call=call)


def test_results_that_are_no_tensors_of_a_kernel():
    explained = minitorch.explain(lambda x: (x + 1).numpy(), minitorch.rand(3))
    with pytest.raises(ValueError, match="returned no tensor"):
        explained.neuron("", (0,))

    def given(net, x):
        return net(x) + 1

    explained = minitorch.explain(given, nn.Identity(), minitorch.rand(3))
    with pytest.raises(ValueError, match="no kernel wrote the output of 'net'"):
        explained.neuron("net", (0,))


def test_a_kernel_of_the_user():
    scale = cuda.RawKernel(
        "__global__ void scale(const float* x, float* y, float by) {"
        " int i = blockIdx.x * 32 + threadIdx.x; y[i] = fmaf(x[i], by, 1.0f); }",
        "scale",
    )

    def call(x):
        y = minitorch.zeros(64, device="cuda")
        scale[2, 32](x, y, np.float32(0.1))
        return y

    neuron = minitorch.explain(call, minitorch.rand(64)).neuron("", (40,))
    last = neuron.chain[-1]
    assert (last.name, last.block, last.thread) == ("scale", (1, 0, 0), (8, 0, 0))
    assert last.recompute() == last.value
    assert math.isclose(last.macs[0].b.value, 0.1, rel_tol=1e-6)
    assert (last.macs[0].a.array, last.macs[0].a.element) == ("x", (40,))


def test_a_large_kernel_that_writes_where_nobody_guesses():
    backwards = cuda.RawKernel(
        "__global__ void backwards(const float* x, float* y, int n) {"
        " int i = blockIdx.x * 256 + threadIdx.x;"
        " float sum = 0; for (int k = 0; k < 4; ++k) sum += x[(i + k) % n];"
        " y[n - 1 - i] = sum; }",
        "backwards",
    )
    blocks = 400
    cells = 256 * blocks

    def call(x):
        y = minitorch.zeros(cells, device="cuda")
        backwards[blocks, 256](x, y, np.int32(cells))
        return y

    explained = minitorch.explain(call, minitorch.rand(cells))
    last = explained.neuron("", (1000,)).chain[-1]
    # Thread 102,399 - 1000 = 101,399 is number 23 of block 396.
    assert (last.block, last.thread) == ((396, 0, 0), (23, 0, 0))
    assert last.recompute() == last.value


@cuda.jit
def tripled(a, out):
    i = cuda.threadIdx.x
    out[i] = a[i] * 3


def test_a_kernel_in_python():
    def call(x):
        y = minitorch.zeros(3, dtype="float64", device="cuda")
        tripled[1, 3](x, y)
        return y

    x = minitorch.tensor([0.1, 0.2, 0.3], dtype="float64")
    neuron = minitorch.explain(call, x).neuron("", (1,))
    assert neuron.value == 0.2 * 3
    (word,) = neuron.chain[-1].steps
    assert word == f"mul.f64: 0.2 (a[1]) * 3.0 = {0.2 * 3!r}"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_chain_goes_through_numbers_of_16_bits(dtype):
    net = nn.Sequential(nn.Linear(32, 8), nn.ReLU()).to(dtype)
    x = (minitorch.rand(2, 32) - 0.5).to(dtype)
    chain = minitorch.explain(net, x).neuron("0", (1, 3)).chain
    assert [each.name for each in chain][-3:] == ["matmul_tiled", "copy", "zip"]
    assert {each.name for each in chain[:-3]} == {"copy"}  # factors become float32
    product, narrowed, bias = chain[-3:]
    # Multiplied in float32 in the order of k, and then rounded twice.
    row, weight = (
        each.to("float32").detach().numpy() for each in (x[1], net[0].weight.value[3])
    )
    total = (row.astype("float64") * weight).sum()
    assert product.value == pytest.approx(total, abs=1e-6)
    assert len(product.macs) == 32
    digits = 2**-11 if dtype == "float16" else 2**-8
    assert narrowed.value == pytest.approx(product.value, rel=digits)
    assert all(each.recompute() == each.value for each in chain)
    assert bias.steps


def test_a_chain_of_integers():
    a, b = (minitorch.tensor(each, dtype="int64") for each in ([3, -4], [5, 3]))
    (part,) = minitorch.explain(lambda a, b: a - b, a, b).neuron("", (1,)).chain
    assert part.steps == ("sub.s64: -4 (a[1]) - 3 (b[1]) = -7",)
    assert (part.value, part.recompute()) == (-7, -7)


def test_a_chain_in_words_names_the_layers():
    net = nn.Sequential(nn.Linear(16, 40), nn.ReLU(), nn.Linear(40, 2))
    explained = minitorch.explain(net, minitorch.rand(3, 16) + 1)
    neuron = explained.neuron("", (2, 1))
    lines = str(neuron).splitlines()
    assert lines[0] == f"result[2, 1] = {neuron.value!r}"
    kinds = [each.split(":")[0].strip() for each in lines[1:-1]]
    assert kinds[0] == "0.matmul (matmul_tiled)"
    assert kinds[-2:] == ["2.matmul (matmul_tiled)", "2.add (zip)"]
    assert "1.relu (map)" in kinds
    assert len(kinds) == len(neuron.chain)
    assert lines[-1] == f"  and {neuron.left_out} more parts, not shown"
    alone = explained.neuron("2", (2, 1))
    assert alone.left_out == 0
    assert len(str(alone).splitlines()) == 1 + len(alone.chain)


def twice_the_relu(text):
    """The library's map.cu, whose results count twice."""
    return text.replace("static_cast<Scalar>(Fn()", "static_cast<Scalar>(2 * Fn()")


@pytest.mark.parametrize("dialect", ["minitorch", "torch"])
def test_a_neuron_is_explained_under_the_modes_of_its_explanation(dialect):
    lib = minitorch.torch if dialect == "torch" else minitorch

    def call(x):
        mask = lib.rand(4)  # of the default dtype, and of the next random numbers
        return (x + mask).relu() * (1.0 if lib.is_grad_enabled() else 3.0)

    x = lib.ones(4, dtype=lib.float32, requires_grad=True)
    before = lib.get_default_dtype()
    lib.set_default_dtype(lib.float32)
    with lib.no_grad(), minitorch.override("relu", lambda relu, x: relu(x) * 5.0 + 1.0):
        found = minitorch.explain(call, x)
        want = call(x)[2]
    lib.set_default_dtype(lib.float64)
    try:
        lib.rand(3)
        assert found.neuron("", (2,)).value == float(want)
        # Random numbers, the sum, relu, its product and sum, the last product.
        assert len(found.to_dict()["kernels"]) == 6
        assert lib.get_default_dtype() == lib.float64
    finally:
        lib.set_default_dtype(before)
    assert lib.is_grad_enabled()


def test_a_kernel_of_an_override_stays_the_explained_one():
    kernels = {"map.cu": twice_the_relu}
    x = minitorch.tensor([1.0, -1.0, 3.0])
    with minitorch.override("relu", kernels=kernels):
        found = minitorch.explain(minitorch.relu, x)
    assert found.neuron("", (2,)).value == 6.0
    assert minitorch.explain(minitorch.relu, x).neuron("", (2,)).value == 3.0
    with minitorch.override("relu", kernels=kernels):
        assert found.neuron("", (2,)).value == 6.0  # not applied a second time


def test_a_call_that_does_something_else_the_second_time_is_an_error():
    steps = ["relu"]

    def call(x):
        return getattr(x + x, steps[0])()

    found = minitorch.explain(call, minitorch.ones(3))
    steps[0] = "exp"
    with pytest.raises(
        RuntimeError, match=r"^\[neuron\] two runs .* a changed version of map"
    ):
        found.neuron("", (0,))
    with pytest.raises(
        RuntimeError, match=r"^\[to_dict\] two runs .* a changed version of map"
    ):
        found.to_dict()
    steps[0] = "sum"
    with pytest.raises(RuntimeError, match="differ: launch 1 was"):
        found.neuron("", (0,))


@pytest.mark.parametrize("dialect", ["minitorch", "torch"])
def test_layers_with_several_results(dialect):
    lib = minitorch.torch if dialect == "torch" else minitorch
    lib.manual_seed(1)
    net = lib.nn.LSTM(3, 4)
    x = lib.rand(2, 1, 3, dtype="float32") if dialect != "torch" else lib.rand(2, 1, 3)
    found = minitorch.explain(net, x)
    y, (h, c) = net(x)
    for output, want in enumerate((y, h, c)):
        index = tuple(each - 1 for each in want.shape)
        value = found.neuron("", index, output=output).value
        assert value == pytest.approx(want.detach().numpy()[index], rel=1e-6)
    with pytest.raises(ValueError, match=r"got output=3 for ''; need 0 to 2"):
        found.neuron("", (0, 0, 0), output=3)


class Block(nn.Module):
    """Layers of all kinds: with running statistics, random numbers, a nested one."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(2, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.body = nn.Sequential(nn.ReLU(), nn.Dropout(0.5), nn.Conv2d(4, 2, 1))

    def forward(self, x):
        return self.body(self.norm(self.first(x))) + x


def residual():
    minitorch.manual_seed(7)
    return nn.Sequential(Block(), Block(), nn.Flatten(), nn.Linear(32, 3))


def launches_of(explained, layer, index):
    with cuda.inspect(library=True, counters=False) as run:
        neuron = explained.neuron(layer, index)
    return neuron, [launch.kernel for launch in run.launches]


def without_addresses(neuron):
    """Return the chain without addresses, which differ from run to run."""
    return [
        (
            *(part.kernel, part.thread, part.value, part.steps, part.recompute()),
            [(mac.a.value, mac.b.value, mac.partial) for mac in part.macs],
        )
        for part in neuron.chain
    ]


def test_a_neuron_of_the_last_layer_launches_nothing_of_earlier_layers():
    explained = minitorch.explain(residual().eval(), minitorch.rand(2, 2, 4, 4))
    neuron, kernels = launches_of(explained, "3", (1, 2))
    own = [kernel.name for kernel in explained.kernels if kernel.layer_name == "3"]
    assert [part.name for part in neuron.chain] == own == ["matmul_tiled", "zip"]
    assert kernels == own * (len(kernels) // 2)
    # A view was written by the layer before it, of which the sum is no layer.
    neuron, kernels = launches_of(explained, "2", (1, 2))
    assert [part.name for part in neuron.chain] == ["zip"]
    whole = len(explained.kernels)
    second = sum(k.layer_name.startswith("1") for k in explained.kernels)
    assert len(kernels) == second < whole / 2
    neuron, kernels = launches_of(explained, "1.body.2", (0, 1, 2, 3))
    assert set(kernels) < {"conv2d", "conv2d_tiled", "zip"}


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("layer", ["3", "2", "1", "1.norm", "1.body.1", "0.body.2"])
def test_a_layer_that_runs_alone_gives_the_bits_of_the_whole_run(
    monkeypatch, layer, training
):
    net, x = residual().train(training), minitorch.rand(2, 2, 4, 4)
    minitorch.manual_seed(3)
    alone = minitorch.explain(net, x)
    monkeypatch.setattr("minitorch.network.layers.MOST_KEPT", 0)
    minitorch.manual_seed(3)
    whole = minitorch.explain(net, x)
    number = [entry.name for entry in alone.layers].index(layer)
    index = tuple(extent - 1 for extent in alone.layers[number].output_shape)
    few, many = (launches_of(found, layer, index) for found in (alone, whole))
    assert without_addresses(few[0]) == without_addresses(many[0])
    assert len(few[1]) < len(many[1])


def test_what_changed_since_its_call_is_no_start():
    class Doubled(nn.Module):
        """Changes its input in place, and counts its calls."""

        def __init__(self):
            super().__init__()
            self.inner, self.count = nn.Linear(3, 3), 0

        def forward(self, x):
            self.count += 1
            return self.inner(x).mul_(self.count) + x.mul_(2)

    layer = Doubled()
    explained = minitorch.explain(
        lambda layer, x: layer(layer(x * 1)) + 1, layer, minitorch.ones(2, 3)
    )
    with minitorch.no_grad():
        x = minitorch.ones(2, 3)
        once = Doubled.forward(layer, x)
        twice = Doubled.forward(layer, once * 1)
    for call, want in enumerate((once, twice)):
        found = explained.neuron("layer", (1, 2), call=call)
        assert found.value == pytest.approx(float(want[1, 2]), rel=1e-6)


def test_a_layer_under_an_override_runs_with_its_network():
    net = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.ReLU()))
    x = minitorch.ones(1, 3)
    with minitorch.override("relu", lambda relu, x: relu(x) + 2.0, only="1.0"):
        found = minitorch.explain(net, x)
        want = float(net(x)[0, 1])
    neuron, kernels = launches_of(found, "1.0", (0, 1))
    assert neuron.value == pytest.approx(want, rel=1e-6)
    assert kernels == [kernel.name for kernel in found.kernels] * (len(kernels) // 4)
