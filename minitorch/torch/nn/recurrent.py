"""The recurrent layers with PyTorch's signatures, which take packed sequences too.

What is computed is minitorch.nn's.
"""

from __future__ import annotations

from typing import Any

from ... import nn
from .arguments import computed, require_torch
from .derived import layer_of
from .utils.rnn import PackedSequence

__all__ = ["GRU", "LSTM", "RNN"]


def _ordered(state: Any, order: Any) -> Any:
    """(layers directions, n, width) with its sequences in another order."""
    return state if state is None or order is None else state.index_select(1, order)


def _recurrent(layer: Any) -> Any:
    """The layer; of a PackedSequence it gives a PackedSequence, and its last states."""
    plain = layer_of(layer)

    def forward(self: Any, input: Any, hx: Any = None) -> Any:
        """What the layer gives for tensors of this dialect."""
        if not isinstance(input, PackedSequence):
            return plain.forward(self, input, hx)
        several = issubclass(layer, nn.LSTM)
        given = hx if several or hx is None else (hx,)
        require_torch(layer.__name__, input.data, *(given or ()))
        order, back = input.sorted_indices, input.unsorted_indices
        given = given and tuple(_ordered(each, order) for each in given)
        counts: Any = input.batch_sizes
        run: Any = layer._run_packed
        out, last = computed(run, self, input.data, counts.tolist(), given)
        last = tuple(_ordered(each, back) for each in last)
        packed = PackedSequence(out, counts, order, back)
        return packed, (last if several else last[0])

    body = {"forward": forward, "__module__": __name__, "__doc__": plain.__doc__}
    return type(layer.__name__, (plain,), body)


RNN = _recurrent(nn.RNN)
LSTM = _recurrent(nn.LSTM)
GRU = _recurrent(nn.GRU)
