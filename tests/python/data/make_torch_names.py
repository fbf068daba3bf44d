"""Writes torch_names.txt beside itself, and minitorch/torch/pytorch_names.txt, with
PyTorch, which no test needs.

    python tests/python/data/make_torch_names.py

Owns which names of PyTorch are public, and the form of the file: a line for each place
and kind. Must not know minitorch.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import types
from pathlib import Path
from typing import Any

import torch

MODULES = (
    "torch",
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
# Further places that minitorch.torch has, of which only the names are kept.
PLACES = (
    "torch.backends",
    "torch.backends.cudnn",
    "torch.distributions",
    "torch.linalg",
    "torch.nn.modules",
    "torch.nn.parameter",
    "torch.nn.utils",
    "torch.nn.utils.rnn",
    "torch.random",
    "torch.utils",
)
# Of the classes of the C++ core, whose others are the compiler's own.
CORE = (
    "DisableTorchFunction",
    "Event",
    "Generator",
    "OutOfMemoryError",
    "Size",
    "Stream",
    "device",
    "dtype",
    "finfo",
    "iinfo",
    "layout",
    "memory_format",
)


def kind_of(value: Any) -> str:
    """What a name of a module stands for."""
    if isinstance(value, types.ModuleType):
        return "module"
    if isinstance(value, type):
        return "class"
    if isinstance(value, torch.dtype):
        return "dtype"
    return "function" if callable(value) else "value"


def kind_in_class(value: Any) -> str:
    """What a name of Tensor stands for."""
    return "method" if callable(value) else "property"


def is_own(module: Any, name: str) -> bool:
    """Is the name the module's, and not one that it imported for itself?"""
    value = getattr(module, name)
    home = getattr(value, "__module__", None) or ""
    if isinstance(value, type) and getattr(torch._C, name, None) is value:
        return name in CORE
    if name in getattr(module, "__all__", ()):
        return True
    if isinstance(value, types.ModuleType):
        return value.__name__ == f"{module.__name__}.{name}"
    constant = name.isupper() or not callable(value)
    if home.startswith(("torch", "nn")):
        listed = getattr(module, "__all__", None)
        return listed is None or home.startswith(module.__name__)
    return not home and (isinstance(value, torch.dtype) or not constant)


def names_of(module: Any) -> dict[str, str]:
    public = (name for name in dir(module) if not name.startswith("_"))
    return {
        name: kind_of(value)
        for name in public
        if is_own(module, name) and (value := getattr(module, name)) is not None
    }


def names_of_tensor() -> dict[str, str]:
    return {
        name: kind_in_class(inspect.getattr_static(torch.Tensor, name))
        for name in dir(torch.Tensor)
        if not name.startswith("_")
    }


def text_of(names: dict[str, dict[str, str]]) -> str:
    """The file: a line for each place and kind."""
    rows = [f"# The public names of PyTorch {torch.__version__}, by place and kind."]
    for place, found in names.items():
        rows += [
            f"{place} {kind}: {' '.join(name for name in found if found[name] == kind)}"
            for kind in dict.fromkeys(found.values())
        ]
    return "\n".join(rows) + "\n"


def all_names(place: str) -> list[str]:
    """Return the public names of a place, the modules below it among them."""
    if place == "torch.Tensor":
        return list(names_of_tensor())
    module = importlib.import_module(place)
    below = (
        each.name for each in pkgutil.iter_modules(getattr(module, "__path__", ()))
    )
    found = {*below, *names_of(module), *getattr(module, "__all__", ())}
    return sorted(name for name in found if not name.startswith("_"))


def main() -> None:
    """Look at PyTorch, and write its names."""
    rows = [f"# The public names of PyTorch {torch.__version__}, by place."]
    rows += [f"{at}: {' '.join(all_names(at))}" for at in (*MODULES, *PLACES)]
    rows.append(f"torch.Tensor: {' '.join(all_names('torch.Tensor'))}")
    root = Path(__file__).parents[3]
    (root / "minitorch/torch/pytorch_names.txt").write_text("\n".join(rows) + "\n")
    names = {name: names_of(importlib.import_module(name)) for name in MODULES}
    names["torch.Tensor"] = names_of_tensor()
    path = Path(__file__).parent / "torch_names.txt"
    path.write_text(text_of(names))
    print({place: len(found) for place, found in names.items()})


if __name__ == "__main__":
    main()
