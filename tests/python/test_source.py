"""`minitorch.source`: what it tells of names and calls, and what it refuses."""

from __future__ import annotations

import re
import threading

import numpy as np
import pytest

import minitorch
import minitorch.functional as F
from minitorch import _core, cuda, nn

from .source_tree import ROOT

FORWARD, BACKWARD = "forward", "backward"


def chain(step):
    """Kind and place without the line, from the outside in, of first children."""
    here = [(step.kind, step.place.rpartition(":")[0])]
    return here + (chain(step.children[0]) if step.children else [])


def steps_of(source):
    return [s for each in source.passes for top in each.steps for s in top.walk()]


def line_of(text):
    """The place in this file where a text stands, "test_source.py:12"."""
    lines = (ROOT / "tests/python/test_source.py").read_text().splitlines()
    (found,) = (n for n, line in enumerate(lines, 1) if line.endswith(f"# {text}"))
    return f"test_source.py:{found}"


@pytest.mark.cuda
def test_a_name_goes_both_ways_on_both_devices():
    found = minitorch.source("conv2d")
    assert [(each.device, each.direction) for each in found.passes] == [
        ("cpu", FORWARD),
        ("cpu", BACKWARD),
        ("cuda", FORWARD),
        ("cuda", BACKWARD),
    ]
    above = [
        ("python", "minitorch/functional/conv.py"),
        ("autograd", "cpp/autograd/conv2d.cpp"),
        ("op", "cpp/ops/conv2d.cpp"),
    ]
    (host,), (device,) = found.passes[0].steps, found.passes[2].steps
    assert chain(host) == [*above, ("loop", "cpp/cpu/conv2d.cpp")]
    assert chain(device) == [*above, ("kernel", "cpp/kernels/conv2d.cu")]
    files = [kernel.file for kernel in found.passes[3].kernels]
    assert files[:2] == ["conv2d_grad_input.cu", "conv2d_grad_weight.cu"]


@pytest.mark.cuda
def test_a_kernel_has_its_text_and_its_launch():
    found = minitorch.source("conv2d", device="cuda", backward=False)
    kernel = found.kernel("conv2d.cu")
    path = ROOT / "cpp" / "kernels" / "conv2d.cu"
    assert kernel.text == path.read_text()
    file, _, line = kernel.place.partition(":")
    assert file == "cpp/kernels/conv2d.cu"
    assert "__global__ void conv2d(" in path.read_text().splitlines()[int(line) - 1]
    assert "using Scalar = float;" in kernel.spec
    assert "constexpr bool BIAS = true;" in kernel.spec
    # (2, 4, 4, 4) cells of the result, one thread each: 128 in a block of 256
    assert (kernel.grid, kernel.block, kernel.launches) == ((1, 1, 1), (256, 1, 1), 1)
    assert found.kernel("conv2d") is kernel
    with pytest.raises(KeyError, match=r"\[kernel\] got 'zip.cu'.*that ran: conv2d.cu"):
        found.kernel("zip.cu")


def test_a_call_of_ones_own_has_its_lines():
    x, w = minitorch.ones(2, 3), minitorch.ones(4, 3)

    def layer():
        return F.linear(x, w)  # the call

    found = minitorch.source(layer)
    assert found.call.endswith("layer")
    (top,) = found.passes[0].steps
    assert (top.kind, top.name, top.place) == ("python", "layer", line_of("the call"))
    assert top.children[0].place.startswith("minitorch/functional/products.py:")
    kinds = [step.kind for step in top.walk()]
    assert kinds[-1] == "loop"
    assert len(found.passes) == 1  # nothing learns
    with pytest.raises(KeyError, match="that ran: no kernel"):
        found.kernel("matmul_tiled.cu")


