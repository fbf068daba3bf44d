"""Keyword arguments of `cuda.jit`, and the compiler options they become."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields, replace
from typing import Any

from ..errors import KernelWarning
from ..tracebacks import warn_at_caller

# Options of Numba's that programs pass and that mean nothing here. The first ones are
# as asked for anyway: kernels are cached, have line numbers, never run Python.
_GRANTED = {"cache", "lineinfo", "nopython", "boundscheck", "inline", "forceinline"}
_WITHOUT_EFFECT = {
    "forceobj", "lto", "cc", "chip", "abi", "abi_info", "extensions", "locals",
    "shared_memory_carveout", "parallel", "launch_bounds", "no_cpython_wrapper",
}  # fmt: skip


@dataclass(frozen=True)
class JitOptions:
    """Options of `cuda.jit`.

    Attributes:
        device: A device function, which kernels call and Python cannot.
        debug: With opt=False NVRTC's `-G`; `assert` is always checked.
        opt: Optimise the machine code.
        fastmath: Faster, less exact arithmetic of float32: NVRTC's `--use_fast_math`.
        max_registers: Most registers of a thread, or None.
        link: Files and sources of device functions in CUDA C++.
    """

    device: bool = False
    debug: bool = False
    opt: bool = True
    fastmath: bool = False
    max_registers: int | None = None
    link: tuple[Any, ...] = ()

    @property
    def for_debuggers(self) -> bool:
        """Whether the build keeps variables readable for a debugger."""
        return self.debug and not self.opt

    def built_for_debuggers(self) -> JitOptions:
        """Return the same options for a debug build."""
        return replace(self, debug=True, opt=False)

    @property
    def nvrtc(self) -> list[str]:
        """Return the options for NVRTC."""
        options = []
        if self.fastmath:
            options.append("--use_fast_math")
        if self.max_registers is not None:
            options.append(f"--maxrregcount={self.max_registers}")
        if self.for_debuggers:
            options.append("--device-debug")
        return options


_MEANING = tuple(field.name for field in fields(JitOptions))


def options_from(keywords: dict[str, Any]) -> JitOptions:
    """Parse the keyword arguments of `cuda.jit`.

    Raises:
        TypeError: One that does not exist, with the nearest that does.
        ValueError: max_registers that is no number of registers.

    Example:
        >>> options_from({"fastmath": True, "max_registers": 32}).nvrtc
        ['--use_fast_math', '--maxrregcount=32']
    """
    known: dict[str, Any] = {}
    for name, value in keywords.items():
        if name in _MEANING:
            known[name] = _check_option(name, value)
        elif name in _WITHOUT_EFFECT and value:
            text = f"[jit] {name}={value!r} has no effect in minitorch."
            warn_at_caller(text, KernelWarning)
        elif name not in _GRANTED | _WITHOUT_EFFECT:
            raise TypeError(_unknown(name))
    return JitOptions(**known)


def _check_option(name: str, value: Any) -> Any:
    if name == "link":
        return (value,) if isinstance(value, str) else tuple(value or ())
    if name != "max_registers":
        return bool(value)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 256:
        raise ValueError(f"[jit] got max_registers={value!r}; need 1 to 255, or None.")
    return value


def _unknown(name: str) -> str:
    every = sorted([*_MEANING, *_GRANTED, *_WITHOUT_EFFECT])
    near = difflib.get_close_matches(name, every, 1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return (
        f"[jit] got an unknown keyword {name}=; need one of "
        f"{', '.join(_MEANING)}.{hint}"
    )
