"""What of a picture changes with its state, as tables that a page follows.

A view draws its parts for each state, in Python. Here they become tables, which
`assets/player.js` reads: the page sets texts, attributes and contents, and draws
nothing of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..scene.drawing import Drawing
from ..scene.formulas import Formula
from ..scene.varying import varying
from .live import Live

Box = Sequence[float]


def _plain(value: Any) -> Any:
    """A value as the page gets it: drawings as text, numbers as drawings spell them."""
    if isinstance(value, Drawing):
        return str(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else round(value, 2)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value.tolist() if hasattr(value, "tolist") else value


def _size(value: Any) -> int:
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False))


def packed(values: Iterable[Any]) -> Any:
    """Values in the shortest of three forms.

    A list; different values and a number for each place; or, of texts that are alike,
    what they share, and what differs.

    Example:
        >>> packed(["a", "b"])
        ['a', 'b']
        >>> packed(["a long text", "another text", "a long text", "a long text"])
        {'values': ['a long text', 'another text'], 'at': [0, 1, 0, 0]}
    """
    plain = [_plain(each) for each in values]
    number: dict[str, int] = {}
    at = [number.setdefault(json.dumps(each), len(number)) for each in plain]
    forms = [plain, {"values": [json.loads(each) for each in number], "at": at}]
    if all(isinstance(each, str) for each in plain):
        forms.append(varying(plain))
    return min(forms, key=_size)


class Player:
    """What makes a picture live, put together piece by piece.

    Args:
        first: The state that the still picture shows.

    Example:
        >>> player = Player({"step": 0})
        >>> player.axis("step", 3)
        >>> player.text("name", ["step"], ["zero", "one", "two"])
        >>> player.slider("step", "Step", ["step 0", "step 1", "step 2"])
        >>> player.live().script
        'player'
    """

    def __init__(self, first: Mapping[str, Any]) -> None:
        self._first = dict(first)
        self._axes: list[dict[str, Any]] = []
        self._tables: list[dict[str, Any]] = []
        self._controls: list[dict[str, Any]] = []
        self._keys: dict[str, dict[str, Any]] = {}
        self._areas: list[dict[str, Any]] = []
        self._columns: dict[str, Any] = {}
        self._press = False

    def axis(
        self,
        name: str,
        rows: int | Sequence[Any],
        names: Sequence[str] | None = None,
        **rules: Any,
    ) -> None:
        """What moves by itself: a field of the state, or some together.

        Args:
            name: Of the axis.
            rows: How many, if the field counts them from 0; else the field's value in
                each row, or a list of the fields' values.
            names: The fields; left out: one, with the axis's name. None at all where
                it only `follows` another axis.
            **rules: As `Axis` in `rows.js` has them: `within`, `most`, `follows`,
                `stays`; `starts` for its `else`.
        """
        if "starts" in rules:
            rules["else"] = rules.pop("starts")
        plain = rows if isinstance(rows, int) else list(rows)
        self._axes.append(
            {
                "name": name,
                "names": [name] if names is None else list(names),
                "rows": plain,
                **rules,
            }
        )

    def columns(self, **values: Any) -> None:
        """Lists that formulas name."""
        self._columns |= values

    def set(
        self, at: str, name: str, by: Sequence[str], values: Iterable[Any] | Formula
    ) -> None:
        """Let an attribute of the element tagged `at` follow axes.

        Args:
            at: As in `data_at`.
            name: Of the attribute, with hyphens.
            by: The axes.
            values: For each row; of several axes the last one's rows go fastest. Or a
                formula of them.
        """
        what = (
            {"is": values.spelled}
            if isinstance(values, Formula)
            else {"of": packed(values)}
        )
        self._tables.append({"at": at, "set": name, "by": list(by), **what})

    def text(self, at: str, by: Sequence[str], values: Iterable[str] | Formula) -> None:
        """Let the words of an element follow axes."""
        self.set(at, "text", by, values)

    def content(
        self, at: str, by: Sequence[str], values: Iterable[Drawing | str]
    ) -> None:
        """Let what is within a group follow axes."""
        self.set(at, "content", by, values)

    def says(
        self, by: Sequence[str], answers: Iterable[str], details: Iterable[str] | str
    ) -> None:
        """Let the words on top follow axes; a detail may be the same for all."""
        self.set("answer", "says", by, answers)
        fixed = isinstance(details, str)
        self.set("detail", "says", [] if fixed else by, [details] if fixed else details)

    def slider(
        self,
        axis: str,
        label: str,
        words: Iterable[str] | Formula,
        marks: Sequence[int] = (),
    ) -> None:
        """Add a slider, its arrow keys too, with words for each row of its axis."""
        what = (
            {"is": words.spelled}
            if isinstance(words, Formula)
            else {"of": packed(words)}
        )
        self._controls.append(
            {"kind": "slider", "axis": axis, "label": label, "marks": marks, **what}
        )

    def choice(self, name: str, label: str, options: Sequence[tuple[Any, str]]) -> None:
        """Add a choice among values of a field of the state, each with a label."""
        named = [{"value": value, "label": words} for value, words in options]
        self._controls.append(
            {"kind": "choice", "name": name, "label": label, "options": named}
        )

    def button(self, label: str, key: str, axis: str, to: Sequence[int]) -> None:
        """Add a button that leads from each row of an axis to another one."""
        go = {"axis": axis, "to": to}
        self._controls.append({"kind": "button", "label": label, "key": key, "go": go})

    def key(self, name: str, axis: str, **go: Any) -> None:
        """Let a key move along an axis.

        Args:
            name: Of the key.
            axis: Along which.
            **go: `by`: so many rows, no farther than the last one; `to`: for each row
                the one to go to, -1 for none.
        """
        self._keys[name] = {"axis": axis, **go}

    def areas(
        self,
        at: str,
        axis: str,
        by: Sequence[str],
        boxes: Iterable[Sequence[Box]] | Formula,
        rows: Sequence[int] = (),
        *,
        on: Sequence[str] = (),
        also: Mapping[str, Formula] | None = None,
        pressed: bool = False,
    ) -> None:
        """Let the pointer lead to a row, over boxes of a part of the picture.

        Args:
            at: An element of that part.
            axis: Where the pointer leads.
            by: The axes that the boxes follow.
            boxes: Left, top, width and height of each area, for each row of `by`; or a
                formula of the pointer for the row, -1 for none.
            rows: Where each area leads; left out: the first to row 0, and so on.
            on: Names, without a number at the end, of elements that the pointer must be
                at; left out: any.
            also: Other fields of the state, and their values.
            pressed: Whether only a press leads there: the pointer may cross the boxes
                on its way to something else.
        """
        more = {name: each.spelled for name, each in (also or {}).items()}
        what: dict[str, Any] = {"at": at, "axis": axis, "by": list(by), "on": list(on)}
        what["also"] = more
        if pressed:
            what["pressed"] = True
        if isinstance(boxes, Formula):
            what["is"] = boxes.spelled
        else:
            what["of"] = packed(boxes)
        if rows:
            what["rows"] = list(rows)
        self._areas.append(what)

    def on_press(self) -> None:
        """Follow a press of the pointer, not the click that it may become."""
        self._press = True

    def live(self, keys: Sequence[tuple[str, str]] = ()) -> Live:
        """All of it, with what keys do for the line below the picture."""
        data = {
            "first": self._first,
            "axes": self._axes,
            "tables": self._tables,
            "controls": self._controls,
            "keys": self._keys,
            "areas": self._areas,
            "columns": self._columns,
            "press": self._press,
        }
        return Live("player", data, tuple(keys))
