"""Messages about what kernels do not support, with what to do instead.

Types and source lines are added by the typing.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import types
from typing import Any

from .names import DEVICE_NAMES, DeviceName
from .types import Type

_ALONE = "one in a line of its own"
_OUTSIDE = "it outside: define it above the kernel"
_PLAIN = "a plain def, which runs to its end. Threads wait by cuda.syncthreads()"
_WRITE = "an array to write to, out[i] = value, and a function that runs to its end"
_LOOP = "a loop that fills an array: a = cuda.local.array(n, dtype)"
_MEMORY = (
    "an array, which is what threads share. Count with cuda.atomic.add(array, index, 1)"
)
# What is written -> its name, and what a kernel needs in its place.
_SYNTAX: dict[type[ast.AST], tuple[str, str]] = {
    ast.List: (
        "a list",
        "a tuple, (1, 2), or an array: cuda.local.array(n, dtype) in the kernel, "
        "np.array(...) as an argument",
    ),
    ast.Dict: ("a dictionary", "arrays. Number the keys and pass the values"),
    ast.Set: ("a set", "a tuple or an array"),
    ast.ListComp: ("a list comprehension", _LOOP),
    ast.SetComp: ("a set comprehension", _LOOP),
    ast.DictComp: ("a dictionary comprehension", _LOOP),
    ast.GeneratorExp: ("a generator", "a loop"),
    ast.JoinedStr: ("a formatted string", "values: print('i =', i)"),
    ast.Lambda: ("a function inside the function", _OUTSIDE),
    ast.NamedExpr: ("an assignment inside an expression", _ALONE),
    ast.Starred: ("a starred argument", "a tuple in a call"),
    ast.Await: ("an await", _PLAIN),
    ast.AsyncFor: ("an async for", _PLAIN),
    ast.AsyncWith: ("an async with", _PLAIN),
    ast.AsyncFunctionDef: ("an async def", _PLAIN),
    ast.Yield: ("a yield", _WRITE),
    ast.YieldFrom: ("a yield", _WRITE),
    ast.Slice: ("a slice", "an array before it"),
    ast.With: ("a with statement", "it in Python, around the launch"),
    ast.Try: (
        "a try statement",
        "a test before, if b != 0, since kernels raise nothing",
    ),
    ast.TryStar: ("a try statement", "a test before, since kernels raise nothing"),
    ast.Raise: (
        "a raise statement",
        "assert: a kernel cannot raise. If this is a template, write the body",
    ),
    ast.Import: ("an import", "it at the top of the file"),
    ast.ImportFrom: ("an import", "it at the top of the file"),
    ast.FunctionDef: ("a function inside the function", _OUTSIDE),
    ast.ClassDef: ("a class", "named tuples, or arrays for each attribute"),
    ast.Global: ("a global statement", _MEMORY),
    ast.Nonlocal: ("a nonlocal statement", _MEMORY),
    ast.Match: ("a match statement", "if and elif"),
}
if hasattr(ast, "TypeAlias"):  # from Python 3.12 on
    _SYNTAX[ast.TypeAlias] = "a type alias", "it at the top of the file"
_ALLOCATE = (
    "arange", "array", "asarray", "copy", "empty", "empty_like", "eye", "full",
    "full_like", "identity", "linspace", "ones", "ones_like", "zeros", "zeros_like",
)  # fmt: skip
_CLOCKS = ("time", "datetime", "timeit")
_IMPORTS = {
    "np": "import numpy as np",
    "numpy": "import numpy",
    "math": "import math",
    "cmath": "import cmath",
    "cuda": "from minitorch import cuda",
}
_CUDA_CPP = {
    "__syncthreads": "cuda.syncthreads()",
    "__syncwarp": "cuda.syncwarp()",
    "__shared__": "cuda.shared.array(shape, dtype)",
    "__shfl_down_sync": "cuda.shfl_down_sync",
    "atomicAdd": "cuda.atomic.add(array, index, value)",
    "atomicMax": "cuda.atomic.max(array, index, value)",
    "atomicMin": "cuda.atomic.min(array, index, value)",
    "atomicCAS": "cuda.atomic.cas(array, index, old, value)",
    "printf": "print(...)",
    "warpSize": "cuda.warpsize",
}


def describe(value: object) -> str:
    """Return a description of a Python object, for messages.

    Example:
        >>> describe([1]), describe("x"), describe(len)
        ('a list', "the string 'x'", 'the function len without a call')
    """
    if value is None:
        return "None"
    if isinstance(value, str):
        return f"the string {value!r}"
    if isinstance(value, types.ModuleType):
        return f"the module {value.__name__}"
    if isinstance(value, DeviceName):
        return f"cuda.{value.path}" + ("" if _below(value) else " without a call")
    if isinstance(value, (list, dict, set)):
        return f"a {type(value).__name__}"
    if callable(value):
        name = getattr(value, "__name__", type(value).__name__)
        return f"the function {name} without a call"
    return f"an object of type {type(value).__name__}"


def _below(name: DeviceName) -> list[str]:
    return [path for path in DEVICE_NAMES if path.startswith(f"{name.path}.")]


def refused_object(value: object) -> str:
    """Return what an object is, and what is needed where a number belongs.

    Example:
        >>> refused_object(DEVICE_NAMES["threadIdx"])
        'got cuda.threadIdx; need cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z.'
    """
    got = describe(value)
    if isinstance(value, DeviceName):
        below = ", ".join(f"cuda.{path}" for path in _below(value))
        if below:
            return f"got cuda.{value.path}; need {below}."
        given = "1" if value.path in ("grid", "gridsize") else "..."
        return f"got {got}; need cuda.{value.path}({given})."
    if isinstance(value, str):
        return f"got {got}; need a number. Strings are for print and dtypes alone."
    if isinstance(value, (list, dict, set)):
        return (
            f"got {got} from outside the kernel; need an array or a tuple. Pass "
            "np.array(...) as an argument."
        )
    if value is None or isinstance(value, types.ModuleType):
        return f"got {got}; need a number."
    if callable(value):
        name = getattr(value, "__name__", "it")
        return f"got {got}; need {name}(...)."
    return (
        f"got {got}; need a number. Take those of its attributes that are numbers, or "
        "pass them as arguments."
    )


def refused_dtype(dtype: Any) -> str:
    """Return advice for a dtype that kernels do not support.

    Args:
        dtype: NumPy's, of an array or of one of its elements.

    Example:
        >>> import numpy as np
        >>> refused_dtype(np.dtype([("mass", "f4"), ("count", "i4")]))
        "Kernels know no fields: pass each as an argument, such as array['mass']."
    """
    if dtype.names:
        return field_hint(dtype.names[0])
    if not dtype.isnative:
        return f"Try array.astype({dtype.newbyteorder('=').str!r})."
    if dtype.kind in "mM":
        return "Try array.view(np.int64)."
    return "Try array.astype(np.float32), or make its numbers an array."


def field_hint(name: str) -> str:
    """Return advice about a field of a structured dtype."""
    return f"Kernels know no fields: pass each as an argument, such as array[{name!r}]."


def refused_syntax(node: ast.AST) -> str:
    """Return what the syntax is, and what to write instead.

    Example:
        >>> refused_syntax(ast.parse("[1]", mode="eval").body)[:33]
        'got a list; need a tuple, (1, 2),'
    """
    plain = f"a {type(node).__name__}", "a number"
    got, need = _SYNTAX.get(type(node), plain)
    return f"got {got}; need {need}."


def refused_call(target: Any, written: str) -> str:
    """Return why a function cannot be called in a kernel, and what can.

    Args:
        target: The function, which no table knows.
        written: How the call names it.

    Example:
        >>> import time
        >>> print(refused_call(time.time, "time.time")[:49])
        got a call of time.time; need it in Python, aroun
    """
    name = getattr(target, "__name__", type(target).__name__)
    module = str(getattr(target, "__module__", None) or _module_of(target))
    root = module.partition(".")[0]
    got = f"got a call of {written}; need"
    if root in ("numpy", "numba") and name in _ALLOCATE:
        return (
            f"{got} memory that is there before: cuda.local.array(shape, dtype), "
            "cuda.shared.array(shape, dtype), or an array as an argument."
        )
    if root == "random" or module.startswith("numpy.random") or "mtrand" in module:
        return (
            f"{got} cuda.random.xoroshiro128p_uniform_float32(states, i), with states "
            "= cuda.random.create_xoroshiro128p_states(n, seed) made before the launch."
        )
    if root in _CLOCKS:
        return (
            f"{got} it in Python, around the launch. cuda.event() measures on the "
            "device."
        )
    if root == _LIBRARY:
        return (
            f"{got} it in Python, before the launch. Kernels get what it gives as an "
            "argument."
        )
    if root in ("numpy", "math", "cmath", "statistics") or name in _REDUCTIONS:
        return (
            f"{got} a loop, or another function: kernels compute element by element, "
            f"and {written} has no form for that."
        )
    return (
        f"{got} a function of numbers: by def, of math, of cuda, or one of NumPy's for "
        "single numbers."
    )


# One of the two names that the library may be loaded under.
_LIBRARY = __name__.partition(".")[0]
_REDUCTIONS = ("sum", "sorted", "any", "all", "map", "filter", "reversed", "list")


def _module_of(target: Any) -> str:
    owner = getattr(target, "__self__", None)
    if owner is not None and not isinstance(owner, types.ModuleType):
        return str(type(owner).__module__)
    return "numpy" if type(target).__name__ == "ufunc" else "builtins"


def unknown_name(name: str, known: set[str]) -> str:
    """Return the message for an undefined name, with suggestions.

    Args:
        name: As written.
        known: Names that there are.

    Example:
        >>> unknown_name("vales", {"values"})
        "got 'vales', which is not defined; need a known name. Did you mean 'values'?"
        >>> unknown_name("np", set())[-32:]
        'Is `import numpy as np` missing?'
    """
    got = f"got {name!r}, which is not defined; need a known name."
    if name in _IMPORTS:
        return f"{got} Is `{_IMPORTS[name]}` missing?"
    if name in _CUDA_CPP:
        return f"{got} Did you mean {_CUDA_CPP[name]}?"
    if name in DEVICE_NAMES or name in {dtype.value for dtype in Type} - {"bool"}:
        return f"{got} Did you mean cuda.{name}?"
    near = difflib.get_close_matches(name, sorted({*known, *dir(builtins)}), 1)
    return got + (f" Did you mean {near[0]!r}?" if near else "")


def unknown_attribute(owner: Any, written: str, attribute: str) -> str:
    """Return the message for a missing attribute, with suggestions.

    Args:
        owner: The object.
        written: How it is named.
        attribute: What was asked for.

    Example:
        >>> import math
        >>> unknown_attribute(math, "math", "sqr")
        "got math.sqr, which does not exist; need a name of math. Did you mean 'sqrt'?"
    """
    got = f"got {written}.{attribute}, which does not exist; need"
    if isinstance(owner, DeviceName):
        names = [f".{path.rpartition('.')[2]}" for path in _below(owner)]
        near = difflib.get_close_matches(f".{attribute}", names, 1)
        return f"{got} {' '.join(names)}." + (
            f" Did you mean {near[0]}?" if near else ""
        )
    need = (
        f"a name of {owner.__name__}"
        if isinstance(owner, types.ModuleType)
        else f"an attribute of {describe(owner)}"
    )
    if attribute in _CUDA_CPP:
        return f"{got} {need}. Did you mean {_CUDA_CPP[attribute]}?"
    near = difflib.get_close_matches(attribute, dir(owner), 1)
    return f"{got} {need}." + (f" Did you mean {near[0]!r}?" if near else "")
