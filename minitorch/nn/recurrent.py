"""Recurrent layers RNN, LSTM and GRU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from .. import _core, functional
from .._core import FitError, Tensor
from ..functional.arguments import require_probability, require_tensors
from ..module import Module
from .fitting import require_same_device
from .initialise import as_sizes, fan_in_bound, uniform

__all__ = ["GRU", "LSTM", "RNN"]

_State = tuple[Tensor, ...]  # (h,), or (h, c) of an LSTM


def _turned(state: Tensor, turn: Tensor, bias: Tensor | None) -> Tensor:
    """Multiply: (n, width) @ (width, gates hidden) -> (n, gates hidden)."""
    out = state @ turn
    return out if bias is None else out + bias


def _gates(x: Tensor, count: int) -> list[Tensor]:
    """Split (n, count hidden) into `count` tensors (n, hidden)."""
    width = x.shape[1] // count
    return [x._slice(1, i * width, (i + 1) * width, 1) for i in range(count)]


class _Recurrent(Module):
    """Base of RNN, LSTM and GRU: parameters, layers and directions."""

    gates: ClassVar[int]  # rows of a weight, in units of hidden_size
    states: ClassVar[int] = 1  # tensors of a state

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.input_size, self.hidden_size, self.num_layers = as_sizes(
            name, input_size=input_size, hidden_size=hidden_size, num_layers=num_layers
        )
        require_probability(name, dropout)
        self.batch_first, self.bias = batch_first, bias
        self.dropout, self.bidirectional = dropout, bidirectional
        self._make_parameters(device, dtype)

    def _make_parameters(self, device: Any, dtype: Any) -> None:
        """Create all weights and biases, uniform in ±1/sqrt(hidden_size)."""
        rows, width = self.gates * self.hidden_size, self.hidden_size
        bound = fan_in_bound(width)
        for layer in range(self.num_layers):
            wide = width * self._directions if layer else self.input_size
            for end in self._ends(layer):
                shapes: dict[str, tuple[int, ...]]
                shapes = {"weight_ih": (rows, wide), "weight_hh": (rows, width)}
                if self.bias:
                    shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
                for name, shape in shapes.items():
                    setattr(self, name + end, uniform(shape, bound, dtype, device))

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    def _ends(self, layer: int) -> list[str]:
        """Return the suffixes of a layer's parameter names, one per direction."""
        return [f"_l{layer}", f"_l{layer}_reverse"][: self._directions]

    @property
    def all_weights(self) -> list[list[Any]]:
        """Parameters of each layer and direction, in order of creation."""
        weights = []
        for layer in range(self.num_layers):
            for end in self._ends(layer):
                names = [name for name in self._parameters if name.endswith(end)]
                weights.append([self._parameters[name] for name in names])
        return weights

    def flatten_parameters(self) -> None:
        """Do nothing: PyTorch's method of this name makes weights contiguous."""

    def _given(self, hx: Any) -> _State | None:
        """Return the state that a user gives as a tuple."""
        if hx is None or self.states == 1:
            return None if hx is None else (hx,)
        if not isinstance(hx, tuple | list) or len(hx) != 2:
            raise TypeError(
                f"[{type(self).__name__}] got a state of type {type(hx).__name__}; "
                "need a tuple (h, c)."
            )
        return tuple(hx)

    def _step(
        self, drive: Tensor, state: _State, turn: Tensor, bias: Tensor | None
    ) -> _State:
        """Compute one step; subclasses define it.

        Args:
            drive: What the input gives to the gates: (n, gates hidden).
            state: (h,), or (h, c).
            turn: weight_hh.T, (hidden, gates hidden).
            bias: bias_hh, or None.

        Returns:
            The next state.
        """
        raise NotImplementedError

    def forward(self, input: Tensor, hx: Any = None) -> tuple[Tensor, Any]:
        """Return the outputs, and the last states of all layers.

        Args:
            input: (length, n, input_size), as batch_first says, or (length, input_size)
                for one sequence.
            hx: The first states (layers directions, n, hidden_size), or (h, c) of an
                LSTM; 0 by default.

        Returns:
            (length, n, directions hidden_size) and the shape of hx.
        """
        out, last = self._run(input, self._given(hx))
        return out, last if self.states == 2 else last[0]

    def _run(self, input: Tensor, state: _State | None) -> tuple[Tensor, _State]:
        """Return the outputs of the last layer, and the last states of all layers."""
        batched = self._require(input)
        if not batched:
            input = input.unsqueeze(1)  # (length, width) -> (length, 1, width)
        elif self.batch_first:
            input = input._permute([1, 0, 2])
        states = self._states(input, state, batched)
        out, last = self._layers(input, states)
        if not batched:
            return out.squeeze(1), tuple(
                state_of_layer.squeeze(1) for state_of_layer in last
            )
        return (out._permute([1, 0, 2]) if self.batch_first else out), last

    def _require(self, input: Any) -> bool:
        """Return whether the input is a batch; raise unless it fits the layer."""
        name = f"{type(self).__name__}({self.input_size}, {self.hidden_size})"
        require_tensors(name, input)
        shape = tuple(input.shape)
        if len(shape) not in (2, 3) or shape[-1] != self.input_size or 0 in shape[:1]:
            axes = "n, length" if self.batch_first else "length, n"
            raise FitError(
                f"[{name}] got input {tuple(shape)}; need ({axes}, {self.input_size}) "
                f"or (length, {self.input_size}), with length at least 1."
            )
        require_same_device(name, self.weight_ih_l0, input)
        return len(shape) == 3

    def _states(self, input: Tensor, state: _State | None, batched: bool) -> _State:
        """Return the initial states (layers * directions, n, width); 0 by default."""
        shape = (self.num_layers * self._directions, input.shape[1], self.hidden_size)
        if state is None:
            return (_core.full(shape, 0, input.dtype, input.device),) * self.states
        name = type(self).__name__
        require_tensors(name, *state)
        if not batched:
            state = tuple(part.unsqueeze(1) for part in state)
        for given in state:
            if tuple(given.shape) != shape:
                need = shape if batched else (shape[0], shape[2])
                got = given.shape if batched else (given.shape[0], given.shape[-1])
                raise FitError(
                    f"[{name}] got a state of shape {tuple(got)}; need {tuple(need)}: "
                    "(layers * directions, n, width)."
                )
        return state

    def _run_packed(
        self, data: Tensor, counts: list[int], state: _State | None
    ) -> tuple[Tensor, _State]:
        """Run sequences of several lengths, longest first, without padding.

        Args:
            data: (sum of counts, input_size), the rows of step 0, of step 1 and so on.
            counts: How many sequences have each step.
            state: The first states, as of a batch.
        """
        if self._require(data):
            raise FitError(
                f"[{type(self).__name__}] got packed data {tuple(data.shape)}; need "
                f"(steps, {self.input_size})."
            )
        step = data._slice(0, 0, counts[0], 1).unsqueeze(0)
        return self._layers(data, self._states(step, state, True), counts)

    def _layers(
        self, input: Tensor, states: _State, counts: list[int] | None = None
    ) -> tuple[Tensor, _State]:
        """(length, n, width) -> (length, n, directions width), layer after layer.

        With `counts` of rows a step (sum of counts, width) instead.
        """
        last: list[list[Tensor]] = [[] for _ in states]
        for layer in range(self.num_layers):
            if layer and self.dropout and self.training:
                input = functional.dropout(input, self.dropout)
            ways = []
            for way, end in enumerate(self._ends(layer)):
                index = layer * self._directions + way
                begin = tuple(
                    part._slice(0, index, index + 1, 1).squeeze(0) for part in states
                )
                out, ended = self._pass(input, begin, end, way == 1, counts)
                ways.append(out)
                for kept, value in zip(last, ended, strict=False):
                    kept.append(value)
            across = len(input.shape) - 1
            input = _core.cat(ways, across) if len(ways) > 1 else ways[0]
        return input, tuple(functional.stack(part) for part in last if part)

    def _pass(
        self,
        input: Tensor,
        state: _State,
        end: str,
        backwards: bool,
        counts: list[int] | None,
    ) -> tuple[Tensor, _State]:
        """Run one layer in one direction."""
        weights = {
            name: getattr(self, name + end).value
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            if name + end in self._parameters
        }
        # (length, n, width) @ (width, gates hidden) -> (length, n, gates hidden)
        drive = input @ weights["weight_ih"]._permute([1, 0])
        if self.bias:
            drive = drive + weights["bias_ih"]
        turn = weights["weight_hh"]._permute([1, 0])

        def once(drive: Tensor, state: _State) -> _State:
            return self._step(drive, state, turn, weights.get("bias_hh"))

        if counts is not None:
            walk = _walk_back if backwards else _walk
            outs, state = walk(once, pieces_of(drive, counts), state)
            return _core.cat(outs, 0), state
        steps = [x.squeeze(0) for x in pieces_of(drive, [1] * drive.shape[0])]
        outs = []
        for inputs in reversed(steps) if backwards else steps:
            state = once(inputs, state)
            outs.append(state[0])
        return functional.stack(outs[::-1] if backwards else outs), state

    def extra_repr(self) -> str:
        """Return the sizes, and the options that differ from their defaults."""
        options = [f"{self.input_size}, {self.hidden_size}"]
        for name, plain in {
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0,
            "bidirectional": False,
        }.items():
            value = getattr(self, name)
            if value != plain:
                options.append(f"{name}={value}")
        return ", ".join(options)


