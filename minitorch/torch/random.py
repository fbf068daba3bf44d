"""Random number generators and seeds.

Seeds begin the same sequence on each device; the numbers are this library's, not
PyTorch's.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .. import _core
from .devices import device as _device

__all__ = [
    "Generator", "default_generator", "manual_seed",
]  # fmt: skip

_swapping = threading.RLock()


def _seed(where: str, value: Any) -> int:
    try:
        number = int(value)
    except TypeError:
        raise TypeError(f"[{where}] got seed {value!r}; need an integer.") from None
    if not -(2**63) <= number < 2**64:
        raise RuntimeError(f"[{where}] seed {number} does not fit in 64 bits.")
    return number % 2**64


class Generator:
    """Random number generator with its own sequence.

    Args:
        device: Where numbers are drawn; the sequence is the same everywhere.

    Example:
        >>> import minitorch.torch as torch
        >>> g = torch.Generator().manual_seed(1)
        >>> first = torch.rand(2, generator=g)
        >>> again = torch.rand(2, generator=torch.Generator().manual_seed(1))
        >>> first.tolist() == again.tolist()
        True
    """

    def __init__(self, device: Any = "cpu") -> None:
        self.device = _device(device)
        self._state = (67280421310721, 0)

    def manual_seed(self, seed: int) -> Generator:
        """Restart the sequence with a seed; return the generator."""
        self._state = (_seed("Generator", seed), 0)
        return self

    @contextmanager
    def _drawing(self) -> Iterator[None]:
        with _swapping:
            before = _core.random_state()
            _core.set_random_state(*self._state)
            try:
                yield
            finally:
                self._state = _core.random_state()
                _core.set_random_state(*before)


class _Default(Generator):
    """Default generator, used by functions without `generator=`."""

    @property
    def _state(self) -> tuple[int, int]:
        return _core.random_state()

    @_state.setter
    def _state(self, state: tuple[int, int]) -> None:
        _core.set_random_state(*state)

    def __init__(self, device: Any = "cpu") -> None:
        self.device = _device(device)

    @contextmanager
    def _drawing(self) -> Iterator[None]:
        yield


default_generator: Generator = _Default()


def drawing_from(where: str, generator: Any) -> Any:
    """Context manager that draws from `generator`, or from the default one.

    Raises:
        TypeError: It is not a generator.
    """
    if generator is None:
        generator = default_generator
    if not isinstance(generator, Generator):
        raise TypeError(
            f"[{where}] got generator {generator!r}; need a torch.Generator."
        )
    return generator._drawing()


def manual_seed(seed: int) -> Generator:
    """Restart the random numbers with a seed, the same for every device.

    Returns:
        The generator that functions draw from.

    Raises:
        RuntimeError: `seed` has more than 64 bits.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.manual_seed(0) is torch.default_generator
        True
    """
    _core.manual_seed(_seed("manual_seed", seed))
    return default_generator
