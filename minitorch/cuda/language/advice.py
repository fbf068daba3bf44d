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

_ALONE = "Assign on a line of its own"
_OUTSIDE = "Define it above the kernel"
_PLAIN = "Use a plain def; threads wait with cuda.syncthreads()"
_WRITE = "Write to an array instead: out[i] = value"
_LOOP = "Fill an array in a loop: a = cuda.local.array(n, dtype)"
_MEMORY = (
    "Threads share arrays, not variables. To count, use cuda.atomic.add(array, index, "
    "1)"
)
# What is written -> its name, and what a kernel needs in its place.
_SYNTAX: dict[type[ast.AST], tuple[str, str]] = {
    ast.List: (
        "a list",
        "Use a tuple, (1, 2), or an array: cuda.local.array(n, dtype) in the kernel, "
        "np.array(...) as an argument",
    ),
    ast.Dict: ("a dictionary", "Number the keys and pass the values as an array"),
    ast.Set: ("a set", "Use a tuple or an array"),
    ast.ListComp: ("a list comprehension", _LOOP),
    ast.SetComp: ("a set comprehension", _LOOP),
    ast.DictComp: ("a dictionary comprehension", _LOOP),
    ast.GeneratorExp: ("a generator", "Use a loop"),
    ast.JoinedStr: ("a formatted string", "Print the values: print('i =', i)"),
    ast.Lambda: ("a function inside the function", _OUTSIDE),
    ast.NamedExpr: ("an assignment inside an expression", _ALONE),
    ast.Starred: ("a starred expression", "Use a star only in a call: f(*pair)"),
    ast.Await: ("an await", _PLAIN),
    ast.AsyncFor: ("an async for", _PLAIN),
    ast.AsyncWith: ("an async with", _PLAIN),
    ast.AsyncFunctionDef: ("an async def", _PLAIN),
    ast.Yield: ("a yield", _WRITE),
    ast.YieldFrom: ("a yield", _WRITE),
    ast.Slice: ("a slice", "Index an array with it: a[1:3]"),
    ast.With: ("a with statement", "Use it in Python, around the launch"),
    ast.Try: (
        "a try statement",
        "Test before instead: if b != 0",
    ),
    ast.TryStar: ("a try statement", "Test before instead"),
    ast.Raise: (
        "a raise statement",
        "Use assert. If this is a template, replace the line by the body",
    ),
    ast.Import: ("an import", "Put it at the top of the file"),
    ast.ImportFrom: ("an import", "Put it at the top of the file"),
    ast.FunctionDef: ("a function inside the function", _OUTSIDE),
    ast.ClassDef: ("a class", "Use a named tuple, or one array for each attribute"),
    ast.Global: ("a global statement", _MEMORY),
    ast.Nonlocal: ("a nonlocal statement", _MEMORY),
    ast.Match: ("a match statement", "Use if and elif"),
}
if hasattr(ast, "TypeAlias"):  # from Python 3.12 on
    _SYNTAX[ast.TypeAlias] = "a type alias", "Put it at the top of the file"
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
        return f"got {got}; need a number. Strings are only for print and dtypes."
    if isinstance(value, (list, dict, set)):
        return (
            f"got {got} from outside the kernel, which a kernel cannot use. Pass "
            "np.array(...) as an argument, or use a tuple."
        )
    if value is None or isinstance(value, types.ModuleType):
        return f"got {got}; need a number."
    if callable(value):
        name = getattr(value, "__name__", "it")
        return f"got {got}; need a number. Call it: {name}(...)."
    return f"got {got}; need a number. Pass its numeric attributes as arguments."


def refused_dtype(dtype: Any) -> str:
    """Return advice for a dtype that kernels do not support.

    Args:
        dtype: NumPy's, of an array or of one of its elements.

    Example:
        >>> import numpy as np
        >>> refused_dtype(np.dtype([("mass", "f4"), ("count", "i4")]))
        "Kernels do not support fields: pass each field as an argument, such as \
array['mass']."
    """
    if dtype.names:
        return field_hint(dtype.names[0])
    if not dtype.isnative:
        return f"Try array.astype({dtype.newbyteorder('=').str!r})."
    if dtype.kind in "mM":
        return "Try array.view(np.int64)."
    return "Try array.astype(np.float32)."


def field_hint(name: str) -> str:
    """Return advice about a field of a structured dtype."""
    return (
        "Kernels do not support fields: pass each field as an argument, such as "
        f"array[{name!r}]."
    )


def refused_syntax(node: ast.AST) -> str:
    """Return what the syntax is, and what to write instead.

    Example:
        >>> refused_syntax(ast.parse("[1]", mode="eval").body)[:40]
        'a list is not supported in a kernel. Use'
    """
    plain = f"a {type(node).__name__}", "Use numbers and arrays"
    got, advice = _SYNTAX.get(type(node), plain)
    return f"{got} is not supported in a kernel. {advice}."


def refused_call(target: Any, written: str) -> str:
    """Return why a function cannot be called in a kernel, and what can.

    Args:
        target: The function, which no table knows.
        written: How the call names it.

    Example:
        >>> import time
        >>> print(refused_call(time.time, "time.time")[:49])
        a kernel cannot call time.time. Measure time in P
    """
    name = getattr(target, "__name__", type(target).__name__)
    module = str(getattr(target, "__module__", None) or _module_of(target))
    root = module.partition(".")[0]
    got = f"a kernel cannot call {written}."
    if root in ("numpy", "numba") and name in _ALLOCATE:
        return (
            f"{got} Use cuda.local.array(shape, dtype), cuda.shared.array(shape, "
            "dtype), or an array as an argument."
        )
    if root == "random" or module.startswith("numpy.random") or "mtrand" in module:
        return (
            f"{got} Use cuda.random.xoroshiro128p_uniform_float32(states, i) with "
            "states = cuda.random.create_xoroshiro128p_states(n, seed), created "
            "before the launch."
        )
    if root in _CLOCKS:
        return (
            f"{got} Measure time in Python, around the launch, or on the device with "
            "cuda.event()."
        )
    if root == _LIBRARY:
        return (
            f"{got} Call it in Python, before the launch, and pass the result as an "
            "argument."
        )
    if root in ("numpy", "math", "cmath", "statistics") or name in _REDUCTIONS:
        return f"{got} Kernels compute element by element: write a loop."
    return (
        f"{got} Use a function of numbers, defined with def, from math or cuda, or a "
        "NumPy function of single numbers."
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
        "the name 'vales' is not defined. Did you mean 'values'?"
        >>> unknown_name("np", set())[-32:]
        'Is `import numpy as np` missing?'
    """
    got = f"the name {name!r} is not defined."
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
        "math.sqr does not exist. Did you mean 'sqrt'?"
    """
    got = f"{written}.{attribute} does not exist."
    if isinstance(owner, DeviceName):
        names = [f".{path.rpartition('.')[2]}" for path in _below(owner)]
        near = difflib.get_close_matches(f".{attribute}", names, 1)
        return f"{got} There is {' '.join(names)}." + (
            f" Did you mean {near[0]}?" if near else ""
        )
    if attribute in _CUDA_CPP:
        return f"{got} Did you mean {_CUDA_CPP[attribute]}?"
    near = difflib.get_close_matches(attribute, dir(owner), 1)
    return got + (f" Did you mean {near[0]!r}?" if near else "")
