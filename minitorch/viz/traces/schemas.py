"""The check that what a view is given is plain data of the form that it reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Form:
    """What a view draws.

    Attributes:
        view: as `viz` has it.
        schema: what the data say of themselves: "minitorch.explain/1".
        what: the kind of object that gives them, with its article.
        method: by which it does.
        made: a line of Python that makes the object.
    """

    view: str
    schema: str
    what: str
    method: str
    made: str

    def of(self, given: Any) -> Mapping[str, Any]:
        """The data, of an object or as they are.

        Raises:
            TypeError: Neither of these.
            ValueError: Data of another form.
        """
        found = given
        if not isinstance(found, Mapping):
            gives = getattr(found, self.method, None)
            found = gives() if callable(gives) else None
        if not isinstance(found, Mapping):
            raise TypeError(
                f"[viz.{self.view}] got {type(given).__name__}; need {self.what}. "
                f"{self.made}"
            )
        if found.get("schema") != self.schema:
            raise ValueError(
                f"[viz.{self.view}] got schema {found.get('schema')!r}; need "
                f"{self.schema!r}, as {self.method}() of {self.what} gives it."
            )
        return found
