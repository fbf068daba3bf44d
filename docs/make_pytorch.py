"""Collect which public names of PyTorch are here, how they differ, which are not and
what to do instead: the tables of docs/pytorch.md.

The names with their kinds are tests/python/data/torch_names.txt, which PyTorch wrote;
what to do without one is the table of `minitorch.torch.absent`.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAMES = Path(__file__).parents[1] / "tests/python/data/torch_names.txt"

PLACES = (
    "torch",
    "torch.Tensor",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.optim",
    "torch.optim.lr_scheduler",
    "torch.utils.data",
    "torch.cuda",
    "torch.autograd",
    "torch.profiler",
)

# What is here and differs, by PyTorch's place. The page says it only of names that are.
_HOST = "computed by NumPy on the host, from `cuda` as well"
_BY_ZERO = "of integers by 0: gives 0, where PyTorch raises on `cpu`"
_SEED = "other numbers than PyTorch's of the same seed"
_NOTED = "taken for programs of PyTorch; changes nothing"
_STEPS = "a loop of ordinary operations over the steps of time"

# Names of both `torch` and `torch.Tensor`.
_OF_BOTH: dict[str, str] = {
    "argsort": _HOST,
    "multinomial": _SEED,
    "diagonal": "a view where the tensor is contiguous and the dims are its last",
    "floor_divide fmod remainder": _BY_ZERO,
    "matmul": "of integers: computed by NumPy on the host",
    "pow": "of integers to negative powers in a tensor: refused",
    "sort": f"always stable; {_HOST}",
    "topk": f"always in order; {_HOST}",
}
REMARKS: dict[str, dict[str, str]] = {
    "torch": {
        "Generator": _SEED,
        "device": "`cpu` or one `cuda`; equals its text: device == 'cpu' is True",
        "einsum": "operands are contracted from the left",
        "load": "files of whole modules only if they were saved here",
        "manual_seed": "reproduces our numbers, which are not PyTorch's",
        "normal": _SEED,
        "rand": _SEED,
        "rand_like": _SEED,
        "randint": _SEED,
        "randn": _SEED,
        "randn_like": _SEED,
        "randperm": _SEED,
        "save": "PyTorch reads tensors and state dicts of it, not whole modules",
    },
    "torch.Tensor": {
        "grad_fn": "PyTorch's name for most operations; `x ** 2` has MulBackward0",
        "normal_": _SEED,
        "pin_memory": _NOTED,
        "t_": "only without a gradient",
        "transpose_": "only without a gradient",
        "uniform_": _SEED,
        "unsqueeze_": "only without a gradient",
    },
    "torch.nn": {
        "Embedding": "sparse=True: gradients are dense",
        "GRU": _STEPS,
        "LSTM": _STEPS,
        "RNN": _STEPS,
    },
    "torch.nn.functional": {
        "embedding": "sparse=True: gradients are dense",
        "gelu": "of inf: inf, where PyTorch gives NaN",
    },
    "torch.optim": {
        "RMSprop": "made of ordinary operations; foreach= and fused= change nothing",
    },
    "torch.utils.data": {
        "DataLoader": "workers are threads; pin_memory= changes nothing",
    },
    "torch.cuda": {
        "device_count": "0 where `cuda` is the emulator",
        "is_available": "True only for a real GPU, not for the emulator",
    },
    "torch.profiler": {
        "profile": "times of the emulated device are the emulator's",
    },
}
for _names, _how in _OF_BOTH.items():
    for _place in ("torch", "torch.Tensor"):
        REMARKS[_place] |= dict.fromkeys(_names.split(), _how)


@dataclass
class Place:
    """The names of one of PyTorch's places, sorted by what we have of them."""

    name: str
    here: list[str]
    remarked: dict[str, str]  # with how it differs
    differing: list[str]  # with what they are here
    absent: dict[str, list[str]]  # by what to do instead


def owner(place: str) -> Any | None:
    """Our module or class for a place, or None."""
    if place == "torch.Tensor":
        return importlib.import_module("minitorch.torch").Tensor
    try:
        return importlib.import_module(f"minitorch.{place}")
    except ModuleNotFoundError:
        return None


def found_in(place: Any, name: str) -> Any | None:
    """What we have under a name: as the class has it, unbound."""
    if isinstance(place, type):
        return inspect.getattr_static(place, name, None)
    # Not by __getattr__, which tells of what is absent.
    return vars(place).get(name)


def kind_of(value: Any) -> str:
    """The kinds of torch_names.txt, for ours."""
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


def look(name: str, names: dict[str, str]) -> Place:
    """Sorts the names of a place."""
    from minitorch.torch.absent import instead_of

    place = Place(name, [], {}, [], {})
    ours = owner(name)
    for each, kind in names.items():
        value = None if ours is None else found_in(ours, each)
        remark = REMARKS.get(name, {}).get(each)
        if value is None:
            place.absent.setdefault(instead_of(each, name), []).append(each)
        elif called(kind) != called(kind_of(value)):
            place.differing.append(f"{each} ({kind_of(value)})")
        elif remark:
            place.remarked[each] = remark
        else:
            place.here.append(each)
    return place


def row(place: Place) -> str:
    """A line of the table."""
    absent = sum(map(len, place.absent.values()))
    counts = [len(place.here), len(place.remarked), len(place.differing), absent]
    cells = [f"`{place.name}`", *map(str, counts), str(sum(counts))]
    return f"| {' | '.join(cells)} |"


def lists(place: Place) -> Iterator[str]:
    """The section of a place."""

    def joined(names: list[str]) -> str:
        return ", ".join(f"`{name}`" for name in names)

    yield f"\n## {place.name}\n\n"
    if place.here:
        yield f"**Here:** {joined(place.here)}.\n\n"
    if place.remarked:
        yield "**Here, and differs:**\n\n"
        yield from (f"- `{name}`: {how}\n" for name, how in place.remarked.items())
        yield "\n"
    if place.differing:
        yield f"**Here, of another kind:** {joined(place.differing)}.\n\n"
    if place.absent:
        yield "**Absent:**\n\n"
        for advice, names in sorted(place.absent.items(), key=lambda each: not each[0]):
            yield f"- {joined(names)}" + (f": {advice}\n" if advice else "\n")
        yield "\n"


def recorded_names() -> dict[str, dict[str, str]]:
    """Kinds of PyTorch's public names, by place and name."""
    recorded: dict[str, dict[str, str]] = {}
    for line in NAMES.read_text().splitlines()[1:]:
        place, kind, names = re.split(": | ", line, maxsplit=2)
        recorded.setdefault(place, {}).update(dict.fromkeys(names.split(), kind))
    return {place: dict(sorted(names.items())) for place, names in recorded.items()}


def tables() -> dict[str, str]:
    """Return what the page leaves open: a row of counts and the lists of each place."""
    recorded = recorded_names()
    places = [look(name, recorded[name]) for name in PLACES]
    text = "".join(line for place in places for line in lists(place))
    return {"counts": "\n".join(map(row, places)), "names": text.strip("\n")}
