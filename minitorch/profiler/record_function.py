"""`record_function`: the user's own names in a profile."""

from __future__ import annotations

import threading
import warnings
from contextlib import ContextDecorator
from types import TracebackType

from .. import _core
from ..cuda.tracebacks import learner_methods


class _Open(threading.local):
    """Open recorded blocks of this thread, innermost last."""

    def __init__(self) -> None:
        self.blocks: list[_Block] = []


class _Block:
    """One use of a `record_function`."""

    def __init__(self, name: str, recorded: bool) -> None:
        self.name = name
        self.recorded = recorded
        self.thread = threading.get_ident()


_open = _Open()


@learner_methods
class record_function(ContextDecorator):  # PyTorch's name
    """Give a part of a program a name in profiles: `with`, or a decorator.

    While nothing is recorded it costs a look at a flag. It may be entered again while
    it is open, and by several threads. Blocks of a thread have to end in the reverse
    order of their begins; tasks of asyncio that take turns do not, and are warned of.

    Args:
        name: what its row is called.

    Raises:
        TypeError: a name that is no text.
        ValueError: a text with half of a character, or with an end within it ("\\0").
        RuntimeError: a block ends that has not begun.

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
        if not _writable(name):
            raise ValueError(
                f"[record_function] got name {name!r}; the string must be valid UTF-8 "
                'and must not contain "\\0".'
            )
        self.name = name
        self._begun: list[_Block] = []

    def __enter__(self) -> record_function:
        block = _Block(self.name, _core.recording())
        if block.recorded:
            _core.begin_scope(self.name, "user", "")
            _open.blocks.append(block)
        self._begun.append(block)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        block = self._last_of_this_thread()
        if not block.recorded:
            return
        if block not in _open.blocks:
            _warn(f"'{self.name}' ended on a different thread than it began")
            return
        if _open.blocks[-1] is not block:
            _warn(
                f"'{self.name}' ended before '{_open.blocks[-1].name}', which is "
                "inside it"
            )
        _open.blocks.remove(block)
        _core.end_scope()

    def _last_of_this_thread(self) -> _Block:
        if not self._begun:
            raise RuntimeError(
                f"[record_function] '{self.name}' ended but never began. Use a `with` "
                "block."
            )
        here = threading.get_ident()
        mine = [block for block in self._begun if block.thread == here]
        block = (mine or self._begun)[-1]
        self._begun.remove(block)
        return block

    def _recreate_cm(self) -> record_function:
        """Return a new instance for each call of a decorated function."""
        return record_function(self.name)


def _writable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def _warn(block: str) -> None:
    warnings.warn(
        f"[record_function] {block}, so the times of these blocks are wrong. Use "
        "`with` blocks.",
        stacklevel=4,
    )
