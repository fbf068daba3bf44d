"""Writes docs/pytorch.md: which public names of PyTorch are here, which are not.

    python docs/make_pytorch.py          # writes the page
    python docs/make_pytorch.py --check  # exit status 1 if it is out of date

Owns where the names of each of PyTorch's places are looked for, and the layout. The
names with their kinds are tests/python/data/torch_names.json, which PyTorch wrote.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAMES = Path(__file__).parents[1] / "tests/python/data/torch_names.json"
PAGE = Path(__file__).parent / "pytorch.md"

# Where a name of PyTorch's place is looked for, in this order.
PLACES = {
    "torch": ("minitorch", "minitorch.functional"),
    "torch.Tensor": ("minitorch.Tensor",),
    "torch.nn": ("minitorch.nn",),
    "torch.nn.functional": ("minitorch.functional",),
    "torch.nn.init": ("minitorch.nn.init",),
    "torch.optim": ("minitorch.optim",),
    "torch.optim.lr_scheduler": ("minitorch.optim",),
    "torch.utils.data": ("minitorch.data",),
    "torch.cuda": ("minitorch.cuda",),
    "torch.autograd": ("minitorch.autograd", "minitorch"),
    "torch.profiler": ("minitorch.profiler",),
}

HEAD = """# PyTorch's names

Every public name of PyTorch {version}, and whether it is here. `python
docs/make_pytorch.py` writes this page from PyTorch's own list and this library. A name
that is here may differ in meaning: [the page on MiniTorch's dialect](minitorch_api.md)
says where. What is a method there and a property here, or the other way, is named.

| PyTorch | looked for in | here | of another kind | absent | of |
|---|---|---|---|---|---|
"""


@dataclass
class Place:
    """The names of one of PyTorch's places, sorted by what we have of them."""

    name: str
    here: list[str]
    differing: list[str]  # with what they are here
    absent: list[str]


def owner(path: str) -> Any:
    """The module or class of a path."""
    if path.endswith(".Tensor"):
        return importlib.import_module("minitorch").Tensor
    return importlib.import_module(path)


def found_in(places: tuple[str, ...], name: str) -> Any | None:
    """What we have under a name: as the class has it, unbound."""
    for path in places:
        place = owner(path)
        # Modules bring some names only when they are asked for.
        get = inspect.getattr_static if isinstance(place, type) else getattr
        value = get(place, name, None)
        if value is not None:
            return value
    return None


def kind_of(value: Any) -> str:
    """The kinds of torch_names.json, for ours."""
    if inspect.ismodule(value):
        return "module"
    if isinstance(value, type):
        return "class"
    return "callable" if callable(value) else "property"


# Whether it is called is what programs notice.
CALLED = {"function": "callable", "method": "callable", "class": "callable"}
NOT_CALLED = {"value": "property", "dtype": "property", "property": "property"}


def called(kind: str) -> str:
    """Kinds that a program uses alike have one name."""
    return {**CALLED, **NOT_CALLED, "callable": "callable"}.get(kind, kind)


def look(name: str, names: dict[str, list[str]]) -> Place:
    """Sorts the names of a place."""
    place = Place(name, [], [], [])
    for each, (kind, _) in names.items():
        ours = found_in(PLACES[name], each)
        if ours is None:
            place.absent.append(each)
        elif called(kind) == called(kind_of(ours)):
            place.here.append(each)
        else:
            place.differing.append(f"{each} ({kind_of(ours)})")
    return place


def row(place: Place) -> str:
    """A line of the table."""
    counts = [len(place.here), len(place.differing), len(place.absent)]
    where = ", ".join(f"`{path}`" for path in PLACES[place.name])
    cells = [f"`{place.name}`", where, *map(str, counts), str(sum(counts))]
    return f"| {' | '.join(cells)} |"


def lists(place: Place) -> Iterator[str]:
    """The section of a place."""
    yield f"\n## {place.name}\n\n"
    for title, names in (
        ("Here", place.here),
        ("Here, of another kind", place.differing),
        ("Absent", place.absent),
    ):
        if names:
            cells = ", ".join(f"`{name}`" for name in names)
            yield f"**{title}:** {cells}.\n\n"


def page() -> str:
    """The whole page."""
    recorded = json.loads(NAMES.read_text())
    places = [look(name, recorded["names"][name]) for name in PLACES]
    parts = [HEAD.format(version=recorded["torch"].partition("+")[0])]
    parts += [row(place) + "\n" for place in places]
    parts += [line for place in places for line in lists(place)]
    return "".join(parts).rstrip("\n") + "\n"


def main() -> None:
    """Write the page, or with --check compare it."""
    text = page()
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if PAGE.exists() and PAGE.read_text() == text else 1)
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
