"""States of random number generators, and the names that kernels draw with.

A state is two uint64, as in Numba: an array of n states has the dtype
`[("s0", "u8"), ("s1", "u8")]` and shape (n,). Kernels see it as uint64 of shape (n, 2).

The generator is xoroshiro128+ (Blackman and Vigna, 2016), seeded by SplitMix64 (Steele,
Lea and Flood, 2014). State i starts 2**64 numbers after state i - 1. Going on by 2**64
numbers is a linear map of the 128 bits, so that states are made in doubling steps.
"""

from __future__ import annotations

import functools
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from .argument_checks import as_integer
from .arrays.array_creation import device_array
from .arrays.device_array import DeviceArray
from .arrays.layout import as_sizes
from .device.stream import StreamLike
from .language.names import DEVICE_NAMES
from .tracebacks import learner_frames

__all__ = [
    "create_xoroshiro128p_states",
    "init_xoroshiro128p_states",
    "xoroshiro128p_dtype",
    "xoroshiro128p_jump",
    "xoroshiro128p_next",
    "xoroshiro128p_normal_float32",
    "xoroshiro128p_normal_float64",
    "xoroshiro128p_uniform_float32",
    "xoroshiro128p_uniform_float64",
]


def __dir__() -> list[str]:
    return sorted(__all__)


xoroshiro128p_dtype = np.dtype([("s0", np.uint64), ("s1", np.uint64)])

xoroshiro128p_jump = DEVICE_NAMES["random.xoroshiro128p_jump"]
xoroshiro128p_next = DEVICE_NAMES["random.xoroshiro128p_next"]
xoroshiro128p_normal_float32 = DEVICE_NAMES["random.xoroshiro128p_normal_float32"]
xoroshiro128p_normal_float64 = DEVICE_NAMES["random.xoroshiro128p_normal_float64"]
xoroshiro128p_uniform_float32 = DEVICE_NAMES["random.xoroshiro128p_uniform_float32"]
xoroshiro128p_uniform_float64 = DEVICE_NAMES["random.xoroshiro128p_uniform_float64"]

_integer = functools.partial(as_integer, where="random", need="an integer")
_Words = npt.NDArray[np.uint64]

_MASK = 2**64 - 1
_JUMP = 0xD86B048B86AA9922_BEAC0467EBA5FACB  # which steps of 128 go into a jump


@learner_frames
def create_xoroshiro128p_states(
    n: SupportsIndex,
    seed: SupportsIndex,
    subsequence_start: SupportsIndex = 0,
    stream: StreamLike = 0,
) -> DeviceArray:
    """Return states of `n` generators that do not overlap within 2**64 numbers.

    Args:
        n: How many, for example one for each thread.
        seed: Any integer; taken modulo 2**64.
        subsequence_start: Where the first one starts, in steps of 2**64 numbers.
        stream: Where to queue the copy to the device.

    Returns:
        A device array of shape (n,) with dtype `xoroshiro128p_dtype`.

    Raises:
        TypeError: An argument is no integer.
        ValueError: A negative number of states, or a start beyond 64 bits.

    Example:
        >>> from minitorch import cuda
        >>> cuda.random.create_xoroshiro128p_states(256, seed=1).shape
        (256,)
    """
    (count,) = as_sizes(_integer(n, name="n"), "random")
    states = device_array(count, xoroshiro128p_dtype, stream=stream)
    init_xoroshiro128p_states(states, seed, subsequence_start, stream)
    return states


@learner_frames
def init_xoroshiro128p_states(
    states: DeviceArray,
    seed: SupportsIndex,
    subsequence_start: SupportsIndex = 0,
    stream: StreamLike = 0,
) -> None:
    """Reset the states of generators.

    Args:
        states: From `create_xoroshiro128p_states`.
        seed: Any integer; taken modulo 2**64.
        subsequence_start: Where the first one starts, in steps of 2**64 numbers.
        stream: Where to queue the copy to the device.

    Raises:
        TypeError: `states` are no such array, or another argument is no integer.
        ValueError: A start that does not fit 64 bits.
    """
    if not isinstance(states, DeviceArray) or states.dtype != xoroshiro128p_dtype:
        raise TypeError(
            f"[random] got states {states!r}; need an array from "
            "create_xoroshiro128p_states(n, seed)."
        )
    if states.ndim != 1:
        raise ValueError(
            f"[random] got states of shape {states.shape}; need 1 dimension."
        )
    start = _integer(subsequence_start, name="subsequence_start")
    if not 0 <= start <= _MASK:
        raise ValueError(f"[random] got subsequence_start {start}; need 0 to {_MASK}.")
    fresh = _states(states.size, _integer(seed, name="seed") & _MASK, start)
    states.copy_to_device(fresh.view(xoroshiro128p_dtype).reshape(-1), stream)


def _states(count: int, seed: int, start: int) -> _Words:
    """Return states (count, 2), one jump apart."""
    states = np.empty((max(count, 1), 2), np.uint64)
    states[0] = _scrambled(seed)
    power = 0
    while start >> power:
        if start >> power & 1:
            states[:1] = _applied(_jumps(power), states[:1])
        power += 1
    done, power = 1, 0
    while done < count:
        more = min(done, count - done)
        states[done : done + more] = _applied(_jumps(power), states[:more])
        done, power = done + more, power + 1
    return states[:count]


def _scrambled(seed: int) -> int:
    """Return the first output of SplitMix64."""
    z = (seed + 0x9E3779B97F4A7C15) & _MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
    return z ^ z >> 31


def _stepped(states: _Words) -> _Words:
    """Advance each state by one step."""
    first, mixed = states[:, 0], states[:, 0] ^ states[:, 1]
    return np.stack(
        [
            (first << 55 | first >> 9) ^ mixed ^ mixed << 14,
            mixed << 36 | mixed >> 28,
        ],
        axis=1,
    )


@functools.cache
def _jumps(power: int) -> _Words:
    """Return the map of 2**power jumps, as a table (16, 256, 2).

    Entry [p, b] is where a state goes whose byte p is b and whose other bytes are 0.
    """
    units = _unit_states()
    if power > 0:
        before = _jumps(power - 1)
        return _table(_applied(before, _applied(before, units)))
    images = np.zeros_like(units)
    for step in range(128):
        if _JUMP >> step & 1:
            images ^= units
        units = _stepped(units)
    return _table(images)


def _unit_states() -> _Words:
    """Return the 128 states with one bit set."""
    units = np.zeros((128, 2), np.uint64)
    bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
    units[:64, 0] = units[64:, 1] = bits
    return units


def _table(images: _Words) -> _Words:
    table = np.zeros((16, 256, 2), np.uint64)
    for bit in range(8):
        size = 1 << bit
        table[:, size : 2 * size] = table[:, :size] ^ images[bit::8, None]
    return table


def _applied(table: _Words, states: _Words) -> _Words:
    # In the order of significance: byte p of a state is bits 8p to 8p + 7.
    parts: Any = np.ascontiguousarray(states, "<u8").view(np.uint8)
    result: _Words = table[0][parts[:, 0]]
    for byte in range(1, 16):
        result ^= table[byte][parts[:, byte]]
    return result
