"""The question to Numba: which type has the result of a small function?

    minitorch emulate -- python tests/oracles/numba_typing.py

Needs the packages numba and numba-cuda with its extra cu13; no GPU. Rewrites
tests/python/data/numba_typing.json from typing_cases.txt beside it. Functions are
compiled to PTX for compute capability 8.0, so that what only types is rejected, too.
"""

from __future__ import annotations

import importlib
import json
import linecache
import math
import sys
import warnings
from pathlib import Path
from typing import Any

import numba
import numba.cuda as numba_cuda
import numpy as np
from numba.cuda import types

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
cases = importlib.import_module("typing_cases")

_SCALARS = {
    "bool": types.boolean,
    **{
        f"{kind}{bits}": getattr(types, f"{kind}{bits}")
        for kind, sizes in {
            "int": (8, 16, 32, 64),
            "uint": (8, 16, 32, 64),
            "float": (16, 32, 64),
            "complex": (64, 128),
        }.items()
        for bits in sizes
    },
}


def numba_type(text: str, scope: dict[str, Any]) -> Any:
    """Give Numba's type for our spelling: "float32[:, ::1]", "Point(int64, bool)"."""
    if text.endswith(")"):
        name, _, inside = text.partition("(")
        items = [numba_type(each, scope) for each in cases.split_types(inside[:-1])]
        if name:
            return types.NamedTuple(items, scope[name])
        return types.Tuple(items)
    name, bracket, dimensions = text.partition("[")
    if not bracket:
        return _SCALARS[name]
    steps = dimensions[:-1].split(",")
    if steps == ["()"]:
        return types.Array(_SCALARS[name], 0, "C")
    layout = "C" if steps[-1].strip() == "::1" else "A"
    return types.Array(_SCALARS[name], len(steps), layout)


def our_name(type_: Any) -> str:
    """Spell a type of Numba our way."""
    type_ = types.unliteral(type_)
    if isinstance(type_, types.BaseTuple):
        inside = ", ".join(map(our_name, type_))
        return f"({inside}{',' * (len(type_) == 1)})"
    if isinstance(type_, types.Array):
        return f"array({our_name(type_.dtype)}, {type_.ndim}d, {type_.layout})"
    if isinstance(type_, types.Optional):
        return f"optional({our_name(type_.type)})"
    return "bool" if type_ is types.boolean else str(type_).replace("::", "")


def outcome(case: Any) -> str:
    """Compile a case: the type of its result, or "rejected: " and the kind of error."""
    scope = cases.environment(math=math, np=np, numba=numba, cuda=numba.cuda)
    file = f"<case {case.source}>"
    lines = case.source.splitlines(keepends=True)
    linecache.cache[file] = (len(case.source), None, lines, file)
    exec(compile(case.source, file, "exec"), scope)
    arguments = tuple(numba_type(text, scope) for text in case.arguments)
    try:
        _, result = numba_cuda.compile(
            scope["f"], arguments, device=True, abi="numba", cc=(8, 0)
        )
    except Exception as error:
        return f"rejected: {type(error).__name__}"
    return our_name(result)


def main() -> None:
    """Ask about every case and write the table."""
    warnings.simplefilter("ignore")
    groups: dict[str, list[str]] = {}
    for case in cases.read_cases(cases.FILE.read_text()):
        groups.setdefault(case.group, []).append(json.dumps(outcome(case)))
    blocks = []
    for group, outcomes in groups.items():
        rows = (", ".join(outcomes[i : i + 8]) for i in range(0, len(outcomes), 8))
        blocks.append(f"{json.dumps(group)}: [\n" + ",\n".join(rows) + "\n]")
    version = importlib.import_module("numba_cuda").__version__
    text = f'{{"numba-cuda": "{version}",\n' + ",\n".join(blocks) + "}\n"
    json.loads(text)
    cases.TABLE.write_text(text)


if __name__ == "__main__":
    main()
