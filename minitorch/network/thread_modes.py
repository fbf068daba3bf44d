"""Modes of a thread, saved so that a call can run again under them.

What decides which launches a call makes, besides its arguments: open overrides, whether
history is recorded, default dtypes, and where the random numbers stand.
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from .. import _core
from .._core import DType
from ..tensors.create import get_default_dtype, set_default_dtype
from ..tensors.op_calls import OverrideState, override_state, use_overrides


@dataclass(frozen=True)
class ThreadModes:
    """Modes of this thread, and the state of the random generators.

    Attributes:
        generators: of minitorch, NumPy and Python, pickled.
        overrides: those that are open, and those that are being run.
        grad: whether history is recorded.
        dtypes: the default ones of MiniTorch and of `minitorch.torch`.
    """

    generators: bytes
    overrides: OverrideState
    grad: bool
    dtypes: tuple[DType, DType]

    @classmethod
    def now(cls) -> ThreadModes:
        """Return the current modes of this thread."""
        states = _core.random_state(), np.random.get_state(), random.getstate()
        return cls(
            generators=pickle.dumps(states),
            overrides=override_state(),
            grad=bool(_core.grad_enabled()),
            dtypes=(get_default_dtype(), _core.torch_default_dtype()),
        )

    def set(self) -> None:
        """Set the modes of this thread."""
        random_state, numpy, python = pickle.loads(self.generators)
        _core.set_random_state(*random_state)
        np.random.set_state(numpy)
        random.setstate(python)
        use_overrides(self.overrides)
        _core.set_grad_enabled(self.grad)
        set_default_dtype(self.dtypes[0])
        _core.set_torch_default_dtype(self.dtypes[1])

    @contextmanager
    def within(self) -> Iterator[None]:
        """Run a block under these modes, then restore the thread's own."""
        before = ThreadModes.now()
        self.set()
        try:
            yield
        finally:
            before.set()