def pieces_of(x: Tensor, counts: list[int]) -> list[Tensor]:
    """Split into the rows of each step, by halves as in `steps_of`."""
    if len(counts) == 1:
        return [x]
    half = len(counts) // 2
    cut = sum(counts[:half])
    return [
        *pieces_of(x._slice(0, 0, cut, 1), counts[:half]),
        *pieces_of(x._slice(0, cut, x.shape[0], 1), counts[half:]),
    ]


def _rows(state: _State, begin: int, end: int) -> _State:
    return tuple(part._slice(0, begin, end, 1) for part in state)


def _walk(
    once: Callable[[Tensor, _State], _State], pieces: list[Tensor], state: _State
) -> tuple[list[Tensor], _State]:
    """Run the steps in order; set aside the states of sequences that end."""
    outs, ended = [], []
    for piece in pieces:
        rows, left = state[0].shape[0], piece.shape[0]
        if left < rows:
            ended.append(_rows(state, left, rows))
            state = _rows(state, 0, left)
        state = once(piece, state)
        outs.append(state[0])
    parts = [state, *reversed(ended)]
    return outs, tuple(_core.cat(list(p), 0) for p in zip(*parts, strict=True))


def _walk_back(
    once: Callable[[Tensor, _State], _State], pieces: list[Tensor], first: _State
) -> tuple[list[Tensor], _State]:
    """Run from the last step to the first; shorter sequences start at their ends."""
    outs, state = [], _rows(first, 0, pieces[-1].shape[0])
    for piece in reversed(pieces):
        rows, now = state[0].shape[0], piece.shape[0]
        if now > rows:
            pairs = zip(state, _rows(first, rows, now), strict=True)
            state = tuple(_core.cat(list(pair), 0) for pair in pairs)
        state = once(piece, state)
        outs.append(state[0])
    return outs[::-1], state


