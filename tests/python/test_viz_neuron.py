"""Tests of the view of a neuron: against the example whose values are known by hand."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from minitorch import viz

from . import explained_model
from .picture import check, elements, words

pytestmark = pytest.mark.cuda


def example() -> dict[str, Any]:
    return copy.deepcopy(explained_model.neuron())


def tagged(figure: viz.Figure, name: str) -> str:
    """The words of an element that can change."""
    (found,) = [
        each for each in elements(figure, "text") if each.get("data-at") == name
    ]
    return "".join(found.itertext())


def test_the_sentence_says_who():
    figure = viz.neuron(example())
    check(figure)
    assert figure.answer == (
        "layer1[37, 3] is summed by thread (3, 5) of block (0, 2): lane 19 of warp 2, "
        "on SM 2."
    )
    assert figure.detail == (
        "32 multiply-adds give -1.5; a launch later thread 43 of block 1 (zip) makes "
        "it -1.25."
    )


def test_one_product_with_who_brought_its_factors():
    """x[37, k] = ((2 * 37 + 3k) % 5 - 2) / 2, W[3, k] = ((9 + 5k) % 7 - 3) / 2."""
    k = 25
    x, w = ((74 + 3 * k) % 5 - 2) / 2, ((9 + 5 * k) % 7 - 3) / 2
    figure = viz.neuron(example(), k)
    check(figure)
    assert tagged(figure, "a-fact0") == f"a[37, 25] = {x:g}"
    assert tagged(figure, "b-fact0") == f"b[25, 3] = {w:g}"
    # Tile 2 begins at k = 16: column 9 of a's tile, row 9 of b's; a warp is two rows.
    assert tagged(figure, "a-fact1") == "loaded by thread (9, 5)"
    assert tagged(figure, "a-fact2") == "lane 25 of warp 2, line 39"
    assert tagged(figure, "b-fact1") == "loaded by thread (3, 9)"
    assert tagged(figure, "b-fact2") == "lane 19 of warp 4, line 40"
    assert tagged(figure, "b-fact3") == "it came through shared memory"
    sums = [((74 + 3 * at) % 5 - 2) / 2 * (((9 + 5 * at) % 7 - 3) / 2)
            for at in range(32)]  # fmt: skip
    assert tagged(figure, "sum0").strip() == f"{sum(sums[:k]):g}"
    assert tagged(figure, "sum1") == f"+ {x:g} × {w:g}"
    assert tagged(figure, "sum2") == f"= {sum(sums[: k + 1]):g}"
    assert "32 numbers in 4 sectors: 128 bytes" in words(figure)
    # The window begins at product 16, so 25 is its tenth.
    assert tagged(figure, "partials9") == f"{sum(sums[: k + 1]):g}"


def test_a_part_without_products_has_a_picture():
    figure = viz.neuron(example(), part=1)
    check(figure)
    assert figure.answer == (
        "layer1[37, 3] goes through thread 43 of block 1: lane 11 of warp 1, on SM 1."
    )
    assert figure.detail == "It stores -1.25."
    assert "-1.5 (a[37, 3]) + 0.25 (b[3]) = -1.25" in words(figure)
    assert "no multiply-add in this launch" in words(figure)


def test_padding_is_hatched_and_counted():
    found = example()
    for mac in found["chain"][0]["macs"][20:]:
        mac["padded"] = True
        mac["a"] = {"value": 0.0, "array": "", "element": [], "address": 0,
                    "loaded_by": None}  # fmt: skip
    figure = viz.neuron(found, 31)
    check(figure)
    assert "32 multiply-adds, 12 of them with padding zeros, give" in figure.detail
    assert tagged(figure, "a-fact0") == "0, padding"
    assert tagged(figure, "a-fact1") == "nobody loaded it"
    assert any(entry.meaning.startswith("padding") for entry in figure.key)


def test_a_long_sum_stays_small():
    found = example()
    part = found["chain"][0]
    part["macs"] = [part["macs"][at % 32] for at in range(7000)]
    part["block_shape"], part["thread"] = [32, 32, 1], [3, 5, 0]
    figure = viz.neuron(found)
    check(figure)
    assert "7,000 multiply-adds give" in figure.detail
    assert "all 6,000 products of 7,000" in words(figure)
    assert figure.live is not None
    assert len(figure.live.payload.encode()) <= 1_000_000


def test_a_long_chain_and_values_without_a_place():
    found = example()
    last = found["chain"][1]
    last["steps"] = ["ex2.approx.f32: 1 = 2"] * 9
    found["chain"] += [copy.deepcopy(last) for _ in range(40)]
    found["left_out"] = 3
    found["chain"][0]["macs"][5]["partial"] = float("nan")
    found["chain"][0]["macs"][6]["partial"] = float("inf")
    found["chain"][1]["value"] = float("-inf")
    figure = viz.neuron(found)
    check(figure)
    assert "makes it -∞, and after 40 launches more it is -1.25." in figure.detail
    assert figure.detail.endswith("3 parts more are left out.")


def test_numbers_fit_into_their_cells():
    found = example()
    values = [-0.00096724, 0.00023445, -1.23456e-5, -9.87e-100, 12345678.0, -98765432.0]
    for each, value in zip(found["chain"][0]["macs"], values, strict=False):
        each["a"]["value"], each["b"]["value"], each["partial"] = value, 1.0, value
    figure = viz.neuron(found, 0)
    check(figure)
    shown = [tagged(figure, f"{name}{at}") for name in ("a", "partials")
             for at in range(len(values))]  # fmt: skip
    assert shown[:4] == ["-0.00097", "0.000234", "-1.23e-5", "-1e-99"]
    assert shown[:6] == shown[6:]
    assert max(map(len, shown)) <= 8


def test_bad_input():
    with pytest.raises(TypeError, match=r"\[viz.neuron\] got int; need a neuron"):
        viz.neuron(3)
    with pytest.raises(
        ValueError, match=r"got schema None; need 'minitorch\.neuron/1'"
    ):
        viz.neuron({})
    with pytest.raises(ValueError, match="without a part"):
        viz.neuron(example() | {"chain": []})
    lacking = example()
    del lacking["chain"][0]["macs"][3]["a"]
    with pytest.raises(ValueError, match=r"lacks something \('a'\)"):
        viz.neuron(lacking)
    with pytest.raises(IndexError, match="got product 32; need one from 0 to 31"):
        viz.neuron(example(), 32)
    with pytest.raises(IndexError, match="got product 0; there is none"):
        viz.neuron(example(), 0, 1)
    with pytest.raises(IndexError, match="got part 2; need one from 0 to 1"):
        viz.neuron(example(), part=2)
    with pytest.raises(TypeError, match="got product 'a'; need its number"):
        viz.neuron(example(), "a")
