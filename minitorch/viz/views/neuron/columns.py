"""What the neuron view computes with: lists by part and product, and formulas."""

from __future__ import annotations

from typing import Any

from ...scene.formulas import Formula, chosen, column, item, row, same, text
from .chains import LANES, Chain, Factor, Part, cell_words

WINDOW = 16  # products that are drawn with their numbers
PART, PRODUCT = row("part"), row("product")
BOTH = ["part", "product"]


def across_of(part: Part) -> int:
    """Threads in a row of the picture, so that a warp is a rectangle."""
    wide = part.shape[0]
    return wide if LANES % wide == 0 and part.threads > LANES else LANES


def _factors(part: Part, name: str) -> list[Factor]:
    return [getattr(each, name) for each in part.products]


def columns_of(chain: Chain) -> dict[str, Any]:
    """The lists that formulas name: of each part, and of each product of it."""
    found: dict[str, Any] = {
        "products": [[cell_words(at.a.value * at.b.value) for at in part.products]
                     for part in chain.parts],
        "partials": [[cell_words(each.partial) for each in part.products]
                     for part in chain.parts],
        "padded": [[int(each.padded) for each in part.products]
                   for part in chain.parts],
        "count": [len(part.products) for part in chain.parts],
        "own": [part.number for part in chain.parts],
        "blockX": [part.shape[0] for part in chain.parts],
        "blockY": [part.shape[1] for part in chain.parts],
        "dims": [_dims(part.shape) for part in chain.parts],
        "across": [across_of(part) for part in chain.parts],
    }  # fmt: skip
    for name in "ab":
        every = [_factors(part, name) for part in chain.parts]
        found |= {
            f"{name}Values": [[cell_words(at.value) for at in own] for own in every],
            f"{name}Names": [[at.name for at in own] for own in every],
            f"{name}Loader": [[at.loader for at in own] for own in every],
            f"{name}Line": [[at.line for at in own] for own in every],
        }
    return found


def _dims(shape: tuple[int, ...]) -> int:
    return 3 if shape[2] > 1 else 2 if shape[1] > 1 else 1


def own(name: str) -> Formula:
    """A value of the part in focus."""
    return item(column(name), PART)


def of_product(name: str, product: Formula = PRODUCT) -> Formula:
    """A value of a product of the part in focus; there must be one."""
    return item(own(name), product)


HAS = chosen(own("count") < 1, False, True)


def thread_name(thread: Formula) -> Formula:
    """A thread by its number in the block."""
    x, y = own("blockX"), own("blockY")
    two = text("(", thread % x, ", ", thread // x, ")")
    three = text("(", thread % x, ", ", thread // x % y, ", ", thread // x // y, ")")
    many = chosen(same(own("dims"), 2), two, three)
    return chosen(same(own("dims"), 1), text(thread), many)
