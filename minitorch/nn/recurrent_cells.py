"""Owns one step of the recurrent layers, and the layers that are one step.

Must not know sequences.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from .. import _core
from .._core import Tensor
from ..functional.arguments import require_tensors
from ..module import Module
from .fitting import require_same_device
from .initialise import as_sizes, fan_in_bound, uniform

_State = tuple[Tensor, ...]


def _turned(state: Tensor, turn: Tensor, bias: Tensor | None) -> Tensor:
    """(n, width) @ (width, gates hidden) -> (n, gates hidden)"""
    out = state @ turn
    return out if bias is None else out + bias


def _gates(x: Tensor, count: int) -> list[Tensor]:
    """(n, count hidden) -> count times (n, hidden)"""
    width = x.shape[1] // count
    return [x._slice(1, i * width, (i + 1) * width, 1) for i in range(count)]


def rnn_step(nonlinearity: str) -> Callable[..., _State]:
    """The step of an RNN; arguments as for lstm_step, with (h,) for the state."""

    def step(drive: Tensor, state: _State, turn: Tensor, bias: Tensor | None) -> _State:
        moved = drive + _turned(state[0], turn, bias)
        return (moved.tanh() if nonlinearity == "tanh" else moved.relu(),)

    return step


def gru_step(drive: Tensor, state: _State, turn: Tensor, bias: Tensor | None) -> _State:
    """The step of a GRU; arguments as for lstm_step, with (h,) for the state."""
    (h,) = state
    width = h.shape[1]
    turned = _turned(h, turn, bias)
    both = drive._slice(1, 0, 2 * width, 1) + turned._slice(1, 0, 2 * width, 1)
    reset, update = _gates(both.sigmoid(), 2)
    last = (2 * width, 3 * width, 1)
    new = (drive._slice(1, *last) + reset * turned._slice(1, *last)).tanh()
    return (new + update * (h - new),)


def lstm_step(
    drive: Tensor, state: _State, turn: Tensor, bias: Tensor | None
) -> _State:
    """The step of an LSTM.

    Args:
        drive: What the input gives to the gates: (n, 4 hidden).
        state: (h, c).
        turn: weight_hh.T, (hidden, 4 hidden).
        bias: bias_hh, or None.

    Returns:
        The next (h, c).
    """
    h, c = state
    into, forget, new, out = _gates(drive + _turned(h, turn, bias), 4)
    cell = forget.sigmoid() * c + into.sigmoid() * new.tanh()
    return out.sigmoid() * cell.tanh(), cell


class _Cell(Module):
    """What the cells share: four parameters, and inputs of one step."""

    gates: ClassVar[int]
    states: ClassVar[int] = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        input_size, hidden_size = as_sizes(
            name, input_size=input_size, hidden_size=hidden_size
        )
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows, bound = self.gates * hidden_size, fan_in_bound(hidden_size)
        self.weight_ih = uniform((rows, input_size), bound, dtype, device)
        self.weight_hh = uniform((rows, hidden_size), bound, dtype, device)
        if bias:
            self.bias_ih = uniform((rows,), bound, dtype, device)
            self.bias_hh = uniform((rows,), bound, dtype, device)

    def _step(self) -> Callable[..., _State]:
        """What the step computes; each cell says it."""
        raise NotImplementedError

    def _run(self, input: Tensor, state: _State | None) -> _State:
        name = f"{type(self).__name__}({self.input_size}, {self.hidden_size})"
        require_tensors(name, input, *(state or ()))
        shape = tuple(input.shape)
        if len(shape) not in (1, 2) or shape[-1] != self.input_size:
            raise ValueError(
                f"[{name}] got input {shape}; need (n, {self.input_size}) or "
                f"({self.input_size},)."
            )
        require_same_device(name, self.weight_ih, input)
        wanted = (*shape[:-1], self.hidden_size)
        if state is None:
            zero = _core.full(wanted, 0, input.dtype, input.device)
            state = (zero,) * self.states
        for each in state:
            if tuple(each.shape) != wanted:
                raise ValueError(
                    f"[{name}] got a state of shape {each.shape}; need {wanted}."
                )
        if len(shape) == 1:
            rows = tuple(each.unsqueeze(0) for each in state)
            return tuple(
                each.squeeze(0) for each in self._moved(input.unsqueeze(0), rows)
            )
        return self._moved(input, state)

    def _moved(self, input: Tensor, state: _State) -> _State:
        drive = input @ self.weight_ih.value._permute([1, 0])
        drive = drive + self.bias_ih.value if self.bias else drive
        bias = self.bias_hh.value if self.bias else None
        return self._step()(drive, state, self.weight_hh.value._permute([1, 0]), bias)

    def extra_repr(self) -> str:
        """The sizes."""
        plain = "" if self.bias else ", bias=False"
        return f"{self.input_size}, {self.hidden_size}{plain}"


class RNNCell(_Cell):
    """One step of RNN: (n, input_size) and (n, hidden_size) -> (n, hidden_size).

    Parameters: weight_ih, weight_hh, bias_ih, bias_hh, as of the layer.

    Raises:
        ValueError: A size is below 1, the nonlinearity is unknown, or, of a call, the
            shapes do not fit.

    Example:
        >>> import minitorch
        >>> RNNCell(4, 3)(minitorch.zeros(2, 4)).shape
        (2, 3)
    """

    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(
                f"[RNNCell] got nonlinearity {nonlinearity!r}; need 'tanh' or 'relu'."
            )
        self.nonlinearity = nonlinearity

    def _step(self) -> Callable[..., _State]:
        return rnn_step(self.nonlinearity)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next state; `hx` is 0 by default."""
        (out,) = self._run(input, None if hx is None else (hx,))
        return out


class GRUCell(_Cell):
    """One step of GRU: (n, input_size) and (n, hidden_size) -> (n, hidden_size).

    Example:
        >>> import minitorch
        >>> GRUCell(4, 3)(minitorch.zeros(2, 4)).shape
        (2, 3)
    """

    gates = 3

    def _step(self) -> Callable[..., _State]:
        return gru_step

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next state; `hx` is 0 by default."""
        (out,) = self._run(input, None if hx is None else (hx,))
        return out


class LSTMCell(_Cell):
    """One step of LSTM: an input and (h, c) -> the next (h, c).

    Example:
        >>> import minitorch
        >>> h, c = LSTMCell(4, 3)(minitorch.zeros(2, 4))
        >>> h.shape, c.shape
        ((2, 3), (2, 3))
    """

    gates, states = 4, 2

    def _step(self) -> Callable[..., _State]:
        return lstm_step

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        """The next (h, c); `hx` is (0, 0) by default."""
        if hx is not None and (not isinstance(hx, tuple | list) or len(hx) != 2):
            raise TypeError(
                f"[LSTMCell] got {type(hx).__name__} for the state; need (h, c)."
            )
        h, c = self._run(input, None if hx is None else tuple(hx))
        return h, c