def test_going_back_names_the_line_ahead():
    x = minitorch.ones(2, 3, requires_grad=True)
    found = minitorch.source(lambda: x.relu())  # ahead
    (back,) = found.passes[1].steps
    assert (back.kind, back.name) == ("backward", "relu")
    assert back.place.startswith("cpp/autograd/engine.cpp:")
    assert "of cpp/autograd/elementwise.cpp:" in back.detail
    assert line_of("ahead") in back.detail
    assert x.grad is None


def test_layers_are_named():
    net = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
    found = minitorch.source(net, minitorch.ones(4, 3))
    forward = [s for s in found.passes[0].steps[0].walk() if s.kind == "autograd"]
    details = {step.name: step.detail for step in forward}
    assert details["matmul"] == "(4, 3) (3, 2) in 0 (Linear)"
    assert details["relu"] == "(4, 2) in 1 (ReLU)"


@pytest.mark.cuda
def test_arguments_are_copied_to_the_device_that_is_asked_for():
    layer, x = nn.Linear(3, 2), minitorch.ones(4, 3)
    found = minitorch.source(layer, x, device="cuda")
    assert {each.device for each in found.passes} == {"cuda"}
    assert found.kernel("matmul_tiled.cu").grid == (1, 1, 1)
    assert (x.device, layer.weight.value.device) == ("cpu", "cpu")


def test_nothing_of_the_caller_changes():
    norm, x = nn.BatchNorm2d(3), minitorch.ones(2, 3, 4, 4, requires_grad=True)
    before = [np.array(t.numpy()) for t in (norm.running_mean, norm.running_var)]
    minitorch.manual_seed(3)
    expected = minitorch.rand(4).numpy()
    minitorch.manual_seed(3)
    found = minitorch.source(norm, x)
    minitorch.source(lambda: minitorch.rand(4))
    assert [each.direction for each in found.passes] == [FORWARD, BACKWARD]
    after = [t.numpy() for t in (norm.running_mean, norm.running_var)]
    np.testing.assert_array_equal(before, after)
    assert x.grad is None
    assert norm.weight.value.grad is None
    np.testing.assert_array_equal(minitorch.rand(4).numpy(), expected)


def test_a_graph_that_reaches_behind_the_call_is_kept():
    x = minitorch.tensor([2.0], requires_grad=True)
    y = x * x
    found = minitorch.source(lambda: y * 3)
    assert [each.direction for each in found.passes] == [FORWARD, BACKWARD]
    minitorch.source(F.relu, y)  # not a leaf: its copy is one
    y.backward()
    assert x.grad.item() == 4.0


def test_a_call_that_goes_back_itself():
    layer, x = nn.Linear(3, 2), minitorch.ones(4, 3)

    def step(layer, x):
        loss = layer(x).sum()  # forward
        loss.backward()  # backward
        return loss

    found = minitorch.source(step, layer, x)
    assert len(found.passes) == 1
    steps = [s for top in found.passes[0].steps for s in top.walk()]
    back = [s for s in steps if s.kind == "backward"]
    assert {"add", "matmul"} <= {s.name for s in back}
    assert any(line_of("forward") in s.detail for s in back if s.name == "sum")
    assert layer.weight.value.grad is None


def test_results_in_lists_go_back_too():
    x = minitorch.ones(2, 3, requires_grad=True)
    found = minitorch.source(lambda: {"parts": [x.exp(), (x.sin(), 3)]})
    names = {s.name for s in found.passes[1].steps if s.kind == "backward"}
    assert {"exp", "sin"} <= names


@pytest.mark.parametrize("call", [F.conv2d, "conv2d"])
def test_a_function_without_arguments_is_its_name(call):
    found = minitorch.source(call, device="cpu", backward=False)
    assert (found.call, len(found.passes)) == ("conv2d", 1)


def test_without_gradients_nothing_goes_back():
    x = minitorch.ones(2, requires_grad=True)
    with minitorch.no_grad():
        assert len(minitorch.source(lambda: x.exp()).passes) == 1
    assert len(minitorch.source(lambda: x.exp(), backward=False).passes) == 1
    assert len(minitorch.source(lambda: x.exp()).passes) == 2


