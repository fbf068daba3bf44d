"""An explanation told step by step: load, execute, return, with numbers.

The form is that of the usual short answer to "what happens on the GPU?": weights lie in
the card's memory; then for each layer its inputs move in, it computes, the result moves
back. Each step says what is so, and what is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from .records import Kernel, Told
from .table import time_text

_BY_THREADS = (
    "Nobody moves a layer's weights beforehand: each thread loads what it multiplies."
)


def steps_of(explained: Told) -> str:
    """Numbered steps, alike ones once, and what float64 costs on the card."""
    alike: dict[tuple[str, str, str, bool], list[str]] = {}
    for name, kernels in _groups(explained):
        texts = (
            _move_in(explained, kernels),
            _execute(explained, kernels),
            _move_out(explained, kernels),
            any(each.macs_useful for each in kernels),
        )
        alike.setdefault(texts, []).append(name)
    steps, said = [_weights(explained)], False
    for (into, work, out, multiplies), names in alike.items():
        name = _named(names)
        loads = f" {_BY_THREADS}" if multiplies and not said else ""
        said = said or bool(loads)
        steps += [f"{name}, in: {into}{loads}", f"{name}, execute: {work}"]
        steps.append(f"{name}, out: {out}")
    numbered = [f"{number}. {text}" for number, text in enumerate(steps, 1)]
    return "\n".join([*numbered, _double(explained)])


def _weights(explained: Told) -> str:
    total, gpu = explained.totals, explained.gpu
    shapes = explained.layers[0].input_shapes if explained.layers else ()
    given = ", ".join(map(str, shapes)) or "the inputs"
    where = f"{gpu.l2_bytes / 2**20:.3g} MB L2"
    fits = total.parameter_bytes <= gpu.l2_bytes
    again = (
        f"once used, they fit into the {where}"
        if fits
        else f"they do not fit into the {where}"
    )
    return (
        f"Given {given}: {total.parameters:,} parameters, {total.parameter_bytes:,} B, "
        f"lie in the card's memory; {again}."
    )


def _groups(explained: Told) -> Iterator[tuple[str, list[Kernel]]]:
    """Kernels that follow each other in one layer, or for one op beside layers."""
    parents = {each.parent for each in explained.layers}

    def place(kernel: Kernel) -> tuple[int, int | None, bool]:
        op = kernel.op
        while op is not None and (above := explained.ops[op].parent) is not None:
            op = above
        back = op is not None and explained.ops[op].backward
        return kernel.layer, op if kernel.layer in parents else None, back

    for (layer, op, back), found in groupby(explained.kernels, place):
        kernels = list(found)
        name = explained.layers[layer].name
        last = explained.ops[op].name if op is not None else ""
        whole = ".".join(each for each in (name, last) if each) or kernels[0].name
        yield whole + (" (back)" if back else ""), kernels


def _named(names: Sequence[str]) -> str:
    """The first name, how often it is there, and how many others are."""
    first = names[0]
    times, others = names.count(first), len(set(names)) - 1
    text = f"{first} ({times} times)" if times > 1 else first
    return f"{text} and {others} more like it" if others else text


def _bytes(count: int) -> str:
    return f"{count:,} B"


def _blocks(explained: Told, kernels: Sequence[Kernel]) -> str:
    most = max(each.sms_used for each in kernels)
    each = " + ".join(
        f"{kernel.name} {kernel.blocks} x {kernel.threads}" for kernel in kernels[:4]
    )
    more = f" and {len(kernels) - 4} more" if len(kernels) > 4 else ""
    return (
        f"{each}{more} (blocks x threads), on at most {most} of {explained.gpu.sms} SMs"
    )


def _move_in(explained: Told, kernels: Sequence[Kernel]) -> str:
    asked = sum(each.moved.asked.read for each in kernels)
    touched = sum(each.moved.touched.read for each in kernels if each.moved.touched)
    where = _blocks(explained, kernels)
    if not asked:
        return f"{where}. Nothing is read."
    shared = any(each.moved.shared for each in kernels)
    way = (
        "through the caches into shared memory, then to registers"
        if shared
        else "through the caches straight to registers: shared memory is not used"
    )
    return (
        f"{where}. Warps ask for {_bytes(asked)}, {_bytes(touched)} of them different, "
        f"{way}."
    )


def _execute(explained: Told, kernels: Sequence[Kernel]) -> str:
    useful = sum(each.macs_useful for each in kernels)
    executed = sum(each.macs_executed for each in kernels if each.macs_useful)
    other = sum(each.macs_executed for each in kernels if not each.macs_useful)
    bound = sum(each.at_least.seconds for each in kernels)
    waves = max((each.waves or 1) for each in kernels)
    work = f"{executed:,} multiply-adds, {useful:,} of them useful"
    if not useful:
        work = "no multiply-adds"
        if other:
            work = f"{other:,} multiply-adds, of no product: exp has some, for example"
    launches = "launch" if len(kernels) == 1 else "launches"
    turns = "all blocks at once" if waves == 1 else f"blocks in {waves} waves"
    return f"{len(kernels)} {launches}, {turns}; {work}; at least {time_text(bound)}."


def _move_out(explained: Told, kernels: Sequence[Kernel]) -> str:
    last = kernels[-1].moved
    written = last.touched.written if last.touched else last.asked.written
    cache = explained.gpu.l2_bytes
    size = f"{cache / 2**20:.3g} MB L2"
    if written <= cache:
        end = f"They stay in the {size}; nothing need return to the card's memory."
    else:
        end = (
            f"That is more than the {size}: at least {_bytes(written - cache)} return "
            "to the card's memory."
        )
    return f"{_bytes(written)} are written. {end}"


def _double(explained: Told) -> str:
    peak = explained.gpu.peak
    share = peak["single"] / peak["double"]
    single, double = (f"{peak[each] / 1e12:.3g}" for each in ("single", "double"))
    return (
        f"In float64 each number has twice the bytes, and {explained.gpu.name} does "
        f"1/{share:.3g} of the operations a second: {double} instead of {single} "
        "TFLOP/s."
    )
