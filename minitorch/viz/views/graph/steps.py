"""How a value came to be, as rows of steps and leaves: walks a graph's history.

Takes tensors and Scalars. Walks without recursion: graphs may be of any depth. Must
not know pictures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .... import _core
from ...._core import Tensor
from ....autodiff import topological_sort
from ....module import Module, Parameter
from ....scalar import Scalar

MOST_DERIVED = 200  # nodes of a graph whose derivatives are computed
STEP, LEAF, CONSTANT, FOLD = "step", "leaf", "constant", "fold"


@dataclass(slots=True)
class Node:
    """A step that made a value, a leaf that collects a gradient, or a constant.

    Attributes:
        kind: STEP, LEAF, CONSTANT, or FOLD for many that are drawn as one.
        title: the step's name, or the leaf's.
        inputs: numbers of the nodes that it was made from, in order.
        shape, dtype: of the value; None where nobody knows.
        value: the number, of Scalars and leaves of one element.
        gradient: the derivative of the result by it, where it is known as one number.
        has_gradient: Does the leaf hold one?
        count: how many nodes it stands for.
        members: of a fold, how many steps of which name, leaves and constants.
    """

    kind: str
    title: str
    inputs: list[int] = field(default_factory=list)
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    value: float | None = None
    gradient: float | None = None
    has_gradient: bool = False
    count: int = 1
    members: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Graph:
    """All nodes behind a value; node 0 made it.

    Attributes:
        nodes: consumers before their inputs.
        released: has a backward freed what the steps had kept?
        scalar: of Scalars rather than tensors?
        note: why no gradients are known, where a step's own backward raised.
    """

    nodes: list[Node]
    released: bool
    scalar: bool
    note: str = ""

    def count(self, kind: str) -> int:
        """How many nodes of a kind there are, those in folds included."""
        return sum(node.kind == kind for node in self.nodes)


def _tensors(names: Any) -> Iterator[tuple[str, Any]]:
    """Names with their values, of a module or a dict."""
    pairs: Any
    if isinstance(names, Module):
        pairs = names.named_parameters()
    elif isinstance(names, Mapping):
        pairs = names.items()
    else:
        raise TypeError(
            f"[viz.graph] got names {type(names).__name__}; need a module, or a dict "
            "such as {'w': w}."
        )
    for name, value in pairs:
        if isinstance(value, Module):
            for inner, parameter in value.named_parameters():
                yield f"{name}.{inner}", parameter.value
            continue
        given = value.value if isinstance(value, Parameter) else value
        if not isinstance(given, Tensor | Scalar):
            raise TypeError(
                f"[viz.graph] got {name!r}: {type(value).__name__}; need a tensor, a "
                "Scalar, a parameter or a module."
            )
        yield str(name), given


def _key(value: Any) -> tuple[str, int]:
    """Who a value of a graph is: a tensor, a Scalar, or a step that made a tensor."""
    if isinstance(value, Tensor):
        step = _core.graph_step(value)
        return ("leaf", value.unique_id) if step is None else ("step", step.id)
    if isinstance(value, Scalar):
        return "scalar", value.unique_id
    return "step", value.id


def _own_name(value: Any) -> str:
    """The name that the user gave; "" where it is only a number."""
    return "" if value.name == str(value.unique_id) else str(value.name)


def _of_tensor(tensor: Tensor, names: dict[tuple[str, int], str]) -> Node:
    collects = bool(tensor.requires_grad)
    name = names.get(_key(tensor)) or _own_name(tensor)
    gradient, single = tensor.grad, tensor.size == 1
    return Node(
        LEAF if collects else CONSTANT,
        name or ("leaf" if collects else "constant"),
        shape=tuple(tensor.shape),
        dtype=tensor.dtype.name,
        value=float(tensor.item()) if single else None,
        gradient=float(gradient.item()) if single and gradient is not None else None,
        has_gradient=gradient is not None,
    )


def _of_scalar(scalar: Scalar, names: dict[tuple[str, int], str]) -> Node:
    history, name = scalar.history, names.get(_key(scalar)) or _own_name(scalar)
    if history is None:
        return Node(CONSTANT, name or "constant", value=scalar.data)
    if history.last_fn is None:
        known = scalar.derivative is not None
        return Node(LEAF, name or "leaf", value=scalar.data, has_gradient=known)
    title = history.last_fn.__name__.lower()
    return Node(STEP, f"{title} → {name}" if name else title, value=scalar.data)


def _of_step(step: _core.GraphStep, names: dict[tuple[str, int], str]) -> Node:
    title = step.op
    if step.python is not None:
        function = getattr(step.python[0], "function", None)
        title = getattr(function, "__name__", title)
    name = names.get(("step", step.id))
    return Node(
        STEP,
        f"{title} → {name}" if name else title,
        shape=tuple(step.shape),
        dtype=step.dtype.name,
    )


def _described(value: Any, names: dict[tuple[str, int], str]) -> tuple[Node, list[Any]]:
    """A node for a value, and what it was made from."""
    if value is None:
        return Node(CONSTANT, "constant"), []
    if isinstance(value, Scalar):
        history = value.history
        inputs = [] if history is None else list(history.inputs)
        return _of_scalar(value, names), inputs
    if isinstance(value, Tensor):
        return _of_tensor(value, names), []
    return _of_step(value, names), list(value.inputs)


@dataclass(frozen=True)
class Walked:
    """Nodes, their numbers by who they are, and whether a backward freed the graph."""

    nodes: list[Node]
    numbers: dict[tuple[str, int], int]
    released: bool


def _walk(root: Any, names: dict[tuple[str, int], str]) -> Walked:
    """All nodes behind a value in the order they are found."""
    first, below = _described(root, names)
    nodes, found = [first], {_key(root): 0}
    released = bool(getattr(root, "released", False))
    open_ = [(0, below)]
    while open_:
        at, inputs = open_.pop()
        for each in inputs:
            key = None if each is None else _key(each)
            number = None if key is None else found.get(key)
            if number is None:
                number = len(nodes)
                node, below = _described(each, names)
                nodes.append(node)
                open_.append((number, below))
                if key is not None:
                    found[key] = number
                released = released or bool(getattr(each, "released", False))
            nodes[at].inputs.append(number)
    return Walked(nodes, found, released)


def ordered(nodes: list[Node]) -> list[Node]:
    """The same nodes, each before its inputs."""
    consumers = [0] * len(nodes)
    for node in nodes:
        for each in node.inputs:
            consumers[each] += 1
    order, ready = [], [0]
    while ready:
        at = ready.pop()
        order.append(at)
        for each in reversed(nodes[at].inputs):
            consumers[each] -= 1
            if consumers[each] == 0:
                ready.append(each)
    place = {at: new for new, at in enumerate(order)}
    for at in order:
        nodes[at].inputs = [place[each] for each in nodes[at].inputs]
    return [nodes[at] for at in order]


def derivatives(result: Scalar) -> dict[int, float]:
    """The derivative of a Scalar by each value behind it, by their `unique_id`.

    Nothing is added to a leaf.

    Example:
        >>> from minitorch import Scalar
        >>> x, y = Scalar(2.0), Scalar(3.0)
        >>> derivatives(x * y)[x.unique_id]
        3.0
    """
    found = {result.unique_id: 1.0}
    for one in topological_sort(result):
        if one.is_leaf() or one.unique_id not in found:
            continue
        for parent, part in one.chain_rule(found[one.unique_id]):
            at = parent.unique_id
            found[at] = found.get(at, 0.0) + float(part)
    return found


def _note_derivatives(result: Scalar, walked: Walked) -> str:
    """Write the derivatives into the nodes; what to say where a step cannot tell."""
    try:
        found = derivatives(result)
    except Exception as error:  # a learner's own backward may raise anything
        return f"No gradients are drawn: a backward raised {type(error).__name__}."
    for number, derivative in found.items():
        at = walked.numbers.get(("scalar", number))
        if at is not None and walked.nodes[at].kind != CONSTANT:
            walked.nodes[at].gradient = derivative
    return ""


def graph_of(value: Any, names: Any = None) -> Graph:
    """Find out how a value came to be.

    Args:
        value: a tensor or a Scalar.
        names: a module, whose parameters are named, or a dict of names and values.

    Raises:
        TypeError: nothing of these.
    """
    if not isinstance(value, Tensor | Scalar):
        raise TypeError(
            f"[viz.graph] got {type(value).__name__}; need a tensor or a Scalar."
        )
    known = (
        {} if names is None else {_key(each): name for name, each in _tensors(names)}
    )
    if isinstance(value, Scalar):
        walked, note = _walk(value, known), ""
        if len(walked.nodes) <= MOST_DERIVED:
            note = _note_derivatives(value, walked)
        return Graph(ordered(walked.nodes), False, True, note)
    walked = _walk(_core.graph_step(value) or value, known)
    if value.size == 1:
        walked.nodes[0].value = float(value.item())
    return Graph(ordered(walked.nodes), walked.released, False)
