"""Writes torch_keywords.txt beside itself, with PyTorch, which no test needs.

    python tests/python/data/make_torch_keywords.py

A line is a name and every keyword that one of its overloads takes. Functions of C++
have them in PyTorch's stubs and schemas, the others in their signatures.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path
from typing import Any

import torch

HERE = Path(__file__).parent
# Stubs of the functions of C++, with the class that they are methods of.
STUBS = {
    "torch": ("_C/_VariableFunctions.pyi", ""),
    "torch.Tensor": ("_C/__init__.pyi", "TensorBase"),
}
MODULES = (
    "torch",
    "torch.linalg",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.utils",
    "torch.optim",
    "torch.optim.lr_scheduler",
    "torch.utils.data",
)


def stubbed(place: str) -> dict[str, set[str]]:
    """Return the keywords of the functions of C++, by name."""
    path, owner = STUBS[place]
    tree = ast.parse((Path(torch.__file__).parent / path).read_text())
    body = tree.body
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == owner:
            body = node.body
    found: dict[str, set[str]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            named = {each.arg for each in (*node.args.args, *node.args.kwonlyargs)}
            found.setdefault(node.name, set()).update(named - {"self"})
    return found


def of_schemas(place: str) -> dict[str, set[str]]:
    """Return the keywords of the functions that torch.linalg and the like rename."""
    prefix = place.rpartition(".")[2] + "_"
    found: dict[str, set[str]] = {}
    for schema in torch._C._jit_get_all_schemas():
        name = schema.name.removeprefix("aten::")
        if name.startswith(prefix):
            named = {each.name for each in schema.arguments if not each.is_out}
            if "self" in named:
                named = named - {"self"} | {"input"}
            found.setdefault(name.removeprefix(prefix), set()).update(named)
    return found


def of_signature(value: Any) -> set[str] | None:
    """Return the keywords that Python tells, or None."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return None
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    named = {each.name for each in parameters if each.kind in kinds} - {"self"}
    return named or None


def keywords(place: str, owner: Any) -> dict[str, set[str]]:
    """Return the keywords of the public names of a module or class."""
    found = stubbed(place) if place in STUBS else {}
    if place == "torch.linalg":
        found = of_schemas(place)
    if place == "torch.nn.functional":
        found = stubbed("torch")
    for name in dir(owner):
        value = getattr(owner, name)
        if callable(value) and (named := of_signature(value)):
            found[name] = named
    return {
        name: {each for each in named if not each.startswith("_")}
        for name, named in sorted(found.items())
        if not name.startswith("_") and callable(getattr(owner, name, None))
    }


def main() -> None:
    """Look at PyTorch, and write the list."""
    lines = [f"# The keywords that PyTorch {torch.__version__} takes, by name."]
    places = {name: importlib.import_module(name) for name in MODULES}
    for place, owner in {**places, "torch.Tensor": torch.Tensor}.items():
        lines.append(f"## {place}")
        lines += [
            f"{name}: {' '.join(sorted(named))}"
            for name, named in keywords(place, owner).items()
            if named and not isinstance(owner, type(getattr(owner, name)))
        ]
    (HERE / "torch_keywords.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