class RNN(_Recurrent):
    """h' = tanh(x @ W_ih.T + b_ih + h @ W_hh.T + b_hh), step after step.

    Elman, "Finding structure in time" (1990). Parameters have PyTorch's names:
    weight_ih_l0 (hidden_size, input_size), weight_hh_l0, bias_ih_l0, bias_hh_l0, those
    of further layers with l1 and so on, backwards ones with _reverse at the end; all
    start uniform in ±1/sqrt(hidden_size).

    Args:
        input_size: Width of an input.
        hidden_size: Width of a state.
        num_layers: Layers, each on the outputs of the one below.
        nonlinearity: "tanh" or "relu".
        bias: With biases.
        batch_first: Sequences are (n, length, width) rather than (length, n, width).
        dropout: Probability of leaving out an output between layers while training.
        bidirectional: With a second pass from the end, whose outputs stand beside.

    Raises:
        ValueError: A size is below 1, the nonlinearity is unknown, or, of a call, the
            shapes do not fit.

    Example:
        >>> import minitorch
        >>> out, h = RNN(4, 3, num_layers=2)(minitorch.zeros(5, 1, 4))
        >>> out.shape, h.shape
        ((5, 1, 3), (2, 1, 3))
    """

    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise FitError(
                f"[{type(self).__name__}] got nonlinearity {nonlinearity!r}; need "
                "'tanh' or 'relu'."
            )
        options = (bias, batch_first, dropout, bidirectional, device, dtype)
        super().__init__(input_size, hidden_size, num_layers, *options)
        self.nonlinearity = nonlinearity

    def _step(
        self, drive: Tensor, state: _State, turn: Tensor, bias: Tensor | None
    ) -> _State:
        moved = drive + _turned(state[0], turn, bias)
        return (moved.tanh() if self.nonlinearity == "tanh" else moved.relu(),)


