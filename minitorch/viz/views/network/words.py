"""The sentences of the network view, and how it writes large numbers."""

from __future__ import annotations

from ...scene.drawing import number
from ...scene.phrases import counted
from .nets import Kernel, Net

_SCALES = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
_BYTES = ((1e9, "GB"), (1e6, "MB"))
_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def amount(count: int) -> str:
    """A count: whole below a million, else with three digits.

    Example:
        >>> amount(131072), amount(4089184256)
        ('131,072', '4.09 billion')
    """
    for scale, word in _SCALES:
        if count >= scale:
            return f"{count / scale:.3g} {word}"
    return number(count)


def size(count: int) -> str:
    """Bytes, without a word below a million.

    Example:
        >>> size(4704), size(102228128)
        ('4,704', '102 MB')
    """
    for scale, word in _BYTES:
        if count >= scale:
            return f"{count / scale:.3g} {word}"
    return number(count)


def size_in_words(count: int) -> str:
    """Bytes with their unit.

    Example:
        >>> size_in_words(4704), size_in_words(1), size_in_words(102228128)
        ('4,704 bytes', '1 byte', '102 MB')
    """
    words = size(count)
    return words if words.endswith("B") else f"{words} byte{'s' * (count != 1)}"


def duration(seconds: float) -> str:
    """A time with three digits.

    Example:
        >>> duration(37.8e-9), duration(1.5e-4), duration(0.0)
        ('37.8 ns', '150 µs', '0 ns')
    """
    for scale, word in _TIMES:
        if seconds >= scale or scale == _TIMES[-1][0]:
            return f"{seconds / scale:.3g} {word}"
    return ""


def span(touched: int, asked: int) -> str:
    """Both ends of what moves, in the unit of the upper, once where they are the same.

    Example:
        >>> span(1184, 4256), span(64, 64), span(375_936, 3_710_000)
        ('1,184 … 4,256', '64', '0.376 … 3.71 MB')
    """
    one, other = size(touched), size(asked)
    if one == other:
        return one
    for scale, word in _BYTES:
        if asked >= scale:
            return f"{touched / scale:.3g} … {asked / scale:.3g} {word}"
    return f"{one} … {other}"


def extent(shape: tuple[int, ...]) -> str:
    """A grid's or a block's shape without what is 1 at its end.

    Example:
        >>> extent((16, 16, 1)), extent((256, 1, 1))
        ('16 × 16', '256')
    """
    kept = [*shape]
    while len(kept) > 1 and kept[-1] == 1:
        kept.pop()
    return " × ".join(map(number, kept))


def answer_of(net: Net) -> str:
    """How the network fills the card."""
    useful = sum(each.useful for each in net.kernels)
    busy, sms = max(each.sms for each in net.kernels), net.card.sms
    kernels = counted(len(net.kernels), "kernel")
    work = f"{amount(useful)} useful multiply-adds" if useful else "no multiply-adds"
    idle = f"at most {busy} of {sms} SMs work, {sms - busy} stay idle"
    if busy == 1:
        idle = f"{sms - 1} of {sms} SMs stay idle"
    if busy >= sms:
        busiest = sum(each.sms >= sms for each in net.kernels)
        some = f"{busiest} kernels fill" if busiest > 1 else "one kernel fills"
        idle = f"{some} all {sms} SMs"
        if busiest == len(net.kernels):
            idle = f"each kernel fills all {sms} SMs" if busiest > 1 else idle
    return f"{kernels}, {work}: {idle}."


def detail_of(net: Net) -> str:
    """What is done for it, what moves, and what it holds."""
    useful = sum(each.useful for each in net.kernels)
    executed = sum(each.executed for each in net.kernels if each.useful)
    touched = sum(each.touched for each in net.kernels)
    asked = sum(each.asked for each in net.kernels)
    parts = []
    if useful:
        share = f", 1 in {number(round(executed / useful))} is useful"
        wasted = executed >= 1.5 * useful
        parts.append(
            f"{amount(executed)} multiply-adds are executed{share if wasted else ''}."
        )
    moved = span(touched, asked).replace(" … ", " to ")
    unit = "" if moved.endswith("B") else " bytes"
    parts.append(f"{moved}{unit} move.")
    if net.parameters:
        held = size_in_words(net.parameter_bytes)
        parts.append(f"{number(net.parameters)} parameters ({held}).")
    types = sorted({each.dtype for kernel in net.kernels for each in kernel.outputs})
    return " ".join(parts) + " " + ", ".join([*types, net.card.name]) + "."


def layer_words(kernel: Kernel) -> str:
    """A launch's module, and what of it runs."""
    named = kernel.layer.rpartition(".")[2] == kernel.op  # such as relu
    own = f"{kernel.layer} " if kernel.layer else ""
    op, back = "" if named else kernel.op, ", back" if kernel.back else ""
    return f"{own}{op}".rstrip() + back