@pytest.mark.cuda
def test_kernels_of_the_program_name_their_launch():
    code = 'extern "C" __global__ void two(double* x) { x[threadIdx.x] = 2; }'
    kernel = cuda.RawModule(code=code).get_function("two")
    x = minitorch.zeros(4, device="cuda")

    def call():
        kernel[1, 4](x)  # the launch

    found = minitorch.source(call)
    ran = found.kernel("two")
    assert (ran.file, ran.text, ran.place) == ("", "", line_of("the launch"))
    assert (ran.grid, ran.block) == ((1, 1, 1), (4, 1, 1))
    assert [step.kind for step in found.passes[0].steps] == ["kernel"]


def test_a_custom_operator_goes_back_through_its_python_lines():
    def forward(x):
        return x * 2

    def backward(gradient, x):
        return gradient * 2  # back

    twice = minitorch.custom_op(forward=forward, backward=backward, name="twice")
    x = minitorch.ones(3, requires_grad=True)
    found = minitorch.source(lambda: twice(x))
    places = [step.place for step in steps_of(found) if step.kind == "python"]
    assert line_of("back") in places


@pytest.mark.cuda
class Cube(minitorch.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_values
        return gradient * x * x * 3


def test_a_function_with_a_gradient_in_python_shows_its_lines():
    x = minitorch.ones(2, requires_grad=True)
    found = str(minitorch.source(Cube.apply, x))
    ahead, back = found.split("backward on cpu")
    within = ahead[ahead.index("  Cube ") :]
    assert "test_source.py" in within
    assert " forward " in within
    assert within.index(" forward ") < within.index("cpp/ops/elementwise.cpp")
    assert " backward of test_source.py:" in back or " backward of Cube" in back
    assert "contextlib.py" not in found


def test_an_override_shows_the_lines_of_its_forward():
    def doubled(relu, x):
        return relu(x) + x

    x = minitorch.ones(2)
    with minitorch.override("relu", doubled):
        found = str(minitorch.source(nn.ReLU(), x))
    assert found.index("  relu ") < found.index(" doubled ") < found.index(" add ")
    assert found.count(" in ReLU") == 1
    assert "contextlib.py" not in found


def test_other_threads_are_not_the_call():
    stop = threading.Event()

    def work():
        while not stop.is_set():
            F.tanh(minitorch.ones(3))

    other = threading.Thread(target=work)
    other.start()
    try:
        found = minitorch.source(lambda: F.relu(minitorch.ones(3)))
    finally:
        stop.set()
        other.join()
    assert "tanh" not in {step.name for step in steps_of(found)}


@pytest.mark.cuda
def test_it_reads_as_a_hierarchy():
    found = minitorch.source("add", device="cuda", backward=False)
    lines = repr(found).splitlines()
    assert lines[0] == "add, forward on cuda"
    words = [line.split()[:2] for line in lines[1:]]
    assert [place.partition(":")[0] for place, _ in words] == [
        "cpp/autograd/elementwise.cpp",
        "cpp/ops/elementwise.cpp",
        "cpp/kernels/zip.cu",
    ]
    assert lines[-1].endswith("kernel grid (1, 1, 1), block (256, 1, 1)")
    indents = [len(line) - len(line.lstrip()) for line in lines]
    assert indents == [0, 2, 4, 6]


def test_equal_neighbours_are_one_line_and_long_texts_are_cut():
    x = minitorch.ones(3)

    def many():
        for _ in range(5):
            x.exp()
        for _ in range(120):
            x.exp()
            x.sin()

    found = minitorch.source(many)
    assert sum("(5 times)" in line for line in found.text().splitlines()) == 1
    shown = repr(found).splitlines()
    assert len(shown) == 201
    assert shown[-1].startswith("... ")
    assert len(found.text().splitlines()) > 400
    assert len(found.text(3).splitlines()) == 4


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("conv2", "conv2d"),
        ("F.convolution2d", "conv2d"),
        ("soft_max", "softmax"),
        ("norm", "rms_norm"),
        ("Conv2d", "conv2d"),
    ],
)
def test_an_unknown_name_is_told_what_is_near(name, near):
    with pytest.raises(
        ValueError, match=rf"\[source\] got '{name}'.*Try one of: .*{near}"
    ):
        minitorch.source(name)


