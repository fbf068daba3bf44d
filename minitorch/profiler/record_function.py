"""`record_function`: the user's own names in a profile."""

from __future__ import annotations

from contextlib import ContextDecorator

from .. import _core
from ..cuda.tracebacks import learner_methods


@learner_methods
class record_function(ContextDecorator):  # PyTorch's name
    """Give a part of a program a name in profiles: `with`, or a decorator.

    It may be entered again while it is open, and by several threads. Blocks of a thread
    have to end in the reverse order of their begins.

    Args:
        name: what its row is called.

    Raises:
        TypeError: a name that is no text.

    Example:
        >>> import minitorch
        >>> from minitorch.profiler import profile, record_function
        >>> @record_function("twice")
        ... def double(x):
        ...     return x + x
        >>> with profile() as prof:
        ...     with record_function("ones"):
        ...         x = minitorch.ones(2)
        ...     y = double(x)
        >>> [row.count for row in prof.key_averages() if row.key in ("ones", "twice")]
        [1, 1]
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(
                f"[record_function] got name {name!r}; need a string, such as "
                '"forward".'
            )
        self.name = name

    def __enter__(self) -> record_function:
        _core.begin_scope(self.name, "user", "")
        return self

    def __exit__(self, *error: object) -> None:
        _core.end_scope()
