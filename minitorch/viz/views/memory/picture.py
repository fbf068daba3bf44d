"""The picture of the memory view: requests, and below them the banks."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ....cuda.inspecting.trace import LANES
from ...figure.figure import WIDTH, Figure, KeyEntry
from ...figure.live import Live
from ...scene.drawing import Drawing
from ...traces.fault_view import draw_missed
from .bank_view import draw_bank_focus, draw_shelf, shelf_words
from .live import memory_live
from .request_view import CELL, HALF, LEFT, draw_focus, draw_request, focus_of
from .traffic import Request, Traffic, variants_of
from .words import answer_of, detail_of, shared_answer_of

_LANE = 5
_END = LEFT + LANES * CELL
_APART = WIDTH - HALF


@dataclass(frozen=True)
class Chosen:
    """What of a launch's traffic is shown.

    Attributes:
        away: Which of the choices of global memory is the last one shown; -1 for none.
        near: Which of the choices of shared memory; -1 for none.
        lane: The focused lane.
    """

    away: int
    near: int
    lane: int


def first_choice(data: Traffic) -> Chosen:
    """What is shown where nobody has chosen."""
    last = data.requests[-1] if data.requests else data.shared
    assert last is not None
    lanes = last.lane.tolist()
    away = data.choices.index(data.requests[-1]) if data.requests else -1
    near = data.shared_choices.index(data.shared) if data.shared else -1
    wanted = data.lane if data.lane >= 0 else _LANE
    return Chosen(away, near, wanted if wanted in lanes else lanes[0])


def with_chosen(data: Traffic, chosen: Chosen) -> Traffic:
    """The traffic with these instructions shown."""
    requests, shared, banks = data.requests, data.shared, data.banks
    if chosen.away >= 0:
        requests = (*requests[:-1], data.choices[chosen.away])
    if chosen.near >= 0:
        shared = data.shared_choices[chosen.near]
        banks = variants_of(shared)
    return replace(data, requests=requests, shared=shared, banks=banks)


def _draw_requests(body: Drawing, data: Traffic, lane: int) -> None:
    """One request, or two beside each other; room for the tallest to choose from."""
    every: tuple[Request, ...] = (*data.requests, *data.choices)
    high = max(draw_request(each).height for each in every)
    for at, request in enumerate(data.requests):
        part, focus = Drawing(HALF, high), focus_of(request, lane)
        part.put(draw_request(request), 0, 0, data_at=f"request{at}")
        part.put(draw_focus(focus), 0, 0, data_at=f"focus{at}")
        part.text(
            _END, 38, focus.words, 11.5, fill="var(--mut)", anchor="end",
            data_at=f"way{at}",
        )  # fmt: skip
        body.put_part(part, at * _APART, 0)
    body.height = high + 8


def shelf(data: Traffic, at: int) -> Drawing:
    """One of the two variants of the shared request; empty where there is none."""
    assert data.shared is not None
    if at < len(data.banks):
        return draw_shelf(data.banks[at], data.shared.warp)
    return Drawing(HALF)


def shelf_focus(data: Traffic, at: int, lane: int) -> Drawing:
    """The rings in one of the variants; empty where there is none."""
    banks = data.banks[at] if at < len(data.banks) else None
    return draw_bank_focus(banks, lane)


def _draw_banks(body: Drawing, data: Traffic, lane: int) -> None:
    """The shared request as it ran and, where lanes wait, with padding beside it."""
    if data.requests:
        body.path(f"M0 {body.height + 6}H{WIDTH}", stroke="var(--line)")
        words = shared_answer_of(data)
        title = Drawing(HALF, 28)
        title.text(0, 18, words, 14, bold=True, data_at="shared")
        body.put_part(title, 0, body.height + 16)
        body.height += 54
    high = max(
        draw_shelf(banks, 0).height
        for each in data.shared_choices
        for banks in variants_of(each)
    )
    for at in range(2):
        part = Drawing(HALF, high)
        part.put(shelf(data, at), 0, 0, data_at=f"shelf{at}")
        part.put(shelf_focus(data, at, lane), 0, 0, data_at=f"bank{at}")
        words = shelf_words(data.banks[at], lane) if at < len(data.banks) else ""
        part.text(
            _END, 34, words, 11.5, fill="var(--mut)", anchor="end",
            data_at=f"word{at}",
        )  # fmt: skip
        body.put_part(part, at * _APART, body.height)
    body.height += high


def draw_memory(data: Traffic, note: str = "", chosen: Chosen | None = None) -> Figure:
    """Draw what single instructions of a warp move.

    Args:
        data: From `memory_data`.
        note: A sentence to add to the detail.
        chosen: What is shown; None: what `data` says.
    """
    first = chosen or first_choice(data)
    shown, body = with_chosen(data, first), Drawing(WIDTH)
    if shown.requests:
        _draw_requests(body, shown, first.lane)
    if shown.shared is not None:
        _draw_banks(body, shown, first.lane)
    if data.fault and data.fault.array:
        missed = draw_missed(data.fault)
        body.put_part(missed, 0, body.height + 8)
        body.height += missed.height + 8
    detail = " ".join(filter(None, [detail_of(data), note]))
    return Figure(
        question="How much memory traffic does one warp instruction cause?",
        answer=answer_of(shown),
        detail=detail,
        body=body,
        key=_key(data),
        data=data,
        live=_live(data, first, detail),
    )


def _live(data: Traffic, first: Chosen, detail: str) -> Live:
    away = [replace(first, away=at) for at in range(len(data.choices))]
    near = [replace(first, near=at) for at in range(len(data.shared_choices))]
    return memory_live(
        data,
        [with_chosen(data, each) for each in away],
        [with_chosen(data, each) for each in near],
        {"away": first.away, "near": first.near, "lane": first.lane},
        detail,
    )


def _key(data: Traffic) -> tuple[KeyEntry, ...]:
    banks = _bank_key(data) if data.shared is not None else ()
    if data.fault and data.fault.array:
        banks = (*banks, KeyEntry("wrong", "cell that does not exist"))
    focus = KeyEntry("focus", "focused lane and its word; only it gets an arrow")
    return (*_traffic_key(data), *banks, focus)


def _traffic_key(data: Traffic) -> tuple[KeyEntry, ...]:
    shown = (*data.requests, *data.choices)
    warps = {each.warp for each in (*shown, *data.shared_choices)}
    how = "number: lane" if len(warps) == 1 else "number: lane, colour: warp"
    who = (data.requests[-1] if data.requests else data.shared_choices[0]).warp
    key: tuple[KeyEntry, ...] = (
        KeyEntry("runs", f"word that a lane uses ({how})", who),
    )
    if any(each.moved > each.used for each in shown):
        key += (KeyEntry("moved", "moved but not used"),)
    if any(len(each.lines) * 4 > len(each.sectors) for each in shown):
        key += (KeyEntry("bare", "not touched"),)
    return key


def _bank_key(data: Traffic) -> tuple[KeyEntry, ...]:
    every = [variants_of(each) for each in data.shared_choices]
    key = [KeyEntry("untouched", "word of shared memory, not used now")]
    if any(variants[0].passes > 1 for variants in every):
        key.append(KeyEntry("wrong", "bank conflict: more than one pass"))
    if any(len(variants) > 1 for variants in every):
        key.append(KeyEntry("empty", "padding word"))
    return tuple(key)
