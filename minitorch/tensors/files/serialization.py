"""Save and load named tensors; the file's suffix selects the format.

The forms of files are safetensors' and, for reading alone, PyTorch's.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..._core import Tensor
from ...tools.files import write_atomically
from . import pth, safetensors

_WRITTEN = (".safetensors",)
_READ = (*_WRITTEN, ".pth", ".pt")
_HINTS = {
    ".npz": " NumPy reads and writes its own files: load_state_dict(np.load(path)).",
    ".pt": " PyTorch reads safetensors, too.",
    ".pth": " PyTorch reads safetensors, too.",
}


def _format_of(path: Any, where: str, suffixes: tuple[str, ...]) -> tuple[Path, str]:
    if not isinstance(path, str | os.PathLike):
        raise TypeError(
            f"[{where}] got {type(path).__name__} as the file; need a str or a Path."
        )
    file = Path(path)
    if file.suffix not in suffixes:
        hint = _HINTS.get(file.suffix, "")
        raise ValueError(
            f"[{where}] got {str(path)!r}; need a name that ends in "
            f"{' or '.join(suffixes)}.{hint}"
        )
    return file, file.suffix


def _tensors_of(state: Any) -> dict[str, Tensor]:
    if hasattr(state, "state_dict"):
        state = state.state_dict()
    if not isinstance(state, Mapping):
        raise TypeError(
            f"[save] got {type(state).__name__}; need a module, or a dict from names "
            "to tensors."
        )
    for name, tensor in state.items():
        if not isinstance(name, str) or not isinstance(tensor, Tensor):
            raise TypeError(
                f"[save] got {name!r}: {type(tensor).__name__}; need a str and a "
                "tensor."
            )
        if name == "__metadata__":
            raise ValueError(
                "[save] the name '__metadata__' is reserved. Use another name."
            )
    return dict(state)


def save(state: Any, path: Any) -> None:
    """Writes tensors by name to a file, which is replaced at once or not at all.

    Args:
        state: A module, or a dict of tensors such as its `state_dict()`.
        path: Ends in ".safetensors".

    Raises:
        TypeError: Something is no tensor.
        ValueError: The name of the file says no format.

    Example:
        >>> import minitorch, tempfile
        >>> file = tempfile.mkdtemp() + "/weights.safetensors"
        >>> save({"w": minitorch.ones(2)}, file)
        >>> load(file)["w"].numpy()
        array([1., 1.])
    """
    file, _ = _format_of(path, "save", _WRITTEN)
    write_atomically(file, safetensors.encode(_tensors_of(state)))


def load(path: Any, device: str = "cpu") -> Any:
    """Reads the tensors of a file that `save`, PyTorch or another library wrote.

    Runs no code from the file.

    Args:
        path: Ends in ".safetensors", or ".pth" or ".pt" of `torch.save`.
        device: Where the tensors are wanted.

    Returns:
        Tensors by name. Of PyTorch's files what was saved: tensors, numbers and text in
        lists, tuples and dicts, of which a state dict is the simplest.

    Raises:
        OSError: The file cannot be read.
        TypeError: A dtype that tensors do not have; a path that is none.
        ValueError: The file is damaged, or a .pth has objects that may run code; the
            message says where, and names them.
    """
    file, suffix = _format_of(path, "load", _READ)
    if suffix in (".pth", ".pt"):
        return pth.load(file, device)
    tensors = safetensors.decode(file.read_bytes())
    return {name: tensor.to(device) for name, tensor in tensors.items()}
