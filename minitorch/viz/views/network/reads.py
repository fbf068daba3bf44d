"""Which elements a thread of a library's kernel reads for its cell.

Matrix products and kernels that go through elements are told element by element; of
convolutions, pools and the like the explanation has no strides, so that words say which
part of an array it is. Of other kernels only the arrays' names are told.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from ...scene.formulas import Formula, chosen, in_words, item, row, same, text
from .columns import CELL, array_columns, named, own
from .nets import Array, Kernel, Net

PRODUCTS = {"matmul_tiled", "matmul_naive", "matmul"}
ELEMENTS = {
    "adam", "check_index", "clamp", "copy", "map", "sgd", "where", "where_number",
    "zip", "zip_number",
}  # fmt: skip
CONVOLUTIONS = {"conv2d"}
PRODUCT = row("product")
NO_RULE, BY_PRODUCTS, BY_ELEMENTS, BY_WINDOWS = 0, 1, 2, 3

# What a thread reads where words have to do.
_WORDS = {
    "avg_pool2d": "reads its window of x",
    "avg_pool2d_grad": "reads g of the windows around it",
    "conv2d_grad_input": "reads g of the windows around it, and w",
    "conv2d_grad_weight": "a row of threads shares its windows of x and g",
    "embedding": "reads one index, and a cell of that row",
    "gather": "reads one index, and the cell it names",
    "max_pool2d": "reads its window of x",
    "max_pool2d_grad": "asks at of the windows around it",
    "normalise": "reads its cell of x, and its channel's",
    "reduce": "threads share the cells that become one",
    "scatter": "adds its cell of a where index says",
    "standardise": "reads its group's cells of x",
}


def _is_product(kernel: Kernel) -> bool:
    if not kernel.own or kernel.name not in PRODUCTS:
        return False
    if len(kernel.inputs) < 2 or not kernel.outputs:
        return False
    (one, other), out = kernel.inputs[:2], kernel.outputs[0]
    if any(len(each.shape) != 2 for each in (one, other, out)):
        return False
    (m, k), n = one.shape, other.shape[1]
    return other.shape[0] == k and out.shape == (m, n)


def _is_convolution(kernel: Kernel) -> bool:
    if not kernel.own or kernel.name not in CONVOLUTIONS or not kernel.outputs:
        return False
    shapes = [len(each.shape) for each in kernel.inputs[:2]]
    return shapes == [4, 4] and len(kernel.outputs[0].shape) == 4


def _fits(array: Array, out: Array) -> bool:
    """Whether an array is spread over the output by its last dimensions alone."""
    whole = len(array.shape) <= len(out.shape)
    return whole and array.shape == out.shape[len(out.shape) - len(array.shape) :]


def rule_of(kernel: Kernel) -> int:
    """How the reads of a thread follow from its cell."""
    if _is_product(kernel):
        return BY_PRODUCTS
    if _is_convolution(kernel):
        return BY_WINDOWS
    known = kernel.own and kernel.name in ELEMENTS and kernel.outputs
    if (
        known
        and kernel.inputs
        and all(_fits(each, kernel.outputs[0]) for each in kernel.inputs)
    ):
        return BY_ELEMENTS
    return NO_RULE


def _bytes_of(kernel: Kernel, at: int) -> list[int]:
    """Bytes between neighbours along both dimensions; -1 where they are not known."""
    if not _is_product(kernel) or len(kernel.inputs[at].strides) != 2:
        return [-1, -1]
    array = kernel.inputs[at]
    return [each * array.item for each in array.strides]


def _words_of(kernel: Kernel) -> str:
    """What its threads read, where words have to do."""
    if kernel.own and kernel.name in _WORDS:
        return _WORDS[kernel.name]
    names = [each.name for each in kernel.inputs]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"the kernel reads {', '.join(names[:3])}{more}" if names else ""


def _spread(array: Array | None) -> Array | None:
    """An operand without the dimensions that it was only repeated along."""
    if array is None or len(array.strides) != len(array.shape):
        return array
    pairs = [*zip(array.shape, array.strides, strict=True)]
    while len(pairs) > 1 and pairs[0][1] == 0 and pairs[0][0] > 1:
        pairs.pop(0)
    shape, strides = zip(*pairs, strict=True) if pairs else ((), ())
    return replace(array, shape=tuple(shape), strides=tuple(strides))


def _weights(kernel: Kernel) -> tuple[int, int]:
    """Of a convolution: cells of an output's plane, and weights of its channel."""
    if not _is_convolution(kernel):
        return 1, 1
    return prod(kernel.outputs[0].shape[2:]), prod(kernel.inputs[1].shape[1:])


def read_columns(net: Net) -> dict[str, Any]:
    """The lists by which the words below name what is read."""
    every = net.kernels
    inputs = [
        [_spread(each.inputs[at]) if len(each.inputs) > at else None for each in every]
        for at in range(2)
    ]
    return {
        **array_columns("a", inputs[0]),
        **array_columns("b", inputs[1]),
        "rule": [rule_of(each) for each in every],
        "reads": [len(each.inputs) for each in every],
        "readWords": [_words_of(each) for each in every],
        "plane": [_weights(each)[0] for each in every],
        "taps": [_weights(each)[1] for each in every],
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


def weight() -> Formula:
    """The weight of the product in focus, of a convolution."""
    channel = CELL // own("plane") % (own("bSize") // own("taps"))
    return named("b", channel * own("taps") + PRODUCT)


def reading() -> Formula:
    """What a thread reads for its cell, in words."""
    one = named("a", CELL % own("aSize"))
    both = text(one, " and ", named("b", CELL % own("bSize")))
    more = text(one, ", ", named("b", CELL % own("bSize")), " …")
    several = chosen(same(own("reads"), 2), both, more)
    elements = text("reads ", chosen(same(own("reads"), 1), one, several))
    window = text("reads its window of ", own("aName"), ", and ", own("taps"), " of ",
                  own("bName"))  # fmt: skip
    other = chosen(same(own("rule"), BY_WINDOWS), window, own("readWords"))
    other = chosen(same(own("rule"), BY_PRODUCTS), "", other)
    return chosen(same(own("rule"), BY_ELEMENTS), elements, other)
