"""An explanation in steps: load, execute, store, with numbers.

The form is that of the usual short answer to "what happens on the GPU?": weights lie in
the card's memory; then for each layer its inputs move in, it computes, the result moves
back. Each step says what is so, and what is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from .records import Kernel
from .table import time_text

if TYPE_CHECKING:
    from .explanation import Explanation

_BY_THREADS = (
    "Nobody moves a layer's weights beforehand: each thread loads what it multiplies."
)


def steps_of(explained: Explanation) -> str:
    """Return numbered steps, equal ones once, and the cost of float64 on the card."""
    alike: dict[tuple[str, str, str, bool], list[str]] = {}
    for name, kernels in _groups(explained):
        texts = (
            _move_in(explained, kernels),
            _execute(explained, kernels),
            _move_out(explained, kernels),
            any(kernel.macs_useful for kernel in kernels),
        )
        alike.setdefault(texts, []).append(name)
    steps, is_explained = [_weights(explained)], False
    for (into, work, out, multiplies), names in alike.items():
        name = _named(names)
        loads = f" {_BY_THREADS}" if multiplies and not is_explained else ""
        is_explained = is_explained or bool(loads)
        steps += [f"{name}, in: {into}{loads}", f"{name}, execute: {work}"]
        steps.append(f"{name}, out: {out}")
    numbered = [f"{number}. {text}" for number, text in enumerate(steps, 1)]
    return "\n".join([*numbered, _double(explained)])


def _weights(explained: Explanation) -> str:
    total, gpu = explained.totals, explained.gpu
    shapes = explained.layers[0].input_shapes if explained.layers else ()
    given = ", ".join(map(str, shapes)) or "the inputs"
    cache = f"{gpu.l2_bytes / 2**20:.3g} MB L2"
    fits = total.parameter_bytes <= gpu.l2_bytes
    again = (
        f"once used, they fit into the {cache}"
        if fits
        else f"they do not fit into the {cache}"
    )
    return (
        f"Given {given}: {total.parameters:,} parameters, {total.parameter_bytes:,} B, "
        f"lie in the card's memory; {again}."
    )


def _groups(explained: Explanation) -> Iterator[tuple[str, list[Kernel]]]:
    """Yield consecutive kernels of one layer, or of one op outside of layers."""
    parents = {layer.parent for layer in explained.layers}

    def key(kernel: Kernel) -> tuple[int, int | None, bool]:
        op = kernel.op
        while op is not None and (above := explained.ops[op].parent) is not None:
            op = above
        back = op is not None and explained.ops[op].backward
        return kernel.layer, op if kernel.layer in parents else None, back

    for (layer, op, back), group in groupby(explained.kernels, key):
        kernels = list(group)
        name = explained.layers[layer].name
        last = explained.ops[op].name if op is not None else ""
        full = ".".join(part for part in (name, last) if part) or kernels[0].name
        yield full + (" (back)" if back else ""), kernels


def _named(names: Sequence[str]) -> str:
    """Return the first name with its count, and the number of other names."""
    first = names[0]
    times, others = names.count(first), len(set(names)) - 1
    text = f"{first} ({times} times)" if times > 1 else first
    return f"{text} and {others} more like it" if others else text


def _bytes(count: int) -> str:
    return f"{count:,} B"


def _blocks(explained: Explanation, kernels: Sequence[Kernel]) -> str:
    most = max(kernel.sms_used for kernel in kernels)
    listed = " + ".join(
        f"{kernel.name} {kernel.blocks} x {kernel.threads}" for kernel in kernels[:4]
    )
    more = f" and {len(kernels) - 4} more" if len(kernels) > 4 else ""
    sms = explained.gpu.sms
    return f"{listed}{more} (blocks x threads), on at most {most} of {sms} SMs"


def _move_in(explained: Explanation, kernels: Sequence[Kernel]) -> str:
    asked = sum(kernel.moved.asked.read for kernel in kernels)
    touched = sum(
        kernel.moved.touched.read for kernel in kernels if kernel.moved.touched
    )
    blocks = _blocks(explained, kernels)
    if not asked:
        return f"{blocks}. Nothing is read."
    shared = any(kernel.moved.shared for kernel in kernels)
    way = (
        "through the caches into shared memory, then to registers"
        if shared
        else "through the caches straight to registers: shared memory is not used"
    )
    return (
        f"{blocks}. Warps ask for {_bytes(asked)}, {_bytes(touched)} of them "
        f"different, {way}."
    )


def _execute(explained: Explanation, kernels: Sequence[Kernel]) -> str:
    useful = sum(kernel.macs_useful for kernel in kernels)
    executed = sum(kernel.macs_executed for kernel in kernels if kernel.macs_useful)
    other = sum(kernel.macs_executed for kernel in kernels if not kernel.macs_useful)
    bound = sum(kernel.at_least.seconds for kernel in kernels)
    waves = max((kernel.waves or 1) for kernel in kernels)
    work = f"{executed:,} multiply-adds, {useful:,} of them useful"
    if not useful:
        work = "no multiply-adds"
        if other:
            work = f"{other:,} multiply-adds, of no product: exp has some, for example"
    launches = "launch" if len(kernels) == 1 else "launches"
    turns = "all blocks at once" if waves == 1 else f"blocks in {waves} waves"
    return f"{len(kernels)} {launches}, {turns}; {work}; at least {time_text(bound)}."


def _move_out(explained: Explanation, kernels: Sequence[Kernel]) -> str:
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


def _double(explained: Explanation) -> str:
    peak = explained.gpu.peak
    share = peak["single"] / peak["double"]
    single, double = (
        f"{peak[precision] / 1e12:.3g}" for precision in ("single", "double")
    )
    return (
        f"In float64 each number has twice the bytes, and {explained.gpu.name} does "
        f"1/{share:.3g} of the operations a second: {double} instead of {single} "
        "TFLOP/s."
    )