@pytest.mark.parametrize("name", ["", "qqqq"])
def test_a_name_like_none_gets_the_list(name):
    with pytest.raises(ValueError, match=r"Try one of: abs, ceil, .*, adam"):
        minitorch.source(name)


@pytest.mark.parametrize("given", [3, None, minitorch.ones(2), ["conv2d"]])
def test_what_cannot_be_called_is_refused(given):
    with pytest.raises(TypeError, match=rf"\[source\] got {type(given).__name__}"):
        minitorch.source(given)


def test_a_name_takes_no_arguments():
    with pytest.raises(TypeError, match="got the name 'relu' and arguments"):
        minitorch.source("relu", minitorch.ones(2))
    with pytest.raises(ValueError, match="got device 'gpu'; need 'cpu' or 'cuda'"):
        minitorch.source("relu", device="gpu")
    with pytest.raises(ValueError, match=r"device 'cpu' needs arguments"):
        minitorch.source(lambda: F.relu(minitorch.ones(1)), device="cpu")
    with pytest.raises(TypeError, match="cannot copy the arguments"):
        minitorch.source(lambda lock: F.relu(minitorch.ones(1)), threading.Lock())


@pytest.mark.parametrize("call", [lambda: 3, lambda: None, lambda: np.ones(3) + 1])
def test_a_call_without_an_operation_is_refused(call):
    with pytest.raises(ValueError, match="ran no operation of minitorch"):
        minitorch.source(call)


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_what_a_call_raises_comes_through(error):
    def broken():
        F.relu(minitorch.ones(3))
        raise error("mine")

    with pytest.raises(error, match="mine"):
        minitorch.source(broken)
    assert not _core.recording()
    with pytest.raises(TypeError):  # arguments that do not fit
        minitorch.source(F.relu, 1, 2, 3)
    assert not _core.recording()


@pytest.mark.cuda
def test_it_waits_only_at_its_own_end():
    with cuda.sync_debug_mode("error"):
        assert len(minitorch.source("relu").passes) == 4


@pytest.mark.cuda
def test_a_capture_cannot_be_looked_at():
    x = minitorch.ones(4, device="cuda")
    x.relu()
    graph = cuda.CUDAGraph()
    with pytest.raises(cuda.GraphCaptureError, match="a wait"), cuda.graph(graph):
        minitorch.source(lambda: x.relu())
    assert not _core.recording()
    np.testing.assert_array_equal((x + 1).numpy(), np.full(4, 2.0))


def test_elementwise_ops_name_their_row_of_the_table():
    table = (ROOT / "cpp/cpu/elementwise.inc").read_text()
    for op in ("abs", "relu", "mul", "sigmoid"):
        ahead, back = minitorch.source(op, device="cuda").passes
        said = [
            step for way in (ahead, back) for top in way.steps for step in top.walk()
        ]
        rows = {
            each for step in said for each in re.findall(r'row "(\w+)"', step.detail)
        }
        assert all(f'"{each}"' in table for each in rows)
        formula = next(step for step in said if step.kind == "op" and step.name == op)
        assert f'formula: row "{op}" of cpp/cpu/elementwise.inc' in formula.detail
        rule = next(step for step in said if step.kind == "backward")
        assert f'rule: row "{op}" of cpp/cpu/elementwise.inc' in rule.detail
