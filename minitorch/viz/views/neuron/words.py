"""The sentences of the neuron view."""

from __future__ import annotations

import re

from ...scene.phrases import counted
from .chains import SECTOR, Chain, Part, value_words


def who(part: Part) -> str:
    """The thread of a part, down from its block.

    Such as "thread (3, 5) of block (0, 2): lane 19 of warp 2, on SM 2".
    """
    thread = part.thread_name(part.number)
    return (
        f"thread {thread} of block {part.block_name}: lane {part.lane} of warp "
        f"{part.warp}, on SM {part.sm}"
    )


def answer_of(chain: Chain, at: int) -> str:
    """Who computes the neuron, in one of its parts."""
    part = chain.parts[at]
    if part.products:
        return f"{chain.name} is summed by {who(part)}."
    return f"{chain.name} goes through {who(part)}."


def _passed_on(chain: Chain, at: int) -> str:
    """What the parts after one do."""
    later = chain.parts[at + 1 :]
    if not later:
        return ""
    following, verb = later[0], "makes"
    thread = following.thread_name(following.number)
    same = (following.block, following.thread) == (
        chain.parts[at].block,
        chain.parts[at].thread,
    )
    other = "a thread of the same place" if same else f"thread {thread}"
    block = f" of block {following.block_name}"
    first = (
        f"; a launch later {other}{block} ({following.name}) {verb} it "
        f"{value_words(following.value)}"
    )
    rest = len(later) - 1
    if not rest:
        return first
    launches = counted(rest, "launch")
    return f"{first}, and after {launches} more it is {value_words(chain.value)}"


def detail_of(chain: Chain, at: int) -> str:
    """What is computed from what, and what follows."""
    part = chain.parts[at]
    padded = sum(each.padded for each in part.products)
    if part.products:
        words = counted(part.count, "multiply-add")
        zeros = f", {padded} of them with padding zeros," if padded else ""
        said = f"{words}{zeros} give {value_words(part.value)}"
    else:
        said = f"It stores {value_words(part.value)}"
    more = f" {counted(chain.left_out, 'part')} more are left out." * bool(
        chain.left_out
    )
    return f"{said}{_passed_on(chain, at)}.{more}"


_LONG_NUMBER = re.compile(r"\d+\.\d{5,}(e[-+]?\d+)?")


def step_words(step: str) -> str:
    """An operation without its type, its numbers with four digits.

    Example:
        >>> step_words("add.f32: -1.5 (a[37, 3]) + 0.25 (b[3]) = -1.25")
        '-1.5 (a[37, 3]) + 0.25 (b[3]) = -1.25'
        >>> step_words("ex2.approx.f32: 1 = 2")
        'ex2: 1 = 2'
        >>> step_words("add.f32: 0.47218096256256104 (a[3]) + 2 (b[3]) = 2.4721808")
        '0.4722 (a[3]) + 2 (b[3]) = 2.472'
    """
    step = _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.4g}", step)
    name, colon, rest = step.partition(": ")
    if not colon:
        return step
    plain = name.partition(".")[0]
    return rest if plain in ("add", "sub", "mul", "div") else f"{plain}: {rest}"


def sectors_of(part: Part, name: str) -> tuple[int, int]:
    """How many numbers of a factor were read, and from how many sectors."""
    factors = [getattr(each, name) for each in part.products]
    read = [each.address for each in factors if each.name]
    return len(set(read)), len({each // SECTOR for each in read})
