"""Random number generators, seeds and states.

Seeds begin the same sequence on each device; the numbers are this library's, not
PyTorch's.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import _core
from ..tensors import create
from .devices import device as _device
from .tensor import Tensor

__all__ = [
    "Generator", "default_generator", "get_rng_state", "initial_seed", "manual_seed",
    "seed", "set_rng_state",
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


def _state_tensor(state: tuple[int, int]) -> Tensor:
    array = np.array(state, dtype=np.uint64).view(np.uint8)
    return create.tensor(array).as_torch()  # type: ignore[return-value]


def _state_of(where: str, new_state: Any) -> tuple[int, int]:
    if not isinstance(new_state, Tensor) or new_state.dtype != _core.uint8:
        raise TypeError(
            f"[{where}] got {type(new_state).__name__}; need a torch.Tensor of uint8, "
            "as get_rng_state() returns."
        )
    if new_state.numel() != 16:
        raise RuntimeError(
            f"[{where}] got {new_state.numel()} bytes; need 16, as get_rng_state() "
            "returns."
        )
    seed, drawn = _core.to_numpy(new_state.cpu().contiguous()).view(np.uint64)
    return int(seed), int(drawn)


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

    def seed(self) -> int:
        """Restart the sequence with a random seed; return the seed."""
        self.manual_seed(_unknown())
        return self.initial_seed()

    def initial_seed(self) -> int:
        """Return the seed that started the sequence."""
        return self._state[0]

    def get_state(self) -> Tensor:
        """Return the position in the sequence, for `set_state`."""
        return _state_tensor(self._state)

    def set_state(self, new_state: Tensor) -> Generator:
        """Continue from a saved position in a sequence."""
        self._state = _state_of("Generator", new_state)
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


def _unknown() -> int:
    return int.from_bytes(os.urandom(8), "little")


def manual_seed(seed: int) -> Generator:
    """Restart the random numbers with a seed, the same for every device.

    Returns:
        The generator that functions draw from.

    Raises:
        RuntimeError: `seed` has more than 64 bits.

    Example:
        >>> import minitorch.torch as torch
        >>> torch.manual_seed(0).initial_seed()
        0
    """
    _core.manual_seed(_seed("manual_seed", seed))
    return default_generator


def seed() -> int:
    """Restart the default generator with a random seed; return the seed."""
    return default_generator.seed()


def initial_seed() -> int:
    """Return the seed that started the default generator."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Return the state of the default generator, for `set_rng_state`."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Restore the state of the default generator."""
    default_generator.set_state(new_state)
