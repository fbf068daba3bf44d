"""Elements that follow the state: declared once, drawn still, told to a player.

Values are a list with one for each row of the axes that they follow, or a formula of
them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..scene.drawing import Drawing
from ..scene.formulas import Formula, value_of
from .player import Player

Values = Sequence[Any] | Formula


class Moving:
    """A picture's parts that change, in the order in which they were drawn.

    Args:
        rows: For each axis the row that the still picture shows.
        counts: How many rows each axis has.
        columns: The lists that formulas name.

    Example:
        >>> moving = Moving({"step": 1}, {"step": 2})
        >>> view = Drawing()
        >>> moving.text(view, "name", 0, 12, ["step"], ["zero", "one"])
        >>> ">one</text>" in str(view)
        True
    """

    def __init__(
        self,
        rows: Mapping[str, int],
        counts: Mapping[str, int],
        columns: Mapping[str, Any] | None = None,
    ) -> None:
        self.rows, self.counts = dict(rows), dict(counts)
        self.columns = dict(columns or {})
        self._told: list[tuple[str, str, tuple[str, ...], Values]] = []

    def value(self, by: Sequence[str], values: Values) -> Any:
        """What the still picture shows of values."""
        if isinstance(values, Formula):
            return value_of(values, self.rows, self.columns)
        at = 0
        for axis in by:
            at = at * self.counts[axis] + self.rows[axis]
        return values[at]

    def also(self, tag: str, name: str, by: Sequence[str], values: Values) -> Any:
        """Let an attribute of an element follow that the view draws itself.

        Returns:
            What the still picture shows of it.
        """
        self._told.append((tag, name, tuple(by), values))
        return self.value(by, values)

    def put(
        self,
        view: Drawing,
        tag: str,
        x: float,
        y: float,
        by: Sequence[str],
        drawings: Sequence[Drawing],
    ) -> None:
        """Draw one of some drawings at a place."""
        view.put(self.also(tag, "content", by, drawings), x, y, data_at=tag)

    def text(
        self,
        view: Drawing,
        tag: str,
        x: float,
        y: float,
        by: Sequence[str],
        words: Values,
        size: float = 12,
        **look: Any,
    ) -> None:
        """Draw words that change."""
        shown = self.also(tag, "text", by, words)
        view.text(x, y, shown, size, data_at=tag, **look)

    def element(
        self,
        view: Drawing,
        kind: str,
        tag: str,
        by: Sequence[str],
        changes: Mapping[str, Values],
        **fixed: Any,
    ) -> None:
        """Draw an element some of whose attributes change.

        Args:
            view: Where.
            kind: "rect", "path", "g" …
            tag: Its name.
            by: The axes that all changes follow.
            changes: For an attribute, as SVG spells it, its values.
            **fixed: The other attributes.
        """
        shown = {
            name.replace("-", "_"): self.also(tag, name, by, values)
            for name, values in changes.items()
        }
        view.element(kind, **shown, **fixed, data_at=tag)

    def ring(
        self, view: Drawing, tag: str, by: Sequence[str], changes: Mapping[str, Values],
        **fixed: Any,
    ) -> None:  # fmt: skip
        """Draw the ring of the focus: a rectangle with `x`, `y`, `width`, `height`."""
        look = {"rx": 4, "fill": "none", "stroke": "var(--ink)", "stroke_width": 2.4}
        self.element(view, "rect", tag, by, changes, **{**look, **fixed})

    def follow(self, player: Player) -> None:
        """Tell a player all that was drawn."""
        player.columns(**self.columns)
        for tag, name, by, values in self._told:
            player.set(tag, name, by, values)
