"""Owns the user's own names in a profile. Must not know profiles."""

from __future__ import annotations

from contextlib import ContextDecorator
from types import TracebackType

from .. import _core
from ..cuda.findings.learner_frames import learner_methods


@learner_methods
class record_function(ContextDecorator):  # PyTorch's name
    """Give a part of a program a name in profiles: `with`, or a decorator.

    While nothing is recorded it costs a look at a flag. It may be entered again while
    it is open, and by several threads.

    Args:
        name: what its row is called.
        args: a text that a trace shows beside the name; None: none.

    Raises:
        TypeError: a name or args that is no text.

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

    def __init__(self, name: str, args: str | None = None) -> None:
        for what, value in (("name", name), ("args", args)):
            if not isinstance(value, str) and not (what == "args" and value is None):
                raise TypeError(
                    f"[record_function] got {what} {value!r}; need a text, such as "
                    '"forward".'
                )
        self.name = name
        self.args = args
        self._begun: list[bool] = []  # of each time that it is open

    def __enter__(self) -> record_function:
        recorded = _core.recording()
        if recorded:
            _core.begin_scope(self.name, "user", self.args or "")
        self._begun.append(recorded)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._begun.pop():
            _core.end_scope()

    def _recreate_cm(self) -> record_function:
        """A call of a decorated function has one of its own: calls may be nested."""
        return record_function(self.name, self.args)
