"""Owns the groups of parameters that an optimizer is given: their forms and checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._core import Tensor
from ..module import Parameter


def listed(params: Any) -> list[Any]:
    """What an optimizer got, as a list.

    Raises:
        TypeError: A tensor, a set, or nothing to go through.
    """
    if isinstance(params, Tensor | Parameter):
        raise TypeError(
            "[Optimizer] got one tensor as the parameters; need an iterable of them. "
            "Try a list: [x]."
        )
    if isinstance(params, set | frozenset):
        raise TypeError(
            "[Optimizer] got a set, whose order changes from run to run; need a list."
        )
    if not isinstance(params, Iterable) or isinstance(params, str | bytes | Mapping):
        raise TypeError(
            f"[Optimizer] got {type(params).__name__}; need an iterable of parameters, "
            "of pairs of a name and one, or of dicts."
        )
    return list(params)


def group_of(given: Any, where: str, known: list[Any]) -> dict[str, Any]:
    """A group as the optimizer keeps it: "params" is a list, names are beside it.

    Args:
        given: A dict with "params", one tensor or several.
        where: The optimizer, for messages.
        known: The parameters of the other groups.

    Raises:
        TypeError: It is no such dict.
        ValueError: A tensor is no leaf, or is in another group.
    """
    if not isinstance(given, dict) or "params" not in given:
        raise TypeError(
            f"[{where}] got {type(given).__name__} as a group; need a dict with "
            "'params'."
        )
    params = given["params"]
    params = [params] if isinstance(params, Tensor | Parameter) else listed(params)
    made = dict(given)
    if params and all(_is_named(each) for each in params):
        made["param_names"] = [name for name, _ in params]
        params = [parameter for _, parameter in params]
    for parameter in params:
        _require_leaf(parameter, where)
    if {id(p) for p in known} & {id(p) for p in params}:
        raise ValueError(
            f"[{where}] got a parameter that is in another group; need it in one."
        )
    # Tied weights are found twice, and move once.
    made["params"] = list({id(p): p for p in params}.values())
    return made


def _is_named(each: Any) -> bool:
    return isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], str)


def _require_leaf(parameter: Any, where: str) -> None:
    if not isinstance(parameter, Tensor | Parameter):
        raise TypeError(
            f"[{where}] got {type(parameter).__name__} among the parameters; need "
            "tensors."
        )
    value = parameter.value if isinstance(parameter, Parameter) else parameter
    if isinstance(value, Tensor) and not _is_leaf(value):
        raise ValueError(
            f"[{where}] got the result of an op, of shape {tuple(value.shape)}; need a "
            "leaf, which a step can change. Try .detach().requires_grad_()."
        )


def _is_leaf(value: Tensor) -> bool:
    """`is_leaf` is a method in one dialect and an attribute in the other."""
    return not value.requires_grad or bool(Tensor.is_leaf(value))
