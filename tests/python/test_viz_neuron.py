"""Tests of the view of a neuron: against the example whose values are known by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from minitorch import viz
from minitorch.network import Factor, Neuron
from minitorch.viz.views.neuron import NeuronScene

from . import explained_model
from .picture import check, words
from .scenes import check_scene

pytestmark = pytest.mark.cuda


@pytest.fixture(scope="module")
def example() -> Neuron:
    return explained_model.explained().neuron("layer1", (37, 3))


def at_step(neuron: Neuron, step: int) -> viz.Figure:
    return replace(viz.neuron(neuron), state={"step": step})


def with_first(neuron: Neuron, **changes: Any) -> Neuron:
    """The neuron with another first launch."""
    first, *others = neuron.chain
    return replace(neuron, chain=(replace(first, **changes), *others))


def test_the_sentence_says_who(example):
    figure = viz.neuron(example)
    check(figure)
    assert figure.answer == (
        "layer1[37, 3] is summed by thread (3, 5) of block (0, 2): lane 19 of warp 2, "
        "on SM 2."
    )
    assert figure.detail == (
        "Computed there: sum of 32 products = -1.5; after 1 part more the neuron is "
        "-1.25."
    )
    assert figure.data is example
    check_scene(figure, NeuronScene(example).scene())


def test_one_product_with_who_brought_its_factors(example):
    """x[37, k] = ((2 * 37 + 3k) % 5 - 2) / 2, W[3, k] = ((9 + 5k) % 7 - 3) / 2."""
    k = 25
    x, w = ((74 + 3 * k) % 5 - 2) / 2, ((9 + 5 * k) % 7 - 3) / 2
    figure = at_step(example, k)
    check(figure)
    shown = words(figure)
    sums = [((74 + 3 * at) % 5 - 2) / 2 * (((9 + 5 * at) % 7 - 3) / 2)
            for at in range(32)]  # fmt: skip
    # Tile 2 begins at k = 16: column 9 of a's tile, row 9 of b's; a warp is two rows.
    for fact in (
        "Product 26: one multiply-add",
        f"a[37, 25] = {x:g}",
        f"b[25, 3] = {w:g}",
        "thread (9, 5), warp 2, line 39",
        "thread (3, 9), warp 4, line 40",
        f"{x * w:g}",
        f"{sum(sums[: k + 1]):g}",
        "17–32 of 32",
    ):
        assert fact in shown, fact


def test_a_part_without_products_has_a_picture(example):
    figure = at_step(example, 32)
    check(figure)
    assert figure.answer == (
        "layer1[37, 3] goes through thread 43 of block 1: lane 11 of warp 1, on SM 1."
    )
    assert figure.detail == ("Computed there: -1.5 (a[37, 3]) + 0.25 (b[3]) = -1.25.")
    shown = words(figure)
    assert shown.count("-1.5 (a[37, 3]) + 0.25 (b[3]) = -1.25") == 2  # fact and card
    assert "zip multiplies nothing" in shown
    check(viz.neuron(replace(example, chain=example.chain[1:])))


def test_padding_is_hatched_and_counted(example):
    macs = example.chain[0].macs
    zeros = [replace(mac, padded=True, a=Factor(0.0)) for mac in macs[20:]]
    figure = at_step(with_first(example, macs=(*macs[:20], *zeros)), 31)
    check(figure)
    assert "= -1.5, 12 of them with padding zeros" in figure.detail
    shown = words(figure)
    assert {"0, padding", "nobody", "padding: past the edge, zeros"} <= set(shown)


def test_a_long_sum_stays_small(example):
    macs = example.chain[0].macs
    neuron = with_first(
        example, macs=tuple(macs[at % 32] for at in range(7000)),
        block_shape=(32, 32, 1), thread=(3, 5, 0),
    )  # fmt: skip
    figure = viz.neuron(neuron)
    check(figure)
    assert "sum of 7,000 products" in figure.detail
    assert "3,489–3,504 of 7,000" in words(figure)
    assert len(figure.scene.packed()) <= 1_000_000


def test_a_long_chain_and_values_without_a_place(example):
    macs = list(example.chain[0].macs)
    for at, partial in ((5, float("nan")), (6, float("inf"))):
        macs[at] = replace(macs[at], partial=partial)
    neuron = with_first(example, macs=tuple(macs))
    first, last = neuron.chain
    last = replace(last, steps=("ex2.approx.f32: 1 = 2",) * 9)
    second = replace(last, value=float("-inf"))
    others = (replace(last, kernel=at) for at in range(3, 43))
    neuron = replace(neuron, chain=(first, replace(second, kernel=2), *others))
    neuron = replace(neuron, left_out=3)
    figure = viz.neuron(neuron)
    check(figure)
    assert "after 41 parts more the neuron is -1.25." in figure.detail
    assert figure.detail.endswith("3 parts more are left out.")
    check_scene(figure, NeuronScene(neuron).scene())


def test_values_of_one_launch_are_parts(example):
    """Two elements of a launch that a later one takes up do not follow each other."""
    first, last = example.chain
    neuron = replace(example, chain=(first, *(last,) * 29))
    figure = viz.neuron(neuron)
    assert figure.answer.startswith(
        "layer1[37, 3] has 30 parts; part 1 is summed by thread (3, 5) of block (0, 2):"
    )
    assert figure.detail == (
        "Computed there: sum of 32 products = -1.5; after 29 parts more the neuron is "
        "-1.25."
    )
    assert "30 parts of 2 launches · rows 0–7 of 30" in words(figure)
    last_shown = at_step(neuron, 60)
    check(last_shown)
    assert "30 parts of 2 launches · rows 22–29 of 30" in words(last_shown)


def test_bad_input(example):
    for given in (3, vars(example)):
        with pytest.raises(TypeError, match=r"\[viz.neuron\] got \w+; need a neuron"):
            viz.neuron(given)
    with pytest.raises(ValueError, match="has no parts"):
        viz.neuron(replace(example, chain=()))
