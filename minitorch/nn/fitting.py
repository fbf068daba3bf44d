"""Errors for an input that does not fit a layer; they name the layer.

What a layer calls would name its own operands, which the user has never seen: a
transposed weight, an image of one row.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .._core import DeviceError, FitError, Tensor
from ..functional.arguments import require_tensors
from ..module import Parameter, tensor_of


def require_input(
    layer: str,
    input: Tensor,
    fits: bool,
    need: str,
    parameter: Parameter | None = None,
) -> None:
    """Refuse an input that does not fit.

    Args:
        layer: Its name with the sizes that matter, such as `Linear(784, 10)`.
        input: What it was called with.
        fits: Is the shape right?
        need: The right shape, in words.
        parameter: One of the layer's, on the device where the input has to be.

    Raises:
        ValueError: It does not fit, or lies on another device than the parameter.
    """
    if not fits:
        raise FitError(f"[{layer}] got input {tuple(input.shape)}; need {need}.")
    if parameter is not None:
        require_same_device(layer, parameter, input)


def require_same_device(layer: str, parameter: Parameter, *inputs: Tensor) -> None:
    """Raise unless inputs and parameter are on one device."""
    home = tensor_of(parameter).device
    for input in inputs:
        if input.device != home:
            # Who has moved a model meant it: then only the data are advised to move.
            other = f', or the model: model.to("{input.device}")' * (home == "cpu")
            raise DeviceError(
                f"[{layer}] the input is on {input.device}, but the parameters are on "
                f"{home}; they must be on the same device. Move the data to the model: "
                f'x.to("{home}"){other}.'
            )


@contextmanager
def naming(layer: str, input: Tensor) -> Iterator[None]:
    """Make a function's errors about the input begin with the layer and the shape."""
    require_tensors(layer, input)
    try:
        yield
    except (IndexError, TypeError, ValueError) as error:
        raise type(error)(f"[{layer}] input {tuple(input.shape)}: {error}") from None
