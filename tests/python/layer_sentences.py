"""How a sentence on layers and functions is run: its results and its gradients.

Works with PyTorch, which recorded them (data/make_torch_layers.py), and with ours in
either dialect. Must import neither.
"""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

RECORDED = Path(__file__).parent / "data" / "torch_layers.json"


@dataclass(frozen=True)
class Library:
    """What a sentence needs of a library.

    Attributes:
        nn, F: its layers and its functions.
        tensor: makes a tensor of a NumPy array; of floats one that learns.
    """

    nn: Any
    F: Any
    tensor: Callable[[np.ndarray], Any]


def spread(*shape, low=-2.0, high=2.0):
    """Numbers between the bounds in mixed order, each once."""
    count = math.prod(shape)
    turns = (np.arange(count) * 0.6180339887498949 + 0.37) % 1
    return (low + (high - low) * turns).reshape(shape)


#: What sentences may name: arrays, of which each makes a tensor of its own.
INPUTS = {
    "x": spread(3, 4),
    "y": spread(3, 4, low=-1.0, high=2.5),
    "u": spread(3, 4, low=-1.5, high=0.5),
    "v": spread(4),
    "positive": spread(3, 4, low=0.2, high=2.0),
    "probs": spread(3, 4, low=0.05, high=0.95),
    "edges": np.array([-6.0, -3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 6.0]),
    "far": np.array([-800.0, -60.0, -20.0, -1e-9, 1e-9, 20.0, 60.0, 800.0]),
    "zeros": np.zeros((3, 4)),
    "one": np.array(0.7),
    "seq": spread(2, 3, 4),
    "memory": spread(2, 5, 4, low=-1.0),
    "batch": spread(2, 4, 6),
    "img": spread(1, 4, 6, 5),
    "small": spread(1, 2, 3, 4),
    "vol": spread(1, 2, 3, 4, 3),
    "labels": np.array([1, 0, 3]),
    "tokens": np.array([[1, 2, 0], [3, 1, 1]]),
    "table": spread(5, 3),
    "signs": np.array([1.0, -1.0, 1.0]),
}


def fill(library, module):
    """Gives the parameters of a module numbers that need no random generator."""
    state = dict(module.state_dict())
    for number, (name, parameter) in enumerate(module.named_parameters()):
        made = spread(*parameter.shape, low=-0.8, high=0.9 + 0.01 * number)
        state[name] = library.tensor(made).detach()
    module.load_state_dict(state)
    return module


def recorded():
    """Return the recorded results by sentence."""
    rows = json.loads(RECORDED.read_text())["sentences"]
    return rows


def _tensors(value):
    if isinstance(value, tuple | list):
        return [found for each in value for found in _tensors(each)]
    return [value] if hasattr(value, "backward") else []


def _row(array):
    numbers = np.asarray(array)
    row = numbers.reshape(-1).tolist()
    kept = [float(f"{v:.9g}") if isinstance(v, float) else v for v in row]
    shown = [v if math.isfinite(v) else str(v) for v in kept]
    return {"shape": list(numbers.shape), "values": shown}


def _array(tensor):
    found = tensor.detach().numpy()
    return found


def run(library, sentence):
    """Results and gradients of what the sentence names, as plain data.

    The gradient that comes in at each result is `spread` of its shape.
    """
    tree = ast.parse(sentence, mode="eval")
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    given = {name: library.tensor(INPUTS[name]) for name in sorted(used & set(INPUTS))}
    filled = []

    def keep(module):
        filled.append(fill(library, module))
        return module

    names = {"nn": library.nn, "F": library.F, "fill": keep, **given}
    names |= {"t": lambda v: library.tensor(np.array(v)).detach(), "inf": math.inf}
    result = eval(compile(tree, "<sentence>", "eval"), names)
    found = _tensors(result)
    kept = {"results": [_row(_array(each)) for each in found]}
    for each in found:
        if each.requires_grad:
            gradient = library.tensor(spread(*each.shape, low=0.1)).detach()
            each.backward(gradient, retain_graph=True)
    leaves = {name: each.grad for name, each in given.items()}
    for module in filled:
        leaves |= {name: value.grad for name, value in module.named_parameters()}
    kept["gradients"] = {
        name: _row(_array(grad)) for name, grad in leaves.items() if grad is not None
    }
    return kept


def difference(wanted, got):
    """Where two runs differ, in words; None where they agree."""
    pairs = {f"result {i}": i for i in range(len(wanted["results"]))}
    if len(wanted["results"]) != len(got["results"]):
        return f"{len(got['results'])} results; need {len(wanted['results'])}"
    for name, i in pairs.items():
        if problem := _rows(wanted["results"][i], got["results"][i]):
            return f"{name}: {problem}"
    if wanted["gradients"].keys() != got["gradients"].keys():
        here, need = sorted(got["gradients"]), sorted(wanted["gradients"])
        return f"gradients of {here}; need {need}"
    for name, row in wanted["gradients"].items():
        if problem := _rows(row, got["gradients"][name]):
            return f"gradient of {name}: {problem}"
    return None


def _rows(wanted, got):
    if wanted["shape"] != got["shape"]:
        return f"shape {got['shape']}; need {wanted['shape']}"
    for place, (right, here) in enumerate(
        zip(wanted["values"], got["values"], strict=True)
    ):
        near = math.isclose(float(right), float(here), rel_tol=1e-7, abs_tol=1e-9)
        same = str(right) == str(here)
        if not (near or same):
            return f"number {place} is {here}; need {right}"
    return None
