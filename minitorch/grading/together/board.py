"""Owns the board of a class: counters of those who are right, under pseudonyms.

Must not know names: a pseudonym follows from a name by a secret of the results folder.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..report.pages.frame import escaped, page
from ..report.words import COUNTERS, amount
from .scores import Result, counts

_FIRST_WORDS = """
amber azure brave bright calm clever copper coral crimson curious dusky eager
early fleet gentle golden grey happy hazel humble indigo ivory jade keen kind
lively lucky lunar merry misty mossy nimble noble olive patient pearl plucky quick
quiet rapid rosy ruby rustic sable sandy scarlet silent silver sleek smart snowy
solar sturdy sunny swift tidy topaz velvet vivid warm wild windy wise
"""
_SECOND_WORDS = """
badger bear beaver bison bobcat buzzard camel caribou cheetah condor crane curlew
dingo dolphin eagle egret falcon ferret finch fox gecko gibbon hare hawk heron
ibex ibis jackal jaguar kestrel kite koala lark lemur leopard lynx magpie marten
marmot mole moose newt ocelot orca osprey otter owl panda pelican petrel puffin
puma quail raven robin salmon seal shrike skua stoat swan tapir tern vole walrus
wolf wren yak
"""
_FIRST, _SECOND = _FIRST_WORDS.split(), _SECOND_WORDS.split()


def board_secret(folder: Path) -> bytes:
    """The secret of a results folder that pseudonyms follow from; made at first."""
    path = folder / ".board"
    if not path.is_file():
        path.write_bytes(secrets.token_bytes(32))
        path.chmod(0o600)
    return path.read_bytes()


def pseudonyms(names: Sequence[str], secret: bytes) -> dict[str, str]:
    """A pseudonym for each name, the same whenever the secret is the same.

    Args:
        names: of submissions, each once.
        secret: of `board_secret`.

    Returns:
        By name two words, with a number where two names have the same ones.

    Example:
        >>> pseudonyms(["ada"], b"s" * 32)
        {'ada': 'sleek ferret'}
    """
    given: dict[str, str] = {}
    for name in sorted(names):
        told = name.encode("utf-8", "surrogateescape")
        digest = hmac.new(secret, told, "sha256").digest()
        first = _FIRST[int.from_bytes(digest[:4]) % len(_FIRST)]
        second = _SECOND[int.from_bytes(digest[4:8]) % len(_SECOND)]
        words, number = f"{first} {second}", 2
        while words in given.values():
            words, number = f"{first} {second} {number}", number + 1
        given[name] = words
    return given


def board_of(results: Sequence[Result], given: dict[str, str]) -> dict[str, Any]:
    """The board as data: columns, and entries with the best first.

    Args:
        results: of a class.
        given: pseudonyms by name.

    Returns:
        `minitorch.board/1`: columns (name, order), entries (pseudonym, values by
        column; a column that someone has no number for is absent there).
    """
    orders: dict[str, str] = {}
    entries = []
    for each in results:
        values = {}
        for entry in each.report["leaderboard"] if counts(each) else ():
            orders.setdefault(entry["name"], entry.get("order", "asc"))
            values[entry["name"]] = entry["value"]
        if values:
            entries.append({"pseudonym": given[each.name], "values": values})

    def rank(entry: dict[str, Any]) -> tuple[Any, ...]:
        ranks: list[Any] = []
        for name, order in orders.items():
            value = entry["values"].get(name)
            sign = -1 if order == "desc" else 1
            ranks += [value is None, 0 if value is None else sign * value]
        return (*ranks, entry["pseudonym"])

    entries.sort(key=rank)
    return {
        "schema": "minitorch.board/1",
        "assignment": results[0].report["assignment"] if results else "",
        "columns": [{"name": name, "order": order} for name, order in orders.items()],
        "entries": entries,
    }


def board_text(board: dict[str, Any]) -> str:
    """board.json."""
    return json.dumps(board, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def board_page(board: dict[str, Any]) -> str:
    """board.html: the same as a table."""
    columns, entries = board["columns"], board["entries"]
    if entries and columns:
        first = columns[0]["name"]
        best = entries[0]
        value = amount(best["values"].get(first, 0))
        answer = f"{best['pseudonym']} leads with {first.replace('_', ' ')} {value}."
    else:
        answer = "Nobody is on the board yet."
    heads = "".join(
        f'<th class="number" title="{escaped(COUNTERS.get(each["name"], ""))}">'
        f"{escaped(each['name'].replace('_', ' '))} "
        f"({'more' if each['order'] == 'desc' else 'less'} is better)</th>"
        for each in columns
    )
    lines = []
    for place, entry in enumerate(entries, 1):
        cells = "".join(
            f'<td class="number">{_cell(entry["values"].get(each["name"]))}</td>'
            for each in columns
        )
        lines.append(
            f'<tr><td class="number">{place}</td><td>{escaped(entry["pseudonym"])}</td>'
            f"{cells}</tr>"
        )
    table = (
        f'<table><tr><th class="number">place</th><th>who</th>{heads}</tr>'
        f"{''.join(lines)}</table>"
    )
    return page(
        f"Whose kernels of {board['assignment']} move the least?",
        answer,
        "Counted on the emulator; only what is right is counted. Names are pseudonyms: "
        "your own stands on your report.",
        [table] if entries else [],
    )


def _cell(value: float | None) -> str:
    return "–" if value is None else amount(value)
