"""The numbers of the neuron view: a neuron's parts and products, read and checked.

It reads `minitorch.neuron/1`, as `Neuron.to_dict` gives it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from ...scene.drawing import number
from ...traces.launches import spelled
from ...traces.schemas import Form

_FORM = Form(
    view="neuron",
    schema="minitorch.neuron/1",
    what="a neuron",
    method="to_dict",
    made='neuron = minitorch.explain(model, x).neuron("layer1", (0, 3)).',
)
LANES = 32
MOST_PRODUCTS = 6000  # of all parts: so many are drawn
SECTOR = 32

Place = tuple[int, int, int]


@dataclass(frozen=True)
class Factor:
    """One factor: its value, "a[37, 20]" or "", its address, who loaded it.

    `loader` is the number of a thread of the block, or -1; `line` is the kernel's.
    """

    value: float
    name: str
    address: int
    loader: int
    line: int


@dataclass(frozen=True)
class Product:
    """One multiply-add: its factors, the sum after it, whether it is padding."""

    a: Factor
    b: Factor
    partial: float
    padded: bool


@dataclass(frozen=True)
class Part:
    """What one launch did for the neuron.

    Attributes:
        kernel: The number of the launch; name: Of its kernel.
        grid, shape: Of its blocks, and of a block, (x, y, z).
        block, thread: Who stored the value, (x, y, z).
        warp, lane, sm: Where that thread stands.
        value: What it stored; address: where.
        products: Its multiply-adds that are drawn; more: those that are not.
        steps: Its other operations, in words.
        line: Of the store, or 0.
    """

    kernel: int
    name: str
    grid: Place
    shape: Place
    block: Place
    thread: Place
    warp: int
    lane: int
    sm: int
    value: float
    address: int
    products: tuple[Product, ...]
    more: int
    steps: tuple[str, ...]
    line: int

    @property
    def threads(self) -> int:
        """Of a block."""
        return prod(self.shape)

    @property
    def count(self) -> int:
        """All its multiply-adds."""
        return len(self.products) + self.more

    @property
    def number(self) -> int:
        """Of its thread in the block."""
        x, y, z = self.thread
        return x + self.shape[0] * (y + self.shape[1] * z)

    @property
    def block_name(self) -> str:
        """Its block as people write it."""
        return spelled(self.block, self.grid)

    def thread_name(self, thread: int) -> str:
        """A thread of its block as people write it."""
        x, y, _ = self.shape
        place = (thread % x, thread // x % y, thread // (x * y))
        return spelled(place, self.shape)


@dataclass(frozen=True)
class Chain:
    """A neuron: its name, its value, its parts in the order of their launches."""

    name: str
    value: float
    parts: tuple[Part, ...]
    left_out: int


def value_words(value: float) -> str:
    """A value as the view writes it.

    Example:
        >>> value_words(-1.5), value_words(0.1 + 0.2), value_words(-0.0)
        ('-1.5', '0.3', '0')
    """
    return number(float(value) + 0.0)  # of a negative zero, zero


#: Letters that a cell of a strip has room for.
MOST_LETTERS = 8


def cell_words(value: float) -> str:
    """A value as a cell writes it: with fewer digits where there is no room for four.

    Example:
        >>> cell_words(-0.07658), cell_words(-0.00096724), cell_words(-1.2345e-5)
        ('-0.07658', '-0.00097', '-1.23e-5')
    """
    words = value_words(value)
    for digits in (3, 2, 1):
        if len(words) <= MOST_LETTERS:
            break
        words = re.sub(r"e([+-])0", r"e\1", f"{value:.{digits}g}")
    return words


def _place(values: Any) -> Place:
    x, y, z = values
    return int(x), int(y), int(z)


def _loader(found: Mapping[str, Any] | None, shape: Place) -> tuple[int, int]:
    if not found:
        return -1, 0
    x, y, z = _place(found["thread"])
    return x + shape[0] * (y + shape[1] * z), int(found["line"])


def _factor(found: Mapping[str, Any], shape: Place) -> Factor:
    array, element = str(found["array"]), ", ".join(map(str, found["element"]))
    loader, line = _loader(found["loaded_by"], shape)
    name = f"{array}[{element}]" if array else ""
    return Factor(float(found["value"]), name, int(found["address"]), loader, line)


def _product(found: Mapping[str, Any], shape: Place) -> Product:
    a, b = (_factor(found[each], shape) for each in "ab")
    return Product(a, b, float(found["partial"]), bool(found["padded"]))


def _part(found: Mapping[str, Any], room: int) -> Part:
    shape, macs = _place(found["block_shape"]), list(found["macs"])
    return Part(
        kernel=int(found["kernel"]),
        name=str(found["name"]),
        grid=_place(found["grid"]),
        shape=shape,
        block=_place(found["block"]),
        thread=_place(found["thread"]),
        warp=int(found["warp"]),
        lane=int(found["lane"]),
        sm=int(found["sm"]),
        value=float(found["value"]),
        address=int(found["address"]),
        products=tuple(_product(each, shape) for each in macs[:room]),
        more=max(len(macs) - room, 0),
        steps=tuple(map(str, found["steps"])),
        line=int(found["source_line"] or 0),
    )


def chain_of(neuron: Any) -> Chain:
    """Read a neuron.

    Args:
        neuron: A `Neuron`, or its dict.

    Raises:
        TypeError: Neither of these.
        ValueError: A dict of another form, or without a part.
    """
    found, parts, room = _FORM.of(neuron), [], MOST_PRODUCTS
    try:
        for each in found["chain"]:
            parts.append(_part(each, room))
            room -= len(parts[-1].products)
        index = ", ".join(map(str, found["index"]))
        name = f"{found['layer'] or 'output'}[{index}]"
        value, left_out = float(found["value"]), int(found.get("left_out") or 0)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(
            f"[viz.neuron] got a neuron that lacks something ({error}); need all of "
            f"{_FORM.schema!r}, as neuron.to_dict() gives it."
        ) from error
    if not parts:
        raise ValueError(
            "[viz.neuron] got a neuron without a part; need one that a kernel computed."
        )
    return Chain(name, value, tuple(parts), left_out)
