"""Tests of the graph view: nodes, edges and derivatives against what was computed."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest

import minitorch
from minitorch import Scalar, viz
from minitorch.viz.scene.render import draw
from minitorch.viz.scene.scene import sentences
from minitorch.viz.views.graph import (
    CONSTANT,
    FOLD,
    LEAF,
    Node,
    folded,
    laid_out,
    scene_of,
)

from .picture import check, elements, words
from .scenes import check_scene


def leaf(*shape: int) -> minitorch.Tensor:
    return minitorch.rand(*shape, requires_grad=True)


def edges(nodes: list[Node]) -> set[tuple[str, str]]:
    return {(nodes[each].title, node.title) for node in nodes for each in node.inputs}


def test_a_matrix_product_and_its_bias():
    w, b, x = leaf(3, 2), leaf(2), minitorch.rand(4, 3)
    figure = viz.graph((x @ w + b).relu(), {"w": w, "b": b})
    check(figure)
    nodes = figure.data.nodes
    assert edges(nodes) == {
        ("w", "matmul"), ("constant", "matmul"), ("matmul", "add"), ("b", "add"),
        ("add", "relu"),
    }  # fmt: skip
    shapes = {node.title: node.shape for node in nodes}
    assert shapes == {
        "w": (3, 2), "b": (2,), "matmul": (4, 2), "add": (4, 2), "relu": (4, 2),
        "constant": None,
    }  # fmt: skip
    assert [node.kind for node in nodes].count(LEAF) == 2
    assert figure.answer == (
        "3 steps made this value from 2 leaves; each of them gets a gradient."
    )
    assert figure.detail == "1 relu, 1 add, 1 matmul."
    assert {"3 × 2", "4 × 2", "2 numbers"} <= set(words(figure))
    scene = scene_of(figure.data)
    check_scene(figure, scene)
    said = [sentences(scene, {"node": at})[0] for at in range(6)]
    matmul, constant = said[2:4]
    assert matmul.endswith("of a constant and w for add; the gradient goes back to w.")
    assert constant == "A constant, used by matmul: no gradient comes back to it."
    assert "The gradient of b comes from add." in said


def lines(figure: viz.Figure) -> list[dict[str, str]]:
    return [
        dict(each.attrib) for each in elements(figure, "path")
        if "marker-end" in each.attrib and "C" in each.get("d", "")
    ]  # fmt: skip


def test_a_gradient_comes_back_on_every_line_but_a_constants():
    w, x = leaf(2), minitorch.rand(2)
    drawn = lines(viz.graph((w * x * w).sum()))
    constant = [each for each in drawn if "stroke-dasharray" in each]
    assert len(constant) == 1
    assert "marker-start" not in constant[0]
    assert len([each for each in drawn if "marker-start" in each]) == len(drawn) - 1


def test_derivatives_of_scalars_are_those_of_calculus():
    x, y = Scalar(2.0, name="x"), Scalar(3.0, name="y")
    figure = viz.graph(x * y + x.exp() * x)
    check(figure)
    nodes = {node.title: node for node in figure.data.nodes}
    # d(xy + x e^x) / dx = y + e^x + x e^x
    assert nodes["x"].gradient == pytest.approx(3 + math.exp(2) * 3)
    assert nodes["y"].gradient == pytest.approx(2)
    assert nodes["exp"].gradient == pytest.approx(2)
    assert nodes["exp"].value == pytest.approx(math.exp(2))
    assert nodes["add"].gradient == 1
    assert x.derivative is None  # looking adds nothing
    assert "gradient 25.17" in words(figure)


def test_a_step_says_what_its_backward_sends_to_whom():
    x, y = Scalar(2.0, name="x"), Scalar(3.0, name="y")
    graph = viz.graph((x * y + x) * 2).data
    titles = [node.title for node in graph.nodes]
    assert sentences(scene_of(graph), {"node": titles.index("mul", 1)})[0] == (
        "mul makes 6 of x = 2 and y = 3 for add; of its gradient 2 it sends back 6 to "
        "x and 4 to y."
    )
    assert sentences(scene_of(graph), {"node": titles.index("x")})[0] == (
        "The gradient of x comes from add and mul, added up."
    )


def test_a_value_used_twice_is_one_node():
    x = Scalar(3.0)
    nodes = viz.graph(x * x).data.nodes
    assert len(nodes) == 2
    assert nodes[0].inputs == [1, 1]
    t = leaf(1)
    y = t * 2
    assert [node.title for node in viz.graph(y * y).data.nodes].count("mul") == 2


def test_parameters_of_a_module_have_their_names():
    net = minitorch.nn.Sequential(minitorch.Linear(4, 3), minitorch.Linear(3, 2))
    out = net(minitorch.rand(5, 4))
    titles = {node.title for node in viz.graph(out, net).data.nodes}
    assert {"0.weight", "0.bias", "1.weight", "1.bias"} <= titles
    named = viz.graph(out, {"<out>": out}).data.nodes[0].title
    assert named.endswith("→ <out>")


def test_gradients_after_a_backward():
    w = leaf(1)
    y = (w * 3).sum()
    y.backward()
    figure = viz.graph(y)
    check(figure)
    found = next(node for node in figure.data.nodes if node.kind == LEAF)
    assert found.gradient == 3
    assert found.has_gradient


def test_a_custom_function_has_its_own_name():
    class Twice(minitorch.Function):
        @staticmethod
        def forward(ctx, a):
            return a + a

        @staticmethod
        def backward(ctx, d):
            return d + d

    assert viz.graph(Twice.apply(leaf(2))).data.nodes[0].title == "Twice"


def test_a_backward_that_raises_is_said_and_the_graph_drawn():
    from minitorch.scalar_functions import ScalarFunction

    class Wrong(ScalarFunction):
        @staticmethod
        def forward(ctx, a):
            return a

        @staticmethod
        def backward(ctx, d):
            raise ZeroDivisionError("by mistake")

    figure = viz.graph(Wrong.apply(Scalar(1.0)) * 2)
    check(figure)
    assert "a backward raised ZeroDivisionError" in figure.detail
    assert all(node.gradient is None for node in figure.data.nodes)


def test_values_without_a_history():
    own = viz.graph(leaf(2))
    check(own)
    assert own.answer == (
        "No step made this value: it is a leaf and collects a gradient."
    )
    none = viz.graph(minitorch.rand(2))
    check(none)
    assert none.answer.startswith("No step was recorded")
    assert none.data.nodes[0].kind == CONSTANT


def chain(count: int) -> tuple[minitorch.Tensor, minitorch.Tensor]:
    w = minitorch.tensor([1.01], requires_grad=True)
    x = minitorch.tensor([0.5])
    for _ in range(count):
        x = (x * w + w).sigmoid()
    return x, w


def test_of_a_long_chain_what_is_far_from_the_result_is_one_node():
    x, w = chain(300)
    figure = viz.graph(x, {"w": w})
    check(figure)
    drawn = folded(figure.data.nodes)
    *near, fold = drawn
    assert (len(near), fold.kind, fold.title) == (24, FOLD, "878 more")
    assert {node.title for node in near} == {"mul", "add", "sigmoid"}
    census = dict(fold.members)  # the last in the order are w and the constant
    assert census == {"mul": 292, "add": 292, "sigmoid": 292, "leaf": 1, "constant": 1}
    assert edges(drawn) == {
        ("mul", "add"), ("add", "sigmoid"), ("sigmoid", "mul"),
        (fold.title, "mul"), (fold.title, "add"),
    }  # fmt: skip
    said = sentences(scene_of(figure.data), {"node": 24})[0]
    assert said.startswith("292 sigmoid, 292 add, 292 mul, ")
    check_scene(figure, scene_of(figure.data))


def random_graph(seed: int, count: int) -> minitorch.Tensor:
    rng = np.random.default_rng(seed)
    pool = [leaf(2, 2) for _ in range(6)]
    for _ in range(count):
        a, b = rng.integers(max(0, len(pool) - 25), len(pool), 2)
        pool.append(pool[a] + pool[b] if rng.random() < 0.5 else pool[a] * pool[b])
    return pool[-1]


@pytest.mark.parametrize("seed", range(6))
def test_a_large_graph_is_cut_behind_its_nearest_nodes(seed):
    figure = viz.graph(random_graph(seed, 700))
    check(figure)
    drawn = folded(figure.data.nodes)
    assert len(drawn) == 25
    assert sum(dict(drawn[-1].members).values()) == len(figure.data.nodes) - 24
    place = {id(node): at for at, node in enumerate(drawn)}
    narrow = str(draw(scene_of(figure.data), {"node": 0}, 340))
    assert min(map(float, re.findall(r' width="(\S+)" height="50"', narrow))) > 60
    for node in drawn:  # no circle
        assert all(each > place[id(node)] for each in node.inputs)


def test_a_wide_graph_stays_small():
    parts = [leaf(1) * 2 for _ in range(1500)]
    figure = viz.graph(minitorch.functional.cat(parts, 0))
    check(figure)
    assert draw(figure.scene, figure.state, 1080).height < 1000
    check_scene(figure, scene_of(figure.data), 6)


def test_a_hundred_thousand_steps_are_walked_without_recursion():
    x, _ = chain(33_334)
    figure = viz.graph(x)
    check(figure)
    assert figure.answer.startswith("100,002 steps made this value from 1 leaf")


@pytest.mark.parametrize("seed", range(5))
def test_boxes_never_overlap_and_lines_never_cross_a_box(seed):
    rng = np.random.default_rng(seed)
    inputs = [
        sorted({int(at) for at in rng.integers(row + 1, 41, rng.integers(1, 4))})
        for row in range(40)
    ] + [[]]
    keep = {0}
    for row, own in enumerate(inputs):
        keep |= set(own) if row in keep else set()
    number = {row: at for at, row in enumerate(sorted(keep))}
    graph = [[number[each] for each in inputs[row]] for row in sorted(keep)]
    layout = laid_out(graph, 6, 640, 100.0, 10.0)
    of = {each: at for at, row in enumerate(layout.rows) for each in row}
    for row in layout.rows:
        assert sum(not isinstance(each, tuple) for each in row) <= 6
        for one, other in itertools.pairwise(row):
            room = sum(5 if isinstance(each, tuple) else 50 for each in (one, other))
            assert layout.middle[other] - layout.middle[one] >= room - 1e-6
    for at, own in enumerate(graph):
        for each in own:
            assert [of[thing] for thing in layout.ways[each, at]] == list(
                range(of[at], of[each] + 1)
            )
    assert min(layout.middle[at] for at in range(len(graph))) >= 50 - 1e-6
    assert max(layout.middle.values()) <= layout.extent - 5 + 1e-6
    needed = [sum(10 if isinstance(each, tuple) else 100 for each in row)
              for row in layout.rows]  # fmt: skip
    assert layout.extent <= max(640, *needed) + 1e-6


def test_names_and_values_that_are_odd():
    x = Scalar(float("nan"), name="<b>" + "long" * 90)
    figure = viz.graph(x * Scalar(float("inf")))
    check(figure)
    assert "= NaN" in words(figure)
    assert "= ∞" in words(figure)


def test_bad_input():
    with pytest.raises(TypeError, match=r"\[viz.graph\] got ndarray; need a tensor"):
        viz.graph(np.ones(2))
    with pytest.raises(TypeError, match="got list for names; need a module, or a dict"):
        viz.graph(leaf(1), [leaf(1)])
    with pytest.raises(TypeError, match="got ndarray for 'w'; need a tensor"):
        viz.graph(leaf(1), {"w": np.ones(2)})