class GRU(_Recurrent):
    """Gated recurrent units: a reset gate, an update gate and a new state.

    r = σ(x @ W_ir.T + b_ir + h @ W_hr.T + b_hr), z likewise,
    n = tanh(x @ W_in.T + b_in + r (h @ W_hn.T + b_hn)), h' = (1 - z) n + z h. Cho et
    al. (2014), with the reset after the product, as PyTorch has it. The rows of the
    weights (3 hidden_size, …) are r, z, n. Arguments as for RNN, without nonlinearity.

    Example:
        >>> import minitorch
        >>> out, h = GRU(4, 3, batch_first=True)(minitorch.zeros(1, 5, 4))
        >>> out.shape, h.shape
        ((1, 5, 3), (1, 1, 3))
    """

    gates = 3

    def _step(
        self, drive: Tensor, state: _State, turn: Tensor, bias: Tensor | None
    ) -> _State:
        (h,) = state
        width = h.shape[1]
        turned = _turned(h, turn, bias)
        both = drive._slice(1, 0, 2 * width, 1) + turned._slice(1, 0, 2 * width, 1)
        reset, update = _gates(both.sigmoid(), 2)
        last = (2 * width, 3 * width, 1)
        new = (drive._slice(1, *last) + reset * turned._slice(1, *last)).tanh()
        return (new + update * (h - new),)


class LSTM(_Recurrent):
    """Long short-term memory: a state and a cell, with gates i, f, g and o.

    c' = σ(f) c + σ(i) tanh(g), h' = σ(o) tanh(c'), each gate being
    x @ W_ih.T + b_ih + h @ W_hh.T + b_hh. Hochreiter and Schmidhuber (1997), Gers et
    al. (2000). The rows of the weights (4 hidden_size, …) are i, f, g, o. Arguments as
    for RNN, without nonlinearity.

    Example:
        >>> import minitorch
        >>> layer = LSTM(4, 3, bidirectional=True)
        >>> out, (h, c) = layer(minitorch.zeros(5, 2, 4))
        >>> out.shape, h.shape, c.shape
        ((5, 2, 6), (2, 2, 3), (2, 2, 3))
    """

    gates, states = 4, 2

    def _step(
        self, drive: Tensor, state: _State, turn: Tensor, bias: Tensor | None
    ) -> _State:
        h, c = state
        into, forget, new, out = _gates(drive + _turned(h, turn, bias), 4)
        cell = forget.sigmoid() * c + into.sigmoid() * new.tanh()
        return out.sigmoid() * cell.tanh(), cell
