"""Owns which elements a thread of a library's kernel reads for its cell.

Must not know pictures. Only kernels whose reads follow from their arrays are here: the
matrix products, and those that go through elements; others say nothing.
"""

from __future__ import annotations

from typing import Any

from ...scene.formulas import Formula, chosen, in_words, item, row, same, text
from .columns import CELL, array_columns, named, own
from .nets import Array, Kernel, Net

PRODUCTS = {"matmul_tiled", "matmul_naive", "matmul"}
ELEMENTS = {"map", "zip"}
PRODUCT = row("product")
NO_RULE, BY_PRODUCTS, BY_ELEMENTS = 0, 1, 2


def _is_product(kernel: Kernel) -> bool:
    if kernel.name not in PRODUCTS or len(kernel.inputs) < 2 or not kernel.outputs:
        return False
    (one, other), out = kernel.inputs[:2], kernel.outputs[0]
    if any(len(each.shape) != 2 for each in (one, other, out)):
        return False
    (m, k), n = one.shape, other.shape[1]
    return other.shape[0] == k and out.shape == (m, n)


def _fits(array: Array, out: Array) -> bool:
    """Whether an array is spread over the output by its last dimensions alone."""
    whole = len(array.shape) <= len(out.shape)
    return whole and array.shape == out.shape[len(out.shape) - len(array.shape) :]


def rule_of(kernel: Kernel) -> int:
    """How the reads of a thread follow from its cell."""
    if _is_product(kernel):
        return BY_PRODUCTS
    known = kernel.name in ELEMENTS and kernel.outputs and kernel.inputs
    if known and all(_fits(each, kernel.outputs[0]) for each in kernel.inputs):
        return BY_ELEMENTS
    return NO_RULE


def _bytes_of(kernel: Kernel, at: int) -> list[int]:
    """Bytes between neighbours along both dimensions; -1 where they are not known."""
    if not _is_product(kernel) or len(kernel.inputs[at].strides) != 2:
        return [-1, -1]
    array = kernel.inputs[at]
    return [each * array.item for each in array.strides]


def read_columns(net: Net) -> dict[str, Any]:
    """The lists by which the words below name what is read."""
    every = net.kernels
    inputs = [
        [each.inputs[at] if len(each.inputs) > at else None for each in every]
        for at in range(2)
    ]
    return {
        **array_columns("a", inputs[0]),
        **array_columns("b", inputs[1]),
        "rule": [rule_of(each) for each in every],
        "reads": [min(len(each.inputs), 2) for each in every],
        "columns": [each.outputs[0].shape[-1] if each.outputs and each.outputs[0].shape
                    else 1 for each in every],
        "inner": [each.inputs[0].shape[1] if _is_product(each) else 0
                  for each in every],
        "aBytes": [_bytes_of(each, 0) for each in every],
        "bBytes": [_bytes_of(each, 1) for each in every],
    }  # fmt: skip


def _byte(prefix: str, first: Formula, second: Formula) -> Formula:
    """Where an element of a matrix lies, or nothing where its strides are not known."""
    steps = own(f"{prefix}Bytes")
    place = first * item(steps, 0) + second * item(steps, 1)
    words = text(" (byte ", in_words(place), " of ", own(f"{prefix}Name"), ")")
    return chosen(item(steps, 0) < 0, "", words)


def factors() -> tuple[Formula, Formula]:
    """The two factors of the product in focus, and where they lie."""
    line, across = CELL // own("columns"), CELL % own("columns")
    one = text(named("a", line * own("inner") + PRODUCT), _byte("a", line, PRODUCT))
    other = text(named("b", PRODUCT * own("columns") + across),
                 _byte("b", PRODUCT, across))  # fmt: skip
    return one, other


def elements() -> Formula:
    """What a thread reads that goes through elements."""
    one = named("a", CELL % own("aSize"))
    both = text(one, " and ", named("b", CELL % own("bSize")))
    return text("reads ", chosen(same(own("reads"), 1), one, both))
