"""Owns what the memory view's script reads. Must not know launches."""

from __future__ import annotations

from typing import Any

from ..cuda.trace import LANES
from .bank_view import draw_shelf, rings_of, shelf_words
from .live import Live
from .memory_words import answer_of, shared_answer_of
from .request_view import draw_request, focus_of
from .traffic import Banks, Request, Traffic, variants_of


def _lanes(request: Request) -> list[Any]:
    """For each lane what it uses, the arrow, whether it reads, and the arithmetic."""
    found = (focus_of(request, lane) for lane in range(LANES))
    return [[each.word, each.arrow, each.reads, each.words] for each in found]


def _bank_lanes(banks: Banks) -> list[Any]:
    """For each lane the places of its rings, and the arithmetic."""
    return [[rings_of(banks, lane), shelf_words(banks, lane)] for lane in range(LANES)]


def _near(request: Request) -> dict[str, Any]:
    variants = variants_of(request)
    return {
        "panels": [str(draw_shelf(banks, request.warp)) for banks in variants],
        "lanes": [_bank_lanes(banks) for banks in variants],
    }


def _label(request: Request) -> str:
    return f"{request.noun}, line {request.line}"


def memory_live(
    data: Traffic,
    away: list[Traffic],
    near: list[Traffic],
    first: dict[str, int],
    detail: str,
) -> Live:
    """The columns that `assets/live/memory.js` needs to show any choice.

    Args:
        data: From `memory_data`.
        away: The traffic with each of its choices of global memory shown.
        near: The same for shared memory.
        first: What is shown first: away, near, lane.
        detail: The line below the answer.
    """
    fixed = data.requests[0] if len(data.requests) > 1 else None
    return Live(
        "memory",
        {
            "first": first,
            "detail": detail,
            "answers": [answer_of(each) for each in away],
            "sharedAnswers": [shared_answer_of(each) for each in near],
            "fixed": fixed and _lanes(fixed),
            "away": [
                {"panel": str(draw_request(each)), "lanes": _lanes(each)}
                for each in data.choices
            ],
            "near": [_near(each) for each in data.shared_choices],
            "awayNames": [_label(each) for each in data.choices],
            "nearNames": [f"shared {_label(each)}" for each in data.shared_choices],
        },
        (
            ("← →", "previous, next lane"),
            ("W S", "previous, next instruction"),
            *([("[ ]", "the same for shared memory")] if len(near) > 1 else []),
        ),
    )
