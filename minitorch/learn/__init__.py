"""The room of lessons and puzzles, and what the first line of a lesson brings.

    from minitorch_cuda.learn import course, cuda, np, viz

The first of these names chooses the device of the process (`names`); importing
`learn.lessons` or `learn.puzzles` alone does not.
"""

from __future__ import annotations

from importlib import import_module

__all__ = [
    "Scalar",
    "ScalarFunction",
    "course",
    "cuda",
    "custom_op",
    "derivative_check",
    "doctor",
    "explain",
    "functional",
    "fuse",
    "grad_check",
    "load_digits",
    "models",
    "nn",
    "no_grad",
    "np",
    "ones",
    "optim",
    "override",
    "profiler",
    "puzzles",
    "rand",
    "tensor",
    "timing",
    "viz",
    "zeros",
]


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(".names", __name__), name)
    return value
