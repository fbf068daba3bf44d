"""The memory view's sentences."""

from __future__ import annotations

from ...scene.drawing import number
from ...scene.phrases import counted
from .traffic import Request, Traffic


def _named(request: Request) -> str:
    return f"The {request.noun} on line {request.line}" if request.line else (
        f"The instruction {request.opcode}"
    )  # fmt: skip


def answer_of(data: Traffic) -> str:
    """The sentence on top."""
    if not data.requests:
        return shared_answer_of(data)
    best, worst = data.requests[0], data.requests[-1]
    if best is worst:
        return (
            f"{_named(best)} uses {counted(best.used, 'byte')} and moves "
            f"{number(best.moved)}."
        )
    name = _named(worst)[0].lower() + _named(worst)[1:]
    if best.used != worst.used:
        return (
            f"{_named(best)} uses {number(best.used)} bytes and moves "
            f"{number(best.moved)}; {name} uses {number(worst.used)} and moves "
            f"{number(worst.moved)}."
        )
    times = number(round(worst.moved / best.moved, 2))
    more = f": {times} times as much" if worst.moved > best.moved else ""
    return (
        f"Both use {counted(best.used, 'byte')}. {_named(best)} moves "
        f"{number(best.moved)}, {name} moves {number(worst.moved)}{more}."
    )


def shared_answer_of(data: Traffic) -> str:
    """The sentence on shared memory."""
    assert data.shared is not None
    passes = counted(data.banks[0].passes, "pass")
    padded = ""
    if len(data.banks) > 1:
        after = counted(data.banks[1].passes, "pass")
        padded = f", and {after} with 1 padding word a row"
    where = f"The shared {data.shared.noun} on line {data.shared.line}"
    return f"{where} takes {passes}{padded}."


def detail_of(data: Traffic) -> str:
    """The line below the answer: what the counts are made of."""
    if data.requests:
        return (
            "Global memory moves in sectors of 32 bytes; four sectors make a line of "
            "128 bytes. One touched byte moves its whole sector."
        )
    return (
        "Word w of shared memory lives in bank w mod 32. A bank serves one word in a "
        "pass."
    )
