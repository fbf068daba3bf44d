"""Many texts of few forms, sent as those forms and what differs."""

from __future__ import annotations

import re
from typing import Any

_TOKENS = re.compile(r'([<>"])')
_VALUES = re.compile(r'"[^"]*"|>[^<]*')


def varying(texts: list[str]) -> dict[str, Any]:
    """What texts share, in parts, and what stands between the parts in each.

    A text is forms[f][0] + v[0] + forms[f][1] + v[1] + ... for its row [f, v] of
    `texts`. Texts of one form have the same elements with the same attributes.

    Example:
        >>> varying(["<b>s[1]</b>", "<b>s[2]</b>"])
        {'forms': [['<b>', '</b>']], 'texts': [[0, ['s[1]']], [0, ['s[2]']]]}
    """
    groups: dict[str, list[int]] = {}
    for row, text in enumerate(texts):
        groups.setdefault(_VALUES.sub("", text), []).append(row)
    forms: list[list[str]] = []
    found: list[Any] = [None] * len(texts)
    for rows in groups.values():
        parts, columns = _apart([_TOKENS.split(texts[row]) for row in rows])
        for at, row in enumerate(rows):
            found[row] = [len(forms), [column[at] for column in columns]]
        forms.append(parts)
    return {"forms": forms, "texts": found}


def _apart(split: list[list[str]]) -> tuple[list[str], list[tuple[str, ...]]]:
    """The parts that are alike, and the columns of tokens between them."""
    parts, columns = [""], []
    for tokens in zip(*split, strict=True):
        if len(set(tokens)) == 1:
            parts[-1] += tokens[0]
        else:
            columns.append(tokens)
            parts.append("")
    return parts, columns
