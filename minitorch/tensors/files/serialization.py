"""Save and load named tensors; the file's suffix selects the format.

The forms of files are safetensors', NumPy's and, for reading alone, PyTorch's.
"""

from __future__ import annotations

import os
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ... import _core
from ..._core import Tensor
from . import pth, safetensors

_WRITTEN = (".npz", ".safetensors")
_READ = (*_WRITTEN, ".pth", ".pt")


def _format_of(path: Any, where: str, suffixes: tuple[str, ...]) -> tuple[Path, str]:
    if not isinstance(path, str | os.PathLike):
        raise TypeError(
            f"[{where}] got {type(path).__name__} as the file; need a str or a Path."
        )
    file = Path(path)
    if file.suffix not in suffixes:
        hint = " PyTorch reads safetensors, too." if file.suffix in _READ else ""
        raise ValueError(
            f"[{where}] got {str(path)!r}; need a name that ends in "
            f"{', '.join(suffixes[:-1])} or {suffixes[-1]}.{hint}"
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


def save(state: Any, path: Any, metadata: Mapping[str, str] | None = None) -> None:
    """Writes tensors by name to a file, which is replaced at once or not at all.

    Args:
        state: A module, or a dict of tensors such as its `state_dict()`.
        path: Ends in ".safetensors" (all dtypes) or ".npz" (all that NumPy has).
        metadata: Texts to keep beside them; safetensors only.

    Raises:
        TypeError: Something is no tensor, or npz has no such dtype.
        ValueError: The name of the file says no format.

    Example:
        >>> import minitorch, tempfile
        >>> file = tempfile.mkdtemp() + "/weights.safetensors"
        >>> save({"w": minitorch.ones(2)}, file)
        >>> load(file)["w"].numpy()
        array([1., 1.])
    """
    file, suffix = _format_of(path, "save", _WRITTEN)
    tensors = _tensors_of(state)
    if suffix == ".safetensors":
        content = safetensors.encode(tensors, metadata or {})
        _replace(file, lambda out: out.write(content))
        return
    if metadata:
        raise ValueError("[save] .npz cannot store metadata. Try .safetensors.")
    for name, tensor in tensors.items():
        if tensor.dtype == _core.bfloat16:
            raise TypeError(
                f"[save] .npz cannot store {name!r}, because NumPy has no bfloat16. "
                "Try .safetensors or another dtype."
            )
    arrays = {name: tensor.detach().numpy() for name, tensor in tensors.items()}
    _replace(file, lambda out: _write_npz(out, arrays))


def _write_npz(out: Any, arrays: Mapping[str, Any]) -> None:
    with zipfile.ZipFile(out, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(
                    member, np.ascontiguousarray(array).reshape(array.shape)
                )


def _replace(file: Path, write: Any) -> None:
    """Write to a temporary file first, so that a failure leaves the old one intact."""
    handle, partial = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            write(out)
        current = os.umask(0)
        os.umask(current)
        os.chmod(partial, 0o666 & ~current)  # mkstemp's files are its owner's alone
        os.replace(partial, file)
    except BaseException:
        os.unlink(partial)
        raise


def load(path: Any, device: str = "cpu") -> Any:
    """Reads the tensors of a file that `save`, NumPy, PyTorch or another library wrote.

    Runs no code from the file.

    Args:
        path: Ends in ".safetensors", ".npz", or ".pth" or ".pt" of `torch.save`.
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
    content = file.read_bytes()
    if suffix == ".safetensors":
        tensors, _ = safetensors.decode(content)
    else:
        tensors = _read_npz(file)
    return {name: tensor.to(device) for name, tensor in tensors.items()}


def _read_npz(file: Path) -> dict[str, Tensor]:
    arrays = {}
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
            twins = {name for name in names if names.count(name) > 1}
            if twins:
                raise ValueError(f"duplicate names: {', '.join(sorted(twins))}")
            for name in names:
                with archive.open(name) as member:
                    array = np.lib.format.read_array(member, allow_pickle=False)
                arrays[name.removesuffix(".npy")] = array
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        EOFError,
        MemoryError,
        OSError,  # a damaged place in the archive's index
        OverflowError,
        SyntaxError,
        ValueError,
    ) as error:
        raise ValueError(
            f"[load] {str(file)!r} cannot be read as .npz ({error}); need a complete "
            "file of numeric arrays."
        ) from None
    return {name: _core.from_numpy(array) for name, array in arrays.items()}
